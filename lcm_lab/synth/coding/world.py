"""A project and its calendar: what an agent's sessions are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lcm_lab.synth.calendar import Calendar
from lcm_lab.synth.world import Fact, World

__all__ = ["CALENDAR", "Project"]


@dataclass
class Project(World):
    """The world of a coding agent.

    ``kind`` of a fact is the family that made it (slot for a setting, said, found, event, ...),
    ``sort`` what compaction counts it as (path, code location, error, config value, identifier,
    number, decision, preference).

    Attributes
    ----------
    code : str
        The project's own name; ``prefix`` begins its tickets.
    language : str
        python, typescript or go.
    nouns : list of str
        What the project is about.
    vendors, features : lists of str
        Whom it works with and what is built into it.
    """

    code: str = ""
    prefix: str = ""
    language: str = ""
    nouns: list[str] = field(default_factory=list)
    vendors: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """Give what the project is."""
        return {"project": self.code, "language": self.language, "nouns": self.nouns}

    def family(self, kind: str) -> list[Fact]:
        """Give the facts of a family in the order they were made."""
        return [fact for fact in self.facts if fact.kind == kind]

    def values(self) -> list[str]:
        """Give every value, so that nothing else prints one."""
        return sorted({fact.value for fact in self.facts})


#: Mornings, about five days from one session to the next, in the mean.
CALENDAR = Calendar(datetime(2024, 1, 8), (7, 11), again=80, most=30)  # noqa: DTZ001
