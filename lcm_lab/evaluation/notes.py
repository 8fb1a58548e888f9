"""What a reader must know beside the numbers: who was left out, and what limits a measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput
from lcm_lab.evaluation.judge import Bench
from lcm_lab.measures import Measure
from lcm_lab.run import Hits, Run
from lcm_lab.shown import counted

__all__ = ["FEW", "facts", "require_judgements"]

#: With fewer conversations than this, an interval over conversations is itself uncertain.
FEW = 20
#: So many ids are listed; more are counted.
LISTED = 10

_NOTHING = (np.empty(0, np.int64), np.empty(0))


def require_judgements(bench: Bench, measures: Sequence[Measure]) -> None:
    """Refuse measures that no topic could have a value of.

    Raises
    ------
    BadInput
        When no topic has a relevant document, or stale ones are asked for and none is marked.
    """
    judged = [measure for measure in measures if measure.needs in ("qrels", "stale")]
    if not judged or not len(bench.topics):
        return
    if not bench.relevant.any():
        raise BadInput(
            f"None of the {len(bench.topics)} topics of {bench.collection.name!r} has a document "
            f"of grade {bench.relevant_from} or above, so {judged[0]} has no value. "
            f"There are {len(bench.grade)} judgements. Add qrels, or measure Latency or Tokens."
        )
    stale = next((measure for measure in judged if measure.needs == "stale"), None)
    if stale is not None and not bench.stale.any():
        raise BadInput(
            f"{stale} needs qrels that mark what was superseded. Those of "
            f"{bench.collection.name!r} mark nothing. "
            "Add a column 'stale' (true or false)."
        )


def facts(
    bench: Bench, measures: Sequence[Measure], runs: Mapping[str, Run], units: npt.NDArray[np.int64]
) -> list[str]:
    """State what limits the numbers, a sentence a fact, most general first."""
    return [
        *_mined(bench),
        *_left_out(bench),
        *_out_of_reach(bench),
        *(note for measure in measures for note in _limits(bench, measure)),
        *_depth(bench, measures, runs),
        *_no_hits(bench, runs),
        *_few(units),
    ]


def _mined(bench: Bench) -> Iterator[str]:
    made = bench.collection.card.get("topics")
    if isinstance(made, str) and made:
        yield (
            f"Nobody asked these questions: they are {made}. What they measure is told in the "
            "collection's card."
        )


def _left_out(bench: Bench) -> Iterator[str]:
    nothing = np.flatnonzero(bench.n_relevant == 0)
    if len(nothing) or not len(bench.topics):
        yield (
            f"There is nothing to find for {_of(nothing, bench)}{_listed(bench, nothing)}; left "
            "out of every mean of what is found."
        )


def _out_of_reach(bench: Bench) -> Iterator[str]:
    hidden = np.unique(bench.topic[bench.hidden])
    if len(hidden):
        yield (
            f"For {_of(hidden, bench)}{_listed(bench, hidden)} something relevant lies outside the "
            f"rows that the topic may see ({counted(int(bench.hidden.sum()), 'document')} in all); "
            "it counts as missed for every system."
        )
    lost = bench.collection.card.get("unknown_docnos", [])
    if lost:
        yield f"Not in the corpus, and not counted: {counted(len(lost), 'judged document')}."


def _limits(bench: Bench, measure: Measure) -> Iterator[str]:
    k = measure.at
    if not _counts_hits(measure) or k is None:
        return
    asked = bench.n_relevant > 0
    small = np.flatnonzero(asked & (bench.pool <= k))
    if len(small):
        share = np.minimum(k / np.maximum(bench.pool[asked], 1), 1).mean()
        yield (
            f"{measure}: k is not below the number of rows to rank for {_of(small, bench)}"
            f"{_listed(bench, small)}; a random order has R@{k} {share:.3f}. "
            "Do not rank systems by it."
        )
    many = np.flatnonzero(bench.n_relevant > k)
    if len(many) and measure.name in ("R", "AllR", "AP"):
        empty = Run.of(bench.topics, Hits.stack([_NOTHING] * len(bench.topics)))
        best = measure.average(measure.ceiling(bench.judge(empty)))
        yield (
            f"{measure}: more than {k} documents are relevant for {_of(many, bench)}; "
            f"the best mean that any system can reach is {best:.4f}."
        )


def _depth(bench: Bench, measures: Sequence[Measure], runs: Mapping[str, Run]) -> Iterator[str]:
    for name, run in runs.items():
        lengths = np.diff(run.offsets)
        deepest = int(lengths.max()) if len(lengths) else 0
        full = lengths == deepest
        deep = [m for m in measures if _counts_hits(m) and (m.at or 0) > deepest]
        if deep and deepest and (bench.pool[full] > deepest).any():
            wanted = ", ".join(map(str, deep))
            yield f"{name} gives at most {counted(deepest, 'hit')}, fewer than {wanted} would read."


def _no_hits(bench: Bench, runs: Mapping[str, Run]) -> Iterator[str]:
    for name, run in runs.items():
        empty = np.flatnonzero(np.diff(run.offsets) == 0)
        if len(empty):
            yield f"{name} finds nothing at all for {_of(empty, bench)}{_listed(bench, empty)}."


def _few(units: npt.NDArray[np.int64]) -> Iterator[str]:
    n = len(np.unique(units))
    if n == 1:
        yield (
            "All topics are of one conversation: intervals resample topics, and say nothing about "
            "other conversations."
        )
    elif 1 < n < FEW:
        yield (
            f"Intervals resample {n} conversations; fewer than {FEW} are too few to trust their "
            f"width{_held(n)}. Resampling topics instead would hide how conversations differ."
        )


def _held(n: int) -> str:
    """Say how often so few conversations hold the truth; simulated, see `significance.interval`."""
    held = {2: 50, 3: 75, 4: 87}
    return f", and with {n} they hold the truth in about {held[n]} % of cases" if n in held else ""


def _counts_hits(measure: Measure) -> bool:
    return measure.cutoff == "hits" and measure.needs == "qrels"


def _of(some: npt.NDArray[np.int64], bench: Bench) -> str:
    return f"{len(some):,} of {counted(len(bench.topics), 'topic')}"


def _listed(bench: Bench, topics: npt.NDArray[np.int64]) -> str:
    if not 0 < len(topics) < len(bench.topics):
        return ""
    shown = ", ".join(bench.topics.qids[i] for i in topics[:LISTED])
    more = f", and {len(topics) - LISTED:,} more" if len(topics) > LISTED else ""
    return f" ({shown}{more})"
