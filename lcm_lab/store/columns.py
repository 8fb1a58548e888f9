"""The rows of a store as a corpus: columns out of the tables, joined as arrays, not row by row."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection as Names
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.messages import SAYS

__all__ = ["docs", "summaries"]

Ints = npt.NDArray[np.int64]

#: How many rows are fetched before they become columns.
CHUNK = 50_000
TIME = pa.timestamp("us", "UTC")

_MESSAGES = """
    select number, conversation, session, seq, time, active, sidechain, id, role, speaker
    from messages {where}
"""
_DOCS = "select number, message, tokens, kind, text from docs {where}"
_GIVEN = """
    select number, docno, role, scope from docs
    where docno is not null or role is not null or scope is not null
"""
_SUMMARIES = """
    select number, conversation, last, tokens, depth, id, level, text from summaries
    where active {where} order by conversation, number
"""


def docs(
    connection: sqlite3.Connection, kinds: Names[str], conversation: int | None, *, abandoned: bool
) -> tuple[pa.Table, Ints]:
    """Give a row for each message and kind, conversations as they came and messages in order.

    Returns
    -------
    Table
        The columns of a corpus, without seq.
    ndarray of shape (n,), int64
        The number of each row in the table ``docs``.
    """
    where = "where conversation = ?" if conversation is not None else ""
    given = (conversation,) if conversation is not None else ()
    said = _fetch(connection, _MESSAGES.format(where=where), given, _TYPES_OF_MESSAGES)
    some = "where message in (select number from messages where conversation = ?)"
    ask = _DOCS.format(where=some if conversation is not None else "")
    rows = _fetch(connection, ask, given, _TYPES_OF_DOCS)
    rows = rows.filter(pc.is_in(rows["kind"], pa.array(list(kinds), pa.string())))
    at = _places(said["number"], rows["message"])
    if not abandoned:
        stands = said["active"].to_numpy()[at] == 1
        rows, at = rows.filter(pa.array(stands)), at[stands]
    numbers = rows["number"].to_numpy()
    key = (numbers, said["seq"].to_numpy()[at], said["conversation"].to_numpy()[at])
    order = np.lexsort(key)
    rows, numbers = rows.take(pa.array(order)), numbers[order]
    said = said.take(pa.array(at[order]))
    return _table(connection, said, rows, numbers), numbers


def summaries(connection: sqlite3.Connection, conversation: int | None) -> tuple[pa.Table, Ints]:
    """Give a row for each summary in use; as `docs` does."""
    where = "and conversation = ?" if conversation is not None else ""
    given = (conversation,) if conversation is not None else ()
    found = _fetch(connection, _SUMMARIES.format(where=where), given, _TYPES_OF_SUMMARIES)
    none = _repeated("", len(found))
    columns = {
        "docno": found["id"],
        "text": found["text"],
        "conversation": _named(connection, "conversations", found["conversation"]),
        "session": none,
        "role": none,
        "speaker": none,
        "scope": _repeated("summaries", len(found)),
        "kind": _repeated("summary", len(found)),
        "time": found["time"].cast(TIME),
        "tokens": found["tokens"],
        "sidechain": _repeated("no", len(found)),
        "depth": found["depth"].cast(pa.string()),
        "level": found["level"],
    }
    return pa.table(columns), found["number"].to_numpy()


_TYPES_OF_MESSAGES = {
    **dict.fromkeys(("number", "conversation", "session", "seq", "time"), pa.int64()),
    **dict.fromkeys(("active", "sidechain"), pa.int8()),
    **dict.fromkeys(("id", "role", "speaker"), pa.string()),
}
_TYPES_OF_DOCS = {
    "number": pa.int64(),
    "message": pa.int64(),
    "tokens": pa.int32(),
    "kind": pa.string(),
    "text": pa.large_string(),
}
_TYPES_OF_SUMMARIES = {
    "number": pa.int64(),
    "conversation": pa.int64(),
    "time": pa.int64(),
    "tokens": pa.int32(),
    "depth": pa.int64(),
    "id": pa.string(),
    "level": pa.string(),
    "text": pa.large_string(),
}


def _fetch(
    connection: sqlite3.Connection, ask: str, given: Sequence[Any], types: dict[str, pa.DataType]
) -> pa.Table:
    schema = pa.schema(list(types.items()))
    cursor = connection.execute(ask, given)
    batches = [
        pa.record_batch([pa.array(column, kind) for column, kind in pairs], schema=schema)
        for pairs in _chunks(cursor, list(types.values()))
    ]
    return pa.Table.from_batches(batches, schema)


def _chunks(
    cursor: sqlite3.Cursor, kinds: list[pa.DataType]
) -> Iterator[list[tuple[Any, pa.DataType]]]:
    while rows := cursor.fetchmany(CHUNK):
        yield list(zip(zip(*rows, strict=True), kinds, strict=True))


def _places(numbers: pa.ChunkedArray, wanted: pa.ChunkedArray) -> Ints:
    """Find the place of each wanted number among numbers."""
    there = numbers.to_numpy()
    order = np.argsort(there, kind="stable")
    found: Ints = order[np.searchsorted(there, wanted.to_numpy(), sorter=order)]
    return found


def _table(
    connection: sqlite3.Connection, said: pa.Table, rows: pa.Table, numbers: Ints
) -> pa.Table:
    kind = rows["kind"]
    is_text = pc.equal(kind, "text")
    ending = pc.if_else(is_text, "", pc.binary_join_element_wise("", kind, "#"))
    role = said["role"]
    for one, speaks in SAYS.items():
        role = pc.if_else(pc.equal(kind, one), speaks, role)
    scope = pc.if_else(pc.equal(kind, "summary"), "summaries", "messages")
    derived = {
        "docno": pc.binary_join_element_wise(said["id"], ending, ""),
        "role": role,
        "scope": scope,
    }
    derived = _overruled(connection, derived, numbers)
    columns = {
        "docno": derived["docno"],
        "text": rows["text"],
        "conversation": _named(connection, "conversations", said["conversation"]),
        "session": _named(connection, "sessions", said["session"]),
        "role": derived["role"],
        "speaker": said["speaker"],
        "scope": derived["scope"],
        "kind": kind,
        "time": said["time"].cast(TIME),
        "tokens": rows["tokens"],
        "sidechain": pc.if_else(pc.equal(said["sidechain"], 1), "yes", "no"),
    }
    return pa.table(columns | _extra(connection, said["number"]))


def _overruled(
    connection: sqlite3.Connection, derived: dict[str, Any], numbers: Ints
) -> dict[str, Any]:
    """Put in what was given otherwise than it follows from the messages."""
    given = connection.execute(_GIVEN).fetchall()
    if not given:
        return derived
    at = {number: place for place, number in enumerate(numbers.tolist())}
    lists = {name: column.to_pylist() for name, column in derived.items()}
    for number, *row in given:
        for name, item in zip(lists, row, strict=True):
            if item is not None and number in at:
                lists[name][at[number]] = item
    return {name: pa.array(items, pa.string()) for name, items in lists.items()}


def _extra(connection: sqlite3.Connection, numbers: pa.ChunkedArray) -> dict[str, Any]:
    """Give the other columns that came with a corpus."""
    ask = "select number, extra from messages where extra is not null"
    held = {number: json.loads(extra) for number, extra in connection.execute(ask)}
    names = dict.fromkeys(name for row in held.values() for name in row)
    listed = numbers.to_pylist() if names else []
    return {
        name: pa.array([held.get(number, {}).get(name, "") for number in listed], pa.string())
        for name in names
    }


def _named(connection: sqlite3.Connection, table: str, numbers: pa.ChunkedArray) -> Any:
    found = connection.execute(f"select number, name from {table} order by number").fetchall()
    there = np.array([number for number, _ in found], np.int64)
    names = pa.array([name for _, name in found], pa.string())
    return names.take(pa.array(np.searchsorted(there, numbers.to_numpy())))


def _repeated(text: str, count: int) -> pa.Array:
    return pa.array([text], pa.string()).take(pa.array(np.zeros(count, np.int64)))
