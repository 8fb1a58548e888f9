"""Opening a store's file: what it must be, how it is set up, and transactions over it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path

from lcm_lab import private
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.store import fulltext
from lcm_lab.store.lcm.snapshot import snapshot
from lcm_lab.store.ours import require_ours
from lcm_lab.store.refusals import CLOSED, PATIENCE, explained

__all__ = ["APPLICATION", "SCHEMA", "connect", "writing"]

APPLICATION = 0x6C636D53
SCHEMA = 1

#: Bytes of the smallest database; of what is shorter SQLite says for ever that it is locked.
SMALLEST = 512

#: A commit survives the death of the process; of the machine, in whole but perhaps not the last.
SETTINGS = """
    pragma foreign_keys = on;
    pragma synchronous = normal;
    pragma cache_size = -65536;
    pragma temp_store = memory;
    pragma trusted_schema = off;
"""


def connect(path: str, *, readonly: bool, create: bool, words: Sequence[str]) -> sqlite3.Connection:
    """Open a store, or make it where there is none.

    Parameters
    ----------
    path : str
        ``:memory:`` for one that lives as long as it is open.
    words : sequence of str
        Tokenizers of FTS5 that a new store is indexed with.

    Raises
    ------
    NotFound
        Nothing there, and ``create`` is false or ``readonly`` true.
    BadInput
        Something that is no store, or a store of a newer schema.
    """
    memory = path == ":memory:"
    with explained(path):
        there = not memory and Path(path).exists()
        size = Path(path).stat().st_size if there else 0
    if not memory and not there and (readonly or not create):
        raise NotFound(f"No store {path!r}. Store(path) makes one; or import into it first.")
    if not memory and not there and not Path(path).absolute().parent.is_dir():
        raise NotFound(f"No folder {str(Path(path).parent)!r} for the store {path!r}. Make it.")
    if 0 < size < SMALLEST and Path(path).is_file():
        raise BadInput(f"{path!r} is no store: file is not a database.")
    if not memory and not there:
        with suppress(OSError):  # SQLite says what is wrong
            private.file(Path(path))
    with explained(path):
        connection = _opened(path, readonly=readonly)
        try:
            _prepare(connection, path, words, readonly=readonly, new=not there)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all that is written inside, or nothing; other writers wait."""
    inside = connection.in_transaction
    try:
        connection.execute("begin immediate")
        yield
        connection.execute("update meta set value = value + 1 where name = 'revision'")
        connection.execute("commit")
    except BaseException:
        # Also where one is interrupted right after the beginning, or SQLite took it all back.
        if connection.in_transaction and not inside:
            connection.execute("rollback")
        raise


def _opened(path: str, *, readonly: bool) -> sqlite3.Connection:
    where = path
    if readonly and path != ":memory:":
        where = f"{Path(path).absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(
        where,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,  # the store gives threads their turns
        uri=where != path,
    )
    return _unless_closed(connection, path) if where != path else connection


def _unless_closed(connection: sqlite3.Connection, path: str) -> sqlite3.Connection:
    """Give a connection to read with, or one to a copy where nothing may be made beside the file.

    Even who only reads a store makes an index of its log, if no one has it open.
    """
    try:
        _is_blank(connection)
    except sqlite3.OperationalError as error:
        closed = error.sqlite_errorcode & 0xFF in CLOSED and os.access(path, os.R_OK)
        if not closed:
            raise
        connection.close()
        connection = snapshot(path)
        connection.isolation_level = None
    return connection


def _prepare(
    connection: sqlite3.Connection, path: str, words: Sequence[str], *, readonly: bool, new: bool
) -> None:
    if not readonly and (new or _is_blank(connection)):
        _make(connection, path, words)
    connection.executescript(SETTINGS)
    application = connection.execute("pragma application_id").fetchone()[0]
    version = connection.execute("pragma user_version").fetchone()[0]
    if application != APPLICATION:
        raise BadInput(
            f"{path!r} is an SQLite database, but no store of lcm_lab. "
            "A lossless-claw database opens with lcm_lab.open_lcm."
        )
    if version > SCHEMA:
        raise BadInput(
            f"{path!r} was written by a newer lcm_lab (schema {version}; this one knows {SCHEMA}). "
            "Install that version or a later one."
        )
    require_ours(connection, path)


def _is_blank(connection: sqlite3.Connection) -> bool:
    return not connection.execute("select count(*) from sqlite_master").fetchone()[0]


def _make(connection: sqlite3.Connection, path: str, words: Sequence[str]) -> None:
    if path != ":memory:":
        _use_log(connection)
    words = fulltext.available(words)
    connection.execute("begin immediate")
    try:
        if _is_blank(connection):  # else another process was quicker
            for statement in _statements(resources.files(__package__) / "schema.sql"):
                connection.execute(statement)
            listed = json.dumps(words)
            rows = [("revision", 0), ("tokenizers", listed)]
            connection.executemany("insert into meta values (?, ?)", rows)
            fulltext.create(connection, words)
            connection.execute(f"pragma application_id = {APPLICATION}")
            connection.execute(f"pragma user_version = {SCHEMA}")
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:  # else SQLite took it all back by itself
            connection.execute("rollback")
        raise


def _use_log(connection: sqlite3.Connection) -> None:
    """Turn on the write-ahead log, for which SQLite waits by itself at some of its locks alone."""
    connection.execute("pragma busy_timeout = 0")  # else every try may wait as long as all of them
    for left in reversed(range(int(PATIENCE * 20))):
        try:
            connection.execute("pragma journal_mode = wal")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not left:
                raise
            time.sleep(1 / 20)
    connection.execute(f"pragma busy_timeout = {PATIENCE * 1000:.0f}")


def _statements(schema: resources.abc.Traversable) -> Iterator[str]:
    lines: list[str] = []
    for line in schema.read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines = []
