"""Two measurements of the same topics set against each other: the one definition of a difference.

What `Evaluation.compare`, `all_pairs` and `diff` show of two systems is computed here, so that none
of them calls a difference real that another does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadParameter, unknown
from lcm_lab.evaluation.notes import FEW
from lcm_lab.evaluation.statistics.power import detectable, equivalence, standard_error
from lcm_lab.evaluation.statistics.randomisation import LEAST, holm, randomisation, smallest
from lcm_lab.evaluation.statistics.significance import By, bootstrap, interval, packed, per_unit
from lcm_lab.measures import Measure
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = [
    "ALPHA",
    "TIED",
    "comparable",
    "family",
    "paired",
    "per_topic",
    "units_note",
    "with_verdicts",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Values that differ by less are tied: sums in another order differ in their last digits.
TIED = 1e-9
#: From this p on a difference is called none.
ALPHA = 0.05


def comparable(measure: Measure) -> bool:
    """Tell whether a measure has a value a topic that can be set against another system's.

    Times are none: two systems timed one after the other differ by what the machine did meanwhile.
    """
    return measure.per == "topic" and measure.needs != "timing"


def per_topic(result: Evaluation, system: str, measure: Measure) -> Floats:
    """Give what a system has of a measure on each topic; shape (n_topics,).

    Raises
    ------
    NotFound
        For a measure that was not evaluated.
    BadParameter
        For one that cannot be compared topic by topic, or what is no measure.
    """
    if not isinstance(measure, Measure):
        raise BadParameter(
            f"A measure is a value such as nDCG @ 10 from lcm_lab.measures. Got {measure!r}. "
            'From a text: measures.parse("nDCG@10").'
        )
    if measure not in result.measures:
        raise unknown("measure here", str(measure), map(str, result.measures))
    if not comparable(measure):
        raise BadParameter(
            f"{measure} cannot be compared topic by topic: systems that are timed one after the "
            "other differ by what the machine did meanwhile. Compare what they find, such as "
            "nDCG@10, and time them in turns."
        )
    return result.values(system, measure)


def paired(
    values: Floats, baseline: Floats, units: Ints, *, higher: bool = True, seed: int = 0
) -> pd.DataFrame:
    """Set columns of values against a baseline, topic by topic.

    Parameters
    ----------
    values, baseline : float64 arrays of shape (n_topics, n_columns)
        NaN where there is no value; a topic counts where both have one.
    units : int64 array of shape (n_topics,)
        What is flipped and drawn again as a whole.
    higher : bool
        Whether more is better, which decides what is a win.
    seed : int

    Returns
    -------
    DataFrame
        A row a column: n (topics with both values), unpaired (with one or none), units (that those
        are of), mean and baseline_mean over the n, difference with its 95 % bootstrap interval low
        and high, p (paired randomisation, two-sided), wins, ties, losses (topics), units_won,
        units_lost (by the sum of their differences), mde (the least true difference that such a
        test would find in 80 % of cases), error (standard, over units).
    """
    apart = values - baseline
    keep = ~np.isnan(apart).all(axis=1)
    apart, unit = apart[keep], packed(units[keep])
    n_units = int(unit.max()) + 1 if len(unit) else 0
    sums, counts = per_unit(apart, unit, n_units)
    n, has = counts.sum(axis=1).astype(int), (counts > 0).sum(axis=1)
    low, high = interval(bootstrap(apart, unit, seed=seed), np.maximum(has, 1))
    error, sign = standard_error(sums, counts), 1.0 if higher else -1.0
    better = sign * np.where(np.abs(apart) > TIED, apart, 0.0)
    won = sign * np.where(np.abs(sums) > TIED, sums, 0.0)
    return pd.DataFrame(
        {
            "n": n,
            "unpaired": len(values) - n,
            "units": has,
            "mean": _mean(values[keep], apart),
            "baseline_mean": _mean(baseline[keep], apart),
            "difference": _over(sums.sum(axis=1), n),
            "low": np.where(has > 1, low, np.nan),
            "high": np.where(has > 1, high, np.nan),
            "p": np.where(has > 0, randomisation(sums.T, seed=seed), np.nan),
            "wins": (better > 0).sum(axis=0),
            "ties": ((better == 0) & ~np.isnan(apart)).sum(axis=0),
            "losses": (better < 0).sum(axis=0),
            "units_won": (won > 0).sum(axis=1),
            "units_lost": (won < 0).sum(axis=1),
            "mde": detectable(error, has - 1),
            "error": error,
        }
    )


def _mean(values: Floats, apart: Floats) -> Floats:
    known = ~np.isnan(apart)
    return _over(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))


def _over(total: Floats, n: npt.NDArray[np.int_]) -> Floats:
    return np.asarray(np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0))


def with_verdicts(
    frame: pd.DataFrame, *, higher: bool = True, margin: float | None = None
) -> pd.DataFrame:
    """Adjust the p values of one family, and say in words what each difference is.

    Parameters
    ----------
    frame : DataFrame
        As `paired` gives it, one measure, all systems of the family.
    higher : bool
    margin : float, optional
        Differences below it do not matter; without it nothing is called equal.

    Returns
    -------
    DataFrame
        With p_holm and q (Benjamini and Hochberg), both over the `family`, p_equal (TOST within the
        margin, Holm; NaN without one) and verdict; without error.
    """
    tested, equal = family(frame), np.full(len(frame), np.nan)
    raw = np.where(tested, frame["p"].to_numpy(float), np.nan)
    p, q = (np.where(tested, f(raw), frame["p"].to_numpy(float)) for f in (holm, _discovery))
    if margin is not None:
        apart, error = frame["difference"].to_numpy(float), frame["error"].to_numpy(float)
        equal = holm(equivalence(apart, error, frame["units"].to_numpy() - 1, margin))
    rows = zip(frame["difference"], p, equal, ~tested, strict=True)
    verdicts = [
        _verdict(d if higher else -d, p, margin if e <= ALPHA else None, same=same)
        for d, p, e, same in rows
    ]
    made = {"p_holm": p, "q": q, "p_equal": equal}
    return frame.drop(columns="error").assign(**made, verdict=verdicts)


def family(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Tell which rows are tested together: those that were measured and differ on some topic.

    What is identical can never be called different, so that no room need be left for it: a change
    to one system is not drowned by the many that nobody touched.
    """
    return np.asarray(frame["ties"] < frame["n"], bool)


