"""Whether a system's scores tell when there is nothing to find: AUROC, risk against coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.statistics.significance import resampled
from lcm_lab.measures import Measure
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.ranking.nodes import Around, Then
from lcm_lab.ranking.steps.fuse import Lists
from lcm_lab.run import Run

if TYPE_CHECKING:
    from lcm_lab.evaluation.measured import Measured

__all__ = ["Answers", "abstention", "answers", "auroc", "risk_coverage"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

COLUMNS = [
    "system", "auroc", "low", "high", "answerable", "unanswerable", "units", "surfaced", "silent",
    "recall", "recall_90", "refused_90", "aurc", "why",
]  # fmt: skip
CURVE = ["system", "threshold", "coverage", "risk", "recall", "refused", "n"]

#: Top scores that differ by less are one: a best hit that is its own measure is 1, but for a digit.
SAME = 1e-9

ALL_ANSWERABLE = "no topic is without anything to find, so there is nothing to tell apart"
NONE_TO_FIND = "no topic has anything to find, so there is nothing to tell apart"
SILENT = "gives hits for no topic, so there is no score to tell by"
BY_RANK = "gives hits for every topic and scores them by rank alone: it has no abstention"
ALIKE = "gives hits for every topic, the best with one and the same score: it has no abstention"


class Answers(NamedTuple):
    """How sure a system is of each topic it did not fail on; arrays of shape (n_topics,).

    ``sure`` is its top score, minus infinity without a hit, and one number for all where its scores
    tell ranks alone. ``value`` is what its hits are worth, 0 where there is nothing to find.
    """

    sure: Floats
    value: Floats
    answerable: Bools
    units: Ints
    ranks_alone: bool

    @property
    def why(self) -> str:
        """Why there is no AUROC, or nothing."""
        if not self.answerable.any():
            return NONE_TO_FIND
        if len(self.sure) and not np.isfinite(self.sure).any():
            return SILENT
        if np.isfinite(self.sure).all() and np.ptp(self.sure) < SAME:
            return BY_RANK if self.ranks_alone else ALIKE
        return ALL_ANSWERABLE if self.answerable.all() else ""


def answers(result: Measured, system: str, measure: Measure) -> Answers:
    """Read the run of a system, on the topics on which it did not fail."""
    run, bench, kept = result.runs[system], result.bench, ~result.failed(system)
    some = np.diff(run.offsets) > 0
    sure = np.full(len(some), -np.inf)
    sure[some] = run.scores[run.offsets[:-1][some]]
    alone = _ranks_alone(run, result.policies.get(system))
    if alone:
        sure[some] = 1.0
    value = np.nan_to_num(measure.per_topic(bench.judge(run))) * bench.answerable
    answerable = bench.answerable[kept]
    units = resampled(result.conversation[kept], among=answerable)
    return Answers(sure[kept], value[kept], answerable, units, alone)


def _ranks_alone(run: Run, policy: Any) -> bool:
    """Tell whether scores are of ranks: of fused lists, or places, each one less than before."""
    if isinstance(_last(policy), Lists):
        return True
    together = np.diff(run.topic) == 0
    steps = np.diff(run.scores)[together]
    return bool(len(steps)) and bool(np.all(steps == -1.0))


def _last(policy: Any) -> Any:
    """Give what scores last in a policy: no cut, weight, filter or modifier does by itself."""
    while isinstance(policy, Around | Then):
        if isinstance(policy, Around):
            policy = policy.ranker
            continue
        scoring = [step for step in policy.steps if not isinstance(step, Modifier)]
        policy = scoring[-1] if scoring else None
    return policy


def abstention(answers: Mapping[str, Answers]) -> pd.DataFrame:
    """Lay out, a row a system, what `Evaluation.abstention` documents."""
    rows = [(name, *_row(one)) for name, one in answers.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(one: Answers) -> Iterator[object]:
    given, empty = np.isfinite(one.sure), float("nan")
    telling = one.why in ("", ALL_ANSWERABLE)
    at_90 = _at(one, 0.9) if telling else (empty, empty)
    yield from auroc(one.sure, one.answerable, one.units) if not one.why else (empty,) * 3
    yield int(one.answerable.sum())
    yield int((~one.answerable).sum())
    yield len(np.unique(one.units))
    yield _mean(given[~one.answerable])
    yield _mean(~given[one.answerable])
    yield _mean(one.value[one.answerable])
    yield from at_90
    yield _area(one) if telling else empty
    yield one.why


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def auroc(sure: Floats, positive: Bools, units: Ints) -> tuple[float, float, float]:
    """Give the chance that a positive scores above a negative, ties half, with a 95 % interval.

    Parameters
    ----------
    sure : float64 array of shape (n,)
    positive : bool array of shape (n,)
    units : int64 array of shape (n,)
        What is independent of one another.

    Returns
    -------
    float, float, float
        NaN without positives or negatives; the ends NaN with one unit, or where no unit differs
        from another, as where the two are told apart without a fault.

    Notes
    -----
    The variance is that of clustered data [1]_, linearised over units; the quantile is that of t
    with a degree less than there are units.

    References
    ----------
    .. [1] Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53.

    Examples
    --------
    >>> auroc(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]), np.arange(3))[0]
    0.5
    """
    from scipy.stats import rankdata, t

    good, bad = int(positive.sum()), int((~positive).sum())
    if not good or not bad:
        return float("nan"), float("nan"), float("nan")
    among = rankdata(sure)
    above = (among[positive] - rankdata(sure[positive])) / bad
    below = 1 - (among[~positive] - rankdata(sure[~positive])) / good
    area = float(above.mean())
    n = int(units.max()) + 1
    first = np.bincount(units[positive], weights=above - area, minlength=n)
    second = np.bincount(units[~positive], weights=below - area, minlength=n)
    spread = first / good + second / bad
    holds = len(np.unique(units))
    variance = float((spread**2).sum()) * holds / max(holds - 1, 1)
    if holds < 2 or variance <= 0:
        return area, float("nan"), float("nan")
    reach = float(t.ppf(0.975, holds - 1)) * variance**0.5
    return area, max(area - reach, 0.0), min(area + reach, 1.0)


class Steps(NamedTuple):
    """Topics let in by falling thresholds, those that score alike together; running sums."""

    threshold: Floats
    answered: Floats
    value: Floats
    answerable: Floats


def _steps(one: Answers) -> Steps:
    levels, at = np.unique(-one.sure, return_inverse=True)
    parts = (np.ones(len(one.sure)), one.value, one.answerable.astype(float))
    summed: list[Floats] = [np.cumsum(np.bincount(at, weights=part)) for part in parts]
    return Steps(-levels, *summed)


def _at(one: Answers, coverage: float) -> tuple[float, float]:
    """Give recall, and the share of unanswerable topics refused; ties are let in evenly."""
    steps, n = _steps(one), len(one.sure)
    wanted = coverage * n
    value, found = (
        float(np.interp(wanted, np.append(0.0, steps.answered), np.append(0.0, column)))
        for column in (steps.value, steps.answerable)
    )
    without = n - float(steps.answerable[-1])
    refused = 1 - (wanted - found) / without if without else float("nan")
    return (value / found if found else float("nan")), refused


def _area(one: Answers) -> float:
    """Give the mean risk over all coverages: topics let in one after another, ties evenly."""
    steps, n = _steps(one), len(one.sure)
    let_in = np.arange(1, n + 1)
    ends = np.append(0.0, steps.answered)
    value = np.interp(let_in, ends, np.append(0.0, steps.value))
    return float((1 - value / let_in).mean())


def risk_coverage(answers: Mapping[str, Answers]) -> pd.DataFrame:
    """Lay out, a row a threshold, what `Evaluation.risk_coverage` documents."""
    parts = []
    for name, one in answers.items():
        if one.why not in ("", ALL_ANSWERABLE):
            continue
        steps, n = _steps(one), len(one.sure)
        without = n - steps.answerable[-1]
        let_in = steps.answered - steps.answerable
        with np.errstate(invalid="ignore", divide="ignore"):
            columns = (
                steps.threshold,
                steps.answered / n,
                1 - steps.value / steps.answered,
                steps.value / steps.answerable,
                1 - let_in / without if without else np.full(len(let_in), np.nan),
                steps.answered.astype(int),
            )
        parts.append(pd.DataFrame(dict(zip(CURVE[1:], columns, strict=True))).assign(system=name))
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=CURVE)
    return whole[CURVE]
