"""Adjacency: what two histories that nobody labelled can be compared by.

An agent's transcripts have no judged questions. What was said right after a message is known in
all of them, and is asked with words that the successor does not hold. Whatever goes by words alone
finds none of it, so the systems look at what stands around a message.
"""

from __future__ import annotations

from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput
from lcm_lab.evaluation.validating.panel import CUT, FAMILIES
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context.around import Neighbours
from lcm_lab.ranking.lexical.words import BM25, TfIdf
from lcm_lab.transcripts.probes.adjacent import BETWEEN, Adjacency
from lcm_lab.transcripts.probes.mine import mine

__all__ = ["AROUND", "adjacent", "around", "unlabelled"]

#: How much a message lends to those near it, and how fast that falls off; fixed before a
#: comparison was made.
SHARE, FALLOFF = 0.5, 0.7


def _looking(one: Ranker) -> Ranker:
    return Neighbours(one, SHARE, window=BETWEEN + 1, falloff=FALLOFF) % CUT


#: What level and sign are read from.
AROUND = (_looking(BM25()), _looking(TfIdf()))


def unlabelled(collection: Collection) -> bool:
    """Tell whether the questions of a collection were mined, and nobody judged them."""
    return "kinds" in collection.card


def adjacent(collection: Collection) -> Collection:
    """Give the same history with what was said right after its messages as its questions.

    Raises
    ------
    BadInput
        No message has a successor that could be asked for.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["Who signed off the migration on Tuesday night?"]
    >>> said += ["Priya approved it once its second rehearsal had finished cleanly."]
    >>> made = adjacent(lcm.mine(lcm.Corpus([{"text": text, "role": "user"} for text in said])))
    >>> made.topics["query"].tolist()
    ['What was said right after this: Who signed off the migration on Tuesday night?']
    """
    made = mine(collection, [Adjacency()], name=collection.name)
    if made.topics.empty:
        raise BadInput(
            f"No message of {collection.name!r} has a successor that could be asked for, so there "
            "is nothing to compare. Give a longer history."
        )
    return made


def around() -> dict[str, Ranker]:
    """Give the systems of the panel that can look around, each doing so.

    Examples
    --------
    >>> len(around())
    21
    """
    found = {name: one for family in FAMILIES.values() for name, one in family.items()}
    return {
        f"{name}, around": _looking(one)
        for name, one in found.items()
        if one.retrieves and not one.by_depth
    }
