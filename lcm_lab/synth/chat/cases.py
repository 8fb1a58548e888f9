"""What can be asked of a chat: the makers of all profiles, and what nobody ever told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from lcm_lab.synth import cases as makers
from lcm_lab.synth.cases import Case, Cases, Source
from lcm_lab.synth.chat.foreign import Second, cross_lingual
from lcm_lab.synth.chat.friends import Friends
from lcm_lab.synth.relations import contradiction, ordering, rationale
from lcm_lab.synth.verbatim import adjacency, quote
from lcm_lab.synth.world import Fact

__all__ = ["cases"]


def abstention(source: Source) -> Iterator[Case]:
    """Ask for a slot that nobody filled, though others have one like it."""
    world = cast(Friends, source.world)
    filled = {fact.slot for fact in world.facts if fact.kind == "slot"}
    known = {(fact.about, fact.attribute) for fact in world.facts if fact.kind == "slot"}
    entities = [("self", one.name, one.name) for one in world.speakers]
    entities += [("kin", one.name, one.owner) for kin in world.kin.values() for one in kin]
    open_slots = [
        (about, name, owner, attribute)
        for about, name, owner in entities
        for kind, attribute in sorted(known)
        if kind == about and (name, attribute) not in filled
    ]
    for about, name, owner, attribute in source.draw.shuffle(open_slots):
        fact = Fact("", "slot", attribute, name, owner, "", source.last, "", about)
        templates = tuple(source.words.of(about, attribute)["q"])
        yield Case("abstention", fact, (), templates, "", source.after(source.last // 2))


def cases(other: Second | None) -> Cases:
    """Give the makers, each with how many questions a conversation gets of it."""
    return {
        "single": (makers.single, 9),
        "multi-session": (makers.multi, 6),
        "temporal": (makers.temporal, 7),
        "update": (makers.update, 6),
        "identifier": (makers.identifier, 5),
        "paraphrase": (makers.paraphrase, 5),
        "near-duplicate": (makers.near_duplicate, 4),
        "preference": (makers.preference, 4),
        "abstention": (abstention, 5),
        "contradiction": (contradiction, 2),
        "rationale": (rationale, 3),
        "ordering": (ordering, 2),
        "quote": (quote, 3),
        "adjacency": (adjacency, 3),
        "cross-lingual": (lambda source: cross_lingual(source, other), 5 if other else 0),
    }
