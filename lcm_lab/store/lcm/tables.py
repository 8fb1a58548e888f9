"""What a lossless-claw database tells of itself: conversations, families, rows to search in."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection as Names
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.messages import rows, table
from lcm_lab.store.lcm.reading import Tables, time_of
from lcm_lab.text import clean

__all__ = ["conversations", "corpus", "family"]

COLUMNS = ("conversation_id", "session_id", "session_key", "active", "archive_cause", "title")


def conversations(tables: Tables) -> pd.DataFrame:
    """List the conversations; see `LcmDatabase.conversations`."""
    tokens = "sum(token_count)" if tables.schema.has("messages", "token_count") else "0"
    ask = f"select conversation_id, count(*), {tokens} from messages group by conversation_id"
    said = {name: (count, sum_) for name, count, sum_ in tables.connection.execute(ask)}
    ask = "select conversation_id, count(*) from summaries group by conversation_id"
    made = dict(tables.connection.execute(ask).fetchall())
    listed = [
        {
            "name": str(row["conversation_id"]),
            "session": clean(row["session_id"] or ""),
            "key": clean(row["session_key"] or ""),
            "active": _is_active(row),
            "archived": clean(row["archive_cause"] or ""),
            "title": clean(row["title"] or ""),
            "messages": said.get(row["conversation_id"], (0, 0))[0],
            "tokens": said.get(row["conversation_id"], (0, 0))[1],
            "summaries": made.get(row["conversation_id"], 0),
            **dict(zip(("first", "last"), _span(tables, row["conversation_id"]), strict=True)),
            "indexing": False,
        }
        for row in tables.rows("conversations", COLUMNS, "order by conversation_id")
    ]
    names = ["name", "session", "key", "active", "archived", "title", "messages", "tokens"]
    frame = pd.DataFrame(listed, columns=[*names, "summaries", "first", "last", "indexing"])
    times = {name: pd.to_datetime(frame[name], unit="us", utc=True) for name in ("first", "last")}
    return frame.assign(**times)


def family(tables: Tables, number: int) -> list[str]:
    """Name the conversations of a family; see `LcmDatabase.family`."""
    asked = (*COLUMNS, "created_at")
    there = list(tables.rows("conversations", asked, "order by conversation_id desc"))
    base = next((row for row in there if row["conversation_id"] == number), None)
    if base is None:
        raise sqlite3.DatabaseError(f"conversation {number} is listed, and not there")
    by = "session_key" if base["session_key"] else "session_id"
    own = [row for row in there if row[by] == base[by]]
    own.sort(key=lambda row: (_is_active(row), time_of(row["created_at"]) or 0), reverse=True)
    return [str(row["conversation_id"]) for row in own]


def corpus(tables: Tables, numbers: Sequence[int], kinds: Names[str], scopes: Names[str]) -> Corpus:
    """Make a corpus of conversations; see `LcmDatabase.corpus`."""
    said = table(_said(tables, numbers, kinds if "messages" in scopes else ()))
    blank = pa.array([""] * len(said), pa.string())
    said = said.append_column("depth", blank).append_column("level", blank)
    if "summaries" in scopes:
        made = _made(tables, numbers, said.schema)
        said = pa.concat_tables([said, made]) if made.num_rows else said
    return Corpus(said)


def _said(tables: Tables, numbers: Sequence[int], kinds: Names[str]) -> Iterator[Any]:
    for number in numbers if kinds else ():
        for message in tables.messages(number):
            yield from rows(message, kinds, str(number))


def _made(tables: Tables, numbers: Sequence[int], schema: pa.Schema) -> pa.Table:
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for number in numbers:
        for one in tables.summaries(number):
            row = {
                "docno": one.id,
                "text": one.text,
                "conversation": str(number),
                "scope": "summaries",
                "kind": "summary",
                "time": one.last if one.last is not None else one.created,
                "sidechain": "no",
                "depth": str(one.depth),
                "level": one.level,
            }
            for name, column in columns.items():
                column.append(row.get(name, ""))
    arrays = {name: pa.array(column, schema.field(name).type) for name, column in columns.items()}
    return pa.table(arrays, schema=schema)


def _is_active(row: Any) -> bool:
    return row["active"] is None or bool(row["active"])


def _span(tables: Tables, number: int) -> tuple[int | None, int | None]:
    """Give the first and the last time: by instant, since both forms of a time occur."""
    ask = (
        "select created_at from messages where conversation_id = ?"
        " and created_at is not null order by julianday(created_at) {} limit 1"
    )
    found = [
        tables.connection.execute(ask.format(way), (number,)).fetchone() for way in ("asc", "desc")
    ]
    first, last = (time_of(row[0]) if row else None for row in found)
    return first, last
