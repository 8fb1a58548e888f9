"""What a question about a fact is made of: its details, and something else of the same topic."""

from __future__ import annotations

from lcm_lab.synth.assistant.topics import topics
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.world import Fact

__all__ = ["voice"]


def voice(fact: Fact, draw: Draw) -> dict[str, str]:
    """Give the fields of a question about a fact."""
    fields = {"v": fact.value, **fact.details}
    if fact.domain:
        topic = topics()[fact.domain]
        thing, thing2 = draw.sample(topic["thing"], 2)
        fields |= {"title": topic["title"], "goal": draw.pick(topic["goal"])}
        fields |= {"thing": thing, "thing2": thing2}
    return fields
