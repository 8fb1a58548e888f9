"""Conversations that were deleted: an import leaves them out until one asks for them again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

__all__ = ["TOLD", "among", "forget", "listed", "note"]

#: What the row of ``meta`` is called that names one.
MARK = "deleted:"
#: Why an import leaves one out.
TOLD = "deleted from the store. store.restore({!r}) lets an import bring it back"


def note(connection: sqlite3.Connection, name: str) -> None:
    """Write down that a conversation was deleted."""
    connection.execute("insert or replace into meta values (?, 1)", (MARK + name,))


def forget(connection: sqlite3.Connection, name: str) -> bool:
    """Take that back; gives whether there was something to."""
    done = connection.execute("delete from meta where name = ?", (MARK + name,))
    return bool(done.rowcount)


def among(connection: sqlite3.Connection, names: Iterable[str]) -> set[str]:
    """Tell which of some conversations were deleted."""
    ask = "select name from meta where name in (select ? || value from json_each(?))"
    found = connection.execute(ask, (MARK, json.dumps(list(names))))
    return {name.removeprefix(MARK) for (name,) in found}


def listed(connection: sqlite3.Connection) -> list[str]:
    """List those that were deleted, by name."""
    ask = "select name from meta where name glob ? order by name"
    return [name.removeprefix(MARK) for (name,) in connection.execute(ask, (f"{MARK}*",))]
