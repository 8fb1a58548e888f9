"""LoCoMo: conversations of two people over many sessions, with questions and evidence turns.

Maharana et al. (2024), Evaluating Very Long-Term Conversational Memory of LLM Agents; CC BY-NC 4.0,
so its text is read where it lies and never kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.times import instant

__all__ = ["collection", "is_locomo"]

#: The numbers are those of the data; the paper lists the names in another order.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

#: Evidence in any spelling: D1:3, D:1:3, D01:03, several in one string.
EVIDENCE = re.compile(r"D:?0*(\d+):0*(\d+)")
SESSION = re.compile(r"session_(\d+)")

CARD = {
    "source": "LoCoMo (Maharana et al., 2024)",
    "licence": "CC BY-NC 4.0",
    "unit": "turn",
    "notes": [
        "The turns of a session share the time of the session, which is read as UTC.",
        "Evidence in any spelling; what names no turn is listed under bad_evidence and left out.",
        "An audit found 6.4 % of the answers wrong and 3.7 % citing the wrong turn.",
    ],
}


def is_locomo(data: object) -> bool:
    """Tell whether parsed JSON is LoCoMo: a list of samples, each with a conversation and qa."""
    samples = data if isinstance(data, list) else [data]
    return bool(samples) and all(
        isinstance(sample, dict)
        and isinstance(sample.get("conversation"), dict)
        and isinstance(sample.get("qa"), list)
        for sample in samples
    )


def collection(data: Any, name: str) -> Collection:
    """Make a collection of LoCoMo's parsed JSON.

    Parameters
    ----------
    data : list of dict, or one dict
        Samples as LoCoMo publishes them.
    name : str

    Returns
    -------
    Collection
        A row a turn: docno ``conv-26/D1:3``, conversation ``conv-26``, session ``D1``, the speaker,
        and the text with `` [image: caption]`` where a picture was shared. A topic a question,
        within its own conversation; its category is the type. Questions without usable evidence
        stay among the topics, unjudged, and are listed in the card.

    Raises
    ------
    BadInput
        A turn or a question that lacks what it needs; names it.
    """
    samples = data if isinstance(data, list) else [data]
    names = [str(s.get("sample_id") or f"conv-{i}") for i, s in enumerate(samples, 1)]
    rows = [row for s, talk in zip(samples, names, strict=True) for row in _turns(s, talk)]
    corpus = Corpus(rows)
    known = {row["docno"] for row in rows}
    asked = [
        (f"{talk}/q{number}", talk, item)
        for sample, talk in zip(samples, names, strict=True)
        for number, item in enumerate(sample["qa"], 1)
    ]
    topics = pd.DataFrame([_topic(*one) for one in asked], dtype=object)
    qrels, bad = _judgements(asked, known)
    unjudged = sorted(set(topics["qid"]) - set(qrels["qid"]))
    card = {**CARD, "bad_evidence": bad, "topics_without_evidence": unjudged}
    return Collection(name, corpus, topics, qrels, card=card)


def _turns(sample: dict[str, Any], talk: str) -> Iterator[dict[str, Any]]:
    said = sample["conversation"]
    numbers = sorted(int(m[1]) for key in said if (m := SESSION.fullmatch(key)))
    for number in numbers:
        time = _time(said.get(f"session_{number}_date_time"))
        for turn in said[f"session_{number}"] or ():
            yield _turn(turn, talk, number, time)


def _turn(turn: Any, talk: str, session: int, time: int | None) -> dict[str, Any]:
    found = EVIDENCE.fullmatch(str(turn.get("dia_id"))) if isinstance(turn, dict) else None
    if found is None or "text" not in turn:
        raise BadInput(f"A turn of {talk} session {session} has no dia_id or text: {turn!r:.80}.")
    caption = turn.get("blip_caption")
    return {
        "docno": f"{talk}/D{found[1]}:{found[2]}",
        "text": f"{turn['text']} [image: {caption}]" if caption else str(turn["text"]),
        "conversation": talk,
        "session": f"D{session}",
        "speaker": str(turn.get("speaker", "")),
        "time": time,
    }


def _time(written: Any) -> int | None:
    return instant(written) if written else None


def _topic(qid: str, talk: str, item: dict[str, Any]) -> dict[str, Any]:
    if "question" not in item or "category" not in item:
        raise BadInput(f"{qid} lacks a question or a category. It has {', '.join(item)}.")
    kind = CATEGORIES.get(item["category"], f"category {item['category']}")
    return {
        "qid": qid,
        "query": str(item["question"]),
        "type": kind,
        "answer": None if item.get("answer") is None else str(item["answer"]),
        "conversation": talk,
    }


def _judgements(
    asked: list[tuple[str, str, dict[str, Any]]], known: set[str]
) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    rows: dict[tuple[str, str], int] = {}
    bad = []
    for qid, talk, item in asked:
        for written in map(str, item.get("evidence") or ()):
            found = [f"{talk}/D{m[1]}:{m[2]}" for m in EVIDENCE.finditer(written)]
            rows |= {(qid, docno): 1 for docno in found if docno in known}
            if not found or any(docno not in known for docno in found):
                bad.append({"qid": qid, "evidence": written})
    judged = [(qid, docno, grade) for (qid, docno), grade in rows.items()]
    return pd.DataFrame(judged, columns=["qid", "docno", "relevance"]), bad
