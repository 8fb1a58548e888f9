"""From conversations with their exams to one collection and its state log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.synth.ask import Exam
from lcm_lab.synth.card import card
from lcm_lab.synth.render import Message
from lcm_lab.synth.world import World

__all__ = ["Built", "Part", "assemble"]


@dataclass(frozen=True)
class Part:
    """One conversation: what is true in it, what was said, and what is asked of it."""

    world: World
    messages: list[Message]
    exam: Exam


@dataclass(frozen=True)
class Built:
    """A synthetic collection with its state log.

    Attributes
    ----------
    collection : Collection
    world : dict
        ``conversations`` (people, plans and facts of each) and ``topics`` (by qid: the facts that
        answer, the answer span in each gold message, overlap in thousandths, and how many messages
        tie or beat the gold).
    """

    collection: Collection
    world: dict[str, Any]


def assemble(parts: Sequence[Part], made: dict[str, Any]) -> Built:
    """Put conversations together; ``made`` are the parameters they were made with."""
    name = f"synth-{made['profile']}-{made['size'].lower()}"
    exams = [part.exam for part in parts]
    messages = [message for part in parts for message in part.messages]
    collection = Collection(
        name,
        Corpus([row for part in parts for row in _rows(part)]),
        pd.DataFrame([row for part in parts for row in _topics(part)]),
        pd.DataFrame([row for exam in exams for row in _qrels(exam)]),
        relevant_from=2,
        card=card(name, made, messages, exams),
    )
    world = {
        "conversations": {part.world.name: _state(part) for part in parts},
        "topics": {
            topic.qid: {
                "facts": [fact.ref for fact in topic.case.gold],
                "spans": topic.spans,
                "overlap": topic.overlap,
                "beaten": topic.beaten,
            }
            for exam in exams
            for topic in exam.topics
        },
    }
    return Built(collection, world)


def _rows(part: Part) -> list[dict[str, Any]]:
    return [
        {
            "docno": message.docno,
            "text": message.text,
            "conversation": part.world.name,
            "session": message.docno.rsplit("/", 1)[0],
            "seq": number,
            "speaker": message.speaker,
            "time": f"{message.time.isoformat()}Z",
        }
        for number, message in enumerate(part.messages)
    ]


def _topics(part: Part) -> list[dict[str, Any]]:
    return [
        {
            "qid": topic.qid,
            "query": topic.query,
            "type": topic.case.kind,
            "answer": topic.case.answer or None,
            "answer_span": next(iter(topic.spans.values()), None),
            "asked_at": f"{topic.asked_at.isoformat()}Z",
            "conversation": part.world.name,
        }
        for topic in part.exam.topics
    ]


def _qrels(exam: Exam) -> list[dict[str, Any]]:
    return [
        {"qid": topic.qid, "docno": docno, "relevance": grade, "stale": stale}
        for topic in exam.topics
        for docno, (grade, stale) in topic.grades.items()
    ]


def _state(part: Part) -> dict[str, Any]:
    world = part.world
    told = [
        (message.fact.ref, message.docno, message.time)
        for message in part.messages
        if message.fact is not None and message.manner == "states"
    ]
    return {
        "speakers": [one.name for one in world.speakers],
        "kin": {
            one.name: {"relation": one.relation, "of": one.owner}
            for kin in world.kin.values()
            for one in kin
        },
        "plans": world.plans,
        "facts": world.record(told),
    }
