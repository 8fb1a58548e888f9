"""The questions a system did worst on: their text, what should have been found, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lcm_lab.reporting.explained import Explained, explained
from lcm_lab.reporting.reasons import Reason
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.tables import number
from lcm_lab.reporting.topic import facts, kind, moment

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Message", "Question", "worst_questions"]

#: How much of a text, how many hits and how many relevant messages are shown.
LONG, HITS, GOLD = 420, 5, 8
#: So many questions are shown.
MOST = 20

#: By (position of a topic, corpus row): why the message is not shown.
Why = Mapping[tuple[int, int], Reason]


@dataclass(frozen=True)
class Message:
    """A message as a report shows it; ``gold`` says how relevant it is, empty where it is not."""

    rank: str
    who: str
    text: str
    gold: str


@dataclass(frozen=True)
class Question:
    """A topic as a report shows it."""

    value: str
    kind: str
    query: str
    first: str
    facts: str
    others: str
    gold: tuple[Message, ...]
    more_gold: int
    hits: tuple[Message, ...]
    explained: Explained | None = None


def worst_questions(
    evaluation: Evaluation,
    system: str,
    measure: Measure,
    why: Why | None = None,
    searcher: Searcher | None = None,
) -> list[Question]:
    """Lay out the 20 topics with the lowest value of ``measure`` under ``system``.

    Topics without a value (nothing to find) are not among them, nor those with all that a share
    can have. ``why`` says of (topic, row) why it is not shown; ``searcher`` explains the hits.
    """
    table = evaluation.worst(system, measure, n=MOST)
    if measure.higher_is_better and not measure.unit:
        table = table[table["value"] < 1]
    view = _View(evaluation, system, measure, (why or {}, searcher))
    return [view.question(str(row.qid), float(row.value)) for row in rows(table)]


class _View:
    def __init__(
        self,
        evaluation: Evaluation,
        system: str,
        measure: Measure,
        known: tuple[Why, Searcher | None],
    ) -> None:
        self.system, self.unit, self.evaluation = system, measure.unit, evaluation
        self.why, self.searcher = known
        self.run = evaluation.runs[system]
        self.corpus = self.run.corpus
        self.place = {qid: i for i, qid in enumerate(self.run.topics.qids)}
        self.relevant_from = evaluation.collection.relevant_from
        qrels = evaluation.collection.qrels
        self.judged = {str(q): part for q, part in qrels[qrels["relevance"] > 0].groupby("qid")}
        values = evaluation.frame[evaluation.frame["measure"] == str(measure)]
        self.values = {str(qid): part for qid, part in values.groupby("qid")}
        self.topics = evaluation.collection.topics.set_index("qid")

    def question(self, qid: str, value: float) -> Question:
        found, scores = self.hits(qid)
        grades = self.grades(qid)
        ranks = {int(row): rank for rank, row in enumerate(found, start=1)}
        gold = [self.gold(qid, row, grade, ranks.get(row)) for row, grade in grades.items()]
        shown = zip(found[:HITS].tolist(), scores[:HITS].tolist(), strict=True)
        hits = [self.hit(row, rank, score, grades) for rank, (row, score) in enumerate(shown, 1)]
        topic: Any = self.topics.loc[qid]
        return Question(
            value=number(value, self.unit),
            kind=safe(kind(topic)),
            query=safe(topic["query"], LONG),
            first=self.first(grades, ranks, len(found)),
            facts=safe(f"{facts(self.evaluation, self.place[qid])} · {len(found):,} hits", LONG),
            others=self.others(qid),
            gold=tuple(gold[:GOLD]),
            more_gold=max(0, len(gold) - GOLD),
            hits=tuple(hits),
            explained=self.explained(qid, grades),
        )

    def explained(self, qid: str, grades: Mapping[int, int]) -> Explained | None:
        """Say what the steps gave, where the system is a policy that found something."""
        if self.searcher is None:
            return None
        topics = self.run.topics
        i, wanted = self.place[qid], {str(self.cell("docno", row)) for row in grades}
        found = explained(self.searcher, topics.queries[i], topics.filters[i], wanted, HITS)
        return found if found.rows and found.steps else None

    def first(self, grades: Mapping[int, int], ranks: Mapping[int, int], n: int) -> str:
        """Say where the first relevant message stands, which tells a near miss from a far one."""
        wanted = [row for row, grade in grades.items() if grade >= self.relevant_from]
        at = min((ranks[row] for row in wanted if row in ranks), default=None)
        return f"first relevant at rank {at}" if at else f"none relevant among {n:,} hits"

    def hits(self, qid: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        i = self.place[qid]
        part = slice(self.run.offsets[i], self.run.offsets[i + 1])
        return self.run.rows[part], self.run.scores[part]

    def grades(self, qid: str) -> dict[int, int]:
        """Give relevance by corpus row, the highest grade first, in corpus order among equals."""
        if qid not in self.judged:
            return {}
        judged = self.judged[qid]
        at = self.corpus.row_of(judged["docno"].tolist()).tolist()
        pairs = zip(at, judged["relevance"].tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

    def gold(self, qid: str, row: int, grade: int, rank: int | None) -> Message:
        said, at = self.why.get((self.place[qid], row), ("not among the hits", None))
        told = f"found at rank {rank}" if rank else said.format(n=f"{at or 0:,}")
        return self.message(row, str(rank or "–"), self.relevance(grade), told)

    def hit(self, row: int, rank: int, score: float, grades: Mapping[int, int]) -> Message:
        gold = self.relevance(grades[row]) if row in grades else ""
        return self.message(row, str(rank), gold, f"score {score:.4g}")

    def relevance(self, grade: int) -> str:
        return f"relevant ({grade})" if grade >= self.relevant_from else f"related ({grade})"

    def message(self, row: int, rank: str, gold: str, also: str) -> Message:
        at = {name: self.cell(name, row) for name in ("speaker", "role", "session", "docno")}
        who = [at["speaker"] or at["role"], moment(self.cell("time", row)), at["docno"], also]
        text = safe(self.cell("text", row), LONG)
        return Message(rank, " · ".join(safe(part) for part in who if part), text, gold)

    def cell(self, name: str, row: int) -> Any:
        return self.corpus.column(name)[row].as_py()

    def others(self, qid: str) -> str:
        part = self.values[qid]
        told = zip(part["system"], part["value"], strict=True)
        return ", ".join(
            f"{name} {number(v, self.unit)}" for name, v in told if name != self.system
        )
