"""Fusion by rank. To fuse by score write ``a + b``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.run import Run
from lcm_lab.values import settle, starred, value

__all__ = ["RRF"]


@value
class RRF(Ranker):
    """Reciprocal rank fusion: a hit scores the sum of weight / (k + rank) over lists that hold it.

    Parameters
    ----------
    *rankers : Ranker
        Two or more, each of which brings candidates.
    k : float, at least 0
        How much the first ranks stand out; the larger, the less.
    weights : tuple of float, optional
        One a ranker, at least 0 and not all 0; equal when not given.

    Notes
    -----
    From Cormack, Clarke and Buettcher (2009) [1]_. The result depends on how deep each list was
    cut, and with equal weights a much weaker list drags a stronger one down; a sum does neither.

    References
    ----------
    .. [1] Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods, SIGIR.

    Examples
    --------
    >>> from lcm_lab import BM25, RRF, TfIdf
    >>> RRF(BM25() % 100, TfIdf() % 100, k=10, weights=(3, 1)) % 10
    RRF(BM25() % 100, TfIdf() % 100, k=10, weights=(3, 1)) % 10
    """

    rankers: tuple[Ranker, ...] = starred()
    k: float = 60
    weights: tuple[float, ...] | None = None

    retrieves = True
    by_depth = True

    def __init__(
        self, *rankers: Ranker, k: float = 60, weights: Sequence[float] | None = None
    ) -> None:
        for name, given in (("rankers", rankers), ("k", k), ("weights", weights)):
            object.__setattr__(self, name, given)
        settle(self)

    def _remake(self, fields: dict[str, Any]) -> RRF:
        return RRF(*fields.pop("rankers"), **fields)

    def check(self) -> None:
        """Refuse fewer than two lists, rankers that bring none, and weights that do not fit."""
        if len(self.rankers) < 2:
            raise BadParameter(f"RRF fuses two rankers or more. Got {len(self.rankers)}.")
        for ranker in self.rankers:
            if not getattr(ranker, "retrieves", False):
                raise BadParameter(f"RRF fuses rankers that bring candidates. Got {ranker!r:.80}.")
        checks.number("k", self.k)
        if self.weights is not None:
            self._check_weights(self.weights)

    def _check_weights(self, weights: Any) -> None:
        lists = len(self.rankers)
        fits = isinstance(weights, tuple) and len(weights) == lists and all(map(_counts, weights))
        if not fits or not any(weights):
            raise BadParameter(
                f"weights must be {lists} numbers, 0 or more and not all 0. Got {weights!r}."
            )

    def retrieve(self, search: Any, k: int) -> Run:
        """Fuse what the rankers retrieve, keep the best k."""
        return self._fused(search, search.retrieve(self.rankers)).top(k)

    def apply(self, search: Any, run: Run) -> Run:
        """Fuse the orders that the rankers give to what came before."""
        return self._fused(search, [ranker.apply(search, run) for ranker in self.rankers])

    def _fused(self, search: Any, runs: list[Run]) -> Run:
        united = search.union(runs)
        keys, scores = united.keys, np.zeros(len(united))
        for run, weight in zip(runs, self.weights or (1,) * len(runs), strict=True):
            at = np.searchsorted(keys, run.keys)
            scores[at] += weight / (self.k + run.rank)
        return cast(Run, united.scored(search.note(self, united, scores)))


def _counts(number: Any) -> bool:
    counts = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    return counts and math.isfinite(number) and bool(number >= 0)
