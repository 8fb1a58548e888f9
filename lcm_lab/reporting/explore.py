"""Every question of a report as data that its page opens: hits side by side, gold, and misses.

The data is JSON within the page. A message is told once, whatever finds it, and a budget of bytes
bounds the whole: texts are cut shorter first, and then the questions that all systems do well on
are left out, and that is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lcm_lab.reporting.messages import Messages
from lcm_lab.reporting.reasons import Reason
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.topic import facts, kind

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure

__all__ = ["BUDGET", "SHOWN", "Explorer", "explorer"]

#: Bytes of data in a page, and hits of each system that are shown.
BUDGET, SHOWN = 1_500_000, 10
#: Characters of a text, the first that fits the budget.
LIMITS = (360, 240, 160)
#: Characters of a question and of its facts.
LONG = 300
#: A character for each message of a question; plain in JSON and in HTML, one byte for most.
SIGNS = "".join(chr(c) for c in range(48, 127) if chr(c) not in '"\\<>&') + "".join(
    chr(c) for c in range(0xC0, 0x2000)
)

Why = Mapping[str, Mapping[tuple[int, int], Reason]]


@dataclass(frozen=True)
class Explorer:
    """The data of the questions, ready to stand in a page.

    Attributes
    ----------
    text : str
        JSON without characters that end a script element.
    shown, of : int
        Questions that can be opened, and that there are.
    limit : int
        Characters of a message that are kept.
    """

    text: str
    shown: int
    of: int
    limit: int

    @property
    def size(self) -> int:
        """Bytes in the page."""
        return len(self.text.encode())


def explorer(evaluation: Evaluation, measure: Measure, why: Why, budget: int = BUDGET) -> Explorer:
    """Lay out every question, within a budget of bytes.

    Parameters
    ----------
    evaluation : Evaluation
    measure : Measure
        Whose values are shown.
    why : mapping of system to mapping of (topic, row) to Reason
    budget : int
        At most so many bytes of data, if a single question is not larger by itself.
    """
    making = _Making(evaluation, measure, why)
    order = making.hardest_first()
    topics = [making.topic(i) for i in order]
    signs = len(SIGNS[: max((len(topic["rows"]) for topic in topics), default=0)].encode())
    for limit in LIMITS:
        size = len(_dumped(making.around(limit, [])).encode()) + signs
        sizes = making.messages.sizes(limit)
        kept = _fitting(topics, sizes, budget - size)
        if kept == len(topics) or limit == LIMITS[-1]:
            break
    chosen = sorted(range(kept), key=lambda at: order[at])
    text = _dumped(making.around(limit, [topics[at] for at in chosen]))
    return Explorer(text, kept, len(topics), limit)


class _Making:
    """What is put together for one page."""

    def __init__(self, evaluation: Evaluation, measure: Measure, why: Why) -> None:
        self.evaluation, self.measure, self.why = evaluation, measure, why
        self.names = list(evaluation.systems)
        self.values = np.array([evaluation.values(name, measure) for name in self.names])
        self.bench = evaluation.bench
        self.first = np.searchsorted(self.bench.topic, np.arange(len(self.bench.topics) + 1))
        self.messages = Messages(evaluation.collection.corpus)
        self.whys: dict[str, int] = {}
        self.frame = evaluation.collection.topics

    def hardest_first(self) -> list[int]:
        """Order the topics by their mean over systems; those without a value last."""
        known = ~np.isnan(self.values)
        means = np.where(known, self.values, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        means = means if self.measure.higher_is_better else -means
        order = np.argsort(np.where(known.any(axis=0), means, np.inf), kind="stable")
        return [int(i) for i in order]

    def topic(self, i: int) -> dict[str, Any]:
        """Give one topic; ``rows`` are its messages, which all else names by their sign."""
        gold = range(self.first[i], self.first[i + 1])
        rows: dict[int, str] = {}
        grades = [
            [self.sign(rows, self.message(int(self.bench.row[j]))), int(self.bench.grade[j])]
            for j in gold
            if self.bench.grade[j] > 0
        ]
        hits = [self.hits(name, i, rows) for name in self.names]
        row = self.frame.iloc[i]
        return {
            "qid": safe(row["qid"], 80),
            "type": safe(kind(row)),
            "query": safe(row["query"], LONG),
            "facts": safe(facts(self.evaluation, i), LONG),
            "values": [None if np.isnan(v) else round(float(v), 3) for v in self.values[:, i]],
            "rows": list(rows),
            "gold": grades,
            "hits": hits,
            "why": [self.missed(name, i, rows) for name in self.names],
        }

    def hits(self, name: str, i: int, rows: dict[int, str]) -> str:
        run = self.evaluation.runs[name]
        part = run.rows[run.offsets[i] : run.offsets[i + 1]][:SHOWN].tolist()
        return "".join(self.sign(rows, self.messages.of(run.corpus, row)) for row in part)

    def missed(self, name: str, i: int, rows: dict[int, str]) -> list[list[Any]]:
        """Give for each relevant message that is not shown: its sign, the sentence, the rank."""
        told = []
        for j in range(self.first[i], self.first[i + 1]):
            row = int(self.bench.row[j])
            said = self.why.get(name, {}).get((i, row))
            if said is not None:
                number = self.whys.setdefault(said[0], len(self.whys))
                rank = [said[1]] if said[1] else []
                told.append([rows[self.message(row)], number, *rank])
        return told

    def message(self, row: int) -> int:
        return self.messages.of(self.evaluation.collection.corpus, row)

    def sign(self, rows: dict[int, str], message: int) -> str:
        """Give a message its sign within a topic."""
        return rows.setdefault(message, SIGNS[len(rows)])

    def around(self, limit: int, topics: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Give the whole, with only those messages told that the topics name."""
        used = sorted({row for topic in topics for row in topic["rows"]})
        place = {row: at for at, row in enumerate(used)}
        moved = [topic | {"rows": [place[row] for row in topic["rows"]]} for topic in topics]
        return {
            "measure": str(self.measure),
            "relevant": self.bench.relevant_from,
            "shown": SHOWN,
            "unit": self.measure.unit,
            "signs": SIGNS[: max((len(topic["rows"]) for topic in topics), default=0)],
            "systems": [safe(name, 60) for name in self.names],
            "people": list(self.messages.people),
            "whys": [safe(said, 200) for said in self.whys],
            "messages": [self.messages.told(row, limit) for row in used],
            "topics": moved,
        }


def _fitting(topics: Sequence[dict[str, Any]], sizes: Sequence[int], room: int) -> int:
    """Count the topics, from the first, that fit with the messages that they name."""
    told: set[int] = set()
    for at, topic in enumerate(topics):
        new = set(topic["rows"]) - told
        room -= len(_dumped(topic).encode()) + 1 + sum(sizes[row] for row in new)
        if room < 0 and at:
            return at
        told |= new
    return len(topics)


def _dumped(given: object) -> str:
    text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
