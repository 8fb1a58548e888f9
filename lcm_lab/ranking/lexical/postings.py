"""The inverted index: a posting list for each term, sorted by corpus row.

A question touches the posting lists of its terms and nothing else. A slice of the corpus (one
conversation, one stretch of time) bisects each list, so a scoped question costs what it would on a
corpus of that slice alone.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.corpus import Corpus
from lcm_lab.rows import Rows, contains, count
from lcm_lab.text import Analysis, Tokens

__all__ = [
    "Postings",
    "Statistics",
    "dense",
    "forward",
    "keys",
    "postings",
    "rescored",
    "transposed",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The rows and the values of one posting list.
List = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]


def postings(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> Postings:
    """Give the postings of a corpus seen through fields and an analyzer, built once for each.

    The values are term frequencies.
    """
    key, _ = keys(analyzer, fields)
    return cast(Postings, corpus.memo(key, lambda: _build(corpus, analyzer, fields)))


def forward(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> Tokens:
    """Give the terms of each row in the order of the text, numbered as `postings` numbers them.

    Four bytes a token are kept. Asked for before the postings, they are made of the same tokens.
    """
    _, key = keys(analyzer, fields)
    return cast(Tokens, corpus.memo(key, lambda: analyzer.analyze(corpus.view(fields))))


def keys(analyzer: Analysis, fields: Sequence[str]) -> tuple[Hashable, Hashable]:
    """Give what a corpus keeps `postings` and `forward` under."""
    return ("postings", analyzer, tuple(fields)), ("forward", analyzer, tuple(fields))


def _build(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> Postings:
    kept = corpus.kept(keys(analyzer, fields)[1])
    tokens = analyzer.analyze(corpus.view(fields)) if kept is None else kept
    terms = {term: i for i, term in enumerate(tokens.vocabulary)}
    lengths = np.asarray(tokens.lengths, np.int64)
    return Postings(analyzer, terms, *transposed(tokens, len(terms)), lengths, tokens.stop)


def transposed(
    tokens: Tokens, terms: int
) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Give the lists of so many terms: starts, rows and term frequencies."""
    ones = np.ones(len(tokens.ids), np.float32)
    shape = (len(tokens), terms)
    table = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape).tocsc()
    table.sum_duplicates()
    return np.asarray(table.indptr, np.int64), table.indices, table.data


@dataclass(frozen=True, eq=False)
class Statistics:
    """What rankers of words know of a whole corpus: sums of whole numbers, so parts add up exactly.

    Attributes
    ----------
    documents, words : int
        Count of documents, and of their positions that are no stop words.
    frequency : int64 array of shape (n_terms,)
        Documents that hold each term.
    occurrences : float64 array of shape (n_terms,)
        How often all documents together hold each term.
    """

    documents: int
    words: int
    frequency: Ints
    occurrences: Floats


