"""Claude Code session files: one JSON record a line, an assistant's turn spread over several.

What is read: records of a ``message`` with a role, and prompts that waited in the queue until the
agent took them up in mid-turn. Fragments of one turn (the same message id) become one message; the
usage that each repeats is not read, tokens are those of the text. What the harness wrote
(``isMeta`` in the user's name, errors of the API in the assistant's) has the role system. The
summary that replaces a compacted context is a part of kind summary, since it repeats what is there;
what follows it follows, past the boundary, what came before. Which messages stand: see
`lcm_lab.transcripts.rewinds`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lcm_lab.ids import digest
from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.base import REPEATED
from lcm_lab.transcripts.claude_sessions import Tellings
from lcm_lab.transcripts.draft import Draft, Format, text_of
from lcm_lab.transcripts.rewinds import Entry, rewound

__all__ = ["FORMAT", "is_claude", "parse"]

ROLES = ("user", "assistant", "system", "tool")

#: Records that hold no message, by which such a file is still known.
TYPES = (
    *("summary", "file-history-snapshot", "queue-operation", "progress", "attachment"),
    *("custom-title", "ai-title", "agent-name", "last-prompt", "pr-link", "tag"),
)


def is_claude(item: Any) -> bool:
    """Tell whether a record is one of Claude Code's."""
    if not isinstance(item, dict) or "payload" in item:
        return False
    if item.get("type") in ROLES:
        return isinstance(item.get("message"), dict) or "parentUuid" in item
    return item.get("type") in TYPES


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the records of one file.

    Parameters
    ----------
    found : iterable of (line, value)
    source : str
        The file, for references.
    session : str
        The session of records that name none.
    """
    out = Draft(source)
    turns = _Turns(out)
    links = _Links()
    tellings = Tellings(out, session)
    for at, (line, record) in enumerate(found):  # several may stand on one line
        tellings.hear(record)
        said = _queued(record)
        message = _message(said, line, out, session)
        if message is None:
            links.pass_over(record)
        else:
            turn = text_of(said["message"], "id") or f"record {at}"
            links.lead(said, message, turns.add(message, turn))
    tellings.close()
    gone = links.left_behind()
    out.messages = [links.tie(one, gone) for one in out.messages]
    return out


class _Turns:
    """Fragments of a turn become one message, at the place of the first."""

    def __init__(self, out: Draft) -> None:
        self.out = out
        self.at: dict[tuple[str, str], int] = {}
        self.seen: set[tuple[Any, ...]] = set()

    def add(self, message: Message, turn: str) -> str:
        """Take in a fragment, unless it is a repeat, and give the id of its message."""
        fragment = (message.session, turn, message.parts, message.time or message.id)
        at = self.at.setdefault(fragment[:2], len(self.out.messages))
        if at == len(self.out.messages):
            self.out.messages.append(message)
        elif fragment in self.seen:
            self.out.skip(message.line, REPEATED)
        else:
            self.out.extend(at, message.parts)
        self.seen.add(fragment)
        return self.out.messages[at].id


class _Links:
    """Parent ids name records; here they come to name messages, past records that hold none."""

    def __init__(self) -> None:
        self.message: dict[str, str] = {}
        self.above: dict[str, str] = {}
        self.entries: list[Entry] = []
        self.lines: list[int] = []

    def lead(self, record: dict[str, Any], message: Message, name: str) -> None:
        """Note a record that is a message, or a fragment of the one of this name."""
        self.message.setdefault(text_of(record, "uuid"), name)
        prompt = _is_prompt(record, message)
        same = digest(message.time, *(part.text for part in message.parts)) if prompt else ""
        entry = Entry(text_of(record, "uuid"), message.parent, prompt=prompt, same=same)
        self.entries.append(entry)
        self.lines.append(message.line)

    def pass_over(self, record: Any) -> None:
        if isinstance(record, dict) and text_of(record, "uuid"):
            self.above.setdefault(text_of(record, "uuid"), _parent(record))
            self.entries.append(Entry(text_of(record, "uuid"), _parent(record), says=False))
            self.lines.append(0)

    def left_behind(self) -> set[int]:
        """Give the lines whose messages a rewind left behind."""
        gone = zip(rewound(self.entries), self.lines, strict=True)
        return {line for left, line in gone if left}

    def tie(self, message: Message, gone: set[int]) -> Message:
        """Name the message that one follows; as written where it is not in this file."""
        at, seen = message.parent, set[str]()
        while at and at not in self.message and at in self.above and at not in seen:
            seen.add(at)
            at = self.above[at]
        at = self.message.get(at, at)
        active = message.line not in gone
        if at == message.parent and active:
            return message
        return replace(message, parent=at, active=active)


def _parent(record: dict[str, Any]) -> str:
    return text_of(record, "parentUuid") or text_of(record, "logicalParentUuid")


def _is_prompt(record: dict[str, Any], message: Message) -> bool:
    """Tell whether the user asked something, and could take it back."""
    if message.role != "user" or message.sidechain or record.get("type") == "attachment":
        return False
    return any(part.kind in ("text", "image", "file") for part in message.parts)


def _queued(record: Any) -> Any:
    """Give a prompt taken up in mid-turn as the record of a message, and others as they are."""
    held = record.get("attachment") if isinstance(record, dict) else None
    if not isinstance(held, dict) or held.get("type") != "queued_command":
        return record
    typed = held.get("commandMode") in (None, "prompt")
    said = {"role": "user", "content": held.get("prompt")}
    return {**record, "message": said, "isMeta": not typed}


def _message(record: Any, line: int, out: Draft, session: str) -> Message | None:
    reason = _no_message(record)
    parts = () if reason else _parts(record, out)
    if not reason and not parts:
        reason = "no content"
    if reason:
        out.skip(line, reason)
        return None
    inner = record["message"]
    time, stamp = out.time(inner.get("timestamp") or record.get("timestamp"))
    return Message(
        id=text_of(record, "uuid") or text_of(inner, "id"),
        session=text_of(record, "sessionId") or session,
        role=_role(record, parts),
        parts=parts,
        time=time,
        stamp=stamp,
        parent=_parent(record),
        sidechain=record.get("isSidechain") is True,
        source=out.source,
        line=line,
    )


def _no_message(record: Any) -> str:
    """Say why a record is no message, or nothing."""
    if not isinstance(record, dict):
        return "not an object"
    kind = text_of(record, "type") or "no type"
    if kind == "attachment" and isinstance(record.get("message"), dict):
        return ""
    if kind not in ROLES:
        return f"not a message: {kind}"
    if not isinstance(record.get("message"), dict):
        return f"not a message: {text_of(record, 'subtype') or 'nothing'} in {kind}"
    return "" if _named_role(record) in ROLES else f"not a message: role {_named_role(record)!r}"


def _named_role(record: dict[str, Any]) -> str:
    return text_of(record["message"], "role") or text_of(record, "type")


def _role(record: dict[str, Any], parts: tuple[Part, ...]) -> str:
    if all(part.kind == "tool_result" for part in parts):
        return "tool"
    by_harness = ("isMeta", "isCompactSummary", "isApiErrorMessage")
    return "system" if any(record.get(name) is True for name in by_harness) else _named_role(record)


def _parts(record: dict[str, Any], out: Draft) -> tuple[Part, ...]:
    parts = out.parts(record["message"])
    if record.get("isCompactSummary") is True:
        return tuple(Part("summary", part.text) for part in parts if part.text)
    return parts


FORMAT = Format("Claude Code JSONL", is_claude, parse)
