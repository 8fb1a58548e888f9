"""The systems of a report that names none: every policy with a name, the studied systems first.

Their bounds, a perfect order and a random one, are no systems: `Evaluation.bounds` works them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lcm_lab.errors import BadParameter

if TYPE_CHECKING:
    from lcm_lab.ranking.base import Ranker

__all__ = ["MEASURES", "ladder", "systems"]

#: What a report measures unless told: order, share, completeness, what fits a context; cost.
MEASURES = ("nDCG@10", "R@10", "AllR@10", "Evidence@2000", "Latency@95", "IndexTime")

#: Every system is cut here: deep enough for 2,000 tokens of short messages.
DEPTH = 100

LADDER = {
    "LosslessClaw recency": "LosslessClaw('recency')",
    "LosslessClaw relevance": "LosslessClaw('relevance')",
    "LosslessClaw hybrid": "LosslessClaw('hybrid')",
    "SessionsSearch": "SessionsSearch()",
    "OpenClawMemory": "OpenClawMemory()",
    "EpisodicMemory vector": "EpisodicMemory('vector')",
    "EpisodicMemory text": "EpisodicMemory('text')",
    "EpisodicMemory both": "EpisodicMemory('both')",
    "NaiveBM25": "NaiveBM25()",
    "BM25": "BM25()",
    "TF-IDF": "TfIdf()",
    "LSA": "Dense()",
    "BM25 + LSA": "(BM25() + 0.3 * Dense())",
    "Recommended": "Recommended()",
}


def ladder() -> dict[str, Ranker]:
    """Give the default systems by name.

    Examples
    --------
    >>> ladder()["BM25"]
    BM25() % 100
    """
    from lcm_lab.ranking.parse import policy

    return {name: policy(f"({made}) % {DEPTH}") for name, made in LADDER.items()}


def systems(expressions: Sequence[str]) -> dict[str, Ranker]:
    """Read the systems that a command line gives; without any, the ladder.

    Parameters
    ----------
    expressions : sequence of str
        Policies, each under its own expression, or under a name of its own: ``ours=BM25() % 10``.

    Raises
    ------
    BadParameter
        For a text that is no policy, and for a name that stands twice.
    """
    from lcm_lab.ranking.parse import policy

    if not expressions:
        return ladder()
    found: dict[str, Ranker] = {}
    for written in expressions:
        name, expression = _named(written)
        made = policy(expression)
        name = name or repr(made)
        if name in found:
            raise BadParameter(f"Two systems are called {name!r}. Write --policy 'other={made!r}'.")
        found[name] = made
    return found


def _named(written: str) -> tuple[str, str]:
    """Split ``name=expression``; an equals sign behind a bracket belongs to the expression."""
    head, sign, rest = written.partition("=")
    return (head.strip(), rest) if sign and "(" not in head else ("", written)
