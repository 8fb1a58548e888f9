"""How sure a mean is: a bootstrap over whole conversations, and order statistics.

Questions of one conversation are not independent, so what is drawn again is the conversation. The
draws depend on the seed and on the units alone: the same run under two names gets the same
interval, and differences between systems are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter

__all__ = [
    "RESAMPLES", "By", "bootstrap", "interval", "packed", "per_unit", "percentile_interval",
    "resampled",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

By = Literal["conversation", "topic"]

RESAMPLES = 2000

#: Cells of the matrix of draws held at once: 32 MiB of float64.
CELLS = 1 << 22


def resampled(
    conversation: Ints,
    by: By = "conversation",
    among: npt.NDArray[np.bool_] | None = None,
) -> Ints:
    """Give what is drawn again, numbered: conversations, or topics where there is but one.

    Parameters
    ----------
    conversation : int64 array of shape (n_topics,)
    by : {"conversation", "topic"}
    among : bool array of shape (n_topics,), optional
        The topics that have a value; all, where not given. A topic with nothing to find is a
        conversation of its own, which must not hide that all others are of one.

    Raises
    ------
    BadParameter
        For another ``by``.

    Examples
    --------
    >>> resampled(np.array([3, 3, 8])).tolist(), resampled(np.array([3, 3])).tolist()
    ([0, 0, 1], [0, 1])
    """
    if by not in ("conversation", "topic"):
        raise BadParameter(f"by must be 'conversation' or 'topic'. Got {by!r}.")
    there = conversation if among is None else conversation[among]
    if by == "topic" or len(np.unique(there)) < 2:
        return np.arange(len(conversation), dtype=np.int64)
    return packed(conversation)


def packed(units: Ints) -> Ints:
    """Give units numbers from 0 without gaps, as `bootstrap` wants them, in the same order.

    Examples
    --------
    >>> packed(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    return np.unique(units, return_inverse=True)[1].astype(np.int64)


def bootstrap(values: Floats, units: Ints, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Draw whole units again, with replacement, and give the mean of every draw.

    Parameters
    ----------
    values : float64 array of shape (n_topics, n_columns)
        Per-topic values; NaN where undefined.
    units : int64 array of shape (n_topics,)
        The unit of each topic, numbered from 0 without gaps.
    seed, resamples : int

    Returns
    -------
    float64 array of shape (resamples, n_columns)
        Means over the defined values of each draw; NaN for a draw without any. Equal columns give
        equal means, and row i of every column is one draw, so that columns may be subtracted.

    References
    ----------
    .. [1] Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8.
    """
    n_units = int(units.max()) + 1 if len(units) else 0
    sums, counts = per_unit(values, units, n_units)
    draws = np.full((resamples, values.shape[1]), np.nan)
    for start, weights in _weights(n_units, resamples, seed):
        for column in range(values.shape[1]):
            weight = weights @ counts[column]
            block = draws[start : start + len(weights), column]
            np.divide(weights @ sums[column], weight, out=block, where=weight > 0)
    return draws


def interval(draws: Floats, units: Iterable[int]) -> tuple[Floats, Floats]:
    """Give the 95 % interval of every column of draws, NaN where all are NaN.

    Parameters
    ----------
    draws : float64 array of shape (resamples, n_columns)
    units : iterable of int, one a column
        How many units were drawn from.

    Notes
    -----
    The expanded percentile interval [1]_. Plain percentiles at 2.5 and 97.5 are too narrow where
    units are few, as if the normal stood for the t distribution and n for n - 1; these lie as much
    further out as those two would. In simulations (units that agree within themselves or not, 20 to
    60 values each) the plain ones held the truth in .82 to .85 of 300 trials with 5 units and in
    .88 to .90 with 10; these in .90 to .94 and .93 to .95. Of 2,000 simulated differences between
    two rankers, of conversations of 5 to 35 topics and with 500 resamples, they held it in .92 with
    5 conversations, .93 with 10, and .94 to .95 with 20, 50 and 100. No percentile helps with 2 or
    3 units, whose draws do not reach far enough: about .5 and .75; nor where differences are rare:
    .80 with 30 topics of which 9 in 100 differ, .95 with 100.

    References
    ----------
    .. [1] Hesterberg (2015), What Teachers Should Know About the Bootstrap, section 4.2.
    """
    low, high = np.full(draws.shape[1], np.nan), np.full(draws.shape[1], np.nan)
    for column, (means, n) in enumerate(zip(draws.T, units, strict=True)):
        defined = means[~np.isnan(means)]
        if len(defined):
            tail = 100 * _tail(n)
            low[column], high[column] = np.percentile(defined, (tail, 100 - tail))
    return low, high


def _tail(n: int) -> float:
    """Give the share of draws beyond each end of a 95 % interval over n units."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, 0.025))) if n > 1 else 0.025


def percentile_interval(values: Floats, percentile: float) -> tuple[float, float]:
    """Give the 95 % interval of a percentile from order statistics; assumes no distribution.

    NaN at an end that so few values cannot bound: the 95th percentile has an upper end from 72
    values on.

    References
    ----------
    .. [1] David and Nagaraja (2003), Order Statistics, section 7.1.
    """
    from scipy.stats import binom

    ordered, n = np.sort(values), len(values)
    below, above = (
        (binom.ppf(tail, n, percentile / 100) for tail in (0.025, 0.975)) if n else (0, 0)
    )
    low = float(ordered[int(below) - 1]) if below >= 1 else float("nan")
    high = float(ordered[int(above)]) if above < n else float("nan")
    return low, high


def per_unit(values: Floats, units: Ints, n_units: int) -> tuple[Floats, Floats]:
    """Give each unit's sum and count of defined values; both of shape (n_columns, n_units)."""
    defined = ~np.isnan(values.T)
    filled = np.where(defined, values.T, 0.0)
    sums = [np.bincount(units, weights=column, minlength=n_units) for column in filled]
    counts = [np.bincount(units, weights=column, minlength=n_units) for column in defined]
    shape = (values.shape[1], n_units)
    return np.array(sums, float).reshape(shape), np.array(counts, float).reshape(shape)


def _weights(n_units: int, resamples: int, seed: int) -> Iterator[tuple[int, Floats]]:
    """Yield how often each unit is drawn, some draws at a time: (first draw, (draws, n_units))."""
    rng = np.random.default_rng(seed)
    block = max(1, CELLS // max(n_units, 1))
    for start in range(0, resamples if n_units else 0, block):
        size = min(block, resamples - start)
        drawn = rng.integers(n_units, size=(size, n_units)) + n_units * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n_units)
        yield start, counts.reshape(size, n_units).astype(float)
