"""BEAM: long chats between a user and an assistant, with questions and evidence messages.

Tavakoli et al. (2025), Beyond a Million Tokens; CC BY-SA 4.0 by its card. Its text is read where it
lies and never kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.times import instant

__all__ = ["collection", "is_beam"]

CARD = {
    "source": "BEAM (Tavakoli et al., 2025)",
    "licence": "CC BY-SA 4.0",
    "unit": "message",
    "notes": [
        "A batch is a session; its messages share the day of its time anchor, read as UTC.",
        "Evidence is every message id under source_chat_ids, whatever the nesting; what names no "
        "message is listed under bad_evidence and left out.",
        "Questions of abstention have no evidence. Summarization cites up to a dozen messages, any "
        "of which will do; tables of answerable types leave it out.",
    ],
}


def is_beam(data: object) -> bool:
    """Tell whether parsed JSON is BEAM: chats, each with batches of turns and probing questions."""
    chats = data if isinstance(data, list) else [data]
    return bool(chats) and all(
        isinstance(chat, dict)
        and isinstance(chat.get("chat"), list)
        and isinstance(chat.get("probing_questions"), dict)
        for chat in chats
    )


def collection(data: Any, name: str) -> Collection:
    """Make a collection of BEAM's parsed JSON.

    Parameters
    ----------
    data : dict, or list of dict
        Chats as BEAM publishes them.
    name : str

    Returns
    -------
    Collection
        A row a message: docno ``chat-1/17``, conversation ``chat-1``, session ``b2`` for the second
        batch, role user or assistant. A topic a question, within its own chat; BEAM's ten kinds of
        question are the types. Questions without evidence stay among the topics, unjudged.

    Raises
    ------
    BadInput
        A message or a question that lacks what it needs; names it.
    """
    chats = data if isinstance(data, list) else [data]
    names = [_name(chat, i) for i, chat in enumerate(chats, 1)]
    rows = [row for chat, talk in zip(chats, names, strict=True) for row in _messages(chat, talk)]
    asked = [
        (f"{talk}/{kind}-{number}", talk, kind, item)
        for chat, talk in zip(chats, names, strict=True)
        for kind, items in chat["probing_questions"].items()
        for number, item in enumerate(items, 1)
    ]
    topics = pd.DataFrame([_topic(*one) for one in asked], dtype=object)
    qrels, bad = _judgements(asked, {row["docno"] for row in rows})
    unjudged = sorted({qid for qid, *_ in asked} - set(qrels["qid"]))
    card = {**CARD, "bad_evidence": bad, "topics_without_evidence": unjudged}
    return Collection(name, Corpus(rows), topics, qrels, card=card)


def _name(chat: dict[str, Any], place: int) -> str:
    topic = chat.get("topic")
    number = topic.get("id") if isinstance(topic, dict) else None
    return f"chat-{place if number is None else number}"


def _messages(chat: dict[str, Any], talk: str) -> Iterator[dict[str, Any]]:
    for place, batch in enumerate(chat["chat"], 1):
        said = [message for turn in batch.get("turns") or () for message in turn]
        time = next((_day(m["time_anchor"]) for m in said if m.get("time_anchor")), None)
        for message in said:
            if "id" not in message or "content" not in message:
                raise BadInput(f"A message of {talk} batch {place} has no id or content.")
            yield {
                "docno": f"{talk}/{message['id']}",
                "text": str(message["content"]),
                "conversation": talk,
                "session": f"b{batch.get('batch_number', place)}",
                "role": str(message.get("role", "")),
                "time": time,
            }


def _day(written: Any) -> int | None:
    """Read ``March-15-2024``; microseconds UTC."""
    return instant(str(written))


def _topic(qid: str, talk: str, kind: str, item: dict[str, Any]) -> dict[str, Any]:
    if "question" not in item:
        raise BadInput(f"{qid} lacks a question. It has {', '.join(item)}.")
    answers = (item.get(key) for key in ("answer", "ideal_answer", "ideal_response"))
    answer = next((str(found) for found in answers if found is not None), None)
    return {
        "qid": qid,
        "query": str(item["question"]),
        "type": kind,
        "answer": answer,
        "conversation": talk,
    }


def _judgements(
    asked: list[tuple[str, str, str, dict[str, Any]]], known: set[str]
) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    rows: dict[tuple[str, str], int] = {}
    bad = []
    for qid, talk, _, item in asked:
        for number in _leaves(item.get("source_chat_ids")):
            docno = f"{talk}/{number}"
            if docno in known:
                rows[qid, docno] = 1
            else:
                bad.append({"qid": qid, "evidence": str(number)})
    judged = [(qid, docno, grade) for (qid, docno), grade in rows.items()]
    return pd.DataFrame(judged, columns=["qid", "docno", "relevance"]), bad


def _leaves(nested: Any) -> Iterator[Any]:
    """Walk over the ids in lists of lists and dicts of lists."""
    if isinstance(nested, dict):
        nested = list(nested.values())
    if not isinstance(nested, list):
        yield from () if nested is None else (nested,)
        return
    for item in nested:
        yield from _leaves(item)
