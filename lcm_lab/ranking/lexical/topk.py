"""The best rows under a weighted sum of posting lists, exactly, without adding up all of them.

After MaxScore [1]_. Lists are taken in falling order of the most that they can give. Once k rows
stand at some score, a row that is not a candidate yet must bring from the list at hand what all
later ones cannot make up for: a comparison down its values finds those few, and the candidates look
the list up instead of the list being added to all. Sums here are single precision: they choose who
is scored, in double precision and in term order, so that the answer has the very floats that the
definition gives.

References
----------
.. [1] Turtle and Flood (1995), Query evaluation: strategies and optimizations, IPM 31(6).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.lexical.postings import List, Postings
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, best_first

__all__ = ["best", "topk"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

#: A stretch so short is added up whole.
SPAN = 16_384

#: A list so short is added to all it holds; for longer ones, looking up costs so many additions.
SHORT, LOOKUP = 2_000, 8

#: Single-precision sums of up to a hundred terms err by less than this share.
SLACK = 1e-5

_local = threading.local()


def topk(
    index: Postings, weights: Sequence[dict[int, float]], k: int, allowed: Sequence[Rows]
) -> Hits:
    """Give the k best allowed rows of each question."""
    pairs = zip(weights, allowed, strict=True)
    return Hits.stack([best(index, asked, k, rows) for asked, rows in pairs])


def best(index: Postings, weights: dict[int, float], k: int, allowed: Rows) -> tuple[Ints, Floats]:
    """Give the k best allowed rows of one question, and their scores."""
    weights = {term: weight for term, weight in weights.items() if weight > 0}
    if isinstance(allowed, slice) and allowed.stop - allowed.start <= SPAN:
        return _summed(index, weights, k, allowed)
    steps = _steps(index, weights, allowed)
    with _scratch(index.size) as sums:
        rows = _candidates(steps, k, sums)
    return best_first(rows, index.score(weights, rows), k)


def _summed(
    index: Postings, weights: dict[int, float], k: int, allowed: slice
) -> tuple[Ints, Floats]:
    """Add up every list of a short stretch, in term order."""
    sums = np.zeros(max(allowed.stop - allowed.start, 0))
    for term, weight in weights.items():
        where, values = index.within(term, allowed)
        sums[where - allowed.start] += weight * values.astype(np.float64)
    hit = np.flatnonzero(sums)
    return best_first(hit + allowed.start, sums[hit], k)


class Step(NamedTuple):
    """A posting list with its weight, the most it can give, and the most that later ones can."""

    listed: List
    weight: np.float32
    most: float
    later: float


def _steps(index: Postings, weights: dict[int, float], allowed: Rows) -> list[Step]:
    most = {term: weight * float(index.highest[term]) for term, weight in weights.items()}
    order = sorted(weights, key=lambda term: -most[term])
    after = [0.0, *itertools.accumulate(most[term] for term in reversed(order))]
    return [
        Step(index.within(term, allowed), np.float32(weights[term]), most[term], later)
        for term, later in zip(order, after[-2::-1], strict=True)
    ]


def _candidates(steps: list[Step], k: int, sums: Singles) -> Ints:
    """Give the rows that may be among the k best; ``sums`` is all 0, before and after."""
    rows, scores, least = np.empty(0, np.int32), np.empty(0, np.float32), 0.0
    for step in steps:
        where, values = step.listed
        needed = (least - step.later * (1 + SLACK)) / step.weight
        if needed > 0 and len(where) > SHORT:
            rows = _kept(rows, scores, least - (step.most + step.later) * (1 + SLACK), sums)
        if needed > 0 and len(where) > max(SHORT, LOOKUP * len(rows)):
            sums[rows] += step.weight * _lookup(step.listed, rows)
            if step.most >= needed * step.weight:
                strong = where[values >= needed]
                strong = strong[sums[strong] == 0]
                sums[strong] = step.weight * _lookup(step.listed, strong)
                rows = np.concatenate((rows, strong))
        else:
            before = sums[where]
            sums[where] = before + step.weight * values
            rows = np.concatenate((rows, where[before == 0]))
        scores = sums[rows]
        least = _kth(scores, k, least)
    sums[rows] = 0
    return rows[scores >= least].astype(np.int64)


def _kept(
    rows: npt.NDArray[np.int32], scores: Singles, least: float, sums: Singles
) -> npt.NDArray[np.int32]:
    """Keep the candidates that have at least so much, and forget the others."""
    keep = scores >= least
    sums[rows[~keep]] = 0
    return rows[keep]


def _kth(scores: Singles, k: int, least: float) -> float:
    """Give what a row must reach to be among the k best, knowing that it is ``least`` or more."""
    high = scores[scores >= least]  # comparing is far cheaper than selecting
    if len(high) < k:
        return least
    return float(np.partition(high, len(high) - k)[len(high) - k]) * (1 - SLACK)


def _lookup(listed: List, rows: npt.NDArray[np.int32]) -> Singles:
    """Give the value that each row has in a list, 0 where it has none."""
    where, values = listed
    at = np.minimum(where.searchsorted(rows), len(where) - 1)
    return np.where(where[at] == rows, values[at], np.float32(0))


@contextmanager
def _scratch(size: int) -> Iterator[Singles]:
    """Lend this thread's array of zeros, to be given back as such."""
    sums: Singles | None = getattr(_local, "sums", None)
    if sums is None or len(sums) < size:
        sums = _local.sums = np.zeros(size, np.float32)
    try:
        yield sums
    except BaseException:
        del _local.sums  # it may not be all 0
        raise
