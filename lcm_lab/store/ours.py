"""Whether a store has what stores have and nothing else: a schema is code, and runs as it is read.

A view called like a table of ours may never end, a trigger deletes while we write, and a column
that is computed may be any number of gigabytes.
"""

from __future__ import annotations

import sqlite3

from lcm_lab.errors import BadInput
from lcm_lab.store import fulltext

__all__ = ["require_ours"]

#: The table that says which views and virtual tables are ours, should it be none.
NO_TABLE = """
    select cast(name as blob) from pragma_table_list
    where schema = 'main' and name = 'meta' and type <> 'table'
"""
#: Tables with columns that are computed when they are read, or were when written.
COMPUTED = """
    select cast(t.name as blob) from pragma_table_list t, pragma_table_xinfo(t.name) c
    where t.schema = 'main' and t.type in ('table', 'shadow') and c.hidden in (2, 3)
"""
#: What does more than hold data, by its text alone: SQLite begins each in the same letters, and to
#: ask more of a virtual table is to run it.
ACTING = """
    select cast(name as blob) from sqlite_master
    where sql is not null and not (sql like 'create table %' or sql like 'create index %'
    or sql like 'create unique index %' or lower(sql) in ({}))
"""


def require_ours(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a store into whose schema somebody else has put what runs.

    Raises
    ------
    BadInput
        For a trigger, a computed column, and a view or virtual table that is none of ours.
    """
    asked = (connection.execute(ask).fetchone() for ask in (NO_TABLE, COMPUTED))
    found = next(filter(None, asked), None) or _acting(connection)
    if found is not None:
        name = bytes(found[0]).decode("utf-8", "replace")
        raise BadInput(
            f"{path!r} has {name!r:.80} in its schema, which no store has and which would run as "
            "it is read. Import what the store was made from into a new one."
        )


def _acting(connection: sqlite3.Connection) -> tuple[bytes] | None:
    ours = [sql.lower() for sql in fulltext.statements(fulltext.tokenizers(connection))]
    ask = ACTING.format(", ".join("?" * len(ours)))
    found: tuple[bytes] | None = connection.execute(ask, ours).fetchone()
    return found
