"""Where one system finds what another does not, and why something is not in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import unknown
from lcm_lab.measures import Measure
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.miss import Miss, follow
from lcm_lab.rows import contains
from lcm_lab.run import Run

if TYPE_CHECKING:
    from lcm_lab.evaluation.measured import Measured

__all__ = ["LOSSES", "MISSES", "losses", "miss"]

LOSSES = [
    "qid", "query", "type", "value", "against", "difference", "rank", "rank_against", "gold",
    "failed",
]  # fmt: skip
MISSES = ["docno", "relevance", "rank", "reason", "step", "why"]

Ints = npt.NDArray[np.int64]


class Lost(NamedTuple):
    """What became of a document where no steps can be followed; as `ranking.miss.Miss`."""

    docno: str
    reason: str
    step: str
    rank: int | None = None

    def __str__(self) -> str:
        told = {"failed": "nothing was ranked, the system failed: ", "not listed": "not among "}
        return f"{self.docno}: {told[self.reason]}{self.step}."


def losses(
    result: Measured, system: str, against: str, measure: Measure, n: int | None
) -> pd.DataFrame:
    """List the topics on which one system does worse than another, the largest difference first."""
    own, other = (result.values(name, measure, "worst") for name in (system, against))
    sign = 1 if measure.higher_is_better else -1
    behind = sign * (other - own)
    order = np.argsort(-behind, kind="stable")
    order = order[behind[order] > 0][:n]
    topics = result.collection.topics.iloc[order].reset_index(drop=True)
    firsts = [_first(result, name)[order] for name in (system, against)]
    gold = [_gold(result, int(i)) for i in order]
    kept = topics.reindex(columns=["qid", "query", "type"])
    return kept.assign(
        value=own[order],
        against=other[order],
        difference=own[order] - other[order],
        rank=pd.Series(firsts[0], dtype="Int64"),
        rank_against=pd.Series(firsts[1], dtype="Int64"),
        gold=pd.Series(gold, dtype=object),
        failed=result.failed(system)[order],
    )[LOSSES]


def _first(result: Measured, system: str) -> npt.NDArray[np.object_]:
    """Give the rank of each topic's first relevant hit, None without; shape (n_topics,)."""
    run = result.runs[system]
    found = np.full(len(result.bench.topics), None, object)
    hits = np.flatnonzero(result.bench.relevance(run))
    topics, at = np.unique(run.topic[hits], return_index=True)
    found[topics] = run.rank[hits[at]]
    return found


def _gold(result: Measured, topic: int) -> list[str]:
    bench = result.bench
    mine = (bench.topic == topic) & bench.relevant
    return [str(docno) for docno in result.collection.corpus["docno"].iloc[bench.row[mine]]]


def miss(result: Measured, system: str, qid: str, docno: str | None) -> pd.DataFrame:
    """Say of each relevant document, or of one, what became of it in a system's list."""
    qids = result.bench.topics.qids
    if qid not in qids:
        raise unknown("topic", qid, qids)
    topic = qids.index(qid)
    names = _gold(result, topic) if docno is None else [docno]
    if docno is not None and result.collection.corpus.row_of([docno])[0] < 0:
        raise unknown("message", docno, result.collection.corpus["docno"].iloc[:1000].tolist())
    if result.failed(system)[topic]:
        found: Sequence[Miss | Lost] = [_raised(result, system, qid, name) for name in names]
    else:
        found = _followed(result, system, topic, names)
    grades = _grades(result, topic)
    ranks = pd.Series([one.rank for one in found], dtype="Int64")
    rows = [(one.docno, grades.get(one.docno, 0), one.reason, one.step, str(one)) for one in found]
    frame = pd.DataFrame(rows, columns=[name for name in MISSES if name != "rank"])
    return frame.assign(rank=ranks)[MISSES]


def _grades(result: Measured, topic: int) -> dict[str, int]:
    bench = result.bench
    mine = bench.topic == topic
    names = result.collection.corpus["docno"].iloc[bench.row[mine]]
    return dict(zip(names, bench.grade[mine].tolist(), strict=True))


def _raised(result: Measured, system: str, qid: str, docno: str) -> Lost:
    failures = result.failures
    mine = failures[(failures["system"] == system) & failures["qid"].isin((qid, ""))].iloc[-1]
    return Lost(docno, "failed", f"{mine['kind']}: {mine['message']}".rstrip(" .:"))


def _followed(result: Measured, system: str, topic: int, names: list[str]) -> Sequence[Miss | Lost]:
    """Follow documents through the steps of a policy; of what is none, look at its list."""
    policy, bench = result.policies.get(system), result.bench
    if not isinstance(policy, Ranker) or type(policy).fit is not Ranker.fit:
        return [_listed(result, result.runs[system], topic, name) for name in names]
    searcher = policy.fit(result.collection.corpus)
    asked = bench.topics.pick([topic])
    return [follow(searcher, asked, name) for name in names]


def _listed(result: Measured, run: Run, topic: int, docno: str) -> Miss | Lost:
    rows = run.rows[run.offsets[topic] : run.offsets[topic + 1]]
    place = np.flatnonzero(rows == run.corpus.row_of([docno])[0])
    if len(place):
        return Miss(docno, "found", rank=int(place[0]) + 1)
    row = result.collection.corpus.row_of([docno])
    if not contains(result.bench.topics.rows[topic], row)[0]:
        return Miss(docno, "hidden", "of the topic")
    return Lost(docno, "not listed", f"its {len(rows):,} hits")
