"""A store's own full-text tables, lent to the scorer FTS5 over the corpus that came from it.

They are lent only where they hold just the rows and texts that the scorer would index, so that the
scores are equal. When the store is written to, they no longer are; then the scorer's own table is
built, from the corpus as it is.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.table import Searched, lacking
from lcm_lab.rows import Rows, contains, count
from lcm_lab.store.fulltext import table_of

__all__ = ["Lender", "Lent"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lender:
    """What can be lent over one corpus; kept in its memo.

    Attributes
    ----------
    open : callable, () -> Connection
        Gives a connection that only reads.
    revision : int
        Of the store when the corpus was made.
    tokenizers : tuple of str
    groups : tuple of (str, ndarray of shape (n,), int64)
        Which tables its rows lie in (docs, summaries), and the row of each number there, -1 where
        there is none.
    plain : bool
        Whether every text is indexed as it stands.
    """

    open: Callable[[], sqlite3.Connection]
    revision: int
    tokenizers: tuple[str, ...]
    groups: tuple[tuple[str, Ints], ...]
    plain: bool

    def lend(self, scorer: FTS5, build: Callable[[], Searched]) -> Lent | None:
        """Give the tables that a scorer would build, or None where there are none like it."""
        fits = (
            scorer.tokenize in self.tokenizers
            and scorer.fields == ("text",)
            and scorer.apart in (None, "scope")
            and (scorer.compat is None or self.plain)
            and (scorer.apart is not None or len(self.groups) == 1)
            and lacking(scorer.tokenize) is None
        )
        if not fits:
            return None
        tables = [(table_of(base, scorer.tokenize), rows) for base, rows in self.groups]
        return Lent(self.open(), self.revision, tables, build)

    def __reduce__(self) -> Any:
        """Stay behind when the corpus goes to another process."""
        return Lender, (_closed, 0, (), (), False)


class Lent:
    """Tables of a store, asked as `Table` is; the rows that come back are those of the corpus."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        revision: int,
        tables: list[tuple[str, Ints]],
        build: Callable[[], Searched],
    ) -> None:
        self.connection, self.revision, self.tables = connection, revision, tables
        self.build = build
        self.size = sum(int((rows >= 0).sum()) for _, rows in tables)
        self._turn = threading.Lock()
        self._own: Searched | None = None
        weakref.finalize(self, connection.close)

    def search(self, expression: str, allowed: Rows, k: int | None = None) -> tuple[Ints, Floats]:
        """Give the allowed rows that match, rising, and their scores."""
        if not expression or not count(allowed):
            return np.empty(0, np.int64), np.empty(0)
        with self._turn:
            found = None if self._own else self._found(expression)
            own = self._own = self._own or (self.build() if found is None else None)
        if own is not None:
            return own.search(expression, allowed, k)
        rows, scores = found or (np.empty(0, np.int64), np.empty(0))
        kept = contains(allowed, rows)
        return rows[kept], scores[kept]

    def _found(self, expression: str) -> tuple[Ints, Floats] | None:
        """Ask the store, unless it has changed since the corpus was made."""
        run = self.connection.execute
        try:
            run("begin")  # one state of the store for all that is asked
            now = run("select value from meta where name = 'revision'").fetchone()[0]
            if now != self.revision:
                return None
            return self._asked(expression)
        except sqlite3.DatabaseError as error:
            raise BadInput(
                f"The full-text index of the store cannot be asked: {error}. Nothing is said of "
                "what it holds; lcm-lab check tells what is wrong with it."
            ) from error
        finally:
            if self.connection.in_transaction:
                run("commit")

    def _asked(self, expression: str) -> tuple[Ints, Floats]:
        rows, scores = [np.empty(0, np.int64)], [np.empty(0)]
        for table, places in self.tables:
            ask = f"select rowid, rank from {table} where {table} match ?"
            hits = np.array(self.connection.execute(ask, (expression,)).fetchall(), float)
            if len(hits):
                rows.append(places[hits[:, 0].astype(np.int64)])
                scores.append(-hits[:, 1])
        found = np.concatenate(rows)
        order = np.argsort(found, kind="stable")
        return found[order], np.concatenate(scores)[order]

    def __reduce__(self) -> Any:
        """Go to another process as a table of one's own."""
        return _same, (self._own or self.build(),)


def _same(table: Searched) -> Searched:
    return table


def _closed() -> sqlite3.Connection:
    raise sqlite3.ProgrammingError("the store is in another process")
