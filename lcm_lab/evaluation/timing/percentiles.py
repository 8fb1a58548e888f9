"""Percentiles of times: blank where there are too few, with intervals that assume no distribution.

Searches of one block are not independent where they queue: who waits makes others wait. So the
intervals count as many searches as independent ones would tell as much.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.statistics.significance import RESAMPLES, interval

__all__ = [
    "PERCENTILES", "Estimate", "drawn_percentile", "estimate", "least", "percentiles_of", "ratio"
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PERCENTILES = (50.0, 90.0, 95.0, 99.0)
#: So many values must lie beyond a percentile: 1,000 in all for the 99th.
BEYOND = 10


class Estimate(NamedTuple):
    """A figure with its 95 % interval, each NaN where it cannot be told."""

    value: float
    low: float
    high: float


NOTHING = Estimate(math.nan, math.nan, math.nan)


def percentiles_of(given: Any) -> list[float]:
    """Give percentiles as a list, of one or of several; refuse what is none.

    Examples
    --------
    >>> percentiles_of(95), percentiles_of((50, 99.9))
    ([95.0], [50.0, 99.9])
    """
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in several:
        number = isinstance(one, int | float | np.number) and not isinstance(one, bool)
        if not number or not 0 < one < 100:
            raise BadParameter(
                f"A percentile lies between 0 and 100, such as 95. Got {one!r:.80}. The maximum is "
                "always there."
            )
    return [float(one) for one in several]


def least(percentile: float) -> int:
    """Give how many values it takes to tell a percentile: ten beyond it.

    Examples
    --------
    >>> [least(p) for p in (50, 90, 95, 99, 99.9)]
    [20, 100, 200, 1000, 10000]
    """
    return math.ceil(round(100 * BEYOND / min(percentile, 100 - percentile), 6))


def estimate(values: Floats, rounds: Ints, percentile: float) -> Estimate:
    """Give a percentile with its 95 % interval from order statistics; NaN of too few values.

    Parameters
    ----------
    values : float64 array of shape (n,)
        Without NaN.
    rounds : int64 array of shape (n,)
        Values of one round may hang together.
    percentile : float

    Notes
    -----
    The ranks are those of independent values [1]_, of which there are taken to be fewer than n by
    the factor by which the share of values up to the percentile varies more from round to round
    than of independent values it would [2]_.

    References
    ----------
    .. [1] David and Nagaraja (2003), Order Statistics, section 7.1.
    .. [2] Woodruff (1952), Confidence Intervals for Medians and Other Position Measures.

    Examples
    --------
    >>> estimate(np.arange(1.0, 1001), np.arange(1000) % 10, 95)
    Estimate(value=950.05, low=936.0, high=964.0)
    """
    from scipy.stats import binom

    n = len(values)
    if n < least(percentile):
        return NOTHING
    ordered, value = np.sort(values), float(np.percentile(values, percentile))
    telling = max(1, int(n / _spread(values <= value, rounds)))
    below, above = (float(binom.ppf(tail, telling, percentile / 100)) for tail in (0.025, 0.975))
    low = float(ordered[math.ceil(below * n / telling) - 1]) if below >= 1 else math.nan
    high = float(ordered[int(above * n / telling)]) if above < telling else math.nan
    return Estimate(value, low, high)


def _spread(below: npt.NDArray[np.bool_], rounds: Ints) -> float:
    """Give the variance of a share over rounds, over that of independent values; at least 1.

    Few rounds tell a variance badly, for which it grows as the square of Student's t over z.
    """
    from scipy.special import ndtri, stdtrit

    names, at = np.unique(rounds, return_inverse=True)
    n, share = len(below), float(below.mean())
    if len(names) < 2 or share in (0.0, 1.0):
        return 1.0
    off = np.bincount(at, weights=below - share)
    between = len(names) / (len(names) - 1) * float((off**2).sum()) / n**2
    wider = float(stdtrit(len(names) - 1, 0.975) / ndtri(0.975)) ** 2
    return max(1.0, wider * between / (share * (1 - share) / n))


def ratio(
    one: tuple[Floats, Ints], other: tuple[Floats, Ints], percentile: float, *, seed: int
) -> Estimate:
    """Give a percentile of some times over that of others, with its 95 % interval.

    Parameters
    ----------
    one, other : (float64 array, int64 array)
        Values without NaN, and the round of each.
    percentile : float
    seed : int
        Of the bootstrap, which draws rounds, the same for both. NaN ends with fewer than two.
    """
    if min(len(one[0]), len(other[0])) < least(percentile):
        return NOTHING
    rounds = np.intersect1d(one[1], other[1])
    if not len(rounds):
        return NOTHING
    both = [_in_rounds(times, rounds) for times in (one, other)]
    whole = np.ones((1, len(rounds)), np.int64)
    value = float(_logs(both, whole, percentile)[0])
    if len(rounds) < 2 or math.isnan(value):
        return Estimate(math.exp(value), math.nan, math.nan)
    drawn = np.random.default_rng(seed).integers(len(rounds), size=(RESAMPLES, len(rounds)))
    counts = np.array([np.bincount(draw, minlength=len(rounds)) for draw in drawn])
    low, high = interval(_logs(both, counts, percentile)[:, None], [len(rounds)])
    return Estimate(math.exp(value), math.exp(low[0]), math.exp(high[0]))


def _in_rounds(times: tuple[Floats, Ints], rounds: Ints) -> tuple[Floats, Ints]:
    """Give the values of some rounds in rising order, and the place of the round of each."""
    values, at = times
    known = np.isin(at, rounds)
    order = np.argsort(values[known], kind="stable")
    return values[known][order], np.searchsorted(rounds, at[known][order])


def _logs(both: Sequence[tuple[Floats, Ints]], counts: Ints, percentile: float) -> Floats:
    """Give the logarithm of the ratio where each round counts so many times; NaN of zeros."""
    over, under = (drawn_percentile(values, at, counts, percentile) for values, at in both)
    known = (over > 0) & (under > 0)
    logs = np.full(len(counts), np.nan)
    logs[known] = np.log(over[known] / under[known])
    return logs


def drawn_percentile(rising: Floats, at: Ints, counts: Ints, percentile: float) -> Floats:
    """Give a percentile of values that are there as many times as their round was drawn.

    Parameters
    ----------
    rising : float64 array of shape (n,)
        In rising order.
    at : int64 array of shape (n,)
        The round of each, numbered from 0.
    counts : int64 array of shape (draws, n_rounds)
    percentile : float

    Returns
    -------
    float64 array of shape (draws,)
        What `numpy.percentile` gives of the values written out.
    """
    found = np.empty(len(counts))
    for draw, times in enumerate(counts):
        ends = np.cumsum(times[at])
        place = (ends[-1] - 1) * percentile / 100
        below = int(place)
        low, high = rising[np.searchsorted(ends, (below, min(below + 1, ends[-1] - 1)), "right")]
        found[draw] = low + (high - low) * (place - below)
    return found
