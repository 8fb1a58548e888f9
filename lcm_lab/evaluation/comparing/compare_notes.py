"""What a reader must know beside a comparison: how it was made, and what limits it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lcm_lab.evaluation.comparing.paired import ALPHA, units_note
from lcm_lab.evaluation.statistics.randomisation import DRAWS, LEAST, is_exact, smallest
from lcm_lab.evaluation.statistics.significance import RESAMPLES, By, resampled
from lcm_lab.measures import Measure
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["comparison_notes", "method"]

#: With more systems than this, the best of them is partly best by luck.
MANY = 10


def comparison_notes(
    result: Evaluation,
    baseline: str,
    measures: Sequence[Measure],
    by: By,
    margin: float | None,
    tested: int,
) -> tuple[str, ...]:
    """State how a comparison was made and what limits it; ``tested`` is the size of the family."""
    known = _paired(result, baseline, measures[0])
    units, talks = resampled(result.conversation, by, known), result.conversation[known]
    held = units[known]
    unit: By = "topic" if len(np.unique(held)) == len(held) else by
    return (
        *method(measures, unit, len(np.unique(held)), tested),
        *units_note(held, by),
        *_out_of_reach(len(np.unique(held)), tested),
        *_whole(talks, by),
        *_unpaired(result, baseline, measures[0]),
        *_many(len(result.systems) - 1),
        *_within(margin, measures),
    )


def _paired(result: Evaluation, baseline: str, measure: Measure) -> npt.NDArray[np.bool_]:
    """Tell which topics the baseline and any other system have a value on."""
    others = [result.values(name, measure) for name in result.systems if name != baseline]
    has = ~np.isnan(result.values(baseline, measure))
    known = np.array([~np.isnan(values) for values in others]).reshape(len(others), len(has))
    return np.asarray(has & known.any(axis=0))


def method(measures: Sequence[Measure], by: By, n_units: int, n_systems: int) -> Iterator[str]:
    """Say what was flipped and drawn, and which measures were adjusted together."""
    if not n_units:
        yield f"No topic has a value of {measures[0]} on both sides, so nothing was tested."
        return
    if not n_systems:
        yield f"No system differs on {measures[0]} on any topic, so nothing was tested."
        return
    tried = f"all {2**n_units:,} patterns" if is_exact(n_units) else f"{DRAWS:,} drawn patterns"
    yield (
        f"p: the signs of whole {by}s flipped ({tried}), two-sided; intervals: {by}s drawn "
        f"again ({RESAMPLES:,} draws). Holm over {counted(n_systems, 'system')} on {measures[0]}, "
        "the primary measure."
    )
    if len(measures) > 1:
        named = ", ".join(map(str, measures[1:]))
        yield f"Secondary, each adjusted on its own: {named}. Do not pick among measures by p."


def _out_of_reach(n_units: int, n_systems: int) -> Iterator[str]:
    """Say where Holm asks more of a p value than so many units can give."""
    if n_units >= LEAST and n_systems * smallest(n_units) > ALPHA:
        yield (
            f"With {n_units} units p is {smallest(n_units):.2g} at least, which Holm over "
            f"{n_systems} systems raises above {ALPHA:g}: no single one can be told. Compare "
            "fewer, or see all_pairs, which adjusts for what they share."
        )


def _whole(talks: npt.NDArray[np.int64], by: By) -> Iterator[str]:
    """Say what conversations the compared topics are of, where they are not what is drawn."""
    n = len(np.unique(talks))
    if by == "topic" and 1 < n < len(talks):
        yield (
            f"The topics are of {counted(n, 'conversation')}, and those of one are not "
            "independent: taken one by one, intervals are too narrow and p too small."
        )
    elif n == 1 and len(talks) > 1:
        yield (
            "All topics are of one conversation, so topics were flipped and drawn: this says "
            "nothing about other conversations."
        )


def _unpaired(result: Evaluation, baseline: str, measure: Measure) -> Iterator[str]:
    values = {name: np.isnan(result.values(name, measure)) for name in result.systems}
    nobody = np.all(list(values.values()), axis=0)
    if nobody.any():
        yield (
            f"{measure} is undefined for every system on {counted(int(nobody.sum()), 'topic')} of "
            f"{len(nobody):,}; left out."
        )
    for name, missing in values.items():
        lacks = int((missing & ~nobody).sum())
        if lacks:
            yield (
                f"{name} has no value of {measure} on {counted(lacks, 'topic')} that others have "
                f"one on: left out of {'every difference' if name == baseline else 'its own'}, so "
                "what went wrong there is not in the mean."
            )


def _many(n_systems: int) -> Iterator[str]:
    if n_systems > MANY:
        yield (
            f"The best of {n_systems} is partly best by luck. To choose one, use tune, which "
            "measures the choosing; to explore, q is the share of false ones among those found."
        )


def _within(margin: float | None, measures: Sequence[Measure]) -> Iterator[str]:
    if margin is None:
        yield '"Cannot tell" is not "equal": to show that two are, give a margin.'
    elif any(measure.unit for measure in measures):
        named = ", ".join(str(measure) for measure in measures if measure.unit)
        yield f"The margin is for shares, and was not applied to {named}."
