"""Why each system misses what it misses, for every question of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lcm_lab.shown import cut

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.ranking.miss import Miss
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Reason", "reasons", "searchers"]

#: A sentence about a message, with {n} for its rank, and that rank.
Reason = tuple[str, int | None]

#: Characters of a step's expression that are shown.
LONG = 90
UNKNOWN = "not among its hits"


def searchers(evaluation: Evaluation) -> dict[str, Searcher]:
    """Fit again every system that is a policy; leaves that they share are built once.

    Left out are finished runs, systems of somebody's own, memories, which have a corpus of their
    own, and what failed on any question.
    """
    from lcm_lab.ranking.base import Ranker
    from lcm_lab.ranking.searcher import Indexes, Searcher

    lost = set(evaluation.failures["system"])
    indexes = Indexes(evaluation.collection.corpus)
    return {
        name: Searcher(policy, indexes.corpus, indexes)
        for name, policy in evaluation.policies.items()
        if isinstance(policy, Ranker)
        and type(policy).fit is Ranker.fit
        and name not in lost
        and evaluation.runs[name].corpus is indexes.corpus
    }


def reasons(
    evaluation: Evaluation, fitted: dict[str, Searcher], shown: int
) -> dict[str, dict[tuple[int, int], Reason]]:
    """Say of every relevant message that is not among the hits shown what became of it.

    Parameters
    ----------
    evaluation : Evaluation
    fitted : dict of name to Searcher
        As `searchers` gives them; of others it is said only that the message is not there.
    shown : int
        So many hits of each question are shown.

    Returns
    -------
    dict of system to dict of (position of the topic, row of the collection's corpus) to Reason
    """
    return {
        name: dict(_of_system(evaluation, name, fitted.get(name), shown))
        for name in evaluation.systems
    }


def _of_system(
    evaluation: Evaluation, name: str, searcher: Searcher | None, shown: int
) -> Iterator[tuple[tuple[int, int], Reason]]:
    bench, run = evaluation.bench, evaluation.runs[name]
    topic, row = bench.topic[bench.relevant], bench.row[bench.relevant]
    ranks = _ranks(evaluation, name, topic, row)
    deep = (ranks == 0) | (ranks > shown)
    topic, row, ranks = topic[deep], row[deep], ranks[deep]
    told: dict[int, Reason] = {}
    lost = np.flatnonzero(ranks == 0)
    if searcher is not None and len(lost):
        from lcm_lab.ranking.misses import misses

        found = misses(searcher, run.topics, topic[lost], row[lost])
        told = {int(at): _told(one) for at, one in zip(lost, found, strict=True)}
    for at, (i, one, rank) in enumerate(
        zip(topic.tolist(), row.tolist(), ranks.tolist(), strict=True)
    ):
        below = f"at rank {{n}}, below the {shown} shown"
        yield (i, one), (below, rank) if rank else told.get(at, (UNKNOWN, None))


def _ranks(
    evaluation: Evaluation, name: str, topic: npt.NDArray[np.int64], row: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Give the rank of each message among the hits of its topic, 0 where it is none."""
    run, corpus = evaluation.runs[name], evaluation.collection.corpus
    rows = run.rows
    if run.corpus is not corpus:
        rows = corpus.row_of(run.corpus["docno"].iloc[run.rows])
    hits = zip(run.topic.tolist(), rows.tolist(), run.rank.tolist(), strict=True)
    known = {(i, one): rank for i, one, rank in hits if one >= 0}
    wanted = zip(topic.tolist(), row.tolist(), strict=True)
    return np.array([known.get(pair, 0) for pair in wanted], np.int64)


def _told(found: Miss) -> Reason:
    step = found.step if len(found.step) <= LONG else f"{cut(found.step, LONG - 1)}…"
    at = " at rank {n}" if found.rank else ""
    said = {
        "found": UNKNOWN,  # the run is not what the expression gives
        "hidden": f"hidden by the filter {step}",
        "no match": f"no match: {step} gives it no score",
        "outscored": f"outscored: {step} has enough that is better",
        "cut": f"cut by {step}: it stood{at}",
        "dropped": f"dropped by {step}, which had it{at}",
    }
    return said[found.reason], found.rank if found.reason != "found" else None
