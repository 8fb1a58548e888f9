"""Who talks and when: names, relatives, shared plans, and the calendar of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lcm_lab.synth.calendar import Calendar
from lcm_lab.synth.chat.friends import Friends, Person
from lcm_lab.synth.draw import Draw

__all__ = ["casts", "people"]

KIN = 3
PLANS = 2
#: About nine days from one session to the next, in the mean.
CALENDAR = Calendar(datetime(2023, 1, 8), (7, 22), again=89, most=40)  # noqa: DTZ001


def casts(lexicon: Mapping[str, Any], size: int, draw: Draw) -> list[tuple[Person, Person]]:
    """Give two speakers for each conversation; names repeat only when the list is used up."""
    everyone = [Person(name, "f") for name in lexicon["names_f"]]
    everyone += [Person(name, "m") for name in lexicon["names_m"]]
    order: list[Person] = []
    while len(order) < 2 * size:
        order += draw.shuffle(everyone)
    return [(order[2 * i], order[2 * i + 1]) for i in range(size)]


def people(
    name: str,
    cast: tuple[Person, Person],
    lexicon: Mapping[str, Any],
    sessions: int,
    draw: Draw,
) -> Friends:
    """Give a conversation's people, plans and calendar, with nothing true yet."""
    taken = {cast[0].name, cast[1].name}
    women = draw.shuffle([n for n in lexicon["names_f"] if n not in taken])
    men = draw.shuffle([n for n in lexicon["names_m"] if n not in taken])
    kin: dict[str, list[Person]] = {}
    for speaker in cast:
        kin[speaker.name] = []
        relations: set[str] = set()
        while len(kin[speaker.name]) < KIN:
            names, gender = (women, "f") if draw.chance(50) else (men, "m")
            relation = draw.pick(lexicon[f"kin_{gender}"])
            if relation not in relations:
                relations.add(relation)
                kin[speaker.name].append(Person(names.pop(), gender, relation, speaker.name))
    plans = draw.sample(lexicon["plans"], PLANS)
    return Friends(name, CALENDAR.starts(sessions, draw), speakers=cast, kin=kin, plans=plans)
