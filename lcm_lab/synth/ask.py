"""From what can be asked to topics: worded, graded, with the overlap of each controlled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from lcm_lab.synth.cases import CASES, Case, Source
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language, sentence
from lcm_lab.synth.overlap import Overlap, plain
from lcm_lab.synth.render import Message
from lcm_lab.synth.voices import about_fact
from lcm_lab.synth.world import Fact, World

__all__ = ["BANDS", "Exam", "Topic", "ask"]

#: By type, in thousandths: the band for the mean overlap with the gold as real sets have it and the
#: widest that a single question may have. For abstention it is the overlap with the best message.
BANDS: dict[str, tuple[int, int, int, int]] = {
    "single": (450, 700, 150, 1000),
    "multi-session": (400, 600, 150, 800),
    "temporal": (400, 650, 150, 900),
    "update": (600, 750, 250, 1000),
    "identifier": (300, 900, 150, 1000),
    "paraphrase": (0, 150, 0, 150),
    "near-duplicate": (700, 900, 500, 1000),
    "preference": (150, 350, 0, 500),
    "abstention": (400, 750, 300, 1000),
}
#: By tier: how many messages shall tie or beat the gold; the median is the tier.
BEATEN = {
    1: (0, 0, 0, 1, 1, 1, 2, 3, 4, 6),
    6: (1, 3, 5, 6, 8, 8, 10, 14, 20, 40),
    23: (3, 6, 10, 16, 22, 24, 32, 45, 60, 90),
}
TRIES = 20


@dataclass(frozen=True)
class Topic:
    """A question with its judgements: docno to (grade, stale), and docno to answer span."""

    qid: str
    query: str
    case: Case
    asked_at: datetime
    grades: Mapping[str, tuple[int, bool]]
    spans: Mapping[str, str]
    overlap: int
    beaten: int


@dataclass
class Exam:
    """The topics of a conversation, and how many cases found no wording, by type."""

    topics: list[Topic] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def ask(
    world: World,
    messages: Sequence[Message],
    words: Language,
    scheme: Mapping[str, Any],
    draw: Draw,
    tier: int,
) -> Exam:
    """Ask of a conversation what its facts allow."""
    return _Examiner(world, messages, draw, tier).examine(Source(world, words, scheme, draw))


class _Examiner:
    def __init__(self, world: World, messages: Sequence[Message], draw: Draw, tier: int) -> None:
        self.world, self.messages, self.draw, self.tier = world, messages, draw, tier
        self.plain = "\n".join(plain(m.text) for m in messages)
        self.overlap = Overlap(f"{m.speaker} {m.text}" for m in messages)
        self.exam = Exam()

    def examine(self, source: Source) -> Exam:
        for kind, (make, wanted) in CASES.items():
            found = 0
            for case in make(source):
                if found == wanted:
                    break
                topic = self._word(case)
                found += topic is not None
                if topic is None:
                    self.exam.dropped[kind] += 1
                else:
                    self.exam.topics.append(topic)
        return self.exam

    def _word(self, case: Case) -> Topic | None:
        """Word a question up to 20 times; keep the wording nearest to the drawn difficulty."""
        low, high, least, most = BANDS[case.kind]
        wanted = self.draw.between(low, high), self.draw.pick(BEATEN[self.tier])
        seen = sum(message.session <= case.asked for message in self.messages)
        gold = [i for i, message in enumerate(self.messages) if _states(message, case.gold)]
        best: tuple[int, str, int, int] | None = None
        for query in self._wordings(case):
            overlap, beaten = self.overlap.of(query, gold, seen)
            cost = abs(overlap - wanted[0]) + 12 * min(abs(beaten - wanted[1]), 25)
            if least <= overlap <= most and (best is None or cost < best[0]):
                best = cost, query, overlap, beaten
        return None if best is None else self._topic(case, *best[1:])

    def _wordings(self, case: Case) -> list[str]:
        """Give the wordings of 20 tries that nobody asked yet and nobody said word for word."""
        found = {topic.query: False for topic in self.exam.topics}
        for _ in range(TRIES):
            fields = about_fact(self.world, case.fact, "question", self.draw) | dict(case.fields)
            query = sentence(self.draw.pick(case.templates), fields, self.draw)
            if query not in found:
                found[query] = plain(query) not in self.plain
        return [query for query, fresh in found.items() if fresh]

    def _topic(self, case: Case, query: str, overlap: int, beaten: int) -> Topic:
        grades = self._grades(case)
        spans = {
            message.docno: _span(message.text, span)
            for fact, span in zip(case.gold, case.spans, strict=True)
            for message in self.messages
            if _states(message, (fact,))
        }
        qid = f"{self.world.name}-q{len(self.exam.topics) + 1:02d}"
        return Topic(qid, query, case, self._moment(case), grades, spans, overlap, beaten)

    def _grades(self, case: Case) -> dict[str, tuple[int, bool]]:
        """Grade what could be seen: the answer, its older values, talk of it without the value."""
        grades: dict[str, tuple[int, bool]] = {}
        for message in self.messages:
            if message.session > case.asked or message.fact is None or not case.gold:
                continue
            if _states(message, case.gold):
                grades[message.docno] = case.grade, False
            elif _states(message, case.stale):
                grades[message.docno] = 1, True
            elif message.manner == "mentions" and message.fact.slot == case.fact.slot:
                grades[message.docno] = 1, False
        return grades

    def _moment(self, case: Case) -> datetime:
        """Give when it is asked: some minutes after the last message of that session."""
        last = max(m.time for m in self.messages if m.session == case.asked)
        return last + timedelta(minutes=self.draw.between(10, 300))


def _states(message: Message, facts: Sequence[Fact]) -> bool:
    told = message.fact
    return told is not None and message.manner == "states" and any(told.ref == f.ref for f in facts)


def _span(text: str, value: str) -> str:
    """Give the value as it stands in the text, whatever its first letter's case."""
    start = text.lower().index(value.lower())
    return text[start : start + len(value)]
