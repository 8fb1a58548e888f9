"""Rankers that act on hits: what weighs them, what re-orders them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.base import Ranker
from lcm_lab.run import Run, finite
from lcm_lab.topics import Topics

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Modifier", "Reranker"]

Floats = npt.NDArray[np.float64]


class Modifier(Ranker):
    """A ranker that multiplies the score it is given by a factor between 0 and 1: extend `factor`.

    After ``>>`` it weighs what came before; as a term of a sum it multiplies one, so that the
    factor itself is the term.

    Examples
    --------
    >>> import numpy as np
    >>> import lcm_lab as lcm
    >>> @lcm.value
    ... class UsersFirst(lcm.Modifier):
    ...     def factor(self, topics, run):
    ...         return np.where(run.corpus["role"].to_numpy()[run.rows] == "user", 1.0, 0.5)
    >>> corpus = lcm.Corpus([{"text": "use WAL", "role": role} for role in ("tool", "user")])
    >>> (lcm.BM25() >> UsersFirst()).fit(corpus)("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    @abstractmethod
    def factor(self, topics: Topics, run: Run) -> Floats:
        """Give the factor of each hit; shape (n_hits,), float64 in [0, 1]."""

    def apply(self, search: Search, run: Run) -> Run:
        """Multiply the scores of what came before."""
        return run.scored(self.weigh(search, run, run.scores))

    def first(self, search: Search, run: Run, k: int) -> Run:
        """Multiply, and keep the k best; the others are not put in order."""
        return run.scored(self.weigh(search, run, run.scores), k)

    def weigh(self, search: Search, run: Run, scores: Floats) -> Floats:
        """Multiply what came before within the same term."""
        factor = finite(self.factor(search.topics, run), self)
        return scores * search.note(self, run, factor)

    def _role(self) -> str:
        return "weighs hits"


class Reranker(Ranker):
    """A ranker that re-orders, drops or adds hits: extend `rerank`. It is no term of a sum.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> @lcm.value
    ... class NewestFirst(lcm.Reranker):
    ...     def rerank(self, searcher, topics, run):
    ...         return run.scored(run.rows + 1.0)
    >>> (lcm.BM25() >> NewestFirst()).fit(lcm.Corpus(["use WAL", "WAL"]))("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    by_depth = True

    @abstractmethod
    def rerank(self, searcher: Searcher, topics: Topics, run: Run) -> Run:
        """Give the hits anew, best first, scores above 0 and never rising within a topic."""

    def apply(self, search: Search, run: Run) -> Run:
        """Re-order what came before."""
        return self.rerank(search.searcher, search.topics, run)
