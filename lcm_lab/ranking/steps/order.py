"""Order by time: of all that a scorer finds, or of hits that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.modifier import Reranker
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, Run, best_first
from lcm_lab.topics import Topics
from lcm_lab.values import value

__all__ = ["Newest", "TiesByTime"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def places(corpus: Corpus) -> Floats:
    """Give the place of each row among the times there are, from 1; unknown is the oldest."""
    return cast(Floats, corpus.memo("places", lambda: _places(corpus)))


def _places(corpus: Corpus) -> Floats:
    _, which = np.unique(corpus.numpy("time"), return_inverse=True)
    return np.asarray(which, np.float64) + 1


@value
class Newest(Scorer):
    """Everything that a scorer finds, newest first.

    Parameters
    ----------
    inner : Scorer
        What decides whether a row is a hit; its scores are not looked at.

    Notes
    -----
    A hit scores the place of its time among the times of the corpus, from 1, so rows of equal time
    stand in corpus order, and rows without a time come last. All hits are ordered before any cut.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "WAL, WAL!", "time": "2026-01-01"}, {"text": "WAL", "time": "2026-02-01"}]
    >>> lcm.Newest(lcm.FTS5()).fit(lcm.Corpus(said))("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    inner: Scorer

    def check(self) -> None:
        """Refuse what does not score single rows."""
        if not isinstance(self.inner, Scorer):
            raise BadParameter(
                f"Newest orders what a scorer finds: Newest(FTS5()). Got {self.inner!r:.80}."
            )

    def index(self, corpus: Corpus) -> tuple[Any, Floats]:
        """Give the inner index, and the place of each row in time."""
        return self.inner.index(corpus), places(corpus)

    def score(self, index: tuple[Any, Floats], queries: Sequence[str]) -> Floats:
        """Give the place in time of every hit; shape (n_queries, n_docs), float64."""
        inner, place = index
        return np.where(np.asarray(self.inner.score(inner, queries)) > 0, place, 0.0)

    def topk(self, index: Any, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k newest of the allowed hits."""
        inner, place = index
        found = self.inner.topk(inner, queries, max(len(place), 1), rows)
        parts = zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)
        hits = [found.rows[a:b] for a, b in parts]
        return Hits.stack([best_first(each, place[each], k) for each in hits])

    def rescore(self, index: Any, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Give the place in time of given rows that are hits; shape (n_hits,), float64."""
        inner, place = index
        return np.where(self.inner.rescore(inner, queries, offsets, rows) > 0, place[rows], 0.0)


@value
class TiesByTime(Reranker):
    """Order hits of equal score newest first, where the rule is corpus order.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "use WAL", "time": day} for day in ("2026-01-01", "2026-02-01")]
    >>> search = (lcm.FTS5() >> lcm.TiesByTime()).fit(lcm.Corpus(said))
    >>> search("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    def rerank(self, searcher: Any, topics: Topics, run: Run) -> Run:  # noqa: ARG002
        """Give the same hits and scores."""
        place = places(run.corpus)[run.rows]
        return run.take(np.lexsort((run.rows, -place, -run.scores, run.topic)))
