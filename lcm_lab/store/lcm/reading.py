"""Conversations, messages and summaries out of the tables of a lossless-claw database."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import file_ids, level_of, span_of
from lcm_lab.dag.walk import bottom_up
from lcm_lab.errors import BadInput
from lcm_lab.messages import Message
from lcm_lab.store.lcm.markers import marker
from lcm_lab.store.lcm.parts import COLUMNS, parts
from lcm_lab.store.lcm.schema import Schema
from lcm_lab.text import clean, count_tokens
from lcm_lab.times import instant

__all__ = ["Tables", "message_name", "readable", "time_of"]

#: Messages whose parts are read together.
TOGETHER = 5_000
#: No count is as large.
LARGE = 1 << 40


def message_name(number: int) -> str:
    """Give the id that a message has here: ``m`` and its number there."""
    return f"m{number}"


@dataclass(frozen=True, slots=True)
class Tables:
    """A database and its schema.

    Attributes
    ----------
    connection : sqlite3.Connection
    schema : Schema
    """

    connection: sqlite3.Connection
    schema: Schema

    def rows(self, table: str, columns: tuple[str, ...], rest: str, *given: Any) -> Iterator[Any]:
        """Yield rows of a table, by name, null for columns that it does not have."""
        if not self.schema.has(table):
            return
        cursor = self.connection.cursor()
        cursor.row_factory = _row
        yield from cursor.execute(
            f"select {self.schema.select(table, *columns)} from {table} {rest}", given
        )

    def messages(self, conversation: int) -> Iterator[Message]:
        """Yield the messages of a conversation, in order."""
        session = self._session(conversation)
        asked = ("message_id", "seq", "role", "content", "created_at")
        first = -1
        while True:
            rest = "where conversation_id = ? and seq > ? order by seq limit ?"
            some = list(self.rows("messages", asked, rest, conversation, first, TOGETHER))
            if not some:
                return
            held = self._parts(conversation, some[0]["seq"], some[-1]["seq"])
            for row in some:
                yield _message(row, session, held[row["message_id"]])
            first = some[-1]["seq"]

    def _session(self, conversation: int) -> str:
        found = self.rows(
            "conversations", ("session_id",), "where conversation_id = ?", conversation
        )
        row = next(found, None)
        if row is None:  # listed a moment ago: its tables and indexes do not agree
            raise sqlite3.DatabaseError(f"conversation {conversation} is listed, and not there")
        return str(row["session_id"] or "")

    def _parts(self, conversation: int, first: int, last: int) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = defaultdict(list)
        rest = (
            "join messages m on m.message_id = message_parts.message_id "
            "where m.conversation_id = ? and m.seq between ? and ? "
            "order by m.seq, message_parts.ordinal"
        )
        asked = ("message_id", *COLUMNS)
        for row in self.rows("message_parts", asked, rest, conversation, first, last):
            found[row["message_id"]].append(row)
        return found

    def summaries(self, conversation: int) -> list[Summary]:
        """Give the summaries of a conversation, in the order of their making."""
        sources = self._sources(conversation)
        asked = (
            *("summary_id", "kind", "depth", "content", "token_count", "earliest_at"),
            *("latest_at", "created_at", "file_ids", "model"),
        )
        rest = "where conversation_id = ? order by rowid"
        return [
            _summary(row, sources.get(row["summary_id"], ()))
            for row in self.rows("summaries", asked, rest, conversation)
        ]

    def _sources(self, conversation: int) -> dict[str, tuple[str, ...]]:
        """Give what each summary was made from: summaries first, as it has either kind."""
        found: dict[str, list[str]] = defaultdict(list)
        for table, column in (
            ("summary_parents", "parent_summary_id"),
            ("summary_messages", "message_id"),
        ):
            ask = (
                f"select e.summary_id, e.{column} from {table} e "
                "join summaries s on s.summary_id = e.summary_id "
                f"where s.conversation_id = ? order by e.summary_id, e.ordinal, e.{column}"
            )
            for name, source in self.connection.execute(ask, (conversation,)):
                found[name].append(source if isinstance(source, str) else message_name(source))
        return {name: tuple(ids) for name, ids in found.items()}

    def frontier(self, conversation: int) -> tuple[str, ...]:
        """Give the ids of what the model sees, in order."""
        rest = "where conversation_id = ? order by ordinal"
        asked = ("message_id", "summary_id")
        return tuple(
            row["summary_id"] or message_name(row["message_id"])
            for row in self.rows("context_items", asked, rest, conversation)
        )

    def dag(self, conversation: int, name: str) -> Dag:
        """Give a conversation as a Dag; what an old schema does not record follows from sources."""
        dag = Dag(
            name,
            tuple(self.messages(conversation)),
            tuple(self.summaries(conversation)),
            self.frontier(conversation),
        )
        depths = self.schema.has("summaries", "depth")
        spans = self.schema.has("summaries", "earliest_at")
        return dag if depths and spans else _completed(dag, depths=not depths, spans=not spans)


def _message(row: Any, session: str, held: list[Any]) -> Message:
    role, stamp = clean(str(row["role"])), clean(str(row["created_at"] or ""))
    said = parts(held, role, str(row["content"] or ""))
    name = message_name(row["message_id"])
    return Message(name, clean(session), role, said, time_of(stamp), stamp)


def _summary(row: Any, sources: tuple[str, ...]) -> Summary:
    text, model = clean(str(row["content"])), clean(str(row["model"] or ""))
    tokens, depth = _whole(row["token_count"]), _whole(row["depth"])
    made = time_of(row["created_at"])
    # The marks of a text that was cut without a model.
    cut = marker(text, model) is not None
    return Summary(
        id=str(row["summary_id"]),
        text=text,
        sources=sources,
        depth=(0 if row["kind"] == "leaf" else 1) if depth is None else depth,
        tokens=count_tokens(text) if tokens is None else tokens,
        first=time_of(row["earliest_at"]),
        last=time_of(row["latest_at"]),
        level="cut" if cut else "",
        model="" if model == "unknown" else model,
        files=_files(row["file_ids"], text),
        created=made,
    )


def readable(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Give a row as it is read; what is text elsewhere may be bytes where somebody damaged it."""
    del cursor
    if bytes in map(type, values):
        return tuple(v.decode(errors="replace") if isinstance(v, bytes) else v for v in values)
    return values


def _row(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> sqlite3.Row:
    return sqlite3.Row(cursor, readable(cursor, values))


def _whole(written: Any) -> int | None:
    """Read a count; SQLite keeps anything in any column, and what is none is unknown."""
    return written if isinstance(written, int) and 0 <= written < LARGE else None


def _files(written: Any, text: str) -> tuple[str, ...]:
    if written is None:
        return file_ids(text)
    try:
        listed = json.loads(written)
    except (ValueError, RecursionError):
        return file_ids(str(written))
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def time_of(written: Any) -> int | None:
    """Read a time; without a zone it is UTC, and what is none is unknown."""
    try:
        return instant(written)
    except BadInput:
        return None


def _completed(dag: Dag, *, depths: bool, spans: bool) -> Dag:
    made = {one.id: one for one in dag.summaries}
    held = {one.id: one for one in dag.messages}
    for one in bottom_up(dag):
        below = [made.get(name) or held.get(name) for name in one.sources]
        there = [node for node in below if node is not None]
        if depths and there:
            made[one.id] = replace(made[one.id], depth=1 + max(map(level_of, there)))
        if spans:
            first, last = span_of(there)
            made[one.id] = replace(made[one.id], first=first, last=last)
    return replace(dag, summaries=tuple(made.values()))
