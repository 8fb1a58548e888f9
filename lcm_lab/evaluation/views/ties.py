"""Ties: how far a measure hangs on the order of documents that a system scores alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.failures import rank
from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.systems import searchers
from lcm_lab.evaluation.views.bounds import bounded
from lcm_lab.measures import Measure
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.nodes import Then, Top
from lcm_lab.run import Run
from lcm_lab.topics import Topics

__all__ = ["Deep", "deeper", "ties", "uncut"]

COLUMNS = ["system", "measure", "n", "tied", "mean", "worst", "best", "whole"]

Bools = npt.NDArray[np.bool_]


class Deep(NamedTuple):
    """A run with what its system would give below its own last cut, where that is known."""

    run: Run
    cut: int | None
    whole: bool


def ties(
    bench: Bench,
    measures: Sequence[Measure],
    runs: Mapping[str, Deep],
    failed: Mapping[str, Bools],
) -> pd.DataFrame:
    """Give each mean beside the worst and the best that another order of ties would give.

    Returns
    -------
    DataFrame
        As `Evaluation.ties` documents.
    """
    rows = []
    for name, deep in runs.items():
        orders = {sign: _settled(bench, deep.run, sign) for sign in (-1, 0, 1)}
        for measure in filter(bounded, measures):
            values = {
                sign: np.where(
                    failed[name], np.nan, measure.per_topic(bench.judge(_cut(run, deep.cut)))
                )
                for sign, run in orders.items()
            }
            low, mean, high = (measure.average(values[sign]) for sign in (-1, 0, 1))
            asked = ~np.isnan(values[0])
            tied = int((_tied(deep, measure) & asked).sum())
            rows.append((name, str(measure), int(asked.sum()), tied, mean, low, high, deep.whole))
    return pd.DataFrame(rows, columns=COLUMNS)


def _cut(run: Run, k: int | None) -> Run:
    return run if k is None else run.top(k)


def _settled(bench: Bench, run: Run, sign: int) -> Run:
    """Put ties in the best order (1), in the worst (-1), or leave them as they are (0).

    Best is highest grade first, a stale document last of its like, and a shorter one before a
    longer one where it is relevant; worst is the reverse. A longer one that is not relevant stands
    first in the worst order, since it uses up tokens.
    """
    if not sign or not len(run):
        return run
    judged = bench.judge(run)
    worth = judged.grades - np.where(judged.stale, 1000, 0)
    size = np.where(judged.relevant, judged.tokens, 0)
    return run.take(np.lexsort((sign * size, -sign * worth, -run.scores, run.topic)))


def _tied(deep: Deep, measure: Measure) -> Bools:
    """Tell for which topics the k-th hit and the one after it have the same score.

    Without a cutoff of hits, whether any two hits have.
    """
    run, n = deep.run, len(deep.run.topics)
    same = (np.diff(run.scores) == 0) & (np.diff(run.topic) == 0)
    k = _last(deep, measure)
    if k is not None:
        same &= run.rank[:-1] == k
    return np.bincount(run.topic[:-1][same], minlength=n) > 0 if len(run) else np.zeros(n, bool)


def _last(deep: Deep, measure: Measure) -> int | None:
    own = int(measure.at) if measure.at and measure.cutoff == "hits" else None
    cuts = [k for k in (own, deep.cut) if k is not None]
    return min(cuts) if cuts else None


def deeper(runs: Mapping[str, Run], policies: Mapping[str, Any], topics: Topics) -> dict[str, Deep]:
    """Rank once more without the last cut of each policy, so that ties across it are seen.

    Of a finished run, of a system that is no policy of the library, and of a `Memory`, which cuts
    within, what lies below the list is not known.
    """
    cuts = {name: uncut(policies.get(name)) for name in runs}
    plain = {name: policy for name, (policy, k) in cuts.items() if k is not None}
    fitted, _ = searchers(plain, topics.corpus)
    found = {}
    for name, run in runs.items():
        policy, k = cuts[name]
        known = isinstance(policy, Ranker) and type(policy).fit is Ranker.fit
        found[name] = Deep(run, None, whole=known and k is None)
        if name in fitted and k is not None:
            below = rank(name, fitted[name], topics).run
            if below is not None and _same(below.top(k), run):
                found[name] = Deep(below, k, whole=True)
    return found


def _same(left: Run, right: Run) -> bool:
    alike = np.array_equal(left.offsets, right.offsets) and np.array_equal(left.rows, right.rows)
    return left.corpus is right.corpus and alike


def uncut(policy: Any) -> tuple[Any, int | None]:
    """Take the last cut off a policy, and give it beside; None where it has none of its own.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> uncut(lcm.BM25() >> lcm.Recency("7D") % 10)
    (BM25() >> Recency('7D'), 10)
    """
    if isinstance(policy, Top):
        return policy.ranker, policy.k
    if isinstance(policy, Then):
        last, k = uncut(policy.steps[-1])
        if k is not None:
            return replace(policy, steps=(*policy.steps[:-1], last)), k
    return policy, None
