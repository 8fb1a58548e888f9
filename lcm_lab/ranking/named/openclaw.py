"""What OpenClaw's memory search does that the algebra does not: absolute scores and a threshold.

Its two lists are added up as they come, a hit that one list lacks counting 0 there; that is what a
sum of the library mends, and what `Mix` keeps for the sake of measuring it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.modifier import Reranker
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.steps.fuse import Lists
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, Run
from lcm_lab.values import settle, starred, value

__all__ = ["Mix", "Saturated", "Strict"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@value
class Saturated(Scorer):
    """Another scorer's scores s as s / (1 + s), between 0 and 1.

    Parameters
    ----------
    inner : Scorer
        Whose scores are squeezed; their order stays.

    Notes
    -----
    OpenClaw makes its keyword scores so from SQLite's bm25, to add them to cosines.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = Saturated(lcm.FTS5()).fit(lcm.Corpus(["use WAL", "lunch", "rain"]))
    >>> search("wal")["docno"].tolist()
    ['m1']
    """

    inner: Scorer

    def check(self) -> None:
        """Refuse what does not score single rows."""
        if not isinstance(self.inner, Scorer):
            raise BadParameter(f"Saturated takes a scorer: FTS5(). Got {self.inner!r:.80}.")

    def index(self, corpus: Corpus) -> Any:
        """Give the inner index."""
        return self.inner.index(corpus)

    def score(self, index: Any, queries: Sequence[str]) -> Floats:
        """Squeeze every score; shape (n_queries, n_docs), float64 in [0, 1)."""
        return squeezed(np.asarray(self.inner.score(index, queries), np.float64))

    def topk(self, index: Any, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the inner scorer's k best, squeezed."""
        found = self.inner.topk(index, queries, k, rows)
        return found._replace(scores=squeezed(found.scores))

    def rescore(self, index: Any, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Squeeze the scores of given rows; shape (n_hits,), float64 in [0, 1)."""
        return squeezed(self.inner.rescore(index, queries, offsets, rows))


def squeezed(scores: Floats) -> Floats:
    """Give s / (1 + s).

    Examples
    --------
    >>> squeezed(np.array([4.2, 2.1, 0.5])).round(4).tolist()
    [0.8077, 0.6774, 0.3333]
    """
    return scores / (1 + scores)


@value
class Mix(Lists):
    """Add up scores as they come; what a list does not hold counts as 0.

    Parameters
    ----------
    *rankers : Ranker
        Two or more, each of which brings candidates; weighed as in a sum.

    Notes
    -----
    The result depends on how deep the lists were cut, and means something only where their scores
    share a scale. ``a + b`` has neither fault; this is what many systems do.

    Examples
    --------
    >>> from lcm_lab import BM25, TfIdf
    >>> Mix(0.7 * TfIdf() % 200, 0.3 * Saturated(BM25()) % 200)
    Mix(0.7 * TfIdf() % 200, 0.3 * Saturated(BM25()) % 200)
    """

    rankers: tuple[Ranker, ...] = starred()

    def __init__(self, *rankers: Ranker) -> None:
        object.__setattr__(self, "rankers", rankers)
        settle(self)

    def _remake(self, fields: dict[str, Any]) -> Mix:
        return Mix(*fields["rankers"])

    def check(self) -> None:
        """Refuse fewer than two lists, and rankers that bring none."""
        checks.several(self, self.rankers)

    def worth(self, place: int, run: Run) -> Floats:
        """Give the scores as they are."""
        del place
        return run.scores


@value
class Strict(Ranker):
    """Keep the hits that scored enough before they were re-ordered, or else what words found.

    Parameters
    ----------
    least : float
        The score that a hit needs.
    order : Reranker
        What orders all hits, the weak ones included, before the weak are dropped.
    words, vectors : Ranker
        The lists that were mixed. Hits below ``least`` that words found and vectors did not follow
        the others; where no hit has enough, all that words found are kept.

    Notes
    -----
    The selection of OpenClaw's memory search, whose ``minScore`` is 0.35.

    Examples
    --------
    >>> from lcm_lab import BM25, MMR, TfIdf
    >>> Strict(0.35, MMR(0.7), words=BM25() % 200, vectors=TfIdf() % 200)
    Strict(0.35, MMR(0.7), BM25() % 200, TfIdf() % 200)
    """

    least: float
    order: Reranker
    words: Ranker
    vectors: Ranker

    by_depth = True

    def check(self) -> None:
        """Refuse a score that is no number, and lists that bring no candidates."""
        checks.number("least", self.least)
        checks.several(self, (self.words, self.vectors))

    def apply(self, search: Any, run: Run) -> Run:
        """Order, drop, and write the order as 1 / rank."""
        ordered = self.order.apply(search, run)
        key = np.argsort(run.keys)
        before = run.scores[key][np.searchsorted(run.keys, ordered.keys, sorter=key)]
        strict = before >= self.least
        some = np.bincount(ordered.topic[strict], minlength=len(run.topics)) > 0
        backed = np.isin(ordered.keys, self.words.retrieve(search, LIMIT).keys)
        alone = backed & ~np.isin(ordered.keys, self.vectors.retrieve(search, LIMIT).keys)
        spare = ~strict & np.where(some[ordered.topic], alone, backed)
        keep = np.flatnonzero(strict | spare)
        kept = ordered.take(keep[np.lexsort((keep, spare[keep], ordered.topic[keep]))])
        return replace(kept, scores=1 / kept.rank)
