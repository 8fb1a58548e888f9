"""A user of an assistant: what they come back to, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lcm_lab.synth.assistant.topics import topics
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.world import Fact, World

__all__ = ["USERS", "Plan", "User", "plans", "user"]


@dataclass(frozen=True)
class Plan:
    """How long a history is: sessions, how many topics, hours between sessions in the mean."""

    sessions: int
    topics: int
    hours: int


#: By size: how many users with which plan. A user of size S comes back to eight things. L has its
#: 5,000 sessions from ten users and not from one, so that it is written user by user.
USERS = {
    "S": (8, Plan(50, 8, 110)),
    "M": (8, Plan(500, 38, 30)),
    "L": (10, Plan(500, 38, 30)),
}


@dataclass
class User(World):
    """A user's world; ``about`` is the topic of each session, by name."""

    about: list[str] = field(default_factory=list)
    open: list[Fact] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """Give the topics, and how many sessions each has."""
        return {"topics": {name: self.about.count(name) for name in dict.fromkeys(self.about)}}


def plans(size: str) -> list[tuple[str, Plan]]:
    """Give the users of a collection by name."""
    count, plan = USERS[size]
    return [(f"u{number:02d}", plan) for number in range(1, count + 1)]


def user(name: str, plan: Plan, draw: Draw) -> User:
    """Give a user with the calendar and topics of the sessions, with nothing true yet."""
    chosen = draw.sample(list(topics()), plan.topics)
    starts = _calendar(plan, draw)
    return User(name, starts, about=_sequence(chosen, plan.sessions, draw))


def _sequence(chosen: Sequence[str], sessions: int, draw: Draw) -> list[str]:
    """Give each session a topic: all come up about as often, at times several in a row."""
    out: list[str] = []
    while len(out) < sessions:
        for name in draw.shuffle(chosen):
            out += [name] * draw.pick((1, 1, 1, 2, 3))
    return out[:sessions]


def _calendar(plan: Plan, draw: Draw) -> list[datetime]:
    """Give session starts: at least an hour apart, gaps geometric, never at night."""
    now = datetime(2023, 1, 9, 9) + timedelta(days=draw.below(400))  # noqa: DTZ001 - UTC by definition
    out = []
    for _ in range(plan.sessions):
        moment = now + timedelta(minutes=draw.below(40), seconds=draw.below(60))
        out.append(moment)
        now += timedelta(hours=1 + _geometric(plan.hours, draw))
        if not 6 <= now.hour <= 22:
            now += timedelta(hours=9)
    return out


def _geometric(mean: int, draw: Draw) -> int:
    """Give whole hours, geometric with about this mean, at most six means."""
    hours = 0
    while draw.below(mean + 1) and hours < 6 * mean:
        hours += 1
    return hours
