"""What can be wrong with the tables of a lossless-claw database, beside its Dags: rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

from lcm_lab.store.files import REFERENCE
from lcm_lab.store.lcm.reading import Tables, message_name, time_of

__all__ = ["MEANINGS", "faults"]

#: How often the same words may come in within a second before they are a replay (spec/lcm.md 1.6).
REPLAYED = {"user": 3}
REPLAYED_ELSE = 32


def faults(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield (rule, id) for each breach, rule by rule."""
    for rule, broken in CHECKS.items():
        yield from ((rule, name) for name in broken(tables))


def _damage(tables: Tables) -> Iterator[str]:
    for (told,) in tables.connection.execute("pragma integrity_check"):
        if told != "ok":
            yield told


def _unnumbered(tables: Tables) -> Iterator[str]:
    ask = (
        "select conversation_id from context_items group by conversation_id "
        "having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1"
    )
    yield from (str(number) for (number,) in tables.connection.execute(ask))


def _gaps(tables: Tables) -> Iterator[str]:
    ask = (
        "select conversation_id from messages group by conversation_id "
        "having max(seq) - min(seq) <> count(*) - 1"
    )
    yield from (str(number) for (number,) in tables.connection.execute(ask))


def _misnumbered_sources(tables: Tables) -> Iterator[str]:
    for table in ("summary_messages", "summary_parents"):
        ask = (
            f"select summary_id from {table} group by summary_id "
            "having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1 "
            "or count(distinct ordinal) <> count(*)"
        )
        yield from (name for (name,) in tables.connection.execute(ask))


def _wrong_kinds(tables: Tables) -> Iterator[str]:
    """Yield leaves made of summaries, and condensed summaries made of messages."""
    ask = (
        "select summary_id from summaries s where (kind = 'leaf' and exists "
        "(select 1 from summary_parents p where p.summary_id = s.summary_id)) "
        "or (kind = 'condensed' and exists "
        "(select 1 from summary_messages m where m.summary_id = s.summary_id))"
    )
    yield from (name for (name,) in tables.connection.execute(ask))


def _foreign(tables: Tables) -> Iterator[str]:
    ask = (
        "select s.summary_id from summaries s join summary_parents p using (summary_id) "
        "join summaries o on o.summary_id = p.parent_summary_id "
        "where o.conversation_id <> s.conversation_id union "
        "select s.summary_id from summaries s join summary_messages e using (summary_id) "
        "join messages m on m.message_id = e.message_id "
        "where m.conversation_id <> s.conversation_id order by 1"
    )
    yield from (name for (name,) in tables.connection.execute(ask))


def _totals(tables: Tables) -> Iterator[str]:
    """Yield summaries whose recorded totals are not the sums over what is directly under them."""
    columns = ("descendant_count", "descendant_token_count", "source_message_token_count")
    needed = [("summaries", name) for name in (*columns, "token_count")]
    if not all(tables.schema.has(*one) for one in [*needed, ("messages", "token_count")]):
        return
    ask = """
        select s.summary_id from summaries s where
        s.descendant_count <> (select count(*) + coalesce(sum(o.descendant_count), 0)
            from summary_parents p join summaries o on o.summary_id = p.parent_summary_id
            where p.summary_id = s.summary_id)
        or s.descendant_token_count <> (
            select coalesce(sum(o.token_count + o.descendant_token_count), 0)
            from summary_parents p join summaries o on o.summary_id = p.parent_summary_id
            where p.summary_id = s.summary_id)
        or s.source_message_token_count <> (
            select coalesce(sum(o.source_message_token_count), 0)
            from summary_parents p join summaries o on o.summary_id = p.parent_summary_id
            where p.summary_id = s.summary_id) + (
            select coalesce(sum(m.token_count), 0)
            from summary_messages e join messages m on m.message_id = e.message_id
            where e.summary_id = s.summary_id)
        order by s.rowid
    """
    yield from (name for (name,) in tables.connection.execute(ask))


def _unindexed(tables: Tables) -> Iterator[str]:
    for name, text, indexed in _pairs(tables):
        if text.strip() and indexed is None:
            yield name


def _stale(tables: Tables) -> Iterator[str]:
    """Yield what is indexed under other words; of a reference only some lines are (1.8)."""
    for name, text, indexed in _pairs(tables):
        if indexed is not None and indexed != text and not REFERENCE.match(text):
            yield name


def _orphans(tables: Tables) -> Iterator[str]:
    run = tables.connection.execute
    if tables.schema.has("messages_fts_content", "c0"):
        ask = (
            "select id from messages_fts_content "
            "where id not in (select message_id from messages) order by id"
        )
        yield from (message_name(number) for (number,) in run(ask))
    for table in SUMMARY_INDEXES:
        if tables.schema.has(table, "c1"):
            ask = (
                f"select c0 from {table} "
                "where c0 not in (select summary_id from summaries) order by id"
            )
            yield from (str(name) for (name,) in run(ask))


