"""Why a message is not in the list: hidden, matched by nothing, outscored, cut, or dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lcm_lab.errors import unknown
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.nodes import Then, Top
from lcm_lab.ranking.scorer import Leaf
from lcm_lab.ranking.search import Search
from lcm_lab.ranking.searcher import Searcher, within
from lcm_lab.rows import contains
from lcm_lab.run import Hits, Run
from lcm_lab.times import show
from lcm_lab.topics import Topics

__all__ = ["Miss", "follow", "hidden", "miss", "walk"]


@dataclass(frozen=True)
class Miss:
    """What became of one message in one search.

    Attributes
    ----------
    docno : str
    reason : {"found", "hidden", "no match", "outscored", "cut", "dropped"}
    step : str
        The expression of the step, or the filter, that decided.
    rank : int or None
        Its rank in the list, or before the step that decided; None where it had none.
    """

    docno: str
    reason: Literal["found", "hidden", "no match", "outscored", "cut", "dropped"]
    step: str = ""
    rank: int | None = None

    def __str__(self) -> str:
        return f"{self.docno}: {self._told()}"

    def _told(self) -> str:
        at = "" if self.rank is None else f" at rank {self.rank:,}"
        return {
            "found": f"in the list{at}.",
            "hidden": f"hidden by the filter {self.step}.",
            "no match": f"{self.step} scores it 0: nothing in common with the question.",
            "outscored": f"outscored: {self.step} has it{at}, beyond what it retrieves.",
            "cut": f"cut by {self.step}: it stood{at}.",
            "dropped": f"dropped by {self.step}, which had it{at}.",
        }[self.reason]


def miss(searcher: Searcher, question: str, docno: str, filters: dict[str, Any]) -> Miss:
    """Follow one message through the steps of a policy."""
    return follow(searcher, Topics.of(question, searcher.corpus, **filters), docno)


def follow(searcher: Searcher, topics: Topics, docno: str) -> Miss:
    """Follow one message through the steps of a policy, for the one topic there is.

    Raises
    ------
    NotFound
        For a docno that the corpus does not hold.
    """
    row = int(searcher.corpus.row_of([docno])[0])
    if row < 0:
        raise unknown("message", docno, searcher.corpus["docno"].iloc[:1000].tolist())
    if not _has(topics.rows[0], row):
        return Miss(docno, "hidden", hidden(topics, row))
    search, before = searcher.asked(topics), None
    for step, run in walk(searcher.policy, search):
        place = np.flatnonzero(run.rows == row)
        if not len(place):
            return _lost(docno, row, (step, before), search)
        before = int(place[0]) + 1
    return Miss(docno, "found", rank=before)


def _has(rows: Any, row: int) -> bool:
    return bool(contains(rows, np.array([row]))[0])


def hidden(topics: Topics, row: int) -> str:
    """Name the first filter that the row does not pass."""
    for name, wanted in topics.filters[0].items():
        if not _has(topics.corpus.rows(**{name: wanted}), row):
            moment = name in ("since", "before") and isinstance(wanted, int)
            return f"{name}={show(wanted) if moment else wanted!r}"
    return "of the policy"


def walk(ranker: Ranker, search: Search) -> Iterator[tuple[Ranker, Run]]:
    """Give the hits after each step of a policy, cuts as steps of their own."""
    run: Run | None = None
    for step in _steps(ranker):
        if isinstance(step, Top) and run is not None:
            run = run.top(step.k)
        else:
            run = step.retrieve(search, LIMIT) if run is None else step.apply(search, run)
        yield step, run


def _steps(ranker: Ranker) -> Iterator[Ranker]:
    if isinstance(ranker, Top):
        yield from _steps(ranker.ranker)
        yield ranker
    elif isinstance(ranker, Then):
        for step in ranker.steps:
            yield from _steps(step)
    else:
        yield ranker


def _lost(docno: str, row: int, at: tuple[Ranker, int | None], search: Search) -> Miss:
    step, rank = at
    if isinstance(step, Top):
        return Miss(docno, "cut", f"% {step.k}", rank)
    if rank is not None:
        return Miss(docno, "dropped", repr(step), rank)
    topics = search.topics
    one = Run.of(topics, Hits(np.array([0, 1]), np.array([row]), np.ones(1)))
    if all(search.scores(leaf, one)[0] == 0 for leaf in within(step, Leaf)):
        return Miss(docno, "no match", repr(step))
    if step.by_depth:
        return Miss(docno, "outscored", repr(step))
    every = np.arange(len(topics.corpus))[topics.rows[0]]
    whole = Run.of(topics, Hits(np.array([0, len(every)]), every, np.ones(len(every))))
    scores = step.weigh(search, whole, np.ones(len(every)))
    own = scores[np.searchsorted(every, row)]
    if own <= 0:
        return Miss(docno, "no match", repr(step))
    above = int((scores > own).sum() + ((scores == own) & (every < row)).sum())
    return Miss(docno, "outscored", repr(step), above + 1)
