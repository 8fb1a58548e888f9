"""Two friends, the people around them, and what they plan together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lcm_lab.synth.world import World

__all__ = ["Friends", "Person"]


@dataclass(frozen=True)
class Person:
    """Somebody with a name; ``relation`` and ``owner`` for a speaker's relative or friend."""

    name: str
    gender: str
    relation: str = ""
    owner: str = ""


@dataclass
class Friends(World):
    """The world of a chat.

    Attributes
    ----------
    speakers : two Persons
    kin : dict of speaker name to Persons
    plans : what the two do together
    """

    speakers: tuple[Person, ...] = ()
    kin: dict[str, list[Person]] = field(default_factory=dict)
    plans: list[str] = field(default_factory=list)

    def person(self, name: str) -> Person:
        """Give the speaker or relative of a name."""
        return self._everyone[name]

    @cached_property
    def _everyone(self) -> dict[str, Person]:
        kin = [one for kin in self.kin.values() for one in kin]
        return {one.name: one for one in (*kin, *self.speakers)}

    def other(self, name: str) -> Person:
        """Give the speaker who is not ``name``."""
        first, second = self.speakers
        return second if first.name == name else first

    def state(self) -> dict[str, Any]:
        """Give the people and plans."""
        return {
            "speakers": [one.name for one in self.speakers],
            "kin": {
                one.name: {"relation": one.relation, "of": one.owner}
                for kin in self.kin.values()
                for one in kin
            },
            "plans": self.plans,
        }
