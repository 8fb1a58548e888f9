"""What reading one file collects: messages, what was skipped, and what is worth a note."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from lcm_lab.errors import LcmError
from lcm_lab.messages import Message, Part, Session
from lcm_lab.text import clean
from lcm_lab.times import instant, is_naive
from lcm_lab.transcripts.base import Skipped

__all__ = ["Draft", "text_of"]


@dataclass(slots=True)
class Draft:
    """Filled while a file is read; ids may still be missing."""

    source: str
    messages: list[Message] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    sessions: dict[str, Session] = field(default_factory=dict)

    def note(self, what: str) -> None:
        """Count something that was read by a rule worth knowing."""
        self.notes[what] += 1

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
