"""Groups of which every two belong together, none of them part of a larger one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["cliques"]


def cliques(joined: npt.NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    """Yield the largest sets, of two or more, of which every two are joined.

    Parameters
    ----------
    joined : bool array of shape (n, n)
        Symmetric.

    References
    ----------
    .. [1] Bron and Kerbosch (1973), Algorithm 457, with Tomita's pivot.

    Examples
    --------
    >>> joined = np.eye(4, dtype=bool)
    >>> joined[[0, 1, 1, 2], [1, 0, 2, 1]] = True
    >>> sorted(cliques(joined))
    [(0, 1), (1, 2)]
    """
    near = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(joined)]

    def grow(held: tuple[int, ...], may: set[int], done: set[int]) -> Iterator[tuple[int, ...]]:
        if not may and not done and len(held) > 1:
            yield tuple(sorted(held))
        if not may:
            return
        pivot = max(sorted(may | done), key=lambda i: len(may & near[i]))
        for i in sorted(may - near[pivot]):
            yield from grow((*held, i), may & near[i], done & near[i])
            may, done = may - {i}, done | {i}

    yield from grow((), set(range(len(joined))), set())
