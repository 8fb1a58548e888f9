"""`mine`: a collection out of a history that nobody labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.ids import digest
from lcm_lab.transcripts.probes.adjacent import Adjacency
from lcm_lab.transcripts.probes.base import Dropped, Kind
from lcm_lab.transcripts.probes.card import card
from lcm_lab.transcripts.probes.chosen import chosen
from lcm_lab.transcripts.probes.hiding import Hidden, hidden
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.known import KnownItem
from lcm_lab.transcripts.probes.recalled import RecallLog
from lcm_lab.transcripts.probes.reused import Reuse
from lcm_lab.transcripts.probes.unanswered import NoAnswer

__all__ = ["KINDS", "mine", "named"]

#: What is mined unless told.
KINDS: tuple[Kind, ...] = (KnownItem(), Reuse(), Adjacency(), RecallLog(), NoAnswer())

LATE = "topic whose answer was not there yet when it was asked"
SPARE = "question of another history beyond the topics that have an answer"
PER_SESSION = 20


def mine(
    source: Any,
    kinds: Iterable[Kind] = KINDS,
    *,
    per_session: int = PER_SESSION,
    as_of: bool = True,
    seed: int = 0,
    name: str = "history",
) -> Collection:
    """Make a collection of a history, with topics that are mined from it and need no labels.

    Parameters
    ----------
    source : Transcripts, Collection, Corpus, Store or LcmDatabase
        A store and a database are only read. Summaries are left out: what is measured is what finds
        the messages.
    kinds : iterable of kinds
        Of `KnownItem`, `Reuse`, `Adjacency`, `RecallLog`, `NoAnswer` and `HandMade`; all but the
        last by default.
    per_session : int, default 20
        How many topics of a kind one session gives at most.
    as_of : bool, default True
        Hide from a topic what did not exist when it was asked. One that earlier sessions answer
        does not see the session that asked it; one that only its own session answers sees that up
        to the question. False hides nothing: the same topics, which may then find themselves.
    seed : int, default 0
        Which topics are drawn where a session has more.
    name : str
        What a report calls it.

    Returns
    -------
    Collection
        Topics carry a ``type`` (the kind), and, with ``as_of``, ``asked_at``, ``before`` and
        ``reach`` ("own session", "earlier session", "whole history"). The card tells the overlap of
        each kind with its gold and with the best other message, what was dropped, and why.

    Raises
    ------
    BadInput
        No messages at all.
    BadParameter
        A source, a kind or a number that cannot be.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["Deploys wait for review.", "Who signed off the migration on Tuesday night?"]
    >>> said += ["Priya approved it once its second rehearsal had finished cleanly.", "Thanks!"]
    >>> made = mine(lcm.Corpus([{"text": text, "role": "user"} for text in said]), [Adjacency()])
    >>> made.topics["query"].tolist()
    ['What was said right after this: Who signed off the migration on Tuesday night?']
    >>> made.qrels["docno"].tolist()
    ['m3']
    """
    asked = _checked(kinds, per_session)
    history = History.of(source)
    dropped: Dropped = Counter()
    topics: dict[Kind, list[Hidden]] = {}
    rngs = dict(zip(asked, np.random.default_rng(seed).spawn(len(asked)), strict=True))
    for kind in sorted(asked, key=lambda one: isinstance(one, NoAnswer)):
        most = sum(bool(one.gold) for found in topics.values() for one in found)
        probing = isinstance(kind, NoAnswer) and bool(topics)
        drafts = () if probing and not most else kind.drafts(history, dropped, rngs[kind])
        found = [hidden(history, draft) for draft in drafts]
        kept = [one for one in found if _findable(kind, one, dropped)]
        topics[kind] = chosen(history, kept, per_session, dropped, rngs[kind])
        if probing:  # no more without an answer than there are with one
            dropped[SPARE] += max(len(topics[kind]) - most, 0)
            topics[kind] = topics[kind][:most]
    return _collection(history, topics, dropped, as_of=as_of, name=name)


def named(name: str) -> Kind:
    """Give the kind of a name, as a command line writes it.

    Examples
    --------
    >>> named("known-item")
    KnownItem()
    """
    there = {kind.name.replace(" ", "-"): kind for kind in KINDS}
    if name not in there:
        raise BadParameter(
            f"Topics are {', '.join(there)}. Got {name!r}.{nearest(name, list(there))}"
        )
    return there[name]


def _checked(kinds: Any, per_session: Any) -> list[Kind]:
    asked = [kinds] if isinstance(kinds, Kind) else list(kinds)
    wrong = next((kind for kind in asked if not isinstance(kind, Kind)), None)
    if wrong is not None or not asked:
        got = "none" if wrong is None else repr(wrong)
        raise BadParameter(
            "kinds are KnownItem(), Reuse(), Adjacency(), RecallLog(), NoAnswer() and "
            f"HandMade(path). Got {got}."
        )
    if isinstance(per_session, bool) or not isinstance(per_session, int) or per_session < 1:
        raise BadParameter(f"per_session is how many topics, 1 or more. Got {per_session!r}.")
    twice = [kind.name for kind in asked if [one.name for one in asked].count(kind.name) > 1]
    if twice and len(set(asked)) < len(asked):
        raise BadParameter(f"kinds hold {twice[0]!r} more than once. Give each once.")
    return asked


def _findable(kind: Kind, one: Hidden, dropped: Dropped) -> bool:
    """Keep what has something to find, or is meant to have nothing."""
    if one.gold or (not kind.answered and not one.draft.gold):
        return True
    dropped[LATE] += 1
    return False


def _collection(
    history: History,
    topics: Mapping[Kind, list[Hidden]],
    dropped: Dropped,
    *,
    as_of: bool,
    name: str,
) -> Collection:
    rows, judged = [], []
    taken: Counter[str] = Counter()
    for kind, found in topics.items():
        for one in found:
            base = _qid(history, kind, one)
            taken[base] += 1
            qid = base if taken[base] == 1 else f"{base}/{taken[base]}"
            rows.append(_topic(qid, kind, one, as_of=as_of))
            judged += [(qid, history.docnos[row], 1) for row in one.gold]
    return Collection(
        name,
        history.corpus,
        pd.DataFrame(rows, columns=COLUMNS),
        pd.DataFrame(judged, columns=["qid", "docno", "relevance"]),
        card=card(history, topics, dropped, as_of=as_of),
    )


COLUMNS = ["qid", "query", "type", "answer", "item", "reach", "asked_at", "before"]


def _topic(qid: str, kind: Kind, one: Hidden, *, as_of: bool) -> tuple[Any, ...]:
    draft = one.draft
    seen = (one.reach, _moment(draft.asked), _moment(one.before)) if as_of else (None, None, None)
    return (qid, draft.query, kind.name, draft.answer or None, draft.item or None, *seen)


def _moment(microseconds: int | None) -> pd.Timestamp | None:
    return None if microseconds is None else pd.Timestamp(microseconds, unit="us", tz="UTC")


def _qid(history: History, kind: Kind, one: Hidden) -> str:
    """Name a topic after the message that it began from, so that it keeps its name."""
    row = one.draft.row if one.draft.row >= 0 else next(iter(one.gold), -1)
    return (
        f"{kind.short}:{history.docnos[row]}"
        if row >= 0
        else f"{kind.short}:{digest(one.draft.query)[:10]}"
    )
