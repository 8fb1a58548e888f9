"""Rankers that score rows by themselves: what a sum can complete."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.base import Ranker
from lcm_lab.rows import Rows, rows_of
from lcm_lab.run import Hits, Run, best_first, finite

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search

__all__ = ["Leaf", "Scorer", "gathered"]

#: Cells of a dense score matrix held at once: 128 MiB of float64.
CELLS = 1 << 24

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Leaf(Ranker):
    """A ranker that can score any row by itself: what a sum can complete."""

    retrieves = True

    @abstractmethod
    def _hits(self, search: Search, k: int) -> Hits:
        """Give the k best allowed rows of each topic."""

    @abstractmethod
    def _scores(self, search: Search, run: Run) -> Floats:
        """Score given hits; shape (n_hits,), float64, 0 is no hit."""

    def retrieve(self, search: Search, k: int) -> Run:
        """Give the k best hits of every topic."""
        run = search.topk(self, k)
        search.note(self, run, run.scores)
        return run

    def apply(self, search: Search, run: Run) -> Run:
        """Re-score what came before."""
        return run.scored(search.note(self, run, search.scores(self, run)))

    def weigh(self, search: Search, run: Run, scores: Floats) -> Floats:
        """Give scores as shares of the leaf's best hit for the topic, 0 where it has none."""
        del scores  # a scorer starts afresh
        return search.shares(self, run)


def gathered(known: Run, scores: Floats, run: Run) -> Floats:
    """Give hits the scores that a run of rising rows has for them, 0 where it has none."""
    keys, asked = known.keys, run.keys
    if not len(keys):
        return np.zeros(len(asked))
    at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[at] == asked, scores[at], 0.0)


class Scorer(Leaf):
    """A ranker defined by a score for every document: extend it with `index` and `score`.

    Examples
    --------
    >>> import numpy as np
    >>> import lcm_lab as lcm
    >>> @lcm.value
    ... class Longest(lcm.Scorer):
    ...     def index(self, corpus):
    ...         return corpus["text"].str.len().to_numpy(float)
    ...
    ...     def score(self, lengths, queries):
    ...         return np.tile(lengths, (len(queries), 1))
    >>> search = (Longest() % 1).fit(lcm.Corpus(["short", "rather longer"]))
    >>> search("which?")["docno"].tolist()
    ['m2']
    """

    @abstractmethod
    def index(self, corpus: Corpus) -> Any:
        """Build whatever `score` needs; called once for each value and corpus."""

    @abstractmethod
    def score(self, index: Any, queries: Sequence[str]) -> npt.NDArray[Any]:
        """Score every document for every query; the definition.

        Returns
        -------
        ndarray of shape (n_queries, n_docs)
            At least 0, where 0 is no hit; higher is better.
        """

    def topk(self, index: Any, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query; must equal what `score` gives.

        Parameters
        ----------
        queries : sequence of str
        rows : sequence of slice or int64 array, one a query
        """
        lists = []
        for scores, allowed in self._dense(index, queries, rows):
            hit = np.flatnonzero(scores > 0)
            lists.append(best_first(rows_of(allowed)[hit], scores[hit], k))
        return Hits.stack(lists)

    def rescore(self, index: Any, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows: those of query i are ``rows[offsets[i]:offsets[i + 1]]``."""
        parts = [rows[a:b] for a, b in itertools.pairwise(offsets)]
        lists = [scores for scores, _ in self._dense(index, queries, parts)]
        return np.concatenate(lists or [np.empty(0)])

    def _hits(self, search: Search, k: int) -> Hits:
        """Give the k best allowed rows of each topic."""
        topics = search.topics
        return self.topk(search.indexes[self], topics.queries, k, topics.rows)

    def _scores(self, search: Search, run: Run) -> Floats:
        """Score given hits; shape (n_hits,), float64."""
        whole = search.everything()
        if whole is None:
            return self.rescore(search.indexes[self], search.topics.queries, run.offsets, run.rows)
        known = search.topics.memo(("everything", self), lambda: self._whole(search, whole))
        return gathered(whole, known, run)

    def _whole(self, search: Search, run: Run) -> Floats:
        return self.rescore(search.indexes[self], search.topics.queries, run.offsets, run.rows)

    def _dense(
        self, index: Any, queries: Sequence[str], rows: Sequence[Rows]
    ) -> Iterator[tuple[Floats, Rows]]:
        """Walk over (scores of the allowed rows, allowed rows), scoring some queries at a time."""
        first = self.score(index, queries[:1]) if len(queries) else np.empty((0, 0))
        step = max(1, CELLS // max(first.shape[-1], 1))
        for start in range(0, len(queries), step):
            block = first if len(queries) == 1 else self.score(index, queries[start : start + step])
            for scores, allowed in zip(block, rows[start : start + step], strict=True):
                yield finite(scores[allowed], self), allowed
