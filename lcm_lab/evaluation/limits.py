"""What bounds a measure on a collection, before anything is ranked, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.naming import LISTED, some_of
from lcm_lab.evaluation.views.bounds import beyond, bounded, bounds, luck
from lcm_lab.measures import Measure
from lcm_lab.shown import counted
from lcm_lab.synth.leaks import ceiling, same_questions, twins

__all__ = ["counts_hits", "limits"]

#: Of more rows than this it is not looked for which say the same.
COMPARED = 50_000


def limits(bench: Bench, measures: Sequence[Measure]) -> Iterator[str]:
    """Say what no system can pass, what every one is given, and where gold has a double."""
    close = [m for m in measures if beyond(bench, m).any() or _crowded(bench, m).any()]
    found = bounds(bench, close)
    for measure in close:
        yield from _limits(bench, found, measure)
    if any(bounded(measure) for measure in measures):
        yield from _same_questions(bench)
        yield from _twins(bench)


def _limits(bench: Bench, found: pd.DataFrame, measure: Measure) -> Iterator[str]:
    mine = found[found["measure"] == str(measure)]
    if mine.empty:
        return
    small, k = np.flatnonzero(beyond(bench, measure)), measure.at
    qids = bench.topics.qids
    random, best = float(mine["random"].iloc[0]), float(mine["ceiling"].iloc[0])
    if len(small):
        tokens = measure.cutoff == "tokens"
        told = (
            "all rows to rank fit into it"
            if tokens
            else "k is not below the number of rows to rank"
        )
        yield (
            f"{measure}: {told} for {some_of(qids, small)}; a "
            f"random order has {measure} {random:.3f}, the best {best:.3f}."
            f"{' Do not rank systems by it.' * bool(luck(mine))}"
        )
    many = np.flatnonzero(_crowded(bench, measure))
    if len(many):
        yield (
            f"{measure}: more than {k} documents are relevant for {some_of(qids, many)}; the best "
            f"mean that any system can reach is {best:.4f}."
        )


def _crowded(bench: Bench, measure: Measure) -> npt.NDArray[np.bool_]:
    """Tell which topics have more relevant documents than k, where that bounds a measure."""
    bounds_it = counts_hits(measure) and measure.name in ("R", "AllR", "AP")
    return np.asarray(bench.n_relevant > (measure.at if bounds_it and measure.at else np.inf))


def _same_questions(bench: Bench) -> Iterator[str]:
    """Say where one ranking must serve several topics, so that no policy can be right for all."""
    groups = same_questions(bench.collection)
    best = ceiling(bench.collection) if groups else {}
    if any(value < 1 for value in best.values()):
        asked = sum(map(len, groups))
        told = ", ".join(f"{name} {value:.3f}" for name, value in best.items())
        yield (
            f"{counted(asked, 'topic')} ask what another asks too ({', '.join(groups[0][:LISTED])}"
            f"{', ...' if len(groups) > 1 or len(groups[0]) > LISTED else ''}), and want other "
            f"documents: one ranking serves all of these, so no policy can pass {told}."
        )


def _twins(bench: Bench) -> Iterator[str]:
    """Say where a document that is not relevant says the same as one that is."""
    if len(bench.collection.corpus) > COMPARED or not bench.relevant.any():
        return
    found = twins(bench.collection)
    if found:
        place = {qid: i for i, qid in enumerate(bench.topics.qids)}
        which = np.array([place[qid] for qid in found], np.int64)
        yield (
            f"For {some_of(bench.topics.qids, which)} another document says the same as a "
            "relevant one, word for word, and does not count: whoever ranks it first loses by "
            "chance."
        )


def counts_hits(measure: Measure) -> bool:
    """Tell whether a measure reads so many hits and looks for relevant ones among them."""
    return measure.cutoff == "hits" and measure.needs == "qrels"
