"""What is true in a conversation, and since when: people, slots with values, events, codes.

A state machine, not a text: answers, supersession and what has no answer are computed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

__all__ = ["Fact", "Person", "Plant", "World"]


@dataclass(frozen=True)
class Person:
    """Somebody with a name; ``relation`` and ``owner`` for a speaker's relative or friend."""

    name: str
    gender: str
    relation: str = ""
    owner: str = ""


@dataclass(frozen=True)
class Fact:
    """One thing that is true from the session in which it is told.

    ``kind`` is slot, event, code, log or preference; ``about`` is self, kin or plan (slots only).
    ``entity`` and ``attribute`` name the slot; a later fact of the same slot supersedes this one.
    """

    ref: str
    kind: str
    attribute: str
    entity: str
    owner: str
    value: str
    session: int
    domain: str
    about: str = "self"
    day: date | None = None
    told: str = ""
    detail: tuple[tuple[str, str], ...] = ()

    @property
    def slot(self) -> tuple[str, str]:
        """What the value is a value of: entity and attribute."""
        return self.entity, self.attribute

    @property
    def details(self) -> dict[str, str]:
        """Further fields of the sentences."""
        return dict(self.detail)


@dataclass(frozen=True)
class Plant:
    """Talk that is put into a session on purpose: about a fact without its value, or beside it."""

    fact: Fact
    session: int
    manner: str


@dataclass
class World:
    """One conversation's people, times and facts.

    Attributes
    ----------
    name : str
        The conversation.
    speakers : two Persons
    kin : dict of speaker name to Persons
    plans : what the two do together
    starts : when each session begins (naive UTC)
    facts : in the order in which they were made, not told
    plants : distractors
    """

    name: str
    speakers: tuple[Person, Person]
    kin: dict[str, list[Person]]
    plans: list[str]
    starts: list[datetime]
    facts: list[Fact] = field(default_factory=list)
    plants: list[Plant] = field(default_factory=list)

    def person(self, name: str) -> Person:
        """Give the speaker or relative of a name."""
        everyone = [*self.speakers, *(one for kin in self.kin.values() for one in kin)]
        return next(one for one in everyone if one.name == name)

    def other(self, name: str) -> Person:
        """Give the speaker who is not ``name``."""
        first, second = self.speakers
        return second if first.name == name else first

    def values(self) -> list[str]:
        """Give every value that stands for a fact, so that no other sentence may hold one."""
        return sorted({fact.value for fact in self.facts if fact.kind != "preference"})

    def history(self, slot: tuple[str, str], until: int) -> list[Fact]:
        """Give what was said of a slot up to a session (included), oldest first; the last holds."""
        return sorted(
            (f for f in self.facts if f.kind == "slot" and f.slot == slot and f.session <= until),
            key=lambda fact: fact.session,
        )

    def add(self, fact: Fact) -> Fact:
        """Take a fact in and give it a reference."""
        named = replace(fact, ref=f"{self.name}-f{len(self.facts) + 1:03d}")
        self.facts.append(named)
        return named

    def record(self, sources: Sequence[tuple[str, str, datetime]]) -> list[dict[str, object]]:
        """Give the state log: each fact with its source messages and the time for which it held.

        ``sources`` are (fact reference, docno, time) in the order told.
        """
        first: dict[str, datetime] = {}
        told: dict[str, list[str]] = {}
        for ref, docno, time in sources:
            first.setdefault(ref, time)
            told.setdefault(ref, []).append(docno)
        return [self._entry(fact, first, told) for fact in self.facts if fact.ref in told]

    def _entry(
        self, fact: Fact, first: dict[str, datetime], told: dict[str, list[str]]
    ) -> dict[str, object]:
        later = [
            first[other.ref]
            for other in self.history(fact.slot, len(self.starts))
            if fact.kind == "slot" and other.session > fact.session and other.ref in first
        ]
        entry: dict[str, object] = {
            "id": fact.ref,
            "kind": fact.kind,
            "entity": fact.entity,
            "attribute": fact.attribute,
            "value": fact.value,
            "valid_from": f"{first[fact.ref].isoformat()}Z",
            "valid_to": f"{min(later).isoformat()}Z" if later else None,
            "sources": told[fact.ref],
        }
        return entry | ({"date": fact.day.isoformat()} if fact.day else {})
