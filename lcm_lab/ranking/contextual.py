"""Rankers that are built on another's scores over all rows a topic may see."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.scorer import Leaf, gathered
from lcm_lab.ranking.view import View
from lcm_lab.run import Hits, Run, finite

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search

__all__ = ["Contextual"]

Floats = npt.NDArray[np.float64]


class Contextual(Leaf):
    """A ranker built on another's scores over all rows a topic may see: extend `score`.

    The scores it is given are shares of the inner ranker's best hit for the topic. Where a topic
    may see more than 20,000 rows they are those of its best 200 and of what touches these; a
    contextual ranker on another looks at the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> import lcm_lab as lcm
    >>> @lcm.value
    ... class Previous(lcm.Contextual):
    ...     inner: lcm.Ranker
    ...
    ...     def score(self, inner, view):
    ...         return inner + 0.5 * np.append(inner[1:], 0)
    >>> search = Previous(lcm.BM25()).fit(lcm.Corpus(["why?", "use WAL", "lunch"]))
    >>> search("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    inner: Ranker

    @abstractmethod
    def score(self, inner: Floats, view: View) -> Floats:
        """Score the rows of one topic.

        Parameters
        ----------
        inner : float64 array of shape (n_rows,)
            The inner ranker's scores, between 0 and 1 for a scorer, 0 where it has no hit.
        view : View
            The rows, rising, and their columns.

        Returns
        -------
        ndarray of shape (n_rows,), float64
            0 or less is no hit; higher is better.
        """

    def prepare(self, corpus: Corpus) -> None:
        """Make ready what `score` takes from the corpus, so that the first question need not wait.

        Called when a policy is fitted, before its scorers are indexed.
        """

    def everywhere(self, search: Search) -> Run:
        """Give the score of every row in scope, rows rising, kept for the topics."""
        return cast(Run, search.topics.memo(("everywhere", self), lambda: self._everywhere(search)))

    def _everywhere(self, search: Search) -> Run:
        return self._walked(search, 1)[-1]

    def shares(self, search: Search, run: Run) -> dict[Ranker, Floats]:
        """Give what each ranker of the chain says of each hit as a term of a sum, in one look."""
        chain = self._chain()
        stages = self._walked(search, len(chain))
        return {ranker: _weighed(stage, run) for ranker, stage in zip(chain, stages, strict=True)}

    def _walked(self, search: Search, last: int) -> list[Run]:
        """Score every row in scope; keep what the last so many of the chain give."""
        chain = self._chain()
        base = chain[0].inner
        run = search.scope(base)
        inner = search.note(base, run, base.weigh(search, run, np.ones(len(run))))
        kept: list[list[Floats]] = [[] for _ in range(last)]
        for i, (a, b) in enumerate(itertools.pairwise(run.offsets.tolist())):
            scores, view = inner[a:b], View(search.topics, i, run.rows[a:b])
            for place, ranker in enumerate(chain, start=last - len(chain)):
                scores = np.maximum(finite(ranker.score(scores, view), ranker), 0)
                if place >= 0:
                    kept[place].append(scores)
                if ranker is not self:
                    scores = search.note(ranker, run, _shares(scores))
        return [replace(run, scores=np.concatenate(parts or [np.empty(0)])) for parts in kept]

    def _chain(self) -> list[Contextual]:
        """List the contextual rankers that this one is built on, the innermost first, and itself.

        They look at the same rows, so that a chain costs one look.
        """
        below = self.inner._chain() if isinstance(self.inner, Contextual) else []
        return [*below, self]

    def _hits(self, search: Search, k: int) -> Hits:
        run = self.everywhere(search)
        best = run.scored(run.scores).top(k)
        return Hits(best.offsets, best.rows, best.scores)

    def _scores(self, search: Search, run: Run) -> Floats:
        known = self.everywhere(search)
        return gathered(known, known.scores, run)


def _weighed(known: Run, run: Run) -> Floats:
    """Give hits their scores as shares of the best of their topic, 0 where there is none."""
    best = np.zeros(len(known.topics))
    np.maximum.at(best, known.topic, known.scores)
    raw, best = gathered(known, known.scores, run), best[run.topic]
    return np.divide(raw, best, out=np.zeros_like(raw), where=best > 0)


def _shares(scores: Floats) -> Floats:
    """Give scores as shares of the best."""
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores
