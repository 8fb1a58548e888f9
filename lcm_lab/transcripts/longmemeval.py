"""LongMemEval: questions about past chats, with the sessions that hold the evidence.

Wu et al. (2024), LongMemEval; MIT. Its text is read where it lies and never kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.times import instant

__all__ = ["collection", "is_longmemeval", "topic"]

CARD = {
    "source": "LongMemEval (Wu et al., 2024), evidence sessions",
    "licence": "MIT",
    "unit": "session, its evidence turns only",
    "notes": [
        "One pool: every question searches the evidence of all of them. Not LongMemEval-S, which "
        "hides the evidence of one question among unrelated sessions.",
        "Sessions of equal text are one row, under the first of their ids.",
        "Questions that cannot be answered are left unjudged: their sessions are in the pool.",
        "question_date filters nothing: sessions of other questions may be later.",
    ],
}
NEEDED = ("question_id", "question", "answer_session_ids", "evidence_sessions")


def is_longmemeval(data: object) -> bool:
    """Tell whether parsed JSON is LongMemEval: questions with the sessions that answer them."""
    items = data if isinstance(data, list) else [data]
    return bool(items) and all(
        isinstance(item, dict) and all(key in item for key in NEEDED) for item in items
    )


def collection(data: Any, name: str) -> Collection:
    """Make one pool of LongMemEval's questions and their evidence sessions.

    Parameters
    ----------
    data : list of dict, or one dict
        Questions with ``answer_session_ids`` and, in the same order, ``evidence_sessions``.
    name : str

    Returns
    -------
    Collection
        A row a session: docno and session its id, a conversation of its own, its turns one below
        the other, and its role where all its turns share one.

    Raises
    ------
    BadInput
        A question whose ids and sessions do not pair, or a turn without content; names it.
    """
    items = data if isinstance(data, list) else [data]
    rows: dict[str, dict[str, Any]] = {}
    judged: dict[tuple[str, str], int] = {}
    for item in items:
        for row in _sessions(item):
            kept = rows.setdefault(row["text"], row)
            if not item.get("abstention"):
                judged[str(item["question_id"]), kept["docno"]] = 1
    topics = pd.DataFrame([topic(item) for item in items], dtype=object)
    listed = [(qid, docno, grade) for (qid, docno), grade in judged.items()]
    qrels = pd.DataFrame(listed, columns=["qid", "docno", "relevance"])
    unjudged = sorted(set(topics["qid"]) - set(qrels["qid"]))
    card = {**CARD, "topics_without_evidence": unjudged}
    return Collection(name, Corpus(list(rows.values())), topics, qrels, card=card)


def _sessions(item: dict[str, Any]) -> list[dict[str, Any]]:
    ids, sessions = item["answer_session_ids"], item["evidence_sessions"]
    if len(ids) != len(sessions):
        raise BadInput(
            f"Question {item['question_id']} names {len(ids)} sessions and has {len(sessions)}."
        )
    return [_session(str(one), had) for one, had in zip(ids, sessions, strict=True)]


def _session(docno: str, session: dict[str, Any]) -> dict[str, Any]:
    turns: Sequence[dict[str, Any]] = session.get("turns") or ()
    if not all("content" in turn for turn in turns):
        raise BadInput(f"A turn of session {docno} has no content.")
    roles = {str(turn.get("role", "")) for turn in turns}
    written = session.get("date")
    return {
        "docno": docno,
        "text": "\n".join(str(turn["content"]) for turn in turns),
        "conversation": docno,
        "session": docno,
        "role": roles.pop() if len(roles) == 1 else "",
        "time": instant(str(written)) if written else None,
    }


def topic(item: dict[str, Any]) -> dict[str, Any]:
    answers = item.get("gold_answers") or [item.get("answer")]
    return {
        "qid": str(item["question_id"]),
        "query": str(item["question"]),
        "type": str(item.get("question_type", "")),
        "answer": None if answers[0] is None else str(answers[0]),
        "question_date": item.get("question_date"),
    }