def _verdict(gain: float, p: float, within: float | None, *, same: bool) -> str:
    """Say what a difference is; ``within`` is the margin that it was shown to be inside of."""
    if np.isnan(gain):
        return "not measured"
    if same:
        return "identical"
    if p <= ALPHA:
        words = "better" if gain > 0 else "worse"
        return words if within is None else f"{words}, by less than {within:g}"
    return "cannot tell" if within is None else f"equal within ±{within:g}"


def _discovery(p: Floats) -> Floats:
    """Give the share of false ones among all that are called found at each p."""
    from scipy.stats import false_discovery_control

    found, known = np.full(len(p), np.nan), ~np.isnan(p)
    if known.any():
        found[known] = false_discovery_control(p[known])
    return found


def units_note(units: Ints, by: By) -> Iterator[str]:
    """Say where units are too few to tell, or are no conversations."""
    n = len(np.unique(units))
    if not n:
        return
    what = "conversation" if by == "conversation" and n < len(units) else "unit"
    if n < LEAST:
        yield (
            f"There {'is' if n == 1 else 'are'} {counted(n, what)}: no test at 5 % is possible "
            f"below {LEAST}, since chance alone gives the most extreme outcome with "
            f"p = {smallest(n):.3g}."
        )
    elif n < FEW:
        yield (
            f"There are {counted(n, what)}, fewer than {FEW}: intervals are themselves uncertain, "
            "and only large differences can be told."
        )
