"""FTS5: SQLite's own full-text search over any corpus, in memory.

This is what the systems under study search with. Questions are quoted, so any printable text is a
safe query; scores are SQLite's ``-bm25``, above 0, larger is better.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.ranking import checks
from lcm_lab.ranking.exact.match import MATCHES, READERS, matching, prepared
from lcm_lab.ranking.exact.plain import Plain
from lcm_lab.ranking.exact.table import Searched, Table, lacking
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, best_first
from lcm_lab.values import value

__all__ = ["FTS5", "LENDER", "Lender"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Where a corpus keeps its lender.
LENDER = "lender of FTS5"


class Lender(Protocol):
    """Where a corpus came from, if that has full-text tables of its rows."""

    def lend(self, scorer: FTS5, build: Callable[[], Searched]) -> Searched | None:
        """Give tables that score as those that the scorer would build, or None."""


@value
class FTS5(Scorer):
    """SQLite's full-text search, ranked by its BM25.

    Parameters
    ----------
    tokenize : str
        As SQLite writes it: 'porter unicode61', 'unicode61 remove_diacritics 2', 'trigram'.
    match : {"all", "any", "phrase"}
        Whether a hit holds every word and quoted phrase of the question, at least one, or the whole
        question as one phrase.
    fields : tuple of str
        What of a row is indexed: columns of the corpus, and ``date``, the day in words.
    apart : str, optional
        A column whose values are indexed apart, each with statistics of its own, as a system does
        that keeps messages and summaries in two tables.
    compat : {"lossless-claw", "openclaw", "openclaw-memory"}, optional
        Read questions and index text as that system does. When not given, compatibility forms are
        folded, pieces without a word are ignored, a repeated word counts once, and each character
        of a script without spaces is a word, so that any stretch of it is found as a phrase.

    Raises
    ------
    BadParameter
        For a tokenizer that does not exist.

    Notes
    -----
    A word with a joint in it, such as ``OPS-417``, is the phrase of its parts. Signs are no part of
    a word but in C++, C#, F# and g++. There are no operators. A word in half of the texts or more
    is worth almost nothing (SQLite's idf has a floor of 1e-6). Statistics are those of the whole
    corpus, whatever filters a topic has. Where SQLite was built without FTS5, or without the
    tokenizer, the same is searched in Python, more slowly, and a warning says so.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["close OPS-417 today", "417 lines of OPS notes", "lunch"]
    >>> search = (lcm.FTS5() % 10).fit(lcm.Corpus(said))
    >>> search("OPS-417")["docno"].tolist()
    ['m1']
    """

    tokenize: str = "porter unicode61"
    match: Literal["all", "any", "phrase"] = "all"
    fields: tuple[str, ...] = ("text",)
    apart: str | None = None
    compat: str | None = None

    def check(self) -> None:
        """Refuse a tokenizer that SQLite does not have, and choices that are none."""
        for name, got, options in (
            ("match", self.match, MATCHES),
            ("compat", self.compat, tuple(READERS)),
        ):
            if got not in options:
                there = ", ".join(map(repr, options))
                close = nearest(str(got), [one for one in options if one])
                raise BadParameter(f"{name} must be one of {there}. Got {got!r}.{close}")
        checks.texts("fields", self.fields, ("text",))
        lacking(self.tokenize)

    def index(self, corpus: Corpus) -> Searched:
        """Build the full-text table; shared by scorers that differ in ``match`` alone.

        A corpus that came from a store may lend the store's own.
        """
        plain = self.compat is None
        key = ("fts5", self.tokenize, self.fields, self.apart, plain)
        return corpus.memo(key, lambda: self._lent(corpus))  # type: ignore[no-any-return]

    def score(self, index: Searched, queries: Sequence[str]) -> Floats:
        """Score every document for every query.

        Returns
        -------
        ndarray of shape (n_queries, n_docs), float64
            ``-bm25`` of SQLite, 0 where the query does not match; higher is better.
        """
        scores = np.zeros((len(queries), index.size))
        for line, query in zip(scores, queries, strict=True):
            rows, found = index.search(self._matching(query), slice(0, index.size))
            line[rows] = found
        return scores

    def topk(self, index: Searched, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query; SQLite visits no others."""
        pairs = zip(queries, rows, strict=True)
        found = [index.search(self._matching(query), allowed, k) for query, allowed in pairs]
        return Hits.stack([best_first(*each, k) for each in found])

    def rescore(self, index: Searched, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows; shape (n_hits,), float64."""
        scores = np.zeros(len(rows))
        for query, (a, b) in zip(queries, itertools.pairwise(offsets), strict=True):
            order = np.argsort(rows[a:b], kind="stable")
            asked = rows[a:b][order]
            hit, found = index.search(self._matching(query), asked)
            at = np.searchsorted(asked, hit)
            scores[a:b][order[at]] = found
        return scores

    def _lent(self, corpus: Corpus) -> Searched:
        lender: Lender | None = corpus.kept(LENDER)
        lent = lender.lend(self, lambda: self._built(corpus)) if lender else None
        return self._built(corpus) if lent is None else lent

    def _built(self, corpus: Corpus) -> Searched:
        texts = corpus.view(self.fields).to_pylist()
        if self.compat is None:
            texts = [prepared(text or "", spread=self._spread) for text in texts]
        rows = list(enumerate(texts))
        if self.apart is None:
            return self._table([rows], len(corpus))
        values = corpus[self.apart].fillna("").to_numpy()
        names = dict.fromkeys(values.tolist())
        groups = ([rows[i] for i in np.flatnonzero(values == name)] for name in names)
        return self._table(groups, len(corpus))

    def _table(self, groups: Iterable[list[tuple[int, str]]], size: int) -> Searched:
        missing = lacking(self.tokenize)
        if missing is None:
            return Table.build(groups, size, self.tokenize)
        warnings.warn(f"{missing} Here it is searched in Python.", stacklevel=2)
        return Plain(groups, size, self.tokenize)

    @property
    def _spread(self) -> bool:
        """Whether characters of unspaced scripts stand apart; trigram needs them together."""
        return self.compat is None and "trigram" not in self.tokenize

    def _matching(self, query: str) -> str:
        return matching(query, self.match, self.compat, spread=self._spread)
