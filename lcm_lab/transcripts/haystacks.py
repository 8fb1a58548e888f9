"""LongMemEval as it is published (S, M, oracle): each question with its haystack of sessions.

Wu et al. (2024), LongMemEval; MIT. Its text is read where it lies and never kept. Questions are
read one at a time, and a session that several of them share is stored once, so that M (500
questions of 500 sessions, 2.7 GB) is as large in memory as its different sessions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa

from lcm_lab.collection import Collection
from lcm_lab.columns import SCHEMA
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.ids import digest
from lcm_lab.text import clean
from lcm_lab.times import instant
from lcm_lab.transcripts.longmemeval import topic

__all__ = ["collection", "is_haystack"]

NEEDED = ("question_id", "question", "haystack_session_ids", "haystack_sessions")
CARD = {
    "source": "LongMemEval (Wu et al., 2024)",
    "licence": "MIT",
    "unit": "turn",
    "notes": [
        "A question searches its own haystack: the topic's session lists it. Published session "
        "figures are of .units('session').",
        "A session that several questions share is stored once. Where they date it differently, "
        "its time is unknown; see sessions_of_several_dates.",
        "Relevant are the turns marked has_answer; where an answer session has none, all its "
        "turns are, so that sessions are judged as published.",
        "Questions that cannot be answered (_abs) are left unjudged.",
        "question_date filters nothing, since it would hide every session of unknown time.",
    ],
}
#: Rows that are gathered before they are packed.
PACK = 20_000


def is_haystack(data: object) -> bool:
    """Tell whether parsed JSON is a LongMemEval question with its haystack, or a list of them."""
    items = data if isinstance(data, list) else [data]
    return bool(items) and all(
        isinstance(item, dict) and all(key in item for key in NEEDED) for item in items
    )


def collection(items: Iterable[dict[str, Any]], name: str) -> Collection:
    """Make a collection of LongMemEval's questions, which are read one at a time.

    Parameters
    ----------
    items : iterable of dict
        Questions with ``haystack_session_ids``, ``haystack_dates`` and ``haystack_sessions``, in
        one order, and ``answer_session_ids``.
    name : str

    Returns
    -------
    Collection
        A row a turn: docno ``session/3`` for the third turn of a session, which is a conversation
        of its own; its role, and the time of its session. The topic's ``session`` lists the
        sessions that the question may see, ``answer_sessions`` those said to answer it (of one that
        cannot be answered too), ``told_by_user`` those of them where a turn of the user does.

    Raises
    ------
    BadInput
        A question whose ids, dates and sessions do not pair, or a turn without content; names it.
    """
    pool, topics, judged = _Pool(), list[dict[str, Any]](), list[tuple[str, str, int]]()
    bad = []
    for item in items:
        qid = str(item["question_id"])
        placed = {one.name: one for one in (pool.place(*had) for had in _haystack(item))}
        seen = list(dict.fromkeys(one.stored for one in placed.values()))
        topics.append({**topic(item), "session": seen, **_answering(item, placed)})
        for wanted in map(str, item.get("answer_session_ids") or ()):
            if wanted not in placed:
                bad.append({"qid": qid, "evidence": wanted})
            elif not _cannot_be_answered(item):
                judged += [(qid, docno, 1) for docno in placed[wanted].evidence()]
    qrels = pd.DataFrame(list(dict.fromkeys(judged)), columns=["qid", "docno", "relevance"])
    asked = pd.DataFrame(topics, dtype=object)
    unjudged = sorted(set(asked["qid"]) - set(qrels["qid"]))
    card = {**CARD, **pool.counts(), "bad_evidence": bad, "topics_without_evidence": unjudged}
    return Collection(name, pool.corpus(), asked, qrels, card=card)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A session of a haystack: its name, the name it is stored under, and its marked turns."""

    name: str
    stored: str
    marked: list[int]
    spoken: list[int]
    by_user: bool

    def evidence(self) -> Iterator[str]:
        return (f"{self.stored}/{number}" for number in self.marked or self.spoken)


