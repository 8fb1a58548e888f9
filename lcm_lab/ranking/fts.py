"""FTS5: SQLite's own full-text search over any corpus, in memory.

This is what the systems under study search with. Questions are quoted, so any printable text is a
safe query; scores are SQLite's ``-bm25``, above 0, larger is better.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, MissingExtra, nearest
from lcm_lab.ranking.kinds import Scorer
from lcm_lab.ranking.match import MATCHES, READERS, spaced
from lcm_lab.rows import Rows, contains, count, rows_of
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
            ("compat", self.compat, (None, *READERS)),
        ):
            if got not in options:
                there = ", ".join(map(repr, options))
                close = nearest(str(got), [one for one in options if one])
                raise BadParameter(f"{name} must be one of {there}. Got {got!r}.{close}")
        _create(sqlite3.connect(":memory:"), "tried", self.tokenize)

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
            rows, found = index.search(self._expression(query), slice(0, index.size))
            line[rows] = found
        return scores

    def topk(self, index: Table, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query; SQLite visits no others."""
        pairs = zip(queries, rows, strict=True)
        return Hits.stack([best_first(*index.search(self._expression(q), r), k) for q, r in pairs])

    def rescore(self, index: Table, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows; shape (n_hits,), float64."""
        scores = np.zeros(len(rows))
        for query, (a, b) in zip(queries, itertools.pairwise(offsets), strict=True):
            order = np.argsort(rows[a:b], kind="stable")
            asked = rows[a:b][order]
            hit, found = index.search(self._expression(query), asked)
            at = np.searchsorted(asked, hit)
            scores[a:b][order[at]] = found
        return scores

    def _expression(self, query: str) -> str:
        return MATCHES[self.match](READERS[self.compat](query))


class Table:
    """Full-text tables in one SQLite database; the rowid is the corpus row.

    A connection serves one thread at a time, so searches take turns.
    """

    def __init__(self, connection: sqlite3.Connection, groups: list[str], size: int) -> None:
        self.connection, self.groups, self.size = connection, groups, size
        self._turn = threading.Lock()

    @classmethod
    def build(cls, scorer: FTS5, corpus: Corpus) -> Table:
        """Index the fields of a corpus as the scorer says."""
        connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        view = corpus.view(scorer.fields)
        texts = (text or "" for text in view.to_pylist())
        prepared = (spaced(text) for text in texts) if scorer.compat is None else texts
        rows = enumerate(prepared)
        names = pc.unique(corpus.column(scorer.apart)).to_pylist() if scorer.apart else [None]
        groups = {name: f"f{i}" for i, name in enumerate(names)}
        for table in groups.values():
            _create(connection, table, scorer.tokenize)
        which = corpus.column(scorer.apart).to_pylist() if scorer.apart else itertools.repeat(None)
        connection.execute("begin")
        if len(groups) == 1:
            table = next(iter(groups.values()))
            connection.executemany(f"insert into {table}(rowid, text) values (?, ?)", rows)
        else:
            for row, name in zip(rows, which, strict=False):
                connection.execute(f"insert into {groups[name]}(rowid, text) values (?, ?)", row)
        connection.execute("commit")
        return cls(connection, list(groups.values()), len(corpus))

    def search(self, expression: str, allowed: Rows) -> tuple[Ints, Floats]:
        """Give the allowed rows that match, rising, and their scores."""
        if not expression or not count(allowed):
            return np.empty(0, np.int64), np.empty(0)
        among = rows_of(allowed)[[0, -1]] if not isinstance(allowed, slice) else None
        first = allowed.start if isinstance(allowed, slice) else int(among[0])
        last = allowed.stop - 1 if isinstance(allowed, slice) else int(among[1])
        with self._turn:
            found = [pair for table in self.groups for pair in self._ask(table, expression, first, last)]
        rows = np.array([row for row, _ in found], np.int64)
        scores = -np.array([rank for _, rank in found], np.float64)
        order = np.argsort(rows, kind="stable")
        rows, scores = rows[order], scores[order]
        keep = contains(allowed, rows) & np.isfinite(scores) & (scores > 0)
        return rows[keep], scores[keep]

    def _ask(self, table: str, expression: str, first: int, last: int) -> Iterator[Any]:
        return self.connection.execute(
            f"select rowid, bm25({table}) from {table} where {table} match ? "
            "and rowid between ? and ?",
            (expression, first, last),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Give what another process needs to make the same tables."""
        return {"database": self.connection.serialize(), "groups": self.groups, "size": self.size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        connection.deserialize(state["database"])
        self.__init__(connection, state["groups"], state["size"])  # type: ignore[misc]


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
