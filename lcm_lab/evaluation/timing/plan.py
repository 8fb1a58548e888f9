"""When each search is due, and whose turn it is: what a pass of timing does, before it does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["LEAD", "ROUNDS", "Arrivals", "Block", "arrivals", "by_turns", "in_rounds"]

Ints = npt.NDArray[np.int64]

#: How moments at which searches are due follow one another.
Arrivals = Literal["poisson", "even"]

#: Every system has a block of searches in each of so many rounds.
ROUNDS = 10
#: So many searches at the head of a block warm it up after another system's: on time, not counted.
LEAD = 20


class Block(NamedTuple):
    """Searches of one system in a row.

    Attributes
    ----------
    system : str
    round : int
    topics : int64 array of shape (n,)
        Positions of the topics that are asked.
    due : int64 array of shape (n,) or None
        Nanoseconds after the block begins; None: each as soon as the one before is done.
    lead : int
        So many of the first are not counted.
    """

    system: str
    round: int
    topics: Ints
    due: Ints | None = None
    lead: int = 0


def arrivals(n: int, rate: float, how: Arrivals, rng: np.random.Generator) -> Ints:
    """Give the moments at which n searches are due, in nanoseconds from the start; they rise.

    Parameters
    ----------
    n : int
    rate : float
        Searches a second.
    how : {"poisson", "even"}
        At random, independent of one another, or one every ``1 / rate`` seconds from 0 on.
    rng : Generator

    Examples
    --------
    >>> arrivals(3, 1000, "even", np.random.default_rng(0)).tolist()
    [0, 1000000, 2000000]
    """
    seconds = np.arange(n) if how == "even" else np.cumsum(rng.standard_exponential(n))
    return np.round(seconds / rate * 1e9).astype(np.int64)


def by_turns(systems: Sequence[str], topics: Ints, warm_up: int) -> list[Block]:
    """Plan one search of every topic by every system, with nothing due at any moment.

    The systems take turns on each topic, and another begins each time.

    Parameters
    ----------
    systems : sequence of str
    topics : int64 array of shape (n,)
        Positions.
    warm_up : int
        So many of the topics are put to each system before, and not counted.
    """
    warm = [
        Block(name, -1, topics[i : i + 1], lead=1)
        for i in range(min(warm_up, len(topics)))
        for name in systems
    ]
    counts = [
        Block(systems[(i + turn) % len(systems)], i, topics[i : i + 1])
        for i in range(len(topics))
        for turn in range(len(systems))
    ]
    return warm + counts


def in_rounds(
    systems: Sequence[str], n_topics: int, n: int, rate: float, how: Arrivals, *, seed: int
) -> list[Block]:
    """Plan n searches of every system, due at given moments, in blocks that alternate at random.

    In a round each system is asked the same topics at the same moments, so that what the topics
    and their arrival do to the times is common to all. Every topic is asked as often as any other,
    give or take one.
    """
    rng = np.random.default_rng(seed)
    sizes = [len(part) for part in np.array_split(np.arange(n), max(1, min(ROUNDS, n // LEAD)))]
    deck = _deck(n_topics, n + LEAD * len(sizes), rng)
    plan, start = [], 0
    for number, size in enumerate(sizes):
        stop = start + LEAD + size
        due = arrivals(stop - start, rate, how, rng)
        for place in rng.permutation(len(systems)):
            plan.append(Block(systems[int(place)], number, deck[start:stop], due, LEAD))
        start = stop
    return plan


def _deck(n_topics: int, n: int, rng: np.random.Generator) -> Ints:
    """Shuffle all topics, again and again, until there are n."""
    shuffled = [rng.permutation(n_topics) for _ in range(-(-n // max(n_topics, 1)))]
    return np.concatenate([np.empty(0, np.int64), *shuffled])[:n].astype(np.int64)
