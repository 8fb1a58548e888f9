"""Summaries, their edges and the frontier: written as a Dag says, and kept up with messages.

As long as nothing was compacted the frontier is the branch itself and is not written down.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadInput
from lcm_lab.messages import Message
from lcm_lab.store import fulltext
from lcm_lab.store.reading import frontier_of, messages_of, summaries_of
from lcm_lab.store.rows import folded
from lcm_lab.text import clean

__all__ = ["extend", "follow", "keep_up", "put"]


_AMONG = "number in (select value from json_each(?))"


def put(connection: sqlite3.Connection, conversation: int, dag: Dag) -> None:
    """Write the summaries and the frontier of a Dag in the place of those that are there.

    Raises
    ------
    BadInput
        For a Dag that breaks a rule, or holds messages that the store does not.
    """
    broken = dag.check().query("violations > 0")
    if len(broken):
        first = broken.iloc[0]
        raise BadInput(
            f"{len(broken)} rules of a Dag are broken, such as: {first['rule']} "
            f"({', '.join(first['examples'][:3])}). dag.check() lists them."
        )
    ask = "select id, number from messages where conversation = ?"
    numbers = dict(connection.execute(ask, (conversation,)))
    missing = [one.id for one in dag.messages if one.id not in numbers]
    if missing:
        raise BadInput(
            f"{len(missing):,} messages of the Dag are not in the store, such as "
            f"{', '.join(missing[:3])}. Add them first: store.add(transcripts)."
        )
    connection.execute("delete from frontier where conversation = ?", (conversation,))
    _write_summaries(connection, conversation, dag.summaries, numbers)
    _write_frontier(connection, conversation, dag.frontier)
    connection.execute("update conversations set compacted = 1 where number = ?", (conversation,))
    follow(connection, conversation)


def keep_up(connection: sqlite3.Connection, conversations: Iterable[int]) -> None:
    """Bring messages that came, left or moved into the frontiers that are written down."""
    for number in conversations:
        ask = "select compacted from conversations where number = ?"
        if connection.execute(ask, (number,)).fetchone()[0]:
            follow(connection, number)


def extend(connection: sqlite3.Connection, conversation: int, message: Message) -> None:
    """Put a message that was said last at the end of a frontier that is written down."""
    ask = "select compacted from conversations where number = ?"
    if not connection.execute(ask, (conversation,)).fetchone()[0]:
        return
    if message.sidechain:
        follow(connection, conversation)
        return
    connection.execute(
        "insert into frontier select ?1, coalesce(max(ordinal), -1) + 1, "
        "(select number from messages where id = ?2), null from frontier where conversation = ?1",
        (conversation, message.id),
    )


def follow(connection: sqlite3.Connection, conversation: int) -> None:
    """Make the frontier of a compacted conversation follow its branch.

    A summary that covers what was left behind goes out of use; what stands of its sources comes
    back to the frontier.
    """
    seen = frontier_of(connection, conversation)
    if not seen:
        return
    messages = list(messages_of(connection, "conversation = ?", conversation))
    branch = [one for one in messages if one.active]
    own = [one for one in branch if not one.sidechain] or branch
    summaries = summaries_of(connection, conversation, active=False)
    after = Dag("", tuple(messages), tuple(summaries.values()), seen).follow(own)
    if after.frontier == seen:
        return
    connection.execute("delete from frontier where conversation = ?", (conversation,))
    _write_frontier(connection, conversation, after.frontier)
    used = {one.id for one in after.summaries}
    for active in (False, True):
        changed = [number for number, one in summaries.items() if (one.id in used) == active]
        _use(connection, changed, active=active)


def _write_summaries(
    connection: sqlite3.Connection,
    conversation: int,
    summaries: tuple[Summary, ...],
    messages: Mapping[str, int],
) -> None:
    there = {
        one.id: (number, one)
        for number, one in summaries_of(connection, conversation, active=False).items()
    }
    wanted = {one.id: one for one in summaries}
    gone = [number for name, (number, one) in there.items() if wanted.get(name) != one]
    marks = [(number,) for number in gone]
    fulltext.take_out(connection, "summaries", _AMONG, json.dumps(gone))
    connection.executemany("delete from edges where summary = ?", marks)
    connection.executemany("delete from edges where source = ?", marks)
    connection.executemany("delete from summaries where number = ?", marks)
    numbers = {name: number for name, (number, one) in there.items() if wanted.get(name) == one}
    new = [one for one in summaries if one.id not in numbers]
    for one in new:
        numbers[one.id] = _insert(connection, conversation, one)
    _use(connection, list(numbers.values()), active=True)
    connection.executemany(
        "insert into edges values (?, ?, ?, ?)",
        [
            (numbers[one.id], ordinal, messages.get(name), numbers.get(name))
            for one in new
            for ordinal, name in enumerate(one.sources)
        ],
    )


def _use(connection: sqlite3.Connection, numbers: Iterable[int], *, active: bool) -> None:
    """Put summaries into use, and into the index, or out of both."""
    changed = f"{_AMONG} and active <> ?"
    given = json.dumps(list(numbers)), active
    if not active:
        fulltext.take_out(connection, "summaries", changed, *given)
    ask = f"select number from summaries where {changed}"
    now = json.dumps([number for (number,) in connection.execute(ask, given)])
    connection.execute(f"update summaries set active = ? where {_AMONG}", (active, now))
    if active:
        fulltext.put_in(connection, "summaries", _AMONG, now)


def _insert(connection: sqlite3.Connection, conversation: int, one: Summary) -> int:
    text = clean(one.text)
    done = connection.execute(
        "insert into summaries (conversation, id, depth, tokens, first, last, level, model, files, "
        "created, active, narrow, folded, text) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
        (
            *(conversation, one.id, one.depth, one.tokens, one.first, one.last, one.level),
            *(one.model, json.dumps(one.files), one.created, *folded(text), text),
        ),
    )
    return int(done.lastrowid or 0)


def _write_frontier(
    connection: sqlite3.Connection, conversation: int, names: tuple[str, ...]
) -> None:
    connection.executemany(
        "insert into frontier values (?1, ?2, "
        "(select number from messages where conversation = ?1 and id = ?3), "
        "(select number from summaries where conversation = ?1 and id = ?3))",
        [(conversation, ordinal, name) for ordinal, name in enumerate(names)],
    )
