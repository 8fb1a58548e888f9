"""Fusion of lists as they were cut: by rank, or by scores scaled within each list.

What comes out depends on how deep each list went; ``a + b`` does not, and is what to use first.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.nodes import Weighted
from lcm_lab.run import Run
from lcm_lab.values import settle, starred, value

__all__ = ["RRF", "Fuse"]

Floats = npt.NDArray[np.float64]


class Lists(Ranker):
    """Fuse what several rankers retrieve: extend `worth`, what a hit gets from one list."""

    rankers: tuple[Ranker, ...]

    retrieves = True
    by_depth = True

    @abstractmethod
    def worth(self, place: int, run: Run) -> Floats:
        """Give what each hit of the list at this place adds to its fused score; shape (n_hits,)."""

    def retrieve(self, search: Any, k: int) -> Run:
        """Fuse what the rankers retrieve, keep the best k."""
        return self._fused(search, search.retrieve(self.rankers)).top(k)

    def apply(self, search: Any, run: Run) -> Run:
        """Fuse the orders that the rankers give to what came before."""
        return self._fused(search, [ranker.apply(search, run) for ranker in self.rankers])

    def _fused(self, search: Any, runs: list[Run]) -> Run:
        united = search.union(runs)
        keys, scores = united.keys, np.zeros(len(united))
        for place, run in enumerate(runs):
            added = np.zeros(len(united))
            added[np.searchsorted(keys, run.keys)] = self.worth(place, run)
            scores += search.note(self.rankers[place], united, added)
        return cast(Run, united.scored(search.note(self, united, scores)))


@value
class RRF(Lists):
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
        checks.several(self, self.rankers)
        weighted = next((r for r in self.rankers if isinstance(r, Weighted)), None)
        if weighted is not None:
            raise BadParameter(
                f"RRF looks at ranks, which {weighted!r} does not change. "
                "Write RRF(a, b, weights=(1, 0.3))."
            )
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

    def worth(self, place: int, run: Run) -> Floats:
        """Give weight / (k + rank)."""
        weight = self.weights[place] if self.weights else 1.0
        return np.asarray(weight / (self.k + run.rank), np.float64)


@value
class Fuse(Lists):
    """Fuse scores scaled within each list: ``Fuse(a, 0.3 * b, norm="zscore")``.

    Parameters
    ----------
    *rankers : Ranker
        Two or more, each of which brings candidates; weighed as in a sum.
    norm : {"minmax", "zscore", "rank"}
        How a list's scores are scaled: from 0 to 1; by standard deviations above its least; or
        evenly from 1 down, by rank.

    Notes
    -----
    A document that a list does not hold counts as the list's least. Equal scores scale to 1.

    Examples
    --------
    >>> from lcm_lab import BM25, Fuse, TfIdf
    >>> Fuse(BM25() % 100, 0.3 * TfIdf() % 100, norm="zscore") % 10
    Fuse(BM25() % 100, 0.3 * TfIdf() % 100, norm='zscore') % 10
    """

    rankers: tuple[Ranker, ...] = starred()
    norm: Literal["minmax", "zscore", "rank"] = "minmax"

    def __init__(
        self, *rankers: Ranker, norm: Literal["minmax", "zscore", "rank"] = "minmax"
    ) -> None:
        object.__setattr__(self, "rankers", rankers)
        object.__setattr__(self, "norm", norm)
        settle(self)

    def _remake(self, fields: dict[str, Any]) -> Fuse:
        return Fuse(*fields.pop("rankers"), **fields)

    def check(self) -> None:
        """Refuse fewer than two lists, rankers that bring none, and unknown norms."""
        checks.several(self, self.rankers)
        if self.norm not in ("minmax", "zscore", "rank"):
            raise BadParameter(f"norm must be 'minmax', 'zscore' or 'rank'. Got {self.norm!r}.")

    def worth(self, place: int, run: Run) -> Floats:
        """Give the scaled scores, weighed; a hit is always worth more than no hit."""
        ranker = self.rankers[place]
        weight = ranker.weight if isinstance(ranker, Weighted) else 1.0
        return weight * np.maximum(self._scaled(run), np.finfo(float).tiny)

    def _scaled(self, run: Run) -> Floats:
        topic, size = run.topic, np.maximum(np.diff(run.offsets), 1)
        if self.norm == "rank":
            return np.asarray(1 - (run.rank - 1) / size[topic], np.float64)
        some = np.diff(run.offsets) > 0
        least, spread = np.zeros(len(size)), np.zeros(len(size))
        least[some] = run.scores[run.offsets[1:][some] - 1]
        if self.norm == "minmax":
            spread[some] = run.scores[run.offsets[:-1][some]] - least[some]
        else:
            mean = np.bincount(topic, run.scores, len(size)) / size
            squares = np.bincount(topic, (run.scores - mean[topic]) ** 2, len(size))
            spread = np.sqrt(squares / size)
        above, by = run.scores - least[topic], spread[topic]
        return np.divide(above, by, out=np.ones_like(above), where=by > 0)


def _counts(number: Any) -> bool:
    counts = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    return counts and math.isfinite(number) and bool(number >= 0)
