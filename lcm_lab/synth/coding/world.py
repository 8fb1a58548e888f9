"""A project and its calendar: what an agent's sessions are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.world import Fact, World

__all__ = ["Project", "calendar"]


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


def calendar(sessions: int, draw: Draw) -> list[datetime]:
    """Give session starts: a working day each, gaps geometric, about five days in the mean."""
    now = datetime(2024, 1, 8) + timedelta(days=draw.below(500))  # noqa: DTZ001 - UTC by definition
    out = []
    for _ in range(sessions):
        minutes = draw.between(7 * 60, 11 * 60)
        out.append(now + timedelta(minutes=minutes, seconds=draw.below(60)))
        gap = 1
        while draw.chance(80) and gap < 30:
            gap += 1
        now += timedelta(days=gap)
    return out
