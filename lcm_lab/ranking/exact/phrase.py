"""Words that stand one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.query import parse
from lcm_lab.ranking import checks
from lcm_lab.ranking.lexical.postings import Postings, postings
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, best_first
from lcm_lab.text import Analyzer
from lcm_lab.values import value

__all__ = ["Phrase"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: What of a row is searched; as the rankers of words have it, so that they share their postings.
FIELDS = ("date", "speaker", "text")

#: Rows read at once.
BLOCK = 1 << 15


@dataclass(eq=False)
class Positions:
    """Postings, which say where a phrase may be, and texts, which say whether it is."""

    postings: Postings
    texts: pa.ChunkedArray
    analyzer: Analyzer
    seen: dict[str, tuple[str, ...]]

    def candidates(self, terms: set[str], allowed: Rows) -> Ints:
        """Give the allowed rows that hold every term, rising."""
        numbers = [self.postings.terms.get(term) for term in terms]
        if not numbers or None in numbers:
            return np.empty(0, np.int64)
        lists = [self.postings.within(n, allowed)[0] for n in numbers if n is not None]
        lists.sort(key=len)
        kept = lists[0]
        for listed in lists[1:]:
            kept = kept[np.isin(kept, listed, assume_unique=True)]
        return kept.astype(np.int64)

    def shares(self, rows: Ints, phrases: list[list[str]]) -> Floats:
        """Give the share of each row's positions that phrases cover, 0 when one is not there."""
        numbers = {
            term: i for i, term in enumerate({t: None for phrase in phrases for t in phrase})
        }
        asked = [np.array([numbers[term] for term in phrase]) for phrase in phrases]
        blocks = [rows[i : i + BLOCK] for i in range(0, len(rows), BLOCK)]
        parts = [_covered(*self._stream(block, numbers), asked) for block in blocks]
        return np.concatenate([*parts, np.empty(0)])

    def _stream(self, rows: Ints, numbers: dict[str, int]) -> tuple[Ints, Ints]:
        """Give the terms of rows end to end, -1 for those not asked, and the length of each row."""
        lists = pc.ascii_split_whitespace(self.texts.take(pa.array(rows)).combine_chunks())
        encoded = lists.flatten().dictionary_encode()
        runs = [self._terms(chunk) for chunk in encoded.dictionary.to_pylist()]
        lengths = np.array([len(run) for run in runs], np.int64)
        flat = np.array([numbers.get(t, -1) for run in runs for t in run], np.int64)
        which = encoded.indices.to_numpy()
        counts, first = lengths[which], (np.cumsum(lengths) - lengths)[which]
        done = np.concatenate([[0], np.cumsum(counts)])
        ids = flat[np.repeat(first - done[:-1], counts) + np.arange(done[-1])]
        return ids, np.diff(done[lists.offsets.to_numpy() - lists.offsets[0].as_py()])

    def _terms(self, chunk: str) -> tuple[str, ...]:
        known = self.seen.get(chunk)
        if known is None:
            known = self.seen[chunk] = tuple(self.analyzer.positions(chunk))
        return known


@value
class Phrase(Scorer):
    """Find rows in which the words of a phrase stand one after the other.

    Parameters
    ----------
    fields : tuple of str
        What of a row is searched.
    analyzer : Analyzer
        How text becomes terms; a phrase matches whatever the analyzer holds for equal, so "retry
        backoff" is found in "retrying, backoff".

    Notes
    -----
    Every phrase in quotes must occur, and words outside quotes ask for nothing; without quotes the
    whole question is the phrase. Stop words count. The score is the share of the row's words that
    the phrases make up. In scripts without spaces each character is a word, so any stretch of them
    is a phrase.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["error handling for retries", "handling retries after the error"]
    >>> search = lcm.Phrase().fit(lcm.Corpus(said))
    >>> search('"error handling" retries')[["docno", "score"]].values.tolist()
    [['m1', 0.5]]
    """

    fields: tuple[str, ...] = FIELDS
    analyzer: Analyzer = field(default_factory=Analyzer)

    def check(self) -> None:
        """Refuse fields that are none."""
        checks.texts("fields", self.fields, FIELDS)
        checks.analysis(self.analyzer)

    def index(self, corpus: Corpus) -> Positions:
        """Give the postings, shared with other rankers of words, and the texts."""
        listed = postings(corpus, self.analyzer, self.fields)
        return Positions(listed, corpus.view(self.fields), self.analyzer, {})

    def score(self, index: Positions, queries: Sequence[str]) -> Floats:
        """Score every document for every query; shape (n_queries, n_docs), float64 in [0, 1]."""
        scores = np.zeros((len(queries), index.postings.size))
        for line, query in zip(scores, queries, strict=True):
            rows, found = self._search(index, query, slice(0, index.postings.size))
            line[rows] = found
        return scores

    def topk(self, index: Positions, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows; only those that hold all the words are read."""
        pairs = zip(queries, rows, strict=True)
        return Hits.stack([best_first(*self._search(index, q, r), k) for q, r in pairs])

    def rescore(
        self, index: Positions, queries: Sequence[str], offsets: Ints, rows: Ints
    ) -> Floats:
        """Score given rows; shape (n_hits,), float64."""
        scores = np.zeros(len(rows))
        for query, (a, b) in zip(queries, itertools.pairwise(offsets), strict=True):
            order = np.argsort(rows[a:b], kind="stable")
            hit, found = self._search(index, query, rows[a:b][order])
            scores[a:b][order[np.searchsorted(rows[a:b][order], hit)]] = found
        return scores

    def _search(self, index: Positions, query: str, allowed: Rows) -> tuple[Ints, Floats]:
        read = parse(query)
        phrases = [self.analyzer.positions(phrase) for phrase in read.phrases or (read.text,)]
        wanted = {term for phrase in phrases for term in phrase}
        rows = index.candidates(wanted, allowed)
        scores = index.shares(rows, phrases)
        return rows[scores > 0], scores[scores > 0]


def _covered(ids: Ints, lengths: Ints, phrases: list[Ints]) -> Floats:
    """Give the share of positions that phrases cover in each row, 0 when one does not occur."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    covered, whole = np.zeros(len(ids), bool), np.ones(len(lengths), bool)
    for phrase in phrases:
        size = len(phrase)
        starts = np.flatnonzero(ids[: len(ids) - size + 1] == phrase[0])
        for place in range(1, size):
            starts = starts[ids[starts + place] == phrase[place]]
        starts = starts[row[starts] == row[starts + size - 1]]
        covered[(starts[:, None] + np.arange(size)).ravel()] = True
        whole &= np.bincount(row[starts], minlength=len(lengths)) > 0
    return whole * np.bincount(row, covered, len(lengths)) / np.maximum(lengths, 1)
