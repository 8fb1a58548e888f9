"""Histories that the vectors are about."""

import sqlite3
from contextlib import closing

import lcm_lab as lcm
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.dag import Summary
from lcm_lab.evaluation.bench.tools import write_lcm
from lcm_lab.messages import Message, Part
from lcm_lab.store.store import Store

REFERENCE = "reference"
BOTH = (None, REFERENCE)


def tools(*texts, compat=REFERENCE, **how):
    """Tools over messages m1, m2, ... of one conversation, a day apart."""
    store = Store(":memory:")
    rows = [one if isinstance(one, dict) else {"text": one} for one in texts]
    given = [
        {"docno": f"m{at}", "time": f"2026-01-{at:02}", **row} for at, row in enumerate(rows, 1)
    ]
    store.add(lcm.Corpus(given))
    return LcmTools(store, compat=compat, **how)


def found(held, query, mode="full_text", **how):
    """Ids of what is found."""
    how = {"allConversations": True, **how}
    return [hit.id for hit in held.lcm_grep(query, mode=mode, **how).hits]


def database(path, rows, *statements):
    """A lossless-claw database of these messages, changed by statements."""
    write_lcm(lcm.Corpus(rows), path)
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def leaf(path, number, text, *, conversation=1, latest="null", created="2026-06-01 00:00:00"):
    """Put a summary into such a database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "insert into summaries (summary_id, conversation_id, kind, depth, content, "
            f"token_count, latest_at, created_at) values (?, ?, 'leaf', 0, ?, 3, {latest}, ?)",
            (f"sum_{number:016x}", conversation, text, created),
        )
        connection.commit()
    return f"sum_{number:016x}"


def of(tokens):
    """A text of so many tokens, by the reference's estimate."""
    return "abcd" * tokens


def dag_of(messages, *levels):
    """A Dag whose tokens are as given: sizes of messages, then summaries as (tokens, sources).

    Messages are m0, m1, ...; summaries L0, L1, ..., and sources are their names.
    """
    said = [Message(f"m{at}", "s", "user", (Part("text", of(n)),)) for at, n in enumerate(messages)]
    nodes = {one.id: one for one in said}
    made = []
    for at, (tokens, sources) in enumerate(levels):
        below = [nodes[name] for name in sources]
        depth = 1 + max((one.depth for one in below if isinstance(one, Summary)), default=-1)
        one = Summary(f"L{at}", f"summary {at}", tuple(sources), depth, tokens)
        nodes[one.id] = one
        made.append(one)
    sizes = {one.id: size for one, size in zip(said, messages, strict=True)}
    return lcm.Dag("s", tuple(said), tuple(made)).recorded(sizes)
