"""Sets of corpus rows: a slice where they lie together, else a sorted array.

A conversation is a slice of the corpus, and a time window inside it is a slice too; a slice costs
nothing to keep, to intersect, or to cut a posting list with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Rows", "contains", "count", "distinct", "intersect", "rows_of", "tidy"]

Rows = slice | npt.NDArray[np.int64]


def tidy(rows: npt.NDArray[np.int64]) -> Rows:
    """Give sorted, distinct rows as a slice when they are consecutive."""
    if len(rows) == 0:
        return slice(0, 0)
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first + 1 == len(rows) else rows


def distinct(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give numbers rising and each once; numpy's own ``unique`` is many times slower here."""
    risen = np.sort(numbers)
    return risen[np.append(True, risen[1:] != risen[:-1])] if len(risen) else risen


def rows_of(rows: Rows) -> npt.NDArray[np.int64]:
    """Give the rows of a set as an array, rising."""
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def count(rows: Rows) -> int:
    """Count the rows of a set."""
    return max(rows.stop - rows.start, 0) if isinstance(rows, slice) else len(rows)


def contains(rows: Rows, asked: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tell for each asked row whether it is in the set."""
    if isinstance(rows, slice):
        return np.array((asked >= rows.start) & (asked < rows.stop))
    if len(rows) == 0:
        return np.zeros(len(asked), bool)
    at = np.minimum(np.searchsorted(rows, asked), len(rows) - 1)
    return np.array(rows[at] == asked, np.bool_)


def intersect(left: Rows, right: Rows) -> Rows:
    """Give the rows that both sets hold."""
    if isinstance(left, slice) and isinstance(right, slice):
        start = max(left.start, right.start)
        return slice(start, max(start, min(left.stop, right.stop)))
    if isinstance(left, slice):
        return intersect(right, left)
    if isinstance(right, slice):
        start, stop = np.searchsorted(left, (right.start, right.stop))
        return tidy(left[start:stop])
    return tidy(left[contains(right, left)])