@dataclass(frozen=True, eq=False)
class Postings:
    """Posting lists end to end: those of term t are ``starts[t]:starts[t + 1]``.

    Attributes
    ----------
    analyzer : Analyzer
        What made the terms, and reads questions the same way.
    terms : mapping
        Term to its number.
    starts : int64 array of shape (n_terms + 1,)
    rows : int32 array of shape (n_postings,)
        Corpus rows, rising within a term.
    values : float32 array of shape (n_postings,)
        Term frequencies, or what a scorer makes of them; above 0.
    lengths : int64 array of shape (n_docs,)
        Positions that are no stop words.
    stop : bool array of shape (n_terms,)
    whole : Statistics, optional
        Those of the corpus of which these documents are a part.
    """

    analyzer: Analysis
    terms: Mapping[str, int]
    starts: Ints
    rows: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    lengths: Ints
    stop: npt.NDArray[np.bool_]
    whole: Statistics | None = None

    @property
    def size(self) -> int:
        """Count of documents."""
        return len(self.lengths)

    @cached_property
    def frequency(self) -> Ints:
        """Documents that hold each term; shape (n_terms,)."""
        return np.diff(self.starts)

    @property
    def documents(self) -> int:
        """Count of documents in the whole corpus."""
        return self.size if self.whole is None else self.whole.documents

    @property
    def average(self) -> float:
        """Mean length of a document in the whole corpus, 1 where none holds a word."""
        words = int(self.lengths.sum()) if self.whole is None else self.whole.words
        return words / self.documents if words else 1.0

    @property
    def held(self) -> Ints:
        """Documents of the whole corpus that hold each term; shape (n_terms,)."""
        return self.frequency if self.whole is None else self.whole.frequency

    @property
    def occurrences(self) -> Floats:
        """How often the whole corpus holds each term, where values are tf; shape (n_terms,)."""
        if self.whole is not None:
            return self.whole.occurrences
        of = np.repeat(np.arange(len(self.terms)), self.frequency)
        return np.asarray(np.bincount(of, self.values, len(self.terms)), np.float64)

    @cached_property
    def highest(self) -> npt.NDArray[np.float32]:
        """The greatest value of each list, 0 of an empty one; shape (n_terms,)."""
        found = np.zeros(len(self.terms), np.float32)
        some = self.frequency > 0
        found[some] = np.maximum.reduceat(self.values, self.starts[:-1][some]) if some.any() else 0
        return found

    def valued(self, values: npt.NDArray[np.floating]) -> Postings:
        """Give the same lists with other values; what is worth 0 or less leaves its list."""
        some = values > 0
        if some.all():
            return replace(self, values=values.astype(np.float32, copy=False))
        kept = np.flatnonzero(some)
        starts = np.searchsorted(kept, self.starts).astype(np.int64)
        rows, values = self.rows[kept], values[kept].astype(np.float32)
        return replace(self, starts=starts, rows=rows, values=values)

    def asked(self, query: str) -> dict[int, int]:
        """Give the numbers of the terms that a question asks for, rising, with their counts."""
        found = (self.terms.get(term) for term in self.analyzer.query(query))
        return dict(sorted(Counter(number for number in found if number is not None).items()))

    def within(self, term: int, allowed: Rows) -> List:
        """Give the part of a term's list that lies in the allowed rows."""
        a, b = int(self.starts[term]), int(self.starts[term + 1])
        rows, values = self.rows[a:b], self.values[a:b]
        if isinstance(allowed, slice):
            if allowed.start <= 0 and allowed.stop >= self.size:
                return rows, values
            low, high = rows.searchsorted(np.array((allowed.start, allowed.stop), np.int32))
            return rows[low:high], values[low:high]
        if not count(allowed) or a == b:
            return rows[:0], values[:0]
        if len(allowed) < len(rows):  # bisect the longer of the two
            at = np.minimum(rows.searchsorted(allowed.astype(np.int32)), len(rows) - 1)
            kept = at[rows[at] == allowed]
        else:
            kept = np.flatnonzero(contains(allowed, rows.astype(np.int64)))
        return rows[kept], values[kept]

    def score(self, weights: dict[int, float], rows: Ints) -> Floats:
        """Give the weighted sum of values at given rows, added in term order; shape (n,)."""
        sums = np.zeros(len(rows))
        if len(rows) > 1 and (np.diff(rows) == 1).all():  # a stretch: no need to look each row up
            stretch = slice(int(rows[0]), int(rows[-1]) + 1)
            for term, weight in weights.items():
                listed, values = self.within(term, stretch)
                sums[listed - stretch.start] += weight * values.astype(np.float64)
            return sums
        asked = rows.astype(np.int32)  # as the lists are, which would be copied to fit otherwise
        for term, weight in weights.items():
            a, b = int(self.starts[term]), int(self.starts[term + 1])
            if a == b:
                continue
            listed = self.rows[a:b]
            at = np.minimum(listed.searchsorted(asked), b - a - 1)
            hit = listed[at] == asked
            sums[hit] += weight * self.values[a:b][at[hit]].astype(np.float64)
        return sums


def dense(index: Postings, weights: Sequence[dict[int, float]]) -> Floats:
    """Score every document for each question, added in term order; shape (n_queries, n_docs)."""
    scores = np.zeros((len(weights), index.size))
    for line, asked in zip(scores, weights, strict=True):
        for term, weight in asked.items():
            rows, values = index.within(term, slice(0, index.size))
            line[rows] += weight * values.astype(np.float64)
    return scores


def rescored(
    index: Postings, weights: Sequence[dict[int, float]], offsets: Ints, rows: Ints
) -> Floats:
    """Score given rows: those of question i are ``rows[offsets[i]:offsets[i + 1]]``."""
    parts = zip(weights, itertools.pairwise(offsets), strict=True)
    return np.concatenate([index.score(w, rows[a:b]) for w, (a, b) in parts] or [np.empty(0)])
