"""From what can be asked to topics: worded, graded, with the overlap of each controlled."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

from lcm_lab.errors import LcmError
from lcm_lab.synth.cases import Case, Source
from lcm_lab.synth.language import sentence
from lcm_lab.synth.overlap import Overlap, plain
from lcm_lab.synth.rules import BANDS, BEATEN, Bands, Rules

__all__ = ["BANDS", "BEATEN", "Bands", "Exam", "Rules", "Topic", "ask"]

#: The words of a message; those with the words of many questions are looked through often.
_plain = lru_cache(maxsize=2_000)(plain)
TRIES = 20
#: After how many tries in a row that gave nothing new there is no more to come.
IDLE = 5
#: Among how many cases the next question is chosen: the one that comes nearest to what was drawn.
CHOICE = 6
#: What a wording costs on the wrong side of the tier, in thousandths of overlap.
ASTRAY = 400


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


def ask(source: Source, tier: int, rules: Rules) -> Exam:
    """Ask of a conversation what its facts allow."""
    return _Examiner(source, tier, rules).examine()


class _Wanted(NamedTuple):
    """How hard a question shall be: overlap, how many tie or beat, on which side of the tier."""

    overlap: int
    beaten: int
    side: int

    def cost(self, overlap: int, beaten: int, tier: int) -> int:
        """Tell how far a wording is from it."""
        astray = (beaten - tier) * self.side < 0
        away = min(abs(beaten - self.beaten), 25)
        return 2 * abs(overlap - self.overlap) + 30 * away + ASTRAY * astray


class _Worded(NamedTuple):
    """A wording; the cheapest comes nearest to what was wanted."""

    cost: int
    query: str
    overlap: int
    beaten: int


class _Examiner:
    def __init__(self, source: Source, tier: int, rules: Rules) -> None:
        self.source, self.rules, self.tier = source, rules, tier
        self.messages, self.draw = source.messages, source.draw
        self.overlap = Overlap(f"{m.speaker} {m.text}" for m in self.messages)
        self.exam = Exam()
        self._beaten: list[int] = []
        self._asked: list[str] = []
        self._shares: dict[str, list[int]] = defaultdict(list)
        self._sessions = [message.session for message in self.messages]
        times = [message.time for message in self.messages]
        self._until = [*accumulate(times, max)]
        self._after = [*accumulate(times[::-1], min)][::-1]
        self._place = {message.docno: i for i, message in enumerate(self.messages)}
        self._stating: dict[str, list[int]] = defaultdict(list)
        self._mentioning: dict[tuple[str, str], list[int]] = defaultdict(list)
        for i, message in enumerate(self.messages):
            for fact in message.states:
                self._stating[fact.ref].append(i)
            for fact in message.mentions:
                self._mentioning[fact.slot].append(i)

    def examine(self) -> Exam:
        """Ask the types first that leave no choice of difficulty, so that the others make up."""
        found: dict[str, list[Topic]] = {kind: [] for kind in self.rules.cases}
        for kind in sorted(found, key=self._leeway):
            make, wanted = self.rules.cases[kind]
            pool = list(islice(make(self.source), wanted * CHOICE))
            while len(found[kind]) < wanted and (topic := self._next(kind, pool)):
                found[kind].append(topic)
        listed = [topic for topics in found.values() for topic in topics]
        name = self.source.world.name
        self.exam.topics += [
            replace(topic, qid=f"{name}-q{number:02d}") for number, topic in enumerate(listed, 1)
        ]
        return self.exam

    def _leeway(self, kind: str) -> int:
        """Tell how far a band's middle is from the middle of the scale, the farthest first."""
        low, high, *_ = self.rules.bands[kind]
        return -abs((low + high) // 2 - 550)

    def _next(self, kind: str, pool: list[Case]) -> Topic | None:
        """Take from the pool the case that a question comes nearest to the drawn difficulty for."""
        wanted = _Wanted(self._share(kind), *self._goal())
        best: tuple[_Worded, Case] | None = None
        for case in pool[:CHOICE]:
            worded = self._word(case, wanted)
            if worded is None:
                self.exam.dropped[kind] += 1
                pool.remove(case)
            elif best is None or worded < best[0]:
                best = worded, case
        if best is None:
            return self._next(kind, pool) if pool else None
        pool.remove(best[1])
        self._asked.append(best[0].query)
        self._shares[kind].append(best[0].overlap)
        if best[1].answered:
            self._beaten.append(best[0].beaten)
        return self._topic(best[1], best[0])

    def _share(self, kind: str) -> int:
        """Draw an overlap in the band, at its far end while the mean is on the near side of it."""
        low, high, *_ = self.rules.bands[kind]
        shares, drawn = self._shares[kind], self.draw.between(low, high)
        total, size = sum(shares), len(shares)
        if total > high * size:
            return low
        return high if total < low * size else drawn

    def _goal(self) -> tuple[int, int]:
        """Draw how many shall tie or beat, and the side of the tier on which the median needs it.

        What a conversation offers is rarely what was drawn; without this the median drifts.
        """
        goals = self.rules.beaten[self.tier]
        above = sum(beaten > self.tier for beaten in self._beaten)
        below = sum(beaten < self.tier for beaten in self._beaten)
        half = len(goals) // 2
        if above == below:
            return self.draw.pick(goals), 0
        side = -1 if above > below else 1
        return self.draw.pick(goals[:half] if side < 0 else goals[half:]), side

    def _word(self, case: Case, wanted: _Wanted) -> _Worded | None:
        """Word a question up to 20 times; keep the nearest to what is wanted that nobody said.

        Whether somebody did is asked last: it looks through all that was said.
        """
        _, _, least, most = self.rules.bands[case.kind]
        seen = bisect_right(self._sessions, case.asked)
        gold = self._gold(case)
        found = []
        for query in self._wordings(case):
            overlap, beaten = self.overlap.of(query, gold, seen)
            cost = wanted.cost(overlap, beaten, self.tier)
            if least <= overlap <= most:
                found.append(_Worded(cost, query, overlap, beaten))
        return next((one for one in sorted(found) if not self._said(one.query)), None)

    def _said(self, query: str) -> bool:
        """Tell whether a message holds a question word for word."""
        words = plain(query)
        return any(words in _plain(self.messages[i].text) for i in self.overlap.holding(query))

    def _wordings(self, case: Case) -> list[str]:
        """Give the wordings of 20 tries that nobody asked yet."""
        found = dict.fromkeys(self._asked, False)
        stale = 0
        for _ in range(TRIES):
            fields = {**self.source.voice(case.fact, self.draw), **dict(case.fields)}
            query = sentence(self.draw.pick(case.templates), fields, self.draw)
            stale = stale + 1 if query in found else 0
            if stale > IDLE:
                break
            if not stale:
                found[query] = True
        return [query for query, new in found.items() if new]

    def _topic(self, case: Case, worded: _Worded) -> Topic:
        spans = {
            self.messages[i].docno: _span(self.messages[i].text, span)
            for fact, span in zip(case.gold, case.spans, strict=True)
            for i in self._stating[fact.ref]
        }
        spans |= {one.docno: one.span for one in case.judged if one.grade > 1}
        _, query, overlap, beaten = worded
        moment = self._moment(case.asked)
        return Topic("", query, case, moment, self._grades(case), spans, overlap, beaten)

    def _gold(self, case: Case) -> list[int]:
        """Give the places of the messages that answer a case."""
        found = {i for fact in case.gold for i in self._stating[fact.ref]}
        found |= {self._place[one.docno] for one in case.judged if one.grade > 1}
        return sorted(found)

    def _grades(self, case: Case) -> dict[str, tuple[int, bool]]:
        """Grade what could be seen: the answer, its older values, talk of it without the value."""
        if not case.answered:
            return {}
        grades: dict[int, tuple[int, bool]] = {}
        for slot in {fact.slot for fact in (case.fact, *case.gold)}:
            grades |= dict.fromkeys(self._mentioning[slot], (1, False))
        for fact in case.stale:
            grades |= dict.fromkeys(self._stating[fact.ref], (1, True))
        values = case.grades or (case.grade,) * len(case.gold)
        for grade, fact in sorted(zip(values, case.gold, strict=True), key=lambda pair: pair[0]):
            grades |= dict.fromkeys(self._stating[fact.ref], (grade, False))
        grades |= {self._place[one.docno]: (one.grade, False) for one in case.judged}
        seen = bisect_right(self._sessions, case.asked)
        return {self.messages[i].docno: grades[i] for i in sorted(grades) if i < seen}

    def _moment(self, asked: int) -> datetime:
        """Give when it is asked: some minutes after that session, before the next one."""
        seen = bisect_right(self._sessions, asked)
        moment = self._until[seen - 1] + timedelta(minutes=self.draw.between(10, 300))
        return min([moment, *(t - timedelta(seconds=1) for t in self._after[seen : seen + 1])])


def _span(text: str, value: str) -> str:
    """Give the value as it stands in the text: with another first letter's case, or decomposed."""
    for form in (value, unicodedata.normalize("NFD", value)):
        start = text.lower().find(form.lower())
        if start >= 0:
            return text[start : start + len(form)]
    raise LcmError(f"{value!r} is no span of {text!r:.200}. The profile states it otherwise.")
