"""Messages, summaries and rows of a corpus, read back out of the tables."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadInput
from lcm_lab.messages import Message, Part
from lcm_lab.store.rows import parts_from

__all__ = ["dag_of", "frontier_of", "messages_of", "summaries_of"]

_MESSAGES = """
    select m.number, m.id, s.name, m.role, m.time, m.stamp, m.parent, m.speaker, m.sidechain,
        m.source, m.line, m.active, m.segment, m.plain
    from messages m join sessions s on s.number = m.session
    where m.{where} order by m.conversation, m.seq
"""
_DOCS = """
    select d.message, d.kind, d.text from docs d join messages m on m.number = d.message
    where m.{where}
"""
_PARTS = """
    select p.message, p.kind, p.name, p.call, p.error, p.raw, p.text
    from parts p join messages m on m.number = p.message
    where m.{where} order by p.message, p.ordinal
"""
_SUMMARIES = """
    select number, id, text, depth, tokens, first, last, level, model, files, created
    from summaries where conversation = ? and (active or not ?) order by number
"""
_EDGES = """
    select e.summary, coalesce(m.id, s.id) from edges e
    join summaries o on o.number = e.summary
    left join messages m on m.number = e.message left join summaries s on s.number = e.source
    where o.conversation = ? order by e.summary, e.ordinal
"""
_FRONTIER = """
    select coalesce(m.id, s.id) from frontier f
    left join messages m on m.number = f.message left join summaries s on s.number = f.summary
    where f.conversation = ? order by f.ordinal
"""


def messages_of(
    connection: sqlite3.Connection, where: str, *given: Any, keep: bool = True
) -> Iterator[Message]:
    """Read messages in order, ``where`` being a condition on a column of theirs.

    Parameters
    ----------
    where : str
        Such as ``conversation = ?``.
    keep : bool
        Whether those that a rewind left behind are there too.
    """
    docs: dict[int, dict[str, str]] = defaultdict(dict)
    for number, kind, text in connection.execute(_DOCS.format(where=where), given):
        docs[number][kind] = text
    parts: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for number, *row in connection.execute(_PARTS.format(where=where), given):
        parts[number].append(tuple(row))
    for number, *row, plain in connection.execute(_MESSAGES.format(where=where), given):
        if not row[10] and not keep:
            continue
        said = docs.get(number, {})
        if plain:
            found = tuple(Part(kind, text) for kind, text in said.items())  # type: ignore[arg-type]
        else:
            found = parts_from(parts.get(number, []), said)
        yield _message(row, found)


def _message(row: list[Any], parts: tuple[Part, ...]) -> Message:
    name, session, role, time, stamp, parent, speaker, side, source, line, active, segment = row
    try:
        return Message(
            id=name,
            session=session,
            role=role,
            parts=parts,
            time=time,
            stamp=stamp,
            parent=parent,
            speaker=speaker,
            sidechain=bool(side),
            source=source,
            line=line,
            active=bool(active),
            segment=segment,
        )
    except BadInput as error:  # of its time
        raise BadInput(f"The store is damaged: in message {name!r:.80}, {error}") from None


def summaries_of(
    connection: sqlite3.Connection, conversation: int, *, active: bool = True
) -> dict[int, Summary]:
    """Read the summaries of a conversation by number, in the order of their making."""
    sources: dict[int, list[str]] = defaultdict(list)
    for number, name in connection.execute(_EDGES, (conversation,)):
        sources[number].append(name)
    found = {}
    rows = connection.execute(_SUMMARIES, (conversation, active))
    for number, name, text, depth, tokens, first, last, level, model, files, created in rows:
        under, mentioned = tuple(sources[number]), tuple(json.loads(files))
        facts = (depth, tokens, first, last, level, model, mentioned, created)
        found[number] = Summary(name, text, under, *facts)
    return found


def frontier_of(connection: sqlite3.Connection, conversation: int) -> tuple[str, ...]:
    """Read the frontier that was written down; nothing where there is none."""
    return tuple(name for (name,) in connection.execute(_FRONTIER, (conversation,)))


def dag_of(connection: sqlite3.Connection, conversation: int, name: str) -> Dag:
    """Read a conversation as a Dag: its branch, its summaries and its frontier.

    What subagents said is left out, unless it is all there is.
    """
    branch = list(messages_of(connection, "conversation = ?", conversation, keep=False))
    own = [one for one in branch if not one.sidechain] or branch
    frontier = frontier_of(connection, conversation) or tuple(one.id for one in own)
    summaries = summaries_of(connection, conversation)
    return Dag(name, tuple(own), tuple(summaries.values()), frontier)
