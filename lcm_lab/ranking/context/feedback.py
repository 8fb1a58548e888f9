"""Pseudo-relevance feedback: what the best hits speak of finds more of the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context.around import check_context
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.lexical.postings import forward
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.view import View
from lcm_lab.run import best_first
from lcm_lab.values import value

__all__ = ["Feedback"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Terms are numbered in 16 bits while texts are read.
TERMS = 10_000


@value
class Feedback(Contextual):
    """Raise texts that share the weightiest words of the best hits.

    Parameters
    ----------
    inner : Ranker
        What finds the best hits.
    words : BM25
        How words are weighed; one of the same fields and analyzer as in ``inner`` costs no index.
    share : float, at least 0
        What is added to the text that shares most.
    best : int, at least 1
        How many of the best hits are believed.
    terms : int, at least 1
        How many of their weightiest words.

    Notes
    -----
    A word weighs what BM25 would give it in the best hits together, and a text is scored by BM25
    with these weights. Stop words weigh nothing. A message without a word of the question can be
    found that way. After Lavrenko and Croft (2001), Relevance-based language models.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["retry: backoff doubles", "lunch at noon", "backoff doubles to 8 s"])
    >>> lcm.Feedback(lcm.BM25()).fit(corpus)("retry")["docno"].tolist()
    ['m1', 'm3']
    """

    inner: Ranker
    words: BM25 = BM25()
    share: float = 0.2
    best: int = 3
    terms: int = 80

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self, "share")
        if not isinstance(self.words, BM25):
            raise BadParameter(f"words must be a BM25. Got {self.words!r:.80}.")
        checks.whole("best", self.best)
        checks.whole("terms", self.terms)
        if self.terms > TERMS:
            raise BadParameter(f"terms must be at most {TERMS:,}. Got {self.terms!r}.")

    def prepare(self, corpus: Corpus) -> None:
        """Keep the terms of each text in order, and what they are worth."""
        forward(corpus, self.words.analyzer, self.words.fields)
        self.words.worth(corpus)

    def score(self, inner: Floats, view: View) -> Floats:
        """Add what the best hits' words find; shape (n_rows,)."""
        hit = np.flatnonzero(inner > 0)
        if not len(hit):
            return inner
        best, _ = best_first(hit, inner[hit], self.best)
        table = Table(self.words, view.corpus, view.rows)
        terms, weights = table.heaviest(best, self.terms)
        found = table.score(terms, weights)
        return inner + self.share * found / (found.max() or 1.0)


class Table:
    """The terms of some rows, with BM25's saturated frequencies and weights."""

    def __init__(self, words: BM25, corpus: Corpus, rows: Ints) -> None:
        self.tokens = forward(corpus, words.analyzer, words.fields)
        self.rows, self.worth = rows, words.worth(corpus)
        self.pivot = corpus.memo(("pivot", words), lambda: words.pivot(corpus))[rows]

    def heaviest(self, which: Ints, most: int) -> tuple[Ints, Floats]:
        """Give the terms that weigh most in some rows together, rising, and their weights."""
        where, ids = self.tokens.of(self.rows[which])
        kept = np.flatnonzero(~self.tokens.stop[ids])
        _, term, saturated = self._saturated(which[where[kept]], ids[kept])
        terms, place = np.unique(term, return_inverse=True)
        weights = self.worth[terms] * np.bincount(place, saturated)
        heavy = np.sort(np.argsort(-weights, kind="stable")[:most])
        return terms[heavy], weights[heavy]

    def score(self, terms: Ints, weights: Floats) -> Floats:
        """Score the rows by weighted terms; shape (n_rows,)."""
        slot = np.zeros(len(self.worth), np.int16)
        slot[terms] = np.arange(1, len(terms) + 1)
        where, ids = self.tokens.of(self.rows)
        asked = slot[ids]
        kept = np.flatnonzero(asked)
        row, place, saturated = self._saturated(where[kept], asked[kept] - 1)
        sums = np.bincount(row, weights[place] * saturated, minlength=len(self.rows))
        return np.asarray(sums, np.float64)

    def _saturated(self, row: Ints, term: npt.NDArray[np.integer]) -> tuple[Ints, Ints, Floats]:
        """Count each term of each row, and give (place in the rows, term, saturated frequency)."""
        size = len(self.worth)
        keys, times = np.unique(row * size + term, return_counts=True)
        return keys // size, keys % size, times / (times + self.pivot[keys // size])
