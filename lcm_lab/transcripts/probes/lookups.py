"""Tool calls with what they gave, and which of them only look something up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lcm_lab.messages import Message
from lcm_lab.redact import redact
from lcm_lab.transcripts.probes.history import History

__all__ = ["Call", "argument", "calls", "looked_for", "looks_up"]

READS = frozenset({"read", "read_file", "view", "view_file", "cat", "open_file", "readfile"})
SEARCHES = frozenset(
    {
        *("grep", "glob", "ripgrep", "find", "ls", "list_dir", "list_directory", "search_files"),
        *("grep_search", "file_search", "codebase_search", "search_dir", "search_file"),
        *("find_file", "webfetch", "websearch", "web_search", "web_fetch", "search_file_content"),
    }
)
SHELLS = frozenset(
    {
        *("bash", "shell", "exec_command", "run_shell_command", "execute_bash", "local_shell"),
        *("terminal", "run_command", "run_in_terminal", "exec"),
    }
)
EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
#: A command line that reads and changes nothing: its first program, after a change of folder.
LOOKS = re.compile(
    r"^(?:cd [^&;|]+&& *)?(?:cat|head|tail|sed -n|grep|rg|ag|find|ls|tree|wc|jq|awk|"
    r"git (?:show|log|diff|blame|grep|status))\b"
)
#: What writes after all; a stream sent to another, or to nothing, does not.
WRITES = re.compile(r"(?<![\d&])>(?!\s*/dev/null|&)|\btee\b|-delete\b|-exec\b|xargs|\bsed -i")
#: What a pattern holds beside words.
SIGNS = re.compile(r"[^\w\s.-]+|\.\*|(?<!\w)\.(?!\w)")
#: Arguments that say what is looked for, the likeliest first.
PATHS = ("file_path", "path", "filename", "file", "absolute_path", "uri", "url")
PATTERNS = ("pattern", "query", "regex", "q", "search_term", "glob")
COMMANDS = ("command", "cmd", "script")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call, its arguments as text, and what it gave.

    Attributes
    ----------
    row, result : int
        Their rows; ``result`` is -1 where nothing came back.
    name, given, output : str
    error : bool
    """

    row: int
    name: str
    given: str
    result: int = -1
    output: str = ""
    error: bool = False


def calls(history: History) -> list[Call]:
    """Pair tool calls with their results: by their ids, or as the only ones that stand together."""
    found = _by_id(history) if history.messages else _by_place(history)
    return sorted(found, key=lambda call: call.row)


def _by_id(history: History) -> Iterator[Call]:
    place = history.row_of
    results: dict[tuple[str, str], tuple[int, str, bool]] = {}
    for message in history.messages:
        row = place.get(f"{message.id}#tool_result", -1)
        for part in message.parts:
            if part.kind == "tool_result" and part.call and row >= 0:
                results.setdefault((message.session, part.call), (row, part.text, part.error))
    by_place = {call.row: call for call in _by_place(history)}
    for message in history.messages:
        yield from _of_message(message, place, results, by_place)


def _of_message(
    message: Message,
    place: dict[str, int],
    results: dict[tuple[str, str], tuple[int, str, bool]],
    by_place: dict[int, Call],
) -> Iterator[Call]:
    row = place.get(f"{message.id}#tool_call", -1)
    made = [part for part in message.parts if part.kind == "tool_call"] if row >= 0 else []
    for part in made:
        name, _, given = part.text.partition("\n")
        back = results.get((message.session, part.call)) if part.call else None
        if back is not None:
            yield Call(row, part.name or name, given, *back)
        elif len(made) == 1 and not part.call and row in by_place:
            yield by_place[row]
        else:
            yield Call(row, part.name or name, given)


def _by_place(history: History) -> Iterator[Call]:
    """Pair a call with the one result that follows it at once."""
    kinds, talks = history.kinds, history.talks
    for row, kind in enumerate(kinds):
        if kind != "tool_call":
            continue
        name, _, given = history.texts[row].partition("\n")
        same = [one for one in (row + 1, row + 2) if one < len(kinds) and talks[one] == talks[row]]
        after = [kinds[one] for one in same]
        if after[:1] == ["tool_result"] and after[1:] != ["tool_result"]:
            yield Call(row, name, given, row + 1, history.texts[row + 1])
        else:
            yield Call(row, name, given)


def argument(given: str, names: tuple[str, ...]) -> str:
    r"""Give the first of some arguments that a call has; "" for none.

    Examples
    --------
    >>> argument("pattern: retry.*\npath: src", ("query", "pattern"))
    'retry.*'
    """
    said = redact(given).text.split("\n")
    lines = dict(line.split(": ", 1) for line in reversed(said) if ": " in line)
    return next((lines[name].strip() for name in names if lines.get(name, "").strip()), "")


def looks_up(call: Call) -> bool:
    """Tell whether a call only looks something up: a read, a search, a command that prints."""
    name = call.name.lower()
    if name in SHELLS:
        command = argument(call.given, COMMANDS)
        return bool(LOOKS.match(command)) and not WRITES.search(command)
    if name in EDITORS:
        return argument(call.given, COMMANDS) == "view"
    return name in READS or name in SEARCHES


def looked_for(call: Call) -> str:
    r"""Say what a call looks for: the name of a file, a pattern, or what a command line names.

    Examples
    --------
    >>> looked_for(Call(0, "Read", "file_path: /srv/app/theme.md\nlimit: 80"))
    'theme.md'
    """
    if call.name.lower() in SHELLS:
        words = re.findall(r"[\w.@+-]*[./][\w./@+-]*\w|\"[^\"]+\"|'[^']+'", _command(call))
        found = [word.strip("\"'").rstrip("/").rsplit("/", 1)[-1] for word in words[:4]]
        found = [SIGNS.sub(" ", one).strip() for one in found]
        return " ".join(dict.fromkeys(one for one in found if any(c.isalpha() for c in one)))
    path = argument(call.given, PATHS).rstrip("/").rsplit("/", 1)[-1]
    if call.name.lower() in READS or call.name.lower() in EDITORS:
        return path
    pattern = SIGNS.sub(" ", argument(call.given, PATTERNS))
    return " ".join(dict.fromkeys([*pattern.split()[:8], *([path] if "." in path else [])]))


def _command(call: Call) -> str:
    """Give the command line of a call without its change of folder and what comes after a pipe."""
    command = re.sub(r"^cd [^&;|]+&& *", "", argument(call.given, COMMANDS))
    return re.split(r"[|;]|&&|\d?>", command)[0]
