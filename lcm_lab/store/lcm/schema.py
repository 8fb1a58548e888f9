"""Which tables and columns a lossless-claw database has: schemas are told apart by these alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lcm_lab.errors import BadInput
from lcm_lab.store.opening import APPLICATION

__all__ = ["IsStore", "Schema", "recognise"]

#: Without these it is no such database; every schema so far has them.
NEEDED = {
    "conversations": {"conversation_id", "session_id", "created_at"},
    "messages": {"message_id", "conversation_id", "seq", "role", "content", "created_at"},
    "summaries": {"summary_id", "conversation_id", "kind", "content", "created_at"},
    "summary_messages": {"summary_id", "message_id", "ordinal"},
    "summary_parents": {"summary_id", "parent_summary_id", "ordinal"},
    "context_items": {"conversation_id", "ordinal", "item_type", "message_id", "summary_id"},
}
#: What came later, and what stands for it where it is not there.
LATER = {
    ("conversations", "session_key"): "families are told by session alone",
    ("conversations", "active"): "every conversation counts as active",
    ("conversations", "archived_at"): "nothing says when a conversation was archived",
    ("conversations", "archive_cause"): "nothing says why a conversation was archived",
    ("messages", "token_count"): "tokens of messages are not recorded",
    ("messages", "identity_hash"): "messages have no identity to check",
    ("messages", "large_content"): "nothing says which messages were put aside as files",
    ("summaries", "depth"): "depth follows from what a summary was made from",
    ("summaries", "token_count"): "tokens of summaries are counted anew",
    ("summaries", "earliest_at"): "the time span of a summary follows from its sources",
    ("summaries", "latest_at"): "the time span of a summary follows from its sources",
    ("summaries", "descendant_count"): "totals under a summary are not recorded",
    ("summaries", "descendant_token_count"): "totals under a summary are not recorded",
    ("summaries", "source_message_token_count"): "totals under a summary are not recorded",
    ("summaries", "file_ids"): "files of a summary are those that its text names",
    ("summaries", "model"): "nothing says which model wrote a summary",
    ("message_parts", "part_type"): "messages have their text alone, no tool calls",
    ("large_files", "file_id"): "there are no large files",
    ("large_files", "line_count"): "lines of large files are not recorded",
}
KNOWN = "conversations, messages, summaries, summary_messages, summary_parents and context_items"


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of each table, and what follows from those that are missing.

    Attributes
    ----------
    columns : mapping of str to frozenset of str
    notes : tuple of str
    """

    columns: Mapping[str, frozenset[str]]
    notes: tuple[str, ...]

    def has(self, table: str, column: str = "") -> bool:
        """Tell whether a table is there, or a column of it."""
        there = self.columns.get(table, frozenset())
        return column in there if column else bool(there)

    def select(self, table: str, *columns: str) -> str:
        """Write a list of columns for a query, null for those that are missing."""
        return ", ".join(
            f"{table}.{name}" if self.has(table, name) else f"null as {name}" for name in columns
        )


class IsStore(BadInput):
    """A store of our own where a lossless-claw database was asked for."""


def recognise(connection: sqlite3.Connection, shown: str) -> Schema:
    """Read which columns a database has.

    Raises
    ------
    BadInput
        For a database that is another one; says what it is.
    """
    try:
        columns = dict(_columns(connection))
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise BadInput(f"{shown!r} is no sound SQLite database: {error}.") from error
    if connection.execute("pragma application_id").fetchone()[0] == APPLICATION:
        raise IsStore(f"{shown!r} is a store of lcm_lab. Open it with lcm_lab.Store({shown!r}).")
    lost = [
        f"{table}.{column}" if table in columns else table
        for table, wanted in NEEDED.items()
        for column in sorted(wanted - columns.get(table, frozenset()))
    ]
    if lost:
        there = ", ".join(sorted(columns)[:12]) or "no table"
        raise BadInput(
            f"{shown!r} is an SQLite database with {there}; one of lossless-claw has {KNOWN}. "
            f"Missing: {', '.join(dict.fromkeys(lost))}."
        )
    notes = (
        f"no {table}.{column}: {what}" if table in columns else f"no {table}: {what}"
        for (table, column), what in LATER.items()
        if column not in columns.get(table, frozenset())
    )
    return Schema(columns, tuple(notes))


def _columns(connection: sqlite3.Connection) -> Iterator[tuple[str, frozenset[str]]]:
    # As SQLite understood the schema: what is called like a table may be a view that never ends.
    ask = (
        "select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')"
        " and substr(name, 1, 7) <> 'sqlite_'"
    )
    tables: list[Any] = connection.execute(ask).fetchall()
    for (table,) in tables:
        found = connection.execute("select name from pragma_table_info(?)", (table,))
        yield table, frozenset(name for (name,) in found)
