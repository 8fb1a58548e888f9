"""The audit: what a store, or a lossless-claw database, holds against every rule there is for it.

An audit reads. It mends nothing, deletes nothing, and ends on a damaged Dag too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.errors import BadInput
from lcm_lab.store import extract
from lcm_lab.store.faults import WHOLE
from lcm_lab.store.lcm.database import LcmDatabase
from lcm_lab.store.lcm.markers import marker
from lcm_lab.store.store import Store
from lcm_lab.text import count_tokens

__all__ = ["audit"]

#: Ids that are shown of each rule.
SHOWN = 10


def audit(database: Store | LcmDatabase) -> pd.DataFrame:
    """Check every invariant of a database.

    Parameters
    ----------
    database : Store or LcmDatabase

    Returns
    -------
    DataFrame
        A row a rule: ``rule``, ``violations`` (0 where it holds), ``examples`` (a tuple of at most
        ten ids; of cycles as ``a > b > a``) and ``meaning``: what follows where it is broken.

    Examples
    --------
    >>> from lcm_lab.store.store import Store
    >>> store = Store(":memory:")
    >>> _ = store.add(lcm.Corpus(["We chose Postgres.", "Lunch at noon?"]))
    >>> int(audit(store)["violations"].sum())
    0
    """
    rules = {**OF_DAGS, **_rules(database)}
    meanings = {**rules, UNREAD: "The audit ended there: more may be wrong than it counts."}
    counts = dict.fromkeys(rules, 0)
    examples: dict[str, list[str]] = {rule: [] for rule in counts}
    for rule, found, some in _breaches(database):
        counts[rule] = counts.get(rule, 0) + found
        shown = examples.setdefault(rule, [])
        shown += some[: SHOWN - len(shown)]
    rows = [
        (rule, found, tuple(examples[rule]), meanings.get(rule, ""))
        for rule, found in counts.items()
    ]
    return pd.DataFrame(rows, columns=["rule", "violations", "examples", "meaning"])


def _rules(database: Store | LcmDatabase) -> Mapping[str, str]:
    if isinstance(database, LcmDatabase):
        return database.rules
    return {**OF_STORES, **(extract.MEANINGS if database.folder else {})}


def _breaches(
    database: Store | LcmDatabase,
) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield (rule, violations, examples), of one rule as often as there is something of it."""
    sound = True
    try:
        for rule, name in _faults(database):
            sound = False
            if rule not in OF_DAGS:
                yield rule, 1, (name,)
        yield from _of_dags(database)
    except BadInput as error:
        if sound:
            raise
        yield UNREAD, 1, (str(error),)


def _of_dags(database: Store | LcmDatabase) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    for conversation in database.conversations()["name"]:
        dag = database.dag(conversation)
        yield from dag.check().itertuples(index=False, name=None)
        for one in dag.summaries:
            # A model that is not recorded is called unknown there.
            if marker(one.text, one.model or "unknown"):
                yield UNWRITTEN, 1, (one.id,)
            if _is_no_shorter(dag, one):
                yield LONGER, 1, (one.id,)


def _faults(database: Store | LcmDatabase) -> Iterator[tuple[str, str]]:
    yield from database.faults()
    if isinstance(database, Store):
        with database.reading():
            yield from extract.faults(database.connection, database.folder)


def _is_no_shorter(dag: Dag, one: Summary) -> bool:
    """Tell whether a summary saves nothing, by one count of both; not where a source is gone."""
    below = dag.sources(one.id)
    held = sum(count_tokens(text_of(node)) for node in below)
    return 0 < len(below) == len(one.sources) and count_tokens(one.text) >= held


UNREAD = "all of it can be read"
UNWRITTEN = "a model wrote every summary"
LONGER = "a summary is shorter than its sources"

OF_DAGS: dict[str, str] = {
    "an id names one node": "A walk reaches only the first of several nodes of one id.",
    "what a summary was made from is there": (
        "Expanding a summary gives less than it was made from: a source was deleted, or lies in "
        "another conversation."
    ),
    "a summary was made from something": "Nothing can be expanded, and nothing says what it tells.",
    "no node lies under itself": "A walk down comes back to where it was; ours ends, others hang.",
    "depth is one above the deepest source": (
        "What picks summaries of one depth, as condensing does, picks the wrong ones."
    ),
    "the time span is that of the sources": (
        "Filters on time, and sorting by it, go by a summary's span."
    ),
    "tokens are recorded": "Budgets are kept by recorded tokens.",
    "what the frontier names is there": "The model is shown less than the frontier says.",
    "the frontier covers no message twice": "The model reads it twice, raw or under a summary.",
    "the frontier leaves no message out": (
        "No way leads from what the model sees to the message. After /new that is so by intent: it "
        "prunes the frontier and keeps what it pruned."
    ),
    "messages keep their order": "The model reads messages in another order than they were said.",
    "every summary is under the frontier": (
        "No walk from what the model sees comes to it; after /new by intent."
    ),
    "a tool call and its result stay together": (
        "One is raw and the other under a summary; providers refuse such a conversation."
    ),
    UNWRITTEN: (
        "The text bears the mark of a cut without a model: written anew, it would tell more."
    ),
    LONGER: "It compresses nothing: what it stands for would cost no more.",
}

#: What `Store.faults` goes by.
OF_STORES: dict[str, str] = {
    WHOLE: "SQLite finds damage. Restore a copy, or import its sources anew.",
    "what a row refers to is there": "A row refers to one that is gone.",
    "messages are numbered 0, 1, 2": "Rows of a corpus stand by this number.",
    "messages stand in the order of their places": "Messages are read in another order than said.",
    "a session is of the conversation of its messages": "Filters on a session miss the message.",
    "what is on the active branch is in the index": (
        "Search finds what a rewind left behind, or misses what stands."
    ),
    "tokens of a message are those of its docs": "Budgets are kept by recorded tokens.",
    "the text of a part is there": "The text is lost: neither the part nor a doc has it.",
    "the frontier is numbered 0, 1, 2": "What the model sees is read in this order.",
    "a conversation that was compacted has a frontier": "Nothing says what the model sees of it.",
    "what an edge names is of the same conversation": "A walk does not reach what lies in another.",
    "what is indexed is the text": "Search finds the row by words that it does not hold.",
    "docs are the texts of the message": "A corpus holds another text than the message.",
    "the identity is that of the content": (
        "The row was changed: importing its source again would add the message a second time."
    ),
    "every row is in the index": "Full text cannot find it.",
    "what is in the index has a row": "Full text finds what is not there any more.",
    "the index holds what its rows say": "Full text finds by words that are not there, or misses.",
}
