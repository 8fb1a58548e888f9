"""How things are called, by who speaks: the owner, the friend, or a question from outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lcm_lab.synth.chat.friends import Friends, Person
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.world import Fact

__all__ = ["about_fact", "small_talk"]

MY, ARTICLE = re.compile("^my "), re.compile("^(?:an?|the|my) ")
PRONOUNS = {
    "f": {"he": "she", "him": "her", "his": "her"},
    "m": {"he": "he", "him": "him", "his": "his"},
}


def about_fact(world: Friends, fact: Fact, voice: str, draw: Draw) -> dict[str, str]:
    """Give the fields of a sentence about a fact; ``voice`` is owner, friend or question."""
    fields = {"O": fact.owner, "v": fact.value, "plan": fact.entity, **fact.details}
    someone = world.person(fact.entity if fact.about == "kin" else fact.owner)
    fields |= PRONOUNS[someone.gender] | {"P": world.other(fact.owner).name}
    if fact.about == "kin":
        fields["kin"] = draw.pick(_names(someone, voice))
    return fields


def small_talk(
    world: Friends, speaker: str, lexicon: Mapping[str, Any], draw: Draw
) -> dict[str, str]:
    """Give the fields of a sentence that is about nothing in particular, and of its answer."""
    other = world.other(speaker).name
    mine, folk = draw.pick(world.kin[speaker]), draw.pick(lexicon["folk"])
    thing = draw.pick(lexicon["objects"])
    return {
        "partner": other,
        "mykin": draw.pick(_names(mine, "owner")),
        "thatkin": draw.pick(_names(mine, "friend")),
        "yourkin": draw.pick(_names(draw.pick(world.kin[other]), "friend")),
        "day": draw.pick(lexicon["days"]),
        "mood": draw.pick(lexicon["moods"]),
        "plan": draw.pick(world.plans),
        "object": thing,
        "thatobject": MY.sub("your ", thing),
        "item": ARTICLE.sub("", thing),
        "food": draw.pick(lexicon["foods"]),
        "weather": draw.pick(lexicon["weathers"]),
        "shop": draw.pick(lexicon["shops"]),
        "times": draw.pick(lexicon["times"]),
        "folk": folk,
        "thatfolk": MY.sub("your ", folk),
        "count": draw.pick(lexicon["counts"]),
    }


def _names(person: Person, voice: str) -> tuple[str, ...]:
    name, relation = person.name, person.relation
    if voice == "owner":
        return (f"my {relation} {name}", name)
    if voice == "friend":
        return (name, name, f"your {relation}")
    return (f"{person.owner}'s {relation} {name}", f"{person.owner}'s {relation}", name)
