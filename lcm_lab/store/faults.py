"""What is wrong in a store, if anything: rules that every write keeps, looked at row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from lcm_lab.messages import INDEXED, Message, rows
from lcm_lab.store import fulltext
from lcm_lab.store.files import REFERENCE
from lcm_lab.store.incoming import scoped
from lcm_lab.store.reading import dag_of, messages_of
from lcm_lab.store.rows import folded
from lcm_lab.transcripts.identity import identity

__all__ = ["WHOLE", "faults"]

WHOLE = "the file is whole"

#: Rules that a query finds the breaks of: each gives ids.
QUERIES = {
    "messages are numbered 0, 1, 2": """
        select c.name from conversations c join messages m on m.conversation = c.number
        group by c.number having min(m.seq) <> 0 or max(m.seq) <> count(*) - 1
    """,
    "messages stand in the order of their places": """
        select b.id from messages a join messages b
        on b.conversation = a.conversation and b.seq = a.seq + 1 where b.place < a.place
    """,
    "a session is of the conversation of its messages": """
        select m.id from messages m join sessions s on s.number = m.session
        where s.conversation <> m.conversation
    """,
    "what is on the active branch is in the index": f"""
        select m.id from docs d join messages m on m.number = d.message
        where d.indexed <> (m.active and d.kind in {fulltext.KINDS})
    """,
    "tokens of a message are those of its docs": """
        select m.id from messages m left join docs d on d.message = m.number
        group by m.number having m.tokens <> coalesce(sum(d.tokens), 0)
    """,
    "the text of a part is there": """
        select m.id from parts p join messages m on m.number = p.message
        where p.text is null and not exists (
            select 1 from docs d where d.message = p.message
            and d.kind = case when p.kind in ('image', 'file') then 'text' else p.kind end
        )
        union select m.id from messages m where m.plain
        and (select count(*) from docs d where d.message = m.number) <> 1
    """,
    "the frontier is numbered 0, 1, 2": """
        select c.name from conversations c join frontier f on f.conversation = c.number
        group by c.number having min(f.ordinal) <> 0 or max(f.ordinal) <> count(*) - 1
    """,
    "a conversation that was compacted has a frontier": """
        select name from conversations c where compacted <>
        exists (select 1 from frontier f where f.conversation = c.number)
    """,
    "what an edge names is of the same conversation": """
        select s.id from edges e join summaries s on s.number = e.summary
        left join messages m on m.number = e.message left join summaries u on u.number = e.source
        where coalesce(m.conversation, u.conversation) is not s.conversation
    """,
}

_TEXTS = """
    select m.id, d.text, d.narrow, d.folded from docs d join messages m on m.number = d.message
"""
_SUMMARIES = "select id, text, narrow, folded from summaries"


def faults(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Find what breaks a rule.

    Yields
    ------
    str, str
        The rule, and the id, name or table that breaks it.
    """
    for told in _damage(connection):
        yield WHOLE, told
    for table, row, _, _ in connection.execute("pragma foreign_key_check"):
        yield "what a row refers to is there", f"{table} {row}"
    for rule, query in QUERIES.items():
        for (name,) in connection.execute(query):
            yield rule, name
    yield from _texts(connection)
    talks = connection.execute("select number, name, compacted from conversations").fetchall()
    for number, name, compacted in talks:
        yield from _messages(connection, number, name)
        if compacted:
            yield from _dag(connection, number, name)
    yield from fulltext.faults(connection)


def _damage(connection: sqlite3.Connection) -> Iterator[str]:
    try:
        for (told,) in connection.execute("pragma integrity_check"):
            if told != "ok":
                yield told
    except sqlite3.DatabaseError as error:  # so damaged that not even this can be found out
        yield str(error)


def _texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    for query in (_TEXTS, _SUMMARIES):
        for name, text, narrow, words in connection.execute(query):
            if (narrow, words) != folded(text):
                yield "what is indexed is the text", name


def _messages(
    connection: sqlite3.Connection, conversation: int, name: str
) -> Iterator[tuple[str, str]]:
    ask = "select id, identity, plain from messages where conversation = ?"
    rest = connection.execute(ask, (conversation,)).fetchall()
    written = {one: content for one, content, _ in rest}
    plain = {one for one, _, alone in rest if alone}  # the one part is the doc itself
    ask = (
        "select m.id, d.kind, d.text from docs d join messages m on m.number = d.message "
        "where m.conversation = ?"
    )
    docs: dict[str, dict[str, str]] = {}
    for one, kind, text in connection.execute(ask, (conversation,)):
        docs.setdefault(one, {})[kind] = text
    for message in messages_of(connection, "conversation = ?", conversation):
        held = docs.get(message.id, {})
        told = () if message.id in plain else rows(message, INDEXED)
        if any(held.get(row[7]) != row[1] for row in told):
            yield "docs are the texts of the message", message.id
        if not _is_same(message, name, written[message.id]):
            yield "the identity is that of the content", message.id


def _is_same(message: Message, conversation: str, written: bytes) -> bool:
    """Tell whether an identity is right; of what was put aside in part it cannot be told."""
    if any(REFERENCE.search(part.text) for part in message.parts):
        return True
    at = scoped(conversation, message.session)
    return bytes.fromhex(identity(replace(message, session=at))) == written


def _dag(connection: sqlite3.Connection, number: int, name: str) -> Iterator[tuple[str, str]]:
    checked = dag_of(connection, number, name).check()
    for rule, examples in zip(checked["rule"], checked["examples"], strict=True):
        for one in examples:
            yield rule, one
