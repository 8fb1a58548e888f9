"""Lines of a transcript as markdown: who said what on which line, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.text import DATA, MOST, iso, quoted
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message, Part
from lcm_lab.redact import redact, redact_together
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.times import show
from lcm_lab.transcripts.lines import Bad

__all__ = ["Entry", "Page", "entries_of", "page"]

#: Characters of one part that are shown, and of a name.
PART, NAME = 6_000, 200
#: Characters and parts of one line that are shown: no more than there is room for in an answer.
WHOLE, PARTS = 30_000, 200
#: Characters of a path, which no file system lets be longer.
LONGEST = 4_096
#: What a part is called; text stands without a word.
CALLED = {
    "reasoning": "thinking",
    "tool_call": "tool use",
    "tool_result": "tool result",
    "summary": "summary that the agent made of what came before",
    "unknown": "block of an unknown kind",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands on a line: a message, or why there is none.

    Attributes
    ----------
    line : int
    role : str
        user, assistant, tool, system; "" where unknown; "malformed" for a line that is not JSON.
    time : int or None
    sidechain : bool
        Whether a subagent is speaking, or is spoken to.
    parts : tuple of Part
        Without secrets.
    """

    line: int
    role: str
    time: int | None = None
    sidechain: bool = False
    parts: tuple[Part, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give its fields."""
        return {
            "line": self.line,
            "role": self.role,
            "timestamp": iso(self.time),
            "isSidechain": self.sidechain,
            "content": [
                {"type": one.kind, "text": one.text}
                | ({"name": one.name} if one.name else {})
                | ({"isError": True} if one.error else {})
                for one in self.parts
            ],
        }

    def to_text(self) -> str:
        """Give it as markdown: a heading with its line, then what was said, marked as data."""
        when = show(self.time)[:19].replace("T", " ")
        facts = ["subagent" * self.sidechain, self.role or "message", when]
        head = f"### Line {self.line} · " + " · ".join(filter(None, facts))
        return "\n\n".join([head, *map(_written, self.parts)])


@dataclass(frozen=True, slots=True)
class Page:
    """The answer of ``read``.

    Attributes
    ----------
    path : str
    first, last, lines : int
        The window, and how many lines the transcript has.
    entries : tuple of Entry
    left : int
        Entries of the window that are left out since the answer is full.
    notes : tuple of str
    about : dict
        What is known of the session.
    """

    path: str
    first: int
    last: int
    lines: int
    entries: tuple[Entry, ...]
    left: int = 0
    notes: tuple[str, ...] = ()
    about: tuple[tuple[str, str], ...] = ()

    @property
    def after(self) -> int | None:
        """The line to go on from; None when all of the window is here."""
        if not self.left or not self.entries:
            return None
        return self.entries[-1].line + 1

    def to_dict(self) -> dict[str, Any]:
        """Give path, window, messages, and what was left out."""
        return {
            "path": self.path,
            "startLine": self.first,
            "endLine": self.last,
            "totalLines": self.lines,
            "session": dict(self.about),
            "messages": [one.to_dict() for one in self.entries],
            "leftOut": self.left,
            "nextLine": self.after,
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """Give it as markdown, at most 40,000 characters and a little more."""
        facts = [f"{label}: {held}" for label, held in self.about]
        path = cut(one_line(self.path), LONGEST)
        lines = f"Lines {self.first}-{self.last} of {self.lines:,} in {path}"
        head = ["# Conversation", "\n".join([lines, *facts]), *self.notes]
        if not self.entries:
            head.append("There is no message on these lines.")
        else:
            head.append(DATA)
        tail = [self._left()] if self.left else []
        return "\n\n".join([*head, *(one.to_text() for one in self.entries), *tail])

    def _left(self) -> str:
        if self.after is None or self.after > self.last:
            return (
                f"[{counted(self.left, 'message')} on the same line left out: the answer is full.]"
            )
        return (
            f"[{counted(self.left, 'message')} left out: the answer is full. Go on with "
            f"startLine={self.after}.]"
        )


def page(
    path: str,
    found: Iterable[Message | Bad],
    lines: int,
    window: tuple[int | None, int | None],
    about: Iterable[tuple[str, str]] = (),
    notes: Sequence[str] = (),
) -> Page:
    """Cut a window out of a transcript, as much of it as an answer holds.

    Raises
    ------
    BadParameter
        For a window that is reversed, or begins past the end.
    """
    first, last = window[0] or 1, lines if window[1] is None else window[1]
    if window[1] is not None and first > last:
        raise BadParameter(f"startLine {first} lies behind endLine {last}. Lines go up; swap them.")
    if first > lines:
        raise BadParameter(
            f"startLine {first} lies past the end: {one_line(path)} has {counted(lines, 'line')}."
        )
    said = [*notes]
    if last > lines:
        said.append(f"endLine {last} lies past the end, line {lines}; this reads up to it.")
    within = list(entries_of(one for one in found if first <= one.line <= last))
    kept = _bounded(within)
    left = len(within) - len(kept)
    shown = tuple((label, cut(one_line(redact(held).text), NAME)) for label, held in about if held)
    return Page(path, first, min(last, lines), lines, tuple(kept), left, tuple(said), shown)


def entries_of(found: Iterable[Message | Bad]) -> Iterator[Entry]:
    """Make entries, in order of their lines, without secrets, none larger than an answer."""
    for one in sorted(found, key=lambda one: one.line):
        if isinstance(one, Bad):
            text = f"{one.reason}: {redact(one.text).text}"
            yield Entry(one.line, "malformed", parts=(_clean(Part("text", ""), text),))
        else:
            yield Entry(one.line, one.role, one.time, one.sidechain, tuple(_shown(one.parts)))


def _shown(parts: Sequence[Part]) -> list[Part]:
    """Give the first parts, without secrets, as far as an answer holds them."""
    made: list[Part] = []
    some, left = parts[:PARTS], WHOLE
    plain = redact_together([part.text or part.raw for part in some])
    for part, text in zip(some, plain, strict=True):
        clean = _clean(part, text.text)
        left -= len(_written(clean))
        if left < 0:
            break
        made.append(clean)
    more = len(parts) - len(made)
    if more:
        made.append(Part("text", f"[{counted(more, 'more part')} of this line left out]"))
    return made


def _bounded(found: Sequence[Entry]) -> list[Entry]:
    kept: list[Entry] = []
    used = 0
    for one in found:
        used += len(one.to_text()) + 2
        if kept and used > MOST - 1_000:
            break
        kept.append(one)
    return kept


def _clean(part: Part, text: str) -> Part:
    if part.kind == "tool_call" and part.name:
        text = text.removeprefix(f"{part.name}\n")
    if len(text) > PART:
        kept = cut(text, PART)
        text = f"{kept}\n[{len(text) - len(kept):,} more characters left out]"
    name = cut(one_line(redact(part.name).text), NAME)
    return Part(part.kind, text, name, part.call, part.error)


def _written(part: Part) -> str:
    called = CALLED.get(part.kind, "")
    name = f" `{part.name}`" if part.name else ""
    failed = ", failed" if part.error else ""
    label = f"**{called}{name}{failed}**\n\n" if called else ""
    return label + (quoted(part.text) if part.text else "| ")
