"""What is true in a conversation, and since when: people, slots with values, events, codes.

A state machine, not a text: answers, supersession and what has no answer are computed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

__all__ = ["Fact", "Plant", "World"]


@dataclass(frozen=True)
class Fact:
    """One thing that is true from the session in which it is told.

    ``kind`` is slot, event, code, log or preference; ``about`` is self, kin or plan (slots only).
    ``sort`` is a finer kind for the state log (path, port, hash), where there is one.
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
    sort: str = ""
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
    """What is true in one conversation; a profile may add to it.

    Attributes
    ----------
    name : str
        The conversation.
    starts : when each session begins (naive UTC)
    facts : in the order in which they were made, not told
    plants : distractors
    """

    name: str
    starts: list[datetime]
    facts: list[Fact] = field(default_factory=list)
    plants: list[Plant] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """Give what else there is to say of it in ``world.json``."""
        return {}

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
        if fact.sort:
            entry["sort"] = fact.sort
        return entry | ({"date": fact.day.isoformat()} if fact.day else {})
