"""How systems behaved when they were asked, as sentences: failures, empty lists, ties, depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from lcm_lab.evaluation.failures import failing
from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.limits import counts_hits
from lcm_lab.evaluation.naming import LISTED, some_of
from lcm_lab.evaluation.views.bounds import bounded
from lcm_lab.measures import Measure
from lcm_lab.ranking.base import LIMIT
from lcm_lab.run import Run
from lcm_lab.shown import counted

__all__ = ["depth", "failed", "no_hits", "surfaced", "tied"]

#: Share of the topics from which on ties at the cut are said.
OFTEN = 0.1


def failed(bench: Bench, runs: Mapping[str, Run], failures: pd.DataFrame) -> Iterator[str]:
    for name in runs:
        mine = failures[failures["system"] == name]
        if not len(mine):
            continue
        first = mine.iloc[0]
        why = f"{first['kind']}: {first['message']}".rstrip(" .:")
        lost = np.flatnonzero(failing(failures, name, bench.topics.qids))
        asked = int((mine["qid"] != "").sum())
        if (mine["qid"] == "").any():
            where = f" on each of the {asked:,} topics it was asked" if asked else ""
            yield f"{name} failed as a whole{where}, and has no value ({why})."
        else:
            yield (
                f"{name} failed on {some_of(bench.topics.qids, lost)}, which have no value "
                f"and are in none of its means ({why}); summary(failures='worst') counts them."
            )


def depth(bench: Bench, measures: Sequence[Measure], runs: Mapping[str, Run]) -> Iterator[str]:
    for name, run in runs.items():
        lengths = np.diff(run.offsets)
        deepest = int(lengths.max()) if len(lengths) else 0
        full = lengths == deepest
        deep = [m for m in measures if counts_hits(m) and (m.at or 0) > deepest]
        if deep and deepest and (bench.pool[full] > deepest).any():
            wanted = ", ".join(map(str, deep))
            yield f"{name} gives at most {counted(deepest, 'hit')}, fewer than {wanted} would read."


def no_hits(bench: Bench, runs: Mapping[str, Run], failures: pd.DataFrame) -> Iterator[str]:
    for name, run in runs.items():
        lost = failing(failures, name, bench.topics.qids)
        empty = np.flatnonzero((np.diff(run.offsets) == 0) & ~lost)
        if len(empty):
            yield f"{name} finds nothing at all for {some_of(bench.topics.qids, empty)}."


def tied(bench: Bench, measures: Sequence[Measure], runs: Mapping[str, Run]) -> Iterator[str]:
    """Say how often the last hit scores as the one before it: then one beyond it may, too."""
    if not len(bench.topics) or not any(bounded(measure) for measure in measures):
        return
    told = []
    for name, run in runs.items():
        lengths, ends = np.diff(run.offsets), run.offsets[1:]
        some = (lengths > 1) & (lengths == lengths.max(initial=0)) & (lengths < LIMIT)
        same = run.scores[ends[some] - 1] == run.scores[ends[some] - 2]
        share = float(same.sum()) / len(bench.topics)
        if share >= OFTEN:
            told.append(f"{name} {share:.0%}")
    if told:
        more = f", and {counted(len(told) - LISTED, 'system')} more" if len(told) > LISTED else ""
        yield (
            f"The last hit has the score of the one before it for so many topics: "
            f"{', '.join(told[:LISTED])}{more}. What stands at the cut may be chance; ties() gives "
            "the worst and the best that another order of ties would give."
        )


def surfaced(bench: Bench, runs: Mapping[str, Run], failures: pd.DataFrame) -> Iterator[str]:
    """Say how often something is given where there is nothing to find."""
    nothing = ~bench.answerable
    if not nothing.any():
        return
    shares = []
    for name, run in runs.items():
        asked = nothing & ~failing(failures, name, bench.topics.qids)
        if asked.any():
            shares.append((name, float((np.diff(run.offsets) > 0)[asked].mean())))
    if shares:
        always = [name for name, share in shares if share == 1]
        told = [f"{name} ({share:.0%})" for name, share in shares if share < 1][:LISTED]
        if always:
            shown = always[0] if len(always) == 1 else f"{len(always)} of {len(shares)} systems"
            told = [f"{shown} (100%)", *told]
        yield (
            f"Hits are given for {counted(int(nothing.sum()), 'topic')} with nothing to find by "
            f"{', '.join(told)}; abstention() tells whether scores show it."
        )
