"""Messages of several files made into one history: no message twice, none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from lcm_lab.ids import digest, message_id
from lcm_lab.messages import Message
from lcm_lab.transcripts.base import REPEATED, Skipped

__all__ = ["merge"]

EARLIEST = -(2**63)


def merge(files: Iterable[list[Message]]) -> tuple[list[Message], list[Skipped]]:
    """Merge the messages of files that may be copies of each other, grown or not.

    A message is the same when its session, role, time and parts are, or its id and parts; where one
    copy of a turn holds more parts than the other, the longer one is kept. Equal text at another
    time or place is another message. So is the same id with other content, which gets an id of its
    own.

    Returns
    -------
    list of Message
        By session in order of first appearance; within a session in the order of the file, and
        where several files hold parts of one session, by time.
    list of Skipped
        The repeats.
    """
    history = _History()
    for number, messages in enumerate(files):
        history.add(number, messages)
    return history.in_order(), history.repeats


class _History:
    def __init__(self) -> None:
        self.kept: list[Message] = []
        self.repeats: list[Skipped] = []
        self.places: list[tuple[int, int]] = []
        self.by_id: dict[str, int] = {}
        self.by_content: dict[str, list[int]] = {}

    def add(self, number: int, messages: list[Message]) -> None:
        nth: Counter[str] = Counter()
        newest = EARLIEST
        for message in messages:
            content = _content(message)
            at = self._find(message, content, nth[content], newest)
            nth[content] += 1
            newest = max(newest, EARLIEST if message.time is None else message.time)
            if at is not None and self._same(at, message):
                self.repeats.append(Skipped(message.source, message.line, REPEATED))
                continue
            self._keep(message, content, nth[content] - 1)
            self.places.append((newest, number))

    def _find(self, message: Message, content: str, nth: int, newest: int) -> int | None:
        """Find the message that this may be a copy of: by its id, or by its content and time.

        The nth of its like in one file is the nth in another. Within one file a likeness is a copy
        only where it goes back in time; two in a row may well have been said twice.
        """
        if message.id in self.by_id:
            return self.by_id[message.id]
        alike = self.by_content.get(content, [])
        if nth < len(alike):
            return alike[nth]
        back = message.time is not None and message.time < newest
        return alike[-1] if alike and back else None

    def _same(self, at: int, message: Message) -> bool:
        """Tell whether a message is the one kept at a place, after completing the one that is."""
        longer, shorter = self.kept[at].parts, message.parts
        if len(longer) < len(shorter):
            longer, shorter = shorter, longer
        if longer[: len(shorter)] != shorter or self.kept[at].role != message.role:
            return False
        self.kept[at] = replace(self.kept[at], parts=longer)
        return True

    def _keep(self, message: Message, content: str, nth: int) -> None:
        name = message.id or _made(message, nth)
        if name in self.by_id:
            name = f"{name}~{content[:8]}"
        if name in self.by_id:
            name = f"{name}~{len(self.kept)}"
        self.by_id[name] = len(self.kept)
        self.by_content.setdefault(content, []).append(len(self.kept))
        self.kept.append(message if message.id == name else replace(message, id=name))

    def in_order(self) -> list[Message]:
        sessions: dict[str, list[int]] = {}
        for at, message in enumerate(self.kept):
            sessions.setdefault(message.session, []).append(at)
        ordered = []
        for places in sessions.values():
            if len({self.places[at][1] for at in places}) > 1:
                places.sort(key=lambda at: self.places[at][0])
            ordered += [self.kept[at] for at in places]
        return ordered


def _made(message: Message, nth: int) -> str:
    """Make an id of the content of a message that has none, the same in every copy of its file."""
    text = digest(*_pieces(message))
    return message_id(message.session, message.role, text, message.time, nth)


def _content(message: Message) -> str:
    return digest(message.session, message.role, message.time, *_pieces(message))


def _pieces(message: Message) -> list[str]:
    return [piece for part in message.parts for piece in (part.kind, part.text, part.call)]
