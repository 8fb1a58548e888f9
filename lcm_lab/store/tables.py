"""What a store tells of itself: its conversations, their families, and rows to search in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from collections.abc import Collection as Names
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.corpus import BEHIND, Corpus
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.messages import INDEXED
from lcm_lab.ranking.exact.fts import LENDER
from lcm_lab.store import branching, columns, fulltext
from lcm_lab.store.fulltext import KINDS
from lcm_lab.store.lending import Lender

__all__ = ["SCOPES", "Asked", "asked", "conversations", "corpus", "family"]

SCOPES = ("messages", "summaries")

#: What a corpus is asked for: kinds, scopes, the conversation or None, and whether what a rewind
#: left behind is wanted too.
Asked = tuple[tuple[str, ...], tuple[str, ...], str | None, bool]
Open = Callable[[], sqlite3.Connection]

_CONVERSATIONS = """
    select c.name, c.key, c.archived = '' as active, c.archived, c.title, c.cwd, c.branch, c.agent,
        c.parent,
        (select count(*) from sessions s where s.conversation = c.number) as sessions,
        coalesce(m.messages, 0) as messages, coalesce(m.tokens, 0) as tokens,
        (select count(*) from summaries u where u.conversation = c.number and u.active)
            as summaries,
        m.first, m.last, c.dirty as indexing
    from conversations c left join (
        select conversation, count(*) as messages, sum(tokens) as tokens, min(time) as first,
            max(time) as last
        from messages group by conversation
    ) m on m.conversation = c.number
    order by c.number
"""
_FAMILY = """
    select c.name from conversations c join conversations base on base.number = ?
    where c.number = base.number or (base.key <> '' and c.key = base.key)
    order by c.archived <> '',
        (select min(time) from messages m where m.conversation = c.number) desc, c.number desc
"""


def conversations(connection: sqlite3.Connection) -> pd.DataFrame:
    """List the conversations; see `Store.conversations`."""
    cursor = connection.execute(_CONVERSATIONS)
    names = [column[0] for column in cursor.description]
    frame = pd.DataFrame(cursor.fetchall(), columns=names)
    times = {name: pd.to_datetime(frame[name], unit="us", utc=True) for name in ("first", "last")}
    flags = {name: frame[name].astype(bool) for name in ("active", "indexing")}
    return frame.assign(**times, **flags)


def family(connection: sqlite3.Connection, number: int) -> list[str]:
    """Name the conversations of a family; see `Store.family`."""
    return [name for (name,) in connection.execute(_FAMILY, (number,))]


def asked(
    kinds: Names[str], scope: Names[str], conversation: str | None, *, abandoned: bool
) -> Asked:
    """Check what a corpus is asked for.

    Raises
    ------
    BadParameter
        For a kind or a scope that there is not.
    """
    some = {"kinds": _several(kinds), "scope": _several(scope)}
    for name, options in (("kinds", INDEXED), ("scope", SCOPES)):
        for one in some[name]:
            if one not in options:
                raise BadParameter(
                    f"{name} are {', '.join(options)}. Got {one!r}.{nearest(one, options)}"
                )
    return some["kinds"], some["scope"], conversation, abandoned


def corpus(
    connection: sqlite3.Connection, wanted: Asked, number: int | None, opens: Open | None
) -> Corpus:
    """Make a corpus; where ``opens`` gives connections, it lends the store's index."""
    kinds, scope, _, abandoned = wanted
    said = kinds if "messages" in scope else ()
    found = {"docs": columns.docs(connection, said, number, abandoned=abandoned)}
    if "summaries" in scope:
        found["summaries"] = columns.summaries(connection, number)
    found = {base: pair for base, pair in found.items() if pair[0].num_rows}
    made = Corpus(_together([table for table, _ in found.values()]))
    behind = [name for at, name in branching.dirty(connection) if number in (None, at)]
    made.memo(BEHIND, lambda: behind)
    whole = number is None and not abandoned
    if opens is not None and whole and (set(kinds) == set(KINDS) or "docs" not in found):
        groups = tuple(
            (base, _places(made, table["docno"], numbers))
            for base, (table, numbers) in found.items()
        )
        lender = Lender(
            opens,
            _revision(connection),
            fulltext.tokenizers(connection),
            groups,
            _plain(connection),
        )
        made.memo(LENDER, lambda: lender)
    return made


def _several(given: Names[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _together(tables: list[pa.Table]) -> pa.Table:
    if not tables:
        return pa.table({"text": pa.array([], pa.large_string())})
    joined = pa.concat_tables(tables, promote_options="permissive")
    joined = joined.append_column("seq", pa.array(np.arange(joined.num_rows)))
    for at, name in enumerate(joined.column_names):
        if pa.types.is_string(joined[name].type) and joined[name].null_count:
            joined = joined.set_column(at, name, pc.fill_null(joined[name], ""))
    return joined


def _places(made: Corpus, docnos: Any, numbers: Any) -> Any:
    """Give the row of each number of a table, -1 where there is none."""
    rows = np.full(int(numbers.max()) + 1, -1, np.int64)
    rows[numbers] = made.row_of(docnos.to_pylist())
    return rows


def _revision(connection: sqlite3.Connection) -> int:
    return int(connection.execute("select value from meta where name = 'revision'").fetchone()[0])


def _plain(connection: sqlite3.Connection) -> bool:
    """Tell whether every text is indexed as it stands, whatever system asks."""
    ask = (
        "select exists (select 1 from docs where folded is not null) "
        "or exists (select 1 from summaries where folded is not null or narrow is not null)"
    )
    return not connection.execute(ask).fetchone()[0]
