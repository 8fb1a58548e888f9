"""What measures read: hits with their judgements as flat arrays, and sums over such arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Floats", "Ints", "Judged", "first_rank", "ranks", "running", "share", "total"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Judged:
    """Hits with their judgements as flat arrays: all that a measure reads.

    Parameters
    ----------
    offsets : int64 array of shape (n_topics + 1,)
        The hits of topic i are ``offsets[i]:offsets[i + 1]``, best first.
    grades : int64 array of shape (n_hits,)
        Relevance of each hit; 0 where it was not judged.
    gold_offsets, gold : int64 arrays of shape (n_topics + 1,) and (n_judged,)
        The grades of all judged documents, found or not, highest first within a topic.
    relevant_from : int
        The grade from which a document is relevant in binary measures, at least 1.
    tokens : int64 array of shape (n_hits,)
        Length of each hit.
    stale : bool array of shape (n_hits,)
        Whether a hit states something that was true once and was replaced.
    can_be_stale : bool array of shape (n_topics,)
        Topics that have both a stale document and a current relevant one.
    latency : float64 array of shape (n_topics,)
        Milliseconds of one search; NaN where the topic was not timed.
    index_ms : float
        Milliseconds to build the system's indexes; NaN where not timed.

    Examples
    --------
    >>> from lcm_lab.measures import R
    >>> judged = Judged.of(hits=[[1, 0, 1]], gold=[[1, 1, 1, 1]])
    >>> (R @ 2).per_topic(judged).tolist()
    [0.25]
    """

    offsets: Ints
    grades: Ints
    gold_offsets: Ints
    gold: Ints
    relevant_from: int
    tokens: Ints
    stale: Bools
    can_be_stale: Bools
    latency: Floats
    index_ms: float = float("nan")

    @classmethod
    def of(
        cls,
        hits: Sequence[Sequence[int]],
        gold: Sequence[Sequence[int]],
        *,
        relevant_from: int = 1,
        tokens: Sequence[Sequence[int]] | None = None,
    ) -> Judged:
        """Make it of lists: for each topic the grades of its hits, best first, and of all judged.

        Hits are one token long unless ``tokens`` says otherwise; nothing is stale or timed.
        """
        offsets, grades = _flat(hits)
        gold_offsets, known = _flat([sorted(grades, reverse=True) for grades in gold])
        return cls(
            offsets=offsets,
            grades=grades,
            gold_offsets=gold_offsets,
            gold=known,
            relevant_from=relevant_from,
            tokens=np.ones(len(grades), np.int64) if tokens is None else _flat(tokens)[1],
            stale=np.zeros(len(grades), bool),
            can_be_stale=np.zeros(len(hits), bool),
            latency=np.full(len(hits), np.nan),
        )

    @cached_property
    def topic(self) -> Ints:
        """The topic of each hit, as int64 array of shape (n_hits,)."""
        return segment(self.offsets)

    @cached_property
    def rank(self) -> Ints:
        """The rank of each hit, from 1, as int64 array of shape (n_hits,)."""
        return ranks(self.offsets)

    @cached_property
    def relevant(self) -> Bools:
        """Whether each hit is relevant, as bool array of shape (n_hits,)."""
        return self.grades >= self.relevant_from

    @cached_property
    def n_relevant(self) -> Floats:
        """How many relevant documents each topic has, as float64 array of shape (n_topics,)."""
        return total(self.gold_offsets, (self.gold >= self.relevant_from).astype(float))

    def ideal(self) -> Judged:
        """Give the same topics with all that was judged relevant as hits, highest grade first."""
        n, blank = len(self.gold), np.zeros(len(self.gold), dtype=bool)
        ones = np.ones(n, dtype=np.int64)
        return replace(self, offsets=self.gold_offsets, grades=self.gold, tokens=ones, stale=blank)


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return offsets, np.array([item for items in lists for item in items], np.int64)


def segment(offsets: Ints) -> Ints:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def ranks(offsets: Ints) -> Ints:
    return np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], np.diff(offsets))


def total(offsets: Ints, values: Floats) -> Floats:
    return np.bincount(segment(offsets), weights=values, minlength=len(offsets) - 1).astype(float)


def running(offsets: Ints, values: Ints) -> Ints:
    """Sum values down each list, starting again at every topic."""
    summed = np.concatenate([[0], np.cumsum(values)]).astype(np.int64)
    return summed[1:] - np.repeat(summed[offsets[:-1]], np.diff(offsets))


def share(part: Floats, whole: Floats) -> Floats:
    """Divide, with NaN where there is nothing to divide by."""
    out: Floats = np.full(len(whole), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def first_rank(judged: Judged, mask: Bools) -> Floats:
    """Rank of the first hit in the mask, infinity where there is none; shape (n_topics,)."""
    first = np.full(len(judged.offsets) - 1, np.inf)
    topics, at = np.unique(judged.topic[mask], return_index=True)
    first[topics] = judged.rank[mask][at]
    return first