SUMMARY_INDEXES = ("summaries_fts_content", "summaries_fts_cjk_content")


def _pairs(tables: Tables) -> Iterator[tuple[str, str, str | None]]:
    """Yield (id, text, indexed text or None) for each row of each index that keeps its text."""
    run = tables.connection.execute
    if tables.schema.has("messages_fts_content", "c0"):
        ask = (
            "select message_id, content, c0 from messages "
            "left join messages_fts_content on id = message_id order by message_id"
        )
        yield from ((message_name(number), text, there) for number, text, there in run(ask))
    for table in SUMMARY_INDEXES:
        if tables.schema.has(table, "c1"):
            ask = (
                "select summary_id, content, c1 from summaries "
                f"left join {table} on c0 = summary_id order by summaries.rowid"
            )
            yield from run(ask)


def _untrue(tables: Tables) -> Iterator[str]:
    """Yield messages that are not what their identity says; of a user's, wrappers are left out."""
    if not tables.schema.has("messages", "identity_hash"):
        return
    ask = (
        "select message_id, role, content, identity_hash from messages "
        "where identity_hash is not null and role <> 'user' order by message_id"
    )
    for number, role, content, wanted in tables.connection.execute(ask):
        if sha256(f"{role}\x00{content}".encode("utf-8", "surrogatepass")).hexdigest() != wanted:
            yield message_name(number)


def _replayed(tables: Tables) -> Iterator[str]:
    ask = (
        "select min(message_id), role, count(*) from messages where content <> '' "
        "group by conversation_id, role, created_at, content having count(*) > 2 order by 1"
    )
    for number, role, count in tables.connection.execute(ask):
        if count >= REPLAYED.get(role, REPLAYED_ELSE):
            yield message_name(number)


def _untimed(tables: Tables) -> Iterator[str]:
    ask = "select distinct created_at from messages"
    bad = [text for (text,) in tables.connection.execute(ask) if time_of(text) is None]
    for text in bad:
        ask = "select message_id from messages where created_at is ? order by message_id"
        yield from (message_name(number) for (number,) in tables.connection.execute(ask, (text,)))


def _partless(tables: Tables) -> Iterator[str]:
    """Yield parts of one message that do not number 0, 1, 2."""
    if not tables.schema.has("message_parts"):
        return
    ask = (
        "select message_id from message_parts group by message_id "
        "having min(ordinal) <> 0 or max(ordinal) <> count(*) - 1 order by 1"
    )
    yield from (message_name(number) for (number,) in tables.connection.execute(ask))


CHECKS: dict[str, Callable[[Tables], Iterator[str]]] = {
    "the file is whole": _damage,
    "the frontier is numbered without a gap": _unnumbered,
    "messages are numbered without a gap": _gaps,
    "parts are numbered without a gap": _partless,
    "sources are numbered without a gap": _misnumbered_sources,
    "a leaf is made of messages, the rest of summaries": _wrong_kinds,
    "a summary and its sources are of one conversation": _foreign,
    "totals are the sums of what is beneath": _totals,
    "every text is in the index": _unindexed,
    "the index holds nothing else": _orphans,
    "the index holds the text as it is": _stale,
    "a message is what its identity says": _untrue,
    "nothing was replayed": _replayed,
    "every message has a time": _untimed,
}

MEANINGS: dict[str, str] = {
    "the file is whole": "SQLite finds damage. Restore a copy, or let its owner repair it.",
    "the frontier is numbered without a gap": (
        "Ordinals of the context run from 0. After /new they do not: it prunes without renumbering."
    ),
    "messages are numbered without a gap": "seq runs on; where it does not, a message was deleted.",
    "parts are numbered without a gap": "Ordinals of a message's parts run from 0.",
    "sources are numbered without a gap": "Ordinals of a summary's sources run from 0, each once.",
    "a leaf is made of messages, the rest of summaries": (
        "kind says what a summary was made from, and a walk goes by it."
    ),
    "a summary and its sources are of one conversation": (
        "A walk scoped to the conversation does not reach what lies in another."
    ),
    "totals are the sums of what is beneath": (
        "descendant_count, descendant_token_count and source_message_token_count; a repair that "
        "rewrites a summary does not bring those above it up to date."
    ),
    "every text is in the index": "Full text cannot find it: a failing index write is swallowed.",
    "the index holds nothing else": "Full text finds what is not there any more.",
    "the index holds the text as it is": "Full text finds it by words that it does not hold.",
    "a message is what its identity says": (
        "identity_hash is the SHA-256 of role and content; the row was changed afterwards."
    ),
    "nothing was replayed": (
        "The same words in the same second, three times by a user or 32 times by others."
    ),
    "every message has a time": "created_at cannot be read, so no filter on time finds it.",
}
