"""A message and its answer in another language than English."""

from __future__ import annotations

from lcm_lab.synth.assistant.topics import facts_of
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import table
from lcm_lab.synth.world import Fact

__all__ = ["exchange"]

#: Languages that put no space between sentences.
CLOSE = ("zh", "ja")


def exchange(fact: Fact, templates: str, draw: Draw, *, states: bool) -> tuple[str, str]:
    """Give what the user writes and what is answered.

    Parameters
    ----------
    fact : Fact
        Of kind "foreign"; ``told`` is the language.
    templates : {"A", "B"}
    draw : Draw
    states : bool
        Whether the message states the fact, or comes back to it without the value.
    """
    lang, number = fact.attribute.split(".")
    spoken = table("assistant", "foreign")[lang]
    said, again, _ = facts_of(spoken["fact"][int(number)], templates)
    key, space = templates.lower(), "" if lang in CLOSE else " "
    core = said.format(v=fact.value) if states else again
    talk = draw.sample(spoken[f"user_{key}"], draw.between(1, 3))
    talk.insert(draw.between(0, len(talk)), core)
    answer = draw.sample(spoken[f"answer_{key}"], draw.between(4, 10))
    return space.join(talk), space.join(answer)
