"""Every system against every other: which are told apart, and which stand together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadParameter, unknown
from lcm_lab.evaluation.comparing.cliques import cliques
from lcm_lab.evaluation.comparing.paired import ALPHA, per_topic, units_note
from lcm_lab.evaluation.statistics.randomisation import max_t
from lcm_lab.evaluation.statistics.significance import (
    By,
    bootstrap,
    interval,
    packed,
    per_unit,
    resampled,
)
from lcm_lab.measures import Measure
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["AllPairs", "all_pairs", "best"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: More systems than this are a grid to choose from, not a field to set in order.
MOST = 100


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs:
    """Every pair of systems on one measure, as a critical-difference diagram draws it.

    Attributes
    ----------
    measure : Measure
    systems : DataFrame
        system, mean, rank (its mean place on a topic, 1 the best, ties shared), best first.
    frame : DataFrame
        A row a pair: system (the one with the better mean), other, difference (system less other)
        with its 95 % interval low and high, p (max-T, adjusted for all pairs), apart (whether p is
        at most .05).
    groups : tuple of tuple of str
        Systems of which no two are told apart, at least two each, best first. Two systems that
        share no group are told apart. A group may leave out a system whose mean lies between two
        of its own: one that is less noisy, and so is told apart from one of them.
    n, units : int
        Topics on which every system has a value, and the conversations (or topics) of those.
    notes : tuple of str

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> systems = {"bm25": lcm.BM25() % 10, "random": lcm.CharGrams() >> lcm.Recency("1h") % 10}
    >>> pairs = all_pairs(lcm.evaluate(systems, on=bench), lcm.measures.nDCG @ 10)
    >>> pairs.best, pairs.groups
    ('bm25', ())
    """

    measure: Measure
    systems: pd.DataFrame
    frame: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    n: int
    units: int
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str | None:
        """The system that is told apart from every other, and better; None where there is none."""
        if len(self.systems) < 2:
            return None
        first = str(self.systems["system"].iloc[0])
        return None if any(first in group for group in self.groups) else first

    def __repr__(self) -> str:
        together = [f"  not told apart: {', '.join(group)}" for group in self.groups]
        head = (
            f"{counted(len(self.systems), 'system')} by {self.measure} on "
            f"{counted(self.n, 'topic')} ({counted(self.units, 'unit')})"
        )
        table = self.systems.round(3).to_string(index=False)
        return "\n".join([head, "", table, "", *together, *self.notes]).rstrip()


def all_pairs(
    result: Evaluation,
    measure: Measure,
    *,
    by: By = "conversation",
    systems: Sequence[str] | None = None,
) -> AllPairs:
    """Test every system against every other on one measure, with one error rate for all of it.

    Parameters
    ----------
    result : Evaluation
    measure : Measure
        One that has a value for each topic, and is no time.
    by : {"conversation", "topic"}
        What is flipped and drawn again as a whole; topics, where there is but one conversation.
    systems : sequence of str, optional
        Those to set in order; all, where not given. Differences are taken on the topics on which
        every one of them has a value; one without any value is left out, and said.

    Returns
    -------
    AllPairs

    Raises
    ------
    NotFound
        For a system or measure that was not evaluated.
    BadParameter
        For a measure of time, or more than 100 systems.

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> systems = {"k1=.9": lcm.BM25(k1=0.9) % 10, "k1=1": lcm.BM25(k1=1.0) % 10}
    >>> all_pairs(lcm.evaluate(systems, on=bench), lcm.measures.R @ 10).groups
    (('k1=.9', 'k1=1'),)
    """
    return _all(result, measure, by, systems, drawn=True)


def _all(
    result: Evaluation, measure: Measure, by: By, systems: Sequence[str] | None, *, drawn: bool
) -> AllPairs:
    """Test every pair; intervals only where they are drawn, which takes as long as the test."""
    names = _asked(result, systems)
    values = np.array([per_topic(result, name, measure) for name in names])
    known = ~np.isnan(values).all(axis=1) if values.size else np.ones(len(names), bool)
    silent = [name for name, has in zip(names, known, strict=True) if not has]
    names, values = [name for name in names if name not in silent], values[known].T
    common = ~np.isnan(values).any(axis=1) & bool(names)
    units = resampled(result.conversation, by, common)[common]
    found = _compared(result, names, values[common], packed(units), measure, drawn=drawn)
    notes = [*_left_out(silent, measure), *_dropped(values, common), *units_note(units, by)]
    return AllPairs(measure, *found, int(common.sum()), len(np.unique(units)), tuple(notes))


def best(result: Evaluation, measure: Measure) -> str | None:
    """Name the system that is told apart from every other, and better; None where there is none.

    What is printed in bold: there is one definition of it, that of `all_pairs`.
    """
    if measure.per != "topic" or measure.needs == "timing" or not 1 < len(result.systems) <= MOST:
        return None
    return _all(result, measure, "conversation", None, drawn=False).best


def _asked(result: Evaluation, systems: Sequence[str] | None) -> list[str]:
    names = list(result.systems) if systems is None else list(dict.fromkeys(systems))
    for name in names:
        if name not in result.systems:
            raise unknown("system", str(name), result.systems)
    if len(names) > MOST:
        raise BadParameter(
            f"all_pairs sets at most {MOST} systems in order. Got {len(names):,}. Name those of "
            "interest with systems=[...], or compare all with one: result.compare(baseline)."
        )
    return names


def _compared(
    result: Evaluation,
    names: list[str],
    values: Floats,
    units: Ints,
    measure: Measure,
    *,
    drawn: bool,
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[tuple[str, ...], ...]]:
    """Order the systems, test every pair, and find who stands together."""
    from scipy.stats import rankdata

    sign = 1 if measure.higher_is_better else -1
    means = values.mean(axis=0) if len(values) else np.full(len(names), np.nan)
    order = np.argsort(-sign * means, kind="stable")
    names, values, means = [names[i] for i in order], values[:, order], means[order]
    places = rankdata(-sign * values, axis=1).mean(axis=0) if len(values) else means
    systems = pd.DataFrame({"system": names, "mean": means, "rank": places})
    pairs = np.array(np.triu_indices(len(names), 1)).T
    frame = _pairs(names, values, units, pairs, result.seed)
    if drawn:
        frame["low"], frame["high"] = _ends(values, units, pairs, result.seed)
    together = np.eye(len(names), dtype=bool)
    near = pairs[~frame["apart"].to_numpy(bool)]
    together[near[:, 0], near[:, 1]] = together[near[:, 1], near[:, 0]] = True
    groups = tuple(tuple(names[i] for i in sorted(clique)) for clique in sorted(cliques(together)))
    return systems, frame, groups


def _pairs(names: list[str], values: Floats, units: Ints, pairs: Ints, seed: int) -> pd.DataFrame:
    """Test every pair; the ends of its interval are blank."""
    difference, p = np.full(len(pairs), np.nan), np.ones(len(pairs))
    if len(pairs) and len(values):
        difference = (values[:, pairs[:, 0]] - values[:, pairs[:, 1]]).mean(axis=0)
        p = max_t(per_unit(values, units, int(units.max()) + 1)[0].T, pairs, seed=seed)
    return pd.DataFrame(
        {
            "system": [names[i] for i in pairs[:, 0]],
            "other": [names[i] for i in pairs[:, 1]],
            **{
                "difference": difference,
                "low": np.nan,
                "high": np.nan,
                "p": p,
                "apart": p <= ALPHA,
            },
        }
    )


def _ends(values: Floats, units: Ints, pairs: Ints, seed: int) -> tuple[Floats, Floats]:
    """Give the 95 % interval of every pair's difference, NaN with fewer than two units."""
    n_units, nothing = len(np.unique(units)), np.full(len(pairs), np.nan)
    if n_units < 2:
        return nothing, nothing
    draws = bootstrap(values, units, seed=seed)
    return interval(draws[:, pairs[:, 0]] - draws[:, pairs[:, 1]], [n_units] * len(pairs))


def _left_out(silent: list[str], measure: Measure) -> Iterator[str]:
    if silent:
        yield f"Left out, with no value of {measure} on any topic: {', '.join(silent)}."


def _dropped(values: Floats, common: npt.NDArray[np.bool_]) -> Iterator[str]:
    """Say where a system lacks a value that others have."""
    n = int((~np.isnan(values).all(axis=1) & ~common).sum()) if values.size else 0
    if n:
        yield f"Left out, because a system has no value there: {counted(n, 'topic')}."
