"""Rows written: new messages, messages that grew, and the order of a conversation."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.messages import Session
from lcm_lab.store import deleted, fulltext
from lcm_lab.store.fulltext import KINDS
from lcm_lab.store.rows import Doc, Entry, docs_of, folded, is_plain, part_rows
from lcm_lab.text import clean, count_tokens

__all__ = [
    "Pending",
    "conversation_number",
    "delete",
    "grow",
    "insert",
    "is_there",
    "move",
    "reorder",
    "session_number",
]

#: So few texts are counted sooner one by one than as a column.
FEW = 8
#: Facts of a session that its conversation keeps.
FACTS = ("key", "title", "cwd", "branch", "agent", "parent", "archived")


@dataclass(slots=True)
class Pending:
    """A message to be inserted: with its final id, and where it stands."""

    entry: Entry
    conversation: int
    session: int
    seq: int
    place: int


def conversation_number(
    connection: sqlite3.Connection, name: str, told: Session | None = None
) -> int:
    """Give the number of a conversation, made if need be, and write down what is told of it."""
    made = connection.execute(
        "insert into conversations (name) values (?) on conflict do nothing", (name,)
    )
    if made.rowcount:
        deleted.forget(connection, name)
    ask = "select number from conversations where name = ?"
    number = int(connection.execute(ask, (name,)).fetchone()[0])
    said = {one: clean(getattr(told, one)) for one in FACTS if told and getattr(told, one)}
    if said:
        assigned = ", ".join(f"{one} = ?" for one in said)
        connection.execute(
            f"update conversations set {assigned} where number = ?", (*said.values(), number)
        )
    return number


def is_there(connection: sqlite3.Connection, name: str) -> bool:
    """Tell whether there is a conversation of a name."""
    ask = "select count(*) from conversations where name = ?"
    return bool(connection.execute(ask, (name,)).fetchone()[0])


def session_number(connection: sqlite3.Connection, conversation: int, name: str) -> int:
    """Give the number of a session of a conversation, made if need be."""
    connection.execute(
        "insert into sessions (conversation, name) values (?, ?) on conflict do nothing",
        (conversation, name),
    )
    ask = "select number from sessions where conversation = ? and name = ?"
    return int(connection.execute(ask, (conversation, name)).fetchone()[0])


def insert(
    connection: sqlite3.Connection, pending: Sequence[Pending], imported: int | None
) -> None:
    """Insert messages with their parts and docs, index included."""
    highest = connection.execute("select coalesce(max(number), 0) from messages").fetchone()[0]
    docs = [docs_of(one.entry) for one in pending]
    tokens = _counted([doc.text for group in docs for doc in group])
    starts = [0, *itertools.accumulate(map(len, docs))]
    messages: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    written: list[tuple[Any, ...]] = []
    for at, (one, said) in enumerate(zip(pending, docs, strict=True)):
        number = highest + 1 + at
        counts = tokens[starts[at] : starts[at + 1]]
        plain = is_plain(one.entry.message, said)
        messages.append(_message_row(number, one, plain, int(counts.sum()), imported))
        parts += [] if plain else part_rows(number, one.entry.message.parts, said)
        written += _doc_rows(number, said, counts, active=one.entry.message.active)
    connection.executemany(f"insert into messages values ({_marks(22)})", messages)
    connection.executemany(_INSERT_PART, parts)
    (last,) = connection.execute("select coalesce(max(number), 0) from docs").fetchone()
    connection.executemany(_INSERT_DOC, written)
    fulltext.put_in(connection, "docs", "number > ?", last)


def grow(connection: sqlite3.Connection, entry: Entry) -> int:
    """Write the parts that a message has now, index included; gives its conversation."""
    message, said = entry.message, docs_of(entry)
    ask = "select number, conversation from messages where id = ?"
    number, conversation = connection.execute(ask, (message.id,)).fetchone()
    counts = _counted([doc.text for doc in said])
    plain = is_plain(message, said)
    fulltext.take_out(connection, "docs", "message = ?", number)
    connection.execute("delete from parts where message = ?", (number,))
    connection.executemany(_INSERT_PART, [] if plain else part_rows(number, message.parts, said))
    connection.executemany(
        f"{_INSERT_DOC} on conflict (message, kind) do update set tokens = excluded.tokens, "
        "narrow = excluded.narrow, folded = excluded.folded, text = excluded.text",
        _doc_rows(number, said, counts, active=message.active),
    )
    connection.execute(
        "update messages set plain = ?, tokens = ?, identity = ? where number = ?",
        (plain, int(counts.sum()), bytes.fromhex(entry.content), number),
    )
    fulltext.put_in(connection, "docs", "message = ?", number)
    return int(conversation)


def move(connection: sqlite3.Connection, names: Sequence[str], *, active: bool) -> None:
    """Put messages on the active branch or off it; what is off it is not in the index."""
    ids = json.dumps(list(names))
    some = "select number from messages where id in (select value from json_each(?))"
    fulltext.take_out(connection, "docs", f"message in ({some})", ids)
    connection.execute(f"update messages set active = ? where number in ({some})", (active, ids))
    connection.execute(
        f"update docs set indexed = ? and kind in {KINDS} where message in ({some})", (active, ids)
    )
    fulltext.put_in(connection, "docs", f"message in ({some})", ids)


def delete(connection: sqlite3.Connection, conversation: int) -> None:
    """Delete a conversation and all that hangs on it."""
    some = "message in (select number from messages where conversation = ?)"
    fulltext.take_out(connection, "docs", some, conversation)
    fulltext.take_out(connection, "summaries", "conversation = ?", conversation)
    ask = "delete from conversations where number = ? returning name"
    deleted.note(connection, connection.execute(ask, (conversation,)).fetchone()[0])


def reorder(connection: sqlite3.Connection, conversation: int) -> None:
    """Give the messages of a conversation new numbers: by place, then as they came."""
    ask = "select number from messages where conversation = ? order by place, number"
    numbers = [number for (number,) in connection.execute(ask, (conversation,))]
    connection.execute("update messages set seq = -1 - seq where conversation = ?", (conversation,))
    connection.executemany("update messages set seq = ? where number = ?", enumerate(numbers))


def _message_row(
    number: int, one: Pending, plain: bool, tokens: int, imported: int | None
) -> tuple[Any, ...]:
    said = one.entry.message
    return (
        *(number, one.conversation, one.seq, said.id, one.session, said.role, said.speaker),
        *(said.time, said.stamp, said.parent, said.segment, int(said.active), int(said.active)),
        *(int(said.sidechain), int(plain), tokens, bytes.fromhex(one.entry.content)),
        *(one.place, said.source, said.line, imported, one.entry.extra),
    )


def _doc_rows(
    number: int, docs: Sequence[Doc], tokens: npt.NDArray[np.int32], *, active: bool
) -> Iterator[tuple[Any, ...]]:
    for doc, count in zip(docs, tokens.tolist(), strict=True):
        indexed = int(active and doc.kind in KINDS)
        yield (
            *(number, doc.kind, count, indexed, doc.docno, doc.role, doc.scope),
            *folded(doc.text),
            doc.text,
        )


def _counted(texts: list[str]) -> npt.NDArray[np.int32]:
    if len(texts) < FEW:
        return np.array([count_tokens(text) for text in texts], np.int32)
    counts: npt.NDArray[np.int32] = count_tokens(pa.array(texts, pa.large_string()))
    return counts


def _marks(count: int) -> str:
    return ", ".join("?" * count)


_INSERT_PART = (
    f"insert into parts (message, ordinal, kind, name, call, error, raw, text) values ({_marks(8)})"
)
_INSERT_DOC = (
    "insert into docs (message, kind, tokens, indexed, docno, role, scope, narrow, folded, text) "
    f"values ({_marks(10)})"
)
