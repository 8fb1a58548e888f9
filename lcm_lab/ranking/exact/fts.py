"""FTS5: SQLite's own full-text search over any corpus, in memory.

This is what the systems under study search with. Questions are quoted, so any printable text is a
safe query; scores are SQLite's ``-bm25``, above 0, larger is better.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, MissingExtra, nearest
from lcm_lab.ranking import checks
from lcm_lab.ranking.exact.match import MATCHES, READERS, matching, prepared
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows, contains, count
from lcm_lab.run import Hits, best_first
from lcm_lab.values import value

__all__ = ["FTS5", "Table"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Tokenizers that SQLite brings; trigram came with 3.34.
TOKENIZERS = ("porter", "unicode61", "ascii", "trigram")


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
    MissingExtra
        Where SQLite was built without FTS5, or without the tokenizer.
    BadParameter
        For a tokenizer that does not exist.

    Notes
    -----
    A word with a joint in it, such as ``OPS-417``, is the phrase of its parts. There are no
    operators. A word in half of the texts or more is worth almost nothing (SQLite's idf has a floor
    of 1e-6). Statistics are those of the whole corpus, whatever filters a topic has.

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
        with closing(_connect()) as tried:
            _create(tried, "tried", self.tokenize)

    def index(self, corpus: Corpus) -> Table:
        """Build the full-text table; shared by scorers that differ in ``match`` alone."""
        plain = self.compat is None
        key = ("fts5", self.tokenize, self.fields, self.apart, plain)
        return corpus.memo(key, lambda: Table.build(self, corpus))  # type: ignore[no-any-return]

    def score(self, index: Table, queries: Sequence[str]) -> Floats:
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

    def topk(self, index: Table, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query; SQLite visits no others."""
        pairs = zip(queries, rows, strict=True)
        found = [index.search(self._matching(query), allowed, k) for query, allowed in pairs]
        return Hits.stack([best_first(*each, k) for each in found])

    def rescore(self, index: Table, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows; shape (n_hits,), float64."""
        scores = np.zeros(len(rows))
        for query, (a, b) in zip(queries, itertools.pairwise(offsets), strict=True):
            order = np.argsort(rows[a:b], kind="stable")
            asked = rows[a:b][order]
            hit, found = index.search(self._matching(query), asked)
            at = np.searchsorted(asked, hit)
            scores[a:b][order[at]] = found
        return scores

    @property
    def _spread(self) -> bool:
        """Whether characters of unspaced scripts stand apart; trigram needs them together."""
        return self.compat is None and "trigram" not in self.tokenize

    def _matching(self, query: str) -> str:
        return matching(query, self.match, self.compat, spread=self._spread)


class Table:
    """Full-text tables in one SQLite database; the rowid is the corpus row.

    A connection serves one thread at a time, so searches take turns.
    """

    def __init__(self, connection: sqlite3.Connection, groups: list[str], size: int) -> None:
        self.connection, self.groups, self.size = connection, groups, size
        self._turn = threading.Lock()
        weakref.finalize(self, connection.close)  # when the last scorer that holds it is gone

    @classmethod
    def build(cls, scorer: FTS5, corpus: Corpus) -> Table:
        """Index the fields of a corpus as the scorer says."""
        made = cls(_connect(), [], len(corpus))
        texts = corpus.view(scorer.fields).to_pylist()
        if scorer.compat is None:
            texts = [prepared(text or "", spread=scorer._spread) for text in texts]
        rows = list(enumerate(texts))
        if scorer.apart is None:
            made.add(rows, scorer.tokenize)
        else:
            values = corpus[scorer.apart].fillna("").to_numpy()
            for name in dict.fromkeys(values.tolist()):
                made.add([rows[i] for i in np.flatnonzero(values == name)], scorer.tokenize)
        return made

    def add(self, rows: list[tuple[int, str]], tokenize: str) -> None:
        """Put rows into a table of their own."""
        table = f"f{len(self.groups)}"
        _create(self.connection, table, tokenize)
        self.connection.execute("begin")
        self.connection.executemany(f"insert into {table}(rowid, text) values (?, ?)", rows)
        self.connection.execute("commit")
        self.groups.append(table)

    def search(self, expression: str, allowed: Rows, k: int | None = None) -> tuple[Ints, Floats]:
        """Give the allowed rows that match, rising, and their scores; at least the k best."""
        if not expression or not count(allowed):
            return np.empty(0, np.int64), np.empty(0)
        within = isinstance(allowed, slice)
        ends = (allowed.start, allowed.stop - 1) if isinstance(allowed, slice) else allowed[[0, -1]]
        limit = k if within and k is not None else -1  # SQLite's word for no limit
        ask = (expression, int(ends[0]), int(ends[1]), limit)
        with self._turn:
            found = [hit for table in self.groups for hit in self._ask(table, ask)]
        rows = np.array([row for row, _ in found], np.int64)
        scores = np.array([-rank for _, rank in found], np.float64)
        order = np.argsort(rows, kind="stable")
        order = order[contains(allowed, rows[order])]
        return rows[order], scores[order]

    def _ask(self, table: str, ask: tuple[str, int, int, int]) -> Iterator[Any]:
        order = "order by rank, rowid" if ask[-1] >= 0 else ""
        return self.connection.execute(
            f"select rowid, rank from {table} where {table} match ? "
            f"and rowid between ? and ? {order} limit ?",
            ask,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Give what another process needs to make the same tables."""
        return {"database": self.connection.serialize(), "groups": self.groups, "size": self.size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        connection = _connect()
        connection.deserialize(state["database"])
        self.__init__(connection, state["groups"], state["size"])  # type: ignore[misc]


def _connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)


def _create(connection: sqlite3.Connection, table: str, tokenize: Any) -> None:
    quoted = str(tokenize).replace("'", "''")
    try:
        connection.execute(
            f"create virtual table {table} using fts5(text, content='', tokenize='{quoted}')"
        )
    except sqlite3.OperationalError as error:
        raise refusal(error, str(tokenize)) from None


def refusal(error: sqlite3.Error, tokenize: str) -> Exception:
    """Say which piece of SQLite is missing, and what to use without it."""
    if "no such module" in str(error):
        return MissingExtra(
            "FTS5 needs an SQLite that was built with it; this one was not. "
            "BM25() finds words without SQLite, and Phrase() finds phrases."
        )
    missing = re.match(r"no such tokenizer: (\w+)", str(error))
    if missing and missing[1] in TOKENIZERS:
        return MissingExtra(
            f"This SQLite ({sqlite3.sqlite_version}) has no {missing[1]} tokenizer. "
            "Write FTS5(), which uses 'porter unicode61'."
        )
    return BadParameter(
        f"tokenize must be a tokenizer of SQLite's FTS5, such as 'porter unicode61' or 'trigram'. "
        f"Got {tokenize!r} ({error})."
    )
