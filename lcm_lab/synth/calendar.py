"""When sessions begin: one a day at most, with gaps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from lcm_lab.synth.draw import Draw

__all__ = ["Calendar"]


@dataclass(frozen=True)
class Calendar:
    """How a profile's sessions lie in time.

    Attributes
    ----------
    first : datetime
        The earliest day on which a history begins (UTC, without a zone); it begins within 500 days.
    hours : tuple of int
        Sessions begin between these hours.
    again : int
        How likely a gap of days goes on for another, in percent.
    most : int
        The longest gap, in days.
    """

    first: datetime
    hours: tuple[int, int]
    again: int
    most: int

    def starts(self, sessions: int, draw: Draw) -> list[datetime]:
        """Draw when each session begins: gaps of a day and more, geometric."""
        now = self.first + timedelta(days=draw.below(500))
        out = []
        for _ in range(sessions):
            minute = draw.between(self.hours[0] * 60, self.hours[1] * 60)
            out.append(now + timedelta(minutes=minute, seconds=draw.below(60)))
            gap = 1
            while draw.chance(self.again) and gap < self.most:
                gap += 1
            now += timedelta(days=gap)
        return out
