"""Where in a user's history things are told: spread over it, mostly where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from lcm_lab.synth.assistant.user import User
from lcm_lab.synth.cases import MONTHS
from lcm_lab.synth.draw import Draw

__all__ = ["Places"]

#: Of 100 facts of a topic: how many are told in a session about it, not in passing elsewhere.
AT_HOME = 90
#: Sessions between the parts of a series.
GAPS = (1, 5, 20, 100)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Places:
    """Chooses sessions for facts, the less loaded of two each time."""

    def __init__(self, world: User, draw: Draw) -> None:
        self.world, self.draw = world, draw
        self.load = [0] * len(world.starts)
        self._count = 0

    def session(self, name: str = "", low: int = 0) -> int:
        """Choose a session from ``low`` on, the less loaded of two, mostly one about the topic."""
        last = len(self.load) - 1
        places = range(low, last + 1)
        if not low:
            self._count += 1
            tenth = self._count % 10
            places = range(last * tenth // 10, last * (tenth + 1) // 10 + 1)
        if name and self.draw.chance(AT_HOME):
            at_home = [s for s in range(low, last + 1) if self.world.about[s] == name]
            near_by = [s for s in at_home if s in places] or at_home
            return self._take(near_by or places)
        return self._take(places)

    def _take(self, places: Sequence[int]) -> int:
        two = (self.draw.pick(places), self.draw.pick(places))
        found = min(two, key=lambda s: (self.load[s], s))
        self.load[found] += 1
        return found

    def series(self, times: int) -> list[int]:
        """Give sessions at gaps of 1, 5, 20 and 100, as far as the history reaches."""
        room = len(self.load) - 1
        gaps: list[int] = []
        for left in range(times - 1, 0, -1):
            fit = [gap for gap in GAPS if sum(gaps) + gap + left - 1 <= room]
            gaps.append(self.draw.pick(fit or [1]))
        at = self.draw.between(0, max(0, room - sum(gaps)))
        out = [at]
        for gap in self.draw.shuffle(gaps):
            out.append(out[-1] + gap)
        for session in out:
            self.load[session] += 1
        return out

    def day(self, session: int) -> tuple[date, str]:
        """Give a day in the week before a session, and how the user says it there."""
        ago = self.draw.between(1, 6)
        day = self.world.starts[session].date() - timedelta(days=ago)
        weekday = DAYS[day.weekday()]
        if self.draw.chance(40):
            return day, f"on {day.day} {MONTHS[day.month - 1]}"
        if ago == 1:
            return day, "yesterday"
        return day, self.draw.pick((f"on {weekday}", f"last {weekday}"))