@dataclass(slots=True)
class _Pool:
    """Sessions, each stored once, their rows packed as they come."""

    times: dict[str, int | None] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    again: Counter[str] = field(default_factory=Counter)
    dated_twice: set[str] = field(default_factory=set)
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    packed: list[pa.Table] = field(default_factory=list)

    def place(self, name: str, written: Any, turns: list[Any]) -> _Placed:
        """Store a session unless it is there; one of the same id and other words gets a new one."""
        said = [_turn(turn, name) for turn in turns]
        content = digest(*(piece for one in said for piece in one), size=8)
        stored = name if self.contents.setdefault(name, content) == content else f"{name}~{content}"
        time = instant(str(written)) if written else None
        if stored in self.times:
            self.again[stored] += 1
            if self.times[stored] != time:
                self.dated_twice.add(stored)
        else:
            self.times[stored] = time
            self._store(stored, said)
        marked = [n for n, turn in enumerate(turns, 1) if turn.get("has_answer") is True]
        spoken = [n for n, (_, text) in enumerate(said, 1) if text]
        by_user = any(said[n - 1][0] == "user" for n in marked)
        return _Placed(name, stored, [n for n in marked if n in spoken], spoken, by_user)

    def _store(self, stored: str, said: list[tuple[str, str]]) -> None:
        self.rows += [
            (f"{stored}/{n}", text, stored, role) for n, (role, text) in enumerate(said, 1) if text
        ]
        if len(self.rows) >= PACK:
            self._pack()

    def _pack(self) -> None:
        names = ("docno", "text", "session", "role")
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(names)
        types = [SCHEMA[name][0] for name in names]
        arrays = [pa.array(list(one), kind) for one, kind in zip(columns, types, strict=True)]
        self.packed.append(pa.table(arrays, names=list(names)))
        self.rows.clear()

    def corpus(self) -> Corpus:
        self._pack()
        table = pa.concat_tables(self.packed)
        self.packed.clear()
        times = {name: None if name in self.dated_twice else t for name, t in self.times.items()}
        coded = table["session"].combine_chunks().dictionary_encode()
        moments = pa.array([times[name] for name in coded.dictionary.to_pylist()], pa.int64())
        time = moments.take(coded.indices).cast(SCHEMA["time"][0])
        return Corpus(
            table.append_column("conversation", table["session"]).append_column("time", time)
        )

    def counts(self) -> dict[str, int]:
        return {
            "sessions": len(self.times),
            "sessions_shared": len(self.again),
            "sessions_of_several_dates": len(self.dated_twice),
        }


def _answering(item: dict[str, Any], placed: dict[str, _Placed]) -> dict[str, list[str]]:
    """Name the sessions that answer a question, and those of them where a user's turn does."""
    found = [placed[one] for one in map(str, item.get("answer_session_ids") or ()) if one in placed]
    told = [one.stored for one in found if one.by_user]
    return {"answer_sessions": [one.stored for one in found], "told_by_user": told}


def _haystack(item: dict[str, Any]) -> Iterator[tuple[str, Any, list[Any]]]:
    ids, sessions = item["haystack_session_ids"], item["haystack_sessions"]
    dates = item.get("haystack_dates") or [None] * len(ids)
    if not len(ids) == len(sessions) == len(dates):
        raise BadInput(
            f"Question {item['question_id']} names {len(ids)} sessions, dates {len(dates)} and has "
            f"{len(sessions)}."
        )
    return zip((clean(str(one)) for one in ids), dates, sessions, strict=True)


def _turn(turn: Any, session: str) -> tuple[str, str]:
    if not isinstance(turn, dict) or not isinstance(turn.get("content"), str):
        raise BadInput(f"A turn of session {session} has no content: {turn!r:.80}.")
    return clean(str(turn.get("role", ""))), clean(turn["content"])


def _cannot_be_answered(item: dict[str, Any]) -> bool:
    return str(item["question_id"]).endswith("_abs") or item.get("abstention") is True
