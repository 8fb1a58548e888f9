"""Unit vectors and their cosines.

A cosine is one dot product of two rows, taken by itself, so it is the same float whatever else is
scored with it: one question or a thousand, all rows or three of them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput
from lcm_lab.rows import Rows, count, rows_of

__all__ = ["Passages", "cosines", "unit"]

Ints = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]

#: Rows whose vectors are read at once: few enough to stay in the cache for every question.
TILE = 512

#: Multiplications from which a batch of questions uses every core.
HEAVY = 1 << 26


def unit(got: Any, who: object, size: int, width: int | None = None) -> Vectors:
    """Make what an encoder gave for ``size`` texts into rows of length 1, or 0 where it gave zeros.

    Parameters
    ----------
    got : array_like of shape (size, n_dimensions); (n_dimensions,) will do for one text
    who : object
        The encoder, for messages.
    size, width : int
        How many vectors there must be, and how wide; any width will do when none is given.

    Returns
    -------
    ndarray of shape (size, n_dimensions), float32, C-contiguous

    Raises
    ------
    BadInput
        For what is no array of finite numbers of that shape.
    """
    try:
        given = np.asarray(got, np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{who!r} gave what is no array of numbers: {error}") from None
    if given.ndim == 1 and size == 1:
        given = given[None]
    if given.ndim != 2 or not given.shape[1]:
        raise BadInput(f"{who!r} gave shape {given.shape}, where (n_texts, n_dimensions) is due.")
    if len(given) != size:
        raise BadInput(f"{who!r} was given {size:,} texts and gave {len(given):,} vectors.")
    if width is not None and given.shape[1] != width:
        raise BadInput(
            f"{who!r} gave vectors of {given.shape[1]:,} dimensions where others have {width:,}."
        )
    wrong = np.flatnonzero(~np.isfinite(given).all(axis=1))
    if len(wrong):
        raise BadInput(
            f"{who!r} gave {len(wrong):,} of {size:,} vectors with values that are not finite, "
            f"the first for text {wrong[0] + 1}."
        )
    # Large and small numbers alike survive being squared once they are divided by the largest.
    largest = np.abs(given).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(given, largest, out=np.zeros_like(given), where=largest > 0)
    norm = np.linalg.norm(scaled, axis=1, keepdims=True)
    made = np.divide(scaled, norm, out=scaled, where=norm > 0)
    return np.ascontiguousarray(made, np.float32)


def cosines(vectors: Vectors, rows: Rows, questions: Vectors) -> Vectors:
    """Give the cosine of each question with each row, between 0 and 1; shape (n_questions, n_rows).

    Opposite vectors get 0, no hit.
    """
    found = np.empty((len(questions), count(rows)), np.float32)

    def fill(start: int) -> None:
        part = slice(start, start + step)
        tile = vectors[_part(rows, part)]
        np.vecdot(tile[None], questions[:, None], out=found[:, part])

    # One question reads every row once, so it gains nothing from tiles unless rows are gathered.
    step = found.shape[1] if len(questions) == 1 and isinstance(rows, slice) else TILE
    heavy = len(questions) > 1 and found.size * vectors.shape[1] >= HEAVY
    each(fill, range(0, found.shape[1], max(step, 1)), threads=heavy)
    return np.clip(found, 0, 1, out=found)


def _part(rows: Rows, part: slice) -> Rows:
    if isinstance(rows, slice):
        return slice(rows.start + part.start, min(rows.start + part.stop, rows.stop))
    return rows[part]


def each(work: Callable[[int], None], over: range, *, threads: bool) -> None:
    """Do some work for each number, on every core when ``threads``."""
    if not threads:
        for one in over:
            work(one)
        return
    from joblib import cpu_count

    with ThreadPoolExecutor(cpu_count()) as pool:
        for _ in pool.map(work, over):
            pass


@dataclass(frozen=True, eq=False)
class Passages:
    """The vectors of every row's passages, end to end.

    Attributes
    ----------
    vectors : float32 array of shape (n_passages, n_dimensions)
    starts : int64 array of shape (n_rows + 1,), or None
        The passages of row i are ``starts[i]:starts[i + 1]``, one or more; None where each row is
        one passage.
    """

    vectors: Vectors
    starts: Ints | None = None

    def __len__(self) -> int:
        return len(self.vectors) if self.starts is None else len(self.starts) - 1

    def cosines(self, questions: Vectors, rows: Rows) -> Vectors:
        """Give the cosine of each question with the best passage of each row, between 0 and 1."""
        if self.starts is None or not count(rows):
            return cosines(self.vectors, rows, questions)
        found = cosines(self.vectors, self.of(rows), questions)
        sizes = self.starts[rows_of(rows) + 1] - self.starts[rows_of(rows)]
        return np.asarray(np.maximum.reduceat(found, np.cumsum(sizes) - sizes, axis=1), np.float32)

    def of(self, rows: Rows) -> Rows:
        """Give the passages of rows."""
        if self.starts is None:
            return rows
        if isinstance(rows, slice):
            return slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))
        sizes = self.starts[rows + 1] - self.starts[rows]
        before = np.cumsum(sizes) - sizes
        shift = np.repeat(self.starts[rows] - before, sizes)
        return np.asarray(np.arange(int(sizes.sum())) + shift, np.int64)

    def row(self, passages: Ints) -> Ints:
        """Give the row that each passage belongs to."""
        if self.starts is None:
            return passages
        return np.asarray(np.searchsorted(self.starts, passages, side="right") - 1, np.int64)
