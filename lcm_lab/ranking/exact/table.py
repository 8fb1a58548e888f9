"""FTS5 tables in memory, and what to say of an SQLite that cannot have them."""

from __future__ import annotations

import re
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter, MissingExtra
from lcm_lab.rows import Rows, contains, count

__all__ = ["Searched", "Table", "lacking", "refusal"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Tokenizers that SQLite brings; trigram came with 3.34.
TOKENIZERS = ("porter", "unicode61", "ascii", "trigram")


class Searched(Protocol):
    """Full-text tables over the rows of a corpus."""

    size: int

    def search(self, expression: str, allowed: Rows, k: int | None = None) -> tuple[Ints, Floats]:
        """Give the allowed rows that match, rising, and their scores; at least the k best."""


class Table:
    """Full-text tables in one SQLite database; the rowid is the corpus row.

    A connection serves one thread at a time, so searches take turns.
    """

    def __init__(self, connection: sqlite3.Connection, groups: list[str], size: int) -> None:
        self.connection, self.groups, self.size = connection, groups, size
        self._turn = threading.Lock()
        weakref.finalize(self, connection.close)  # when the last scorer that holds it is gone

    @classmethod
    def build(cls, groups: Iterable[list[tuple[int, str]]], size: int, tokenize: str) -> Table:
        """Index rows, each group in a table of its own."""
        made = cls(_connect(), [], size)
        for rows in groups:
            made.add(rows, tokenize)
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


def lacking(tokenize: Any) -> MissingExtra | None:
    """Say what this SQLite lacks for a tokenizer; None where it lacks nothing.

    Raises
    ------
    BadParameter
        For a tokenizer that no SQLite has.
    """
    with closing(_connect()) as connection:
        try:
            _create(connection, "tried", tokenize)
        except MissingExtra as error:
            if set(re.split(r"\W+", str(tokenize))) & set(TOKENIZERS):
                return error
            raise BadParameter(f"tokenize must be a tokenizer of FTS5. Got {tokenize!r}.") from None
        except UnicodeEncodeError:  # half a character
            raise BadParameter(f"tokenize must be a tokenizer of FTS5. Got {tokenize!r}.") from None
    return None


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
