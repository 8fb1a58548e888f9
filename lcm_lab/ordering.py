"""Orders of hits: by topic, falling score and rising row, and what the k best of a topic score.

Hits of many topics lie end to end: those of topic i are ``offsets[i]:offsets[i + 1]``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["LEAST", "best_first", "least", "ordered"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: The least score of a hit.
LEAST = 5e-324

#: So few hits are put in order as fast as the best of them are found.
FEW = 256

#: Places in a table, a line each topic, that are worth one hit sorted among those of all topics.
WASTE = 4


def best_first(rows: Ints, scores: Floats, k: int) -> tuple[Ints, Floats]:
    """Give the k best of one topic's hits, ties by corpus row."""
    if len(scores) > 2 * k:
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        keep = np.flatnonzero(scores >= least)
        rows, scores = rows[keep], scores[keep]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def ordered(offsets: Ints, rows: Ints, scores: Floats) -> Ints:
    """Give the positions of hits by topic, falling score and rising row; shape (n_hits,)."""
    counts = np.diff(offsets)
    if len(counts) == 1:
        return np.lexsort((rows, -scores))
    topic = np.repeat(np.arange(len(counts)), counts)
    if _fits(counts):  # short lines, each sorted by itself: several times faster
        grid, inside = _grid(-scores, counts, np.inf)
        lines = np.argsort(grid, axis=1, kind="stable") + offsets[:-1, None]
        order = np.asarray(lines[inside], np.int64)
        best = scores[order]
        # Compared, not subtracted, since two may be infinite.
        falls = (best[1:] == best[:-1]) & (np.diff(rows[order]) < 0)
        if not (falls & (np.diff(topic) == 0)).any():
            return order
    return np.lexsort((rows, -scores, topic))


def least(offsets: Ints, scores: Floats, k: int) -> Floats | float:
    """Give what each hit must score, more than 0, to be among the k best of its topic.

    Returns
    -------
    float64 array of shape (n_hits,), or one number for all
        A bound from below: where it is too much to find out, it says only that hits are above 0.
    """
    counts = np.diff(offsets)
    width = int(counts.max(initial=0))
    if width <= k or len(scores) <= FEW or not _fits(counts):
        return LEAST
    grid, _ = _grid(np.where(scores > 0, scores, 0.0), counts, 0.0)
    best = np.partition(grid, width - k, axis=1)[:, width - k]
    return np.repeat(np.maximum(best, LEAST), counts)


def _fits(counts: Ints) -> bool:
    """Tell whether a line for each topic, as long as the longest, is not too much of a waste."""
    return len(counts) * int(counts.max(initial=0)) <= WASTE * int(counts.sum())


def _grid(scores: Floats, counts: Ints, rest: float) -> tuple[Floats, Bools]:
    """Lay scores out with a line for each topic, and tell where they are."""
    inside = np.arange(counts.max(initial=0)) < counts[:, None]
    grid = np.full(inside.shape, rest)
    grid[inside] = scores
    return grid, inside
