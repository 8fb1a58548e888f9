"""One conversation: what is true in it, what was said, and what is asked of it; as plain rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lcm_lab.synth.ask import Exam
from lcm_lab.synth.message import Message
from lcm_lab.synth.world import World

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """One conversation: what is true in it, what was said, and what is asked of it."""

    world: World
    messages: list[Message]
    exam: Exam

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give the rows of the corpus; what a profile does not have is no column of it."""
        for message in self.messages:
            row = {
                "docno": message.docno,
                "text": message.text,
                "conversation": self.world.name,
                "session": message.docno.rsplit("/", 1)[0],
                "speaker": message.speaker,
                "time": f"{message.time.isoformat()}Z",
            }
            if message.role:
                row |= {"role": message.role, "kind": message.kind, "parent": message.parent}
            yield row | dict(message.extra)

    def topics(self) -> Iterator[dict[str, Any]]:
        """Give the topics."""
        for topic in self.exam.topics:
            yield {
                "qid": topic.qid,
                "query": topic.query,
                "type": topic.case.kind,
                "answer": topic.case.answer or None,
                "answer_span": next(iter(topic.spans.values()), None),
                "asked_at": f"{topic.asked_at.isoformat()}Z",
                "conversation": self.world.name,
            }

    def qrels(self) -> Iterator[dict[str, Any]]:
        """Give the judgements."""
        for topic in self.exam.topics:
            for docno, (grade, stale) in topic.grades.items():
                yield {"qid": topic.qid, "docno": docno, "relevance": grade, "stale": stale}

    def state(self) -> dict[str, Any]:
        """Give the state log: each fact with its messages, and where it is only repeated."""
        told = [
            (fact.ref, message.docno, message.time)
            for message in self.messages
            for fact in message.states
        ]
        repeats: dict[str, list[str]] = {}
        for message in self.messages:
            for fact in message.mentions:
                if fact.value and fact.value.lower() in message.text.lower():
                    repeats.setdefault(fact.ref, []).append(message.docno)
        facts = self.world.record(told)
        for entry in facts:
            if entry["id"] in repeats:
                entry["repeats"] = repeats[str(entry["id"])]
        return self.world.state() | {"facts": facts}

    def asked(self) -> dict[str, dict[str, Any]]:
        """Give what stands behind each topic: facts, spans, overlap, and who ties or beats."""
        return {
            topic.qid: {
                "facts": [fact.ref for fact in topic.case.gold],
                "spans": topic.spans,
                "overlap": topic.overlap,
                "beaten": topic.beaten,
            }
            for topic in self.exam.topics
        }
