"""From conversations to one collection and its state log, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.synth.card import About, Tally
from lcm_lab.synth.part import Part

__all__ = ["Built", "Part", "assemble"]


@dataclass(frozen=True)
class Built:
    """A synthetic collection with its state log.

    Attributes
    ----------
    collection : Collection
    world : dict
        ``conversations`` (people, plans and facts of each) and ``topics`` (by qid: the facts that
        answer, the answer span in each gold message, overlap in thousandths, and how many messages
        tie or beat the gold).
    parts : the conversations it was made of
    """

    collection: Collection
    world: dict[str, Any]
    parts: Sequence[Part]


def assemble(name: str, parts: Sequence[Part], about: About, made: dict[str, Any]) -> Built:
    """Put conversations together; ``made`` are the parameters they were made with."""
    tally = Tally()
    for part in parts:
        tally.add(part)
    collection = Collection(
        name,
        Corpus([row for part in parts for row in part.rows()]),
        pd.DataFrame([topic for part in parts for topic in part.topics()]),
        pd.DataFrame([line for part in parts for line in part.qrels()]),
        relevant_from=2,
        card=tally.card(about, made),
    )
    world = {
        "conversations": {part.world.name: part.state() for part in parts},
        "topics": {qid: found for part in parts for qid, found in part.asked().items()},
    }
    return Built(collection, world, parts)
