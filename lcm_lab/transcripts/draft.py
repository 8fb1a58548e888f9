"""What reading one file collects: messages, what was skipped, and what is worth a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lcm_lab.errors import LcmError
from lcm_lab.messages import Message, Part, Session
from lcm_lab.text import clean
from lcm_lab.times import instant, is_naive
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.blocks import parts_of

__all__ = ["Draft", "Format", "sessions_of", "text_of"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of transcripts.

    Attributes
    ----------
    name : str
        As `Transcripts.files` has it.
    is_one : callable, value -> bool
        Whether one JSON value of a file is of this format.
    parse : callable, (iterator of (line, value), source, session) -> Draft, or None
        Reads one file; ``session`` is that of records that name none. None for a format that is
        known and not read.
    why : str
        Why it is not read, where it is not.
    beside : callable, (Draft, Path) -> None, or None
        Adds what the files beside one say of its sessions.
    """

    name: str
    is_one: Callable[[Any], bool]
    parse: Callable[[Iterator[tuple[int, Any]], str, str], Draft] | None = None
    why: str = "not read yet"
    beside: Callable[[Draft, Path], None] | None = None


@dataclass(slots=True)
class Draft:
    """Filled while a file is read; ids may still be missing.

    ``archived`` says why the file is no longer the one its session writes; "" if it is.
    """

    source: str
    messages: list[Message] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    sessions: dict[str, Session] = field(default_factory=dict)
    archived: str = ""

    def note(self, what: str) -> None:
        """Count something that was read by a rule worth knowing."""
        self.notes[what] += 1

    def skip(self, line: int, reason: str) -> None:
        """List a line that gave no message, and why."""
        self.skipped.append(Skipped(self.source, line, reason))

    def parts(self, message: dict[str, Any]) -> tuple[Part, ...]:
        """Give the parts of a message, as `parts_of` does, and note the blocks not known."""
        found = parts_of(message)
        for part in found:
            if part.kind == "unknown":
                self.note(f"unknown block: {part.name}")
        return tuple(found)

    def tell(self, session: str, **said: str) -> None:
        """Take in what a record says of a session; what says nothing changes nothing."""
        before = self.sessions.get(session)
        if before is None:
            before = self.sessions[session] = Session(session, source=self.source)
        told = {name: clean(item) for name, item in said.items() if item}
        if any(getattr(before, name) != item for name, item in told.items()):
            self.sessions[session] = replace(before, **told)

    def extend(self, at: int, parts: tuple[Part, ...]) -> None:
        """Add the parts of a later fragment to the message at a place."""
        before = self.messages[at]
        self.messages[at] = replace(before, parts=before.parts + parts)

    def time(self, written: Any) -> tuple[int | None, str]:
        """Read a time: microseconds (UTC), and the same as written. What is no time is noted."""
        if written is None or written == "":
            return None, ""
        try:
            moment = instant(written)
        except LcmError:
            self.note("time that cannot be read, left unknown")
            return None, str(written)
        if is_naive(written):
            self.note("time without a zone, read as UTC")
        return moment, str(written)


def text_of(record: dict[str, Any], name: str) -> str:
    """Give a text field, or "" where it is missing or something else."""
    item = record.get(name)
    return clean(item) if isinstance(item, str) else ""


def sessions_of(drafts: Sequence[Draft]) -> dict[str, Session]:
    """Put together what several files say of their sessions; the later says what it is.

    A session is archived when all that is there of it is.
    """
    live = {message.session for one in drafts if not one.archived for message in one.messages}
    found: dict[str, Session] = {}
    for one in drafts:
        if one.archived:
            for session in dict.fromkeys(message.session for message in one.messages):
                one.tell(session, archived="" if session in live else one.archived)
        for name, told in one.sessions.items():
            before = found.get(name)
            found[name] = _joined(before, told) if before else told
    return found


def _joined(before: Session, told: Session) -> Session:
    said = {one.name: getattr(told, one.name) for one in fields(Session)}
    return replace(before, **{name: item for name, item in said.items() if item})
