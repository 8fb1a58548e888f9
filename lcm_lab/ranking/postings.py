"""The inverted index: a posting list for each term, sorted by corpus row.

A question touches the posting lists of its terms and nothing else. A slice of the corpus (one
conversation, one stretch of time) bisects each list, so a scoped question costs what it would on a
corpus of that slice alone. Contributions are added in term order everywhere, so the fast paths give
the very floats that the definition gives.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.corpus import Corpus
from lcm_lab.rows import Rows, contains, count
from lcm_lab.run import Hits, best_first
from lcm_lab.text import Analyzer

__all__ = ["Postings", "postings"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Candidates are gathered into an array of the whole span when they fill this share of it.
DENSE = 0.1


def postings(corpus: Corpus, analyzer: Analyzer, fields: Sequence[str]) -> Postings:
    """Give the postings of a corpus seen through fields and an analyzer, built once for each.

    The values are term frequencies.
    """
    key = ("postings", analyzer, tuple(fields))
    return corpus.memo(key, lambda: _build(corpus, analyzer, fields))  # type: ignore[no-any-return]


def _build(corpus: Corpus, analyzer: Analyzer, fields: Sequence[str]) -> Postings:
    tokens = analyzer.analyze(corpus.view(fields))
    shape = (len(corpus), len(tokens.vocabulary))
    ones = np.ones(len(tokens.ids), np.float32)
    table = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape).tocsc()
    table.sum_duplicates()
    terms = {term: i for i, term in enumerate(tokens.vocabulary)}
    lengths = np.asarray(tokens.lengths, np.int64)
    return Postings(
        analyzer,
        terms,
        np.asarray(table.indptr, np.int64),
        table.indices,
        table.data,
        lengths,
        tokens.stop,
    )


@dataclass(frozen=True, eq=False)
class Postings:
    """Posting lists end to end: those of term t are ``starts[t]:starts[t + 1]``.

    Attributes
    ----------
    terms : dict
        Term to its number.
    starts : int64 array of shape (n_terms + 1,)
    rows : int32 array of shape (n_postings,)
        Corpus rows, rising within a term.
    values : float32 array of shape (n_postings,)
        Term frequencies, or what a scorer makes of them.
    lengths : int64 array of shape (n_docs,)
        Positions that are no stop words.
    stop : bool array of shape (n_terms,)
    """

    analyzer: Analyzer
    terms: dict[str, int]
    starts: Ints
    rows: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    lengths: Ints
    stop: npt.NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Count of documents."""
        return len(self.lengths)

    @cached_property
    def frequency(self) -> Ints:
        """Documents that hold each term; shape (n_terms,)."""
        return np.diff(self.starts)

    def valued(self, values: npt.NDArray[np.floating]) -> Postings:
        """Give the same lists with other values."""
        return replace(self, values=values.astype(np.float32, copy=False))

    def asked(self, query: str) -> dict[int, int]:
        """Give the numbers of the terms that a question asks for, rising, with their counts."""
        known = Counter(self.terms[t] for t in self.analyzer.query(query) if t in self.terms)
        return dict(sorted(known.items()))

    def topk(self, weights: dict[int, float], k: int, allowed: Rows) -> tuple[Ints, Floats]:
        """Give the k best allowed rows under a weighted sum of values, rows and scores."""
        lists = [self._within(term, allowed) for term in weights]
        found = sum(len(rows) for rows, _ in lists)
        if not found:
            return np.empty(0, np.int64), np.empty(0)
        parts = zip(weights.values(), lists, strict=True)
        low = allowed.start if isinstance(allowed, slice) else int(allowed[0])
        span = (allowed.stop if isinstance(allowed, slice) else int(allowed[-1]) + 1) - low
        if found >= DENSE * span:
            sums: Floats = np.zeros(span)
            for weight, (rows, values) in parts:
                sums[rows - low] += weight * values
            hit = np.flatnonzero(sums > 0)
            return best_first(hit + low, sums[hit], k)
        gathered = np.concatenate([rows for rows, _ in lists])
        each = np.concatenate([weight * values for weight, (_, values) in parts])
        rows, place = np.unique(gathered, return_inverse=True)
        sums = np.bincount(place, each).astype(np.float64, copy=False)
        hit = np.flatnonzero(sums > 0)
        return best_first(rows[hit].astype(np.int64), sums[hit], k)

    def rescore(self, weights: dict[int, float], rows: Ints) -> Floats:
        """Give the weighted sum of values at given rows, 0 where no term occurs."""
        sums = np.zeros(len(rows))
        for term, weight in weights.items():
            a, b = self.starts[term], self.starts[term + 1]
            if a == b:
                continue
            at = np.minimum(np.searchsorted(self.rows[a:b], rows), b - a - 1)
            hit = self.rows[a:b][at] == rows
            sums[hit] += weight * self.values[a:b][at[hit]].astype(np.float64)
        return sums

    def _within(self, term: int, allowed: Rows) -> tuple[npt.NDArray[np.int32], Floats]:
        a, b = self.starts[term], self.starts[term + 1]
        rows = self.rows[a:b]
        if not count(allowed):
            return rows[:0], np.empty(0)
        whole = isinstance(allowed, slice) and allowed.start == 0 and allowed.stop == self.size
        if whole:
            return rows, self.values[a:b].astype(np.float64)
        if isinstance(allowed, slice):
            low, high = np.searchsorted(rows, (allowed.start, allowed.stop))
            return rows[low:high], self.values[a + low : a + high].astype(np.float64)
        if len(allowed) < len(rows):  # bisect the longer of the two
            at = np.minimum(np.searchsorted(rows, allowed), max(len(rows) - 1, 0))
            kept = at[rows[at] == allowed]
        else:
            kept = np.flatnonzero(contains(allowed, rows.astype(np.int64)))
        return rows[kept], self.values[a:b][kept].astype(np.float64)


def batch_topk(
    index: Postings, weights: Sequence[dict[int, float]], k: int, allowed: Sequence[Rows]
) -> Hits:
    """Give the k best allowed rows of each question."""
    return Hits.stack([index.topk(w, k, rows) for w, rows in zip(weights, allowed, strict=True)])


def batch_rescore(
    index: Postings, weights: Sequence[dict[int, float]], offsets: Ints, rows: Ints
) -> Floats:
    """Score given rows: those of question i are ``rows[offsets[i]:offsets[i + 1]]``."""
    parts = zip(weights, itertools.pairwise(offsets), strict=True)
    return np.concatenate([index.rescore(w, rows[a:b]) for w, (a, b) in parts] or [np.empty(0)])


def dense(index: Postings, weights: Sequence[dict[int, float]]) -> Floats:
    """Score every document for each question; shape (n_queries, n_docs), float64."""
    scores = np.zeros((len(weights), index.size))
    for i, asked in enumerate(weights):
        for term, weight in asked.items():
            rows, values = index._within(term, slice(0, index.size))
            scores[i, rows] += weight * values
    return scores
