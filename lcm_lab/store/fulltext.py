"""Full-text tables beside the rows: a table of docs and one of summaries for each tokenizer.

A row is in the index when, and only when, its ``indexed`` (a summary's ``active``) says so; whoever
writes rows takes them out before and puts them in after, in the same transaction. Triggers would do
so by themselves, but make FTS5 write a segment for every row, which is many times slower. The
tables hold no text of their own; what was indexed of a row can be told from the row for good, so
that it can be taken out again by SQLite before 3.43 too.
"""

from __future__ import annotations

import json
import re
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Literal

from lcm_lab.errors import BadInput
from lcm_lab.ranking.exact.table import lacking, refusal

__all__ = [
    "KINDS",
    "WORDS",
    "available",
    "create",
    "faults",
    "put_in",
    "statements",
    "table_of",
    "take_out",
    "tokenizers",
]

Base = Literal["docs", "summaries"]

#: Kinds of docs that are searched: those a corpus holds unless others are asked for.
KINDS = ("text", "tool_call", "tool_result")
#: What agents search with: lossless-claw's tokenizer, and OpenClaw's.
WORDS = ("porter unicode61", "unicode61 remove_diacritics 2")
#: How many segments of a level FTS5 lets come together before it merges them; by default 4 and 16.
#: At 100,000 messages an import takes 9.7 s of the processor in place of 12.9, the slowest of a
#: hundred appends 18 ms in place of 25, and a search 2.5 ms in place of 2.0.
MERGES = {"automerge": 16, "crisismerge": 64}
#: Why a copy could not be made or looked at, which says nothing of the index.
NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)
#: Tables that are indexed, and which of their rows.
INDEXED: dict[Base, str] = {"docs": "indexed", "summaries": "active"}


def table_of(base: str, tokenize: str) -> str:
    """Name the full-text table of docs, or of summaries.

    Examples
    --------
    >>> table_of("docs", "porter unicode61")
    'docs_porter_unicode61'
    """
    slug = re.sub(r"\W+", "_", tokenize.lower()).strip("_")
    return f"{base}_{slug}"


def create(connection: sqlite3.Connection, words: Sequence[str]) -> None:
    """Make the full-text tables and their views.

    Raises
    ------
    MissingExtra, BadParameter
        For a tokenizer that this SQLite does not have, or that there is not.
    """
    for tokenize in words:
        try:
            for statement in statements([tokenize]):
                connection.execute(statement)
        except sqlite3.OperationalError as error:
            raise refusal(error, tokenize) from None


def available(words: Sequence[str]) -> list[str]:
    """Give the tokenizers that this SQLite has; a warning names each other.

    Raises
    ------
    BadParameter
        For one that no SQLite has.
    """
    lost = {tokenize: lacking(tokenize) for tokenize in words}
    for tokenize, why in lost.items():
        if why is not None:
            warnings.warn(f"The store keeps no index by {tokenize!r}. {why}", stacklevel=2)
    return [tokenize for tokenize in words if lost[tokenize] is None]


def statements(words: Sequence[str]) -> Iterator[str]:
    """Write what makes the tables and views of some tokenizers."""
    for tokenize in words:
        for base, flag in INDEXED.items():
            yield from _statements(base, flag, tokenize)


def _statements(base: str, flag: str, tokenize: str) -> Iterator[str]:
    table = table_of(base, tokenize)
    form = "narrow" if "trigram" in tokenize else "folded"
    quoted = tokenize.replace("'", "''")
    yield (
        f"create view {table}_text as "
        f"select number, coalesce({form}, text) as text from {base} where {flag}"
    )
    yield (
        f"create virtual table {table} using fts5(text, content='{table}_text', "
        f"content_rowid='number', tokenize='{quoted}')"
    )
    for option, value in MERGES.items():
        yield f"insert into {table}({table}, rank) values ('{option}', {value})"


def tokenizers(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Give the tokenizers that a store is indexed with.

    Raises
    ------
    BadInput
        Where it does not say.
    """
    written = connection.execute("select value from meta where name = 'tokenizers'").fetchone()
    try:
        found = json.loads(written[0])
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BadInput(
            "The store does not say how its words are indexed: it was changed from outside. Import "
            "what it was made from into a new one."
        )
    return tuple(found)


def put_in(connection: sqlite3.Connection, base: Base, where: str, *given: Any) -> None:
    """Enter rows that were written; ``where`` is a condition on rows of the base table."""
    for tokenize in tokenizers(connection):
        table = table_of(base, tokenize)
        connection.execute(
            f"insert into {table}(rowid, text) "
            f"select number, text from {table}_text where number in ({_numbers(base, where)})",
            given,
        )


def take_out(connection: sqlite3.Connection, base: Base, where: str, *given: Any) -> None:
    """Remove rows that are about to be changed or deleted."""
    for tokenize in tokenizers(connection):
        table = table_of(base, tokenize)
        connection.execute(
            f"insert into {table}({table}, rowid, text) select 'delete', number, text "
            f"from {table}_text where number in ({_numbers(base, where)})",
            given,
        )


def _numbers(base: Base, where: str) -> str:
    return f"select number from {base} where {where}"


def faults(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Find where an index is not what its rows say; gives (rule, number of the row or table).

    FTS5 checks itself by what looks like a write to it, so a copy is checked.
    """
    with closing(sqlite3.connect("")) as copy:  # a file that is gone when it is closed
        connection.backup(copy)
        for tokenize in tokenizers(connection):
            for base in INDEXED:
                table = table_of(base, tokenize)
                if not _is_there(copy, table):
                    yield "the index holds what its rows say", f"{table} is gone"
                    continue
                rows, index = f"select number from {table}_text", f"select id from {table}_docsize"
                for (number,) in copy.execute(f"{rows} except {index}"):
                    yield "every row is in the index", f"{table} {number}"
                for (number,) in copy.execute(f"{index} except {rows}"):
                    yield "what is in the index has a row", f"{table} {number}"
                if not _is_sound(copy, table):
                    yield "the index holds what its rows say", table


def _is_there(connection: sqlite3.Connection, table: str) -> bool:
    """Tell whether a full-text table is there, and can be opened."""
    try:
        connection.execute(f"select count(*) from {table}_docsize, {table}_text limit 0")
        connection.execute(f"select rowid from {table} limit 0")
    except sqlite3.DatabaseError:
        return False
    return True


def _is_sound(connection: sqlite3.Connection, table: str) -> bool:
    ask = f"insert into {table}({table}, rank) values ('integrity-check', 1)"
    try:
        connection.execute(ask)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in NO_ROOM:
            raise
        return False
    return True
