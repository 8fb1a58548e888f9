"""The messages that are there, and what becomes of one that comes: new, grown, or a repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from lcm_lab.messages import INDEXED, Message
from lcm_lab.transcripts.identity import identity, made_id, union

__all__ = ["EARLIEST", "Known", "Ledger", "Taken"]

#: Where what comes before the first known time stands.
EARLIEST = -(2**63)


@dataclass(frozen=True, slots=True)
class Known:
    """What a ledger needs of a message that it knows."""

    id: str
    session: str
    identity: str
    active: bool = True
    segment: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a message.

    Attributes
    ----------
    message : Message
        As it is kept from now on, with its id.
    fate : str
        new; grown, where it completed the one that was there; else repeat.
    moved : bool
        Whether the one that was there now stands on another branch or segment.
    place : int
        The newest time so far in its copy of the session: what orders the messages of several.
    content : str
        The `identity` of the message that is kept.
    """

    message: Message
    fate: Literal["new", "grown", "repeat"]
    moved: bool
    place: int
    content: str


class Ledger:
    """The messages that are there, by id and by content.

    Parameters
    ----------
    load : callable
        Gives the message of an id that is known.
    """

    def __init__(self, load: Callable[[str], Message]) -> None:
        self.load = load
        self.known: dict[str, Known] = {}
        self.alike: dict[str, list[str]] = {}
        self.begin()

    def begin(self, own: Container[str] = ()) -> None:
        """Begin another file.

        Parameters
        ----------
        own : container of str
            The ids in it: what stands in it under its own id is no other message of it.
        """
        self._own = own
        self._gone_by: set[str] = set()
        self._nth: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._newest: dict[str, int] = {}

    def forget(self) -> None:
        """Forget the messages that are there; what has gone by of the file is kept."""
        self.known.clear()
        self.alike.clear()
        self._passed.clear()

    def know(self, one: Known) -> None:
        """Enter a message; of equal ones in the order in which they were said."""
        before = self.known.get(one.id)
        self.known[one.id] = one
        if before is not None and before.identity == one.identity:
            return
        if before is not None:
            self._leave(before)
        self.alike.setdefault(one.identity, []).append(one.id)

    def take(self, message: Message, content: str = "", *, leads: bool = True) -> Taken:
        """Take in a message of the file begun last.

        Parameters
        ----------
        message : Message
            Its id may be missing.
        content : str
            Its `identity`, where that is known.
        leads : bool
            Whether its file tells more of the session than what is known; then it also says which
            messages are on the active branch.
        """
        content = content or identity(message)
        place = self._newest.get(message.session, EARLIEST)
        back = message.time is not None and message.time < place
        place = max(place, EARLIEST if message.time is None else message.time)
        nth = self._nth[content]
        self._nth[content] += 1
        self._newest[message.session] = place
        for name in self._candidates(message, content, back=back):
            taken = self._same(self.known[name], message, content, leads=leads)
            if taken is not None:
                return replace(taken, place=place)
        return Taken(self._enter(message, content, nth), "new", False, place, content)

    def _leave(self, one: Known) -> None:
        """Take a message out from among its like, since it has changed."""
        alike = self.alike[one.identity]
        at = alike.index(one.id)
        del alike[at]
        self._passed[one.identity] -= at < self._passed[one.identity]

    def append(self, message: Message, content: str = "") -> Taken:
        """Take in a message that is said now: what is not known by its id is a new one."""
        content = content or identity(message)
        if message.id:
            self.begin(own=self.known)
            return self.take(message, content)
        nth = len(self.alike.get(content, []))
        place = EARLIEST if message.time is None else message.time
        return Taken(self._enter(message, content, nth), "new", False, place, content)

    def _candidates(self, message: Message, content: str, *, back: bool) -> Iterator[str]:
        """Name the messages that one may be a copy of.

        The nth of its like in one file is the nth in another, those apart that have an id of their
        own in both. Within one file a likeness is a copy only where it goes back in time; two in a
        row may well have been said twice.
        """
        for name in (message.id, f"{message.id}~{content[:8]}"):
            if name in self.known:
                yield name
        alike = self.alike.get(content, [])
        other = self._next(content, alike)
        if other:
            yield other
        elif alike and back:
            yield alike[-1]

    def _next(self, content: str, alike: list[str]) -> str:
        """Give the first of some equal messages that nothing in this file stands for yet, or ""."""
        for at in range(self._passed[content], len(alike)):
            self._passed[content] = at + 1
            name = alike[at]
            if name not in self._own and name not in self._gone_by:
                self._gone_by.add(name)
                return name
        return ""

    def _same(self, known: Known, message: Message, content: str, *, leads: bool) -> Taken | None:
        """Tell what becomes of a message if it is the one that is known."""
        kept: Message | None = None
        fate: Literal["grown", "repeat"] = "repeat"
        now = known.identity
        if known.identity != content:
            kept = self.load(known.id)
            parts = union(kept, message)
            if parts is None:
                return None
            if parts is not kept.parts:
                fate, at_once = "grown", kept.time == message.time
                kept = replace(kept, parts=parts)
                now = content if at_once and kept.session == message.session else identity(kept)
        placed = (message.active, message.segment)
        own = known.session == message.session
        moved = leads and own and placed != (known.active, known.segment)
        if moved:
            kept = replace(kept or self.load(known.id), active=placed[0], segment=placed[1])
        if kept is not None:
            self.know(_known(kept, now))
        message = message if message.id == known.id else replace(message, id=known.id)
        return Taken(kept or message, fate, moved, 0, now)

    def _enter(self, message: Message, content: str, nth: int) -> Message:
        name = message.id or made_id(message, nth)
        if name in self.known or name.rpartition("#")[2] in INDEXED:  # taken, or a docno's form
            name = f"{name}~{content[:8]}"
        while name in self.known:
            name = f"{name}~{nth}"
        self.know(_known(message, content, name))
        self._gone_by.add(name)
        return message if message.id == name else replace(message, id=name)


def _known(message: Message, content: str, name: str = "") -> Known:
    session, active = message.session, message.active
    return Known(name or message.id, session, content, active, message.segment)
