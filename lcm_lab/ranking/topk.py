"""The best rows under a weighted sum of posting lists, exactly, without adding up all of them.

MaxScore [1]_ adds up the lists in falling order of what they can give, until no row that is not yet
a candidate can reach the k best; the rest are only probed for the candidates that remain. Sums here
are single precision: they choose who is scored, in double precision and in term order, so that the
answer has the very floats that the definition gives.

References
----------
.. [1] Turtle and Flood (1995), Query evaluation: strategies and optimizations, IPM 31(6).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.postings import List, Postings
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, best_first

__all__ = ["best", "topk"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: A list so short is added up without asking first whether it could be probed.
SHORT = 2_000

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
    lists = {term: index.within(term, allowed) for term in weights}
    with _scratch(index.size) as sums:
        rows = _candidates(index, weights, lists, k, sums)
    return best_first(rows, index.score(weights, rows), k)


def _candidates(
    index: Postings,
    weights: dict[int, float],
    lists: dict[int, List],
    k: int,
    sums: npt.NDArray[np.float32],
) -> Ints:
    """Give the rows that may be among the k best; ``sums`` is all 0, before and after."""
    most = {term: weight * float(index.highest[term]) for term, weight in weights.items()}
    order = sorted(weights, key=lambda term: -most[term])
    room = _suffix_sums([most[term] for term in order])
    rows, least, place = np.empty(0, np.int32), 0.0, 0
    while place < len(order) and room[place] >= least:
        listed, values = lists[order[place]]
        before = sums[listed]
        sums[listed] = before + np.float32(weights[order[place]]) * values
        rows = np.concatenate((rows, listed[before == 0]))
        place += 1
        if place < len(order) and len(lists[order[place]][0]) > SHORT:
            least = _kth(sums[rows], k, least)
    scores = sums[rows]
    sums[rows] = 0
    for term, reach in zip(order[place:], room[place:], strict=False):
        keep = scores >= least - reach
        rows, scores = rows[keep], scores[keep]
        scores = scores + np.float32(weights[term]) * _probe(lists[term], rows)
        least = _kth(scores, k, least)
    return rows[scores >= _kth(scores, k, least)].astype(np.int64)


def _suffix_sums(parts: list[float]) -> list[float]:
    sums = np.append(np.cumsum(parts[::-1])[::-1], 0.0) * (1 + SLACK)
    return [float(part) for part in sums]


def _kth(scores: npt.NDArray[np.float32], k: int, least: float) -> float:
    """Give what a row must reach to be among the k best, knowing that it is ``least`` or more."""
    high = scores[scores >= least]  # comparing is far cheaper than selecting
    if len(high) < k:
        return least
    return float(np.partition(high, len(high) - k)[len(high) - k]) * (1 - SLACK)


def _probe(listed: List, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    where, values = listed
    if not len(where):
        return np.zeros(len(rows), np.float32)
    at = np.minimum(where.searchsorted(rows), len(where) - 1)
    return np.where(where[at] == rows, values[at], np.float32(0))


@contextmanager
def _scratch(size: int) -> Iterator[npt.NDArray[np.float32]]:
    """Lend this thread's array of zeros, to be given back as such."""
    sums: npt.NDArray[np.float32] | None = getattr(_local, "sums", None)
    if sums is None or len(sums) < size:
        sums = _local.sums = np.zeros(size, np.float32)
    try:
        yield sums
    except BaseException:
        del _local.sums  # it may not be all 0
        raise
