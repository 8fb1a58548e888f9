"""Which topics are kept: each question once, a bounded number from a session, spread over it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from lcm_lab.synth.overlap import plain
from lcm_lab.transcripts.probes.base import Dropped
from lcm_lab.transcripts.probes.hiding import Hidden
from lcm_lab.transcripts.probes.history import History

__all__ = ["TWICE", "chosen", "crowded"]

TWICE = "question that was asked before in the same words"


def crowded(most: int) -> str:
    """Say why topics beyond the bound were dropped."""
    return f"beyond {most} of a kind from one session"


def chosen(
    history: History,
    found: Iterable[Hidden],
    most: int,
    dropped: Dropped,
    rng: np.random.Generator,
) -> list[Hidden]:
    """Choose the topics of one kind, those of a user first, in row order within a session.

    Parameters
    ----------
    found : iterable of Hidden
    most : int
        How many of one session at most.
    rng : Generator
        Draws one from each of as many equal stretches as there are places.
    """
    sessions: dict[int, list[Hidden]] = {}
    asked: set[str] = set()
    for one in found:
        words = plain(one.draft.query)
        if words in asked:
            dropped[TWICE] += 1
            continue
        asked.add(words)
        sessions.setdefault(one.draft.talk, []).append(one)
    kept: list[Hidden] = []
    for talk, topics in sessions.items():
        if talk < 0 or len(topics) <= most:
            kept += topics
            continue
        own = [one for one in topics if history.roles[one.draft.row] == "user"]
        others = [one for one in topics if history.roles[one.draft.row] != "user"]
        some = _spread(own, most, rng)
        some += _spread(others, most - len(some), rng)
        dropped[crowded(most)] += len(topics) - len(some)
        kept += sorted(some, key=lambda one: one.draft.row)
    return kept


def _spread(topics: list[Hidden], most: int, rng: np.random.Generator) -> list[Hidden]:
    """Draw one topic from each of ``most`` stretches of equal length."""
    if len(topics) <= most or not most:
        return topics[:most]
    edges = [i * len(topics) // most for i in range(most + 1)]
    return [topics[int(rng.integers(low, high))] for low, high in pairwise(edges)]
