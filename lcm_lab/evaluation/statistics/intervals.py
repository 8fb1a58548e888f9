"""Intervals where percentiles of a bootstrap serve badly: skewed draws, and shares near 0 or 1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lcm_lab.evaluation.statistics.significance import per_unit

__all__ = ["bca", "is_near_an_end", "proportion"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: A value that fewer units than this have is rare.
RARE = 10


def bca(values: Floats, units: Ints, draws: Floats) -> tuple[Floats, Floats]:
    """Give the bias-corrected and accelerated 95 % interval of the mean of every column.

    Parameters
    ----------
    values : float64 array of shape (n_topics, n_columns)
        NaN where undefined.
    units : int64 array of shape (n_topics,)
    draws : float64 array of shape (resamples, n_columns)
        What `bootstrap` gave of the two.

    Returns
    -------
    float64 arrays of shape (n_columns,)
        NaN where all draws are. A column whose draws are all alike has them as both its ends.

    Notes
    -----
    The acceleration is that of leaving out one whole unit [1]_. `scipy.stats.bootstrap` gives the
    same of independent values, but not of units that are drawn whole, nor two columns of one draw.
    Of 2,000 simulated differences over 5, 10, 20 and 50 conversations it held the truth in .82,
    .89, .91 and .94, where `interval` did in .91, .94, .94 and .95: hence that is what tables show.
    Of a skewed mean over 20, 30 and 50 single topics, most of them 1, it did better: .93, .94 and
    .95, against .91, .92 and .93.

    References
    ----------
    .. [1] Efron (1987), Better Bootstrap Confidence Intervals.
    """
    from scipy.special import ndtr, ndtri

    sums, counts = per_unit(values, units, int(units.max()) + 1 if len(units) else 0)
    low, high = np.full(len(sums), np.nan), np.full(len(sums), np.nan)
    for column, (total, count) in enumerate(zip(sums, counts, strict=True)):
        defined = draws[~np.isnan(draws[:, column]), column]
        if not len(defined):
            continue
        mean = total.sum() / count.sum()
        below = ((defined < mean).mean() + (defined <= mean).mean()) / 2
        bias = float(ndtri(np.clip(below, 1e-4, 1 - 1e-4)))
        reach = bias + ndtri(np.array([0.025, 0.975]))
        tails = ndtr(bias + reach / (1 - _acceleration(total, count) * reach))
        low[column], high[column] = np.quantile(defined, tails)
    return low, high


def _acceleration(total: Floats, count: Floats) -> float:
    """Give the skewness, over six, of the means that leave out one unit."""
    rest = count.sum() - count
    without = (total.sum() - total)[rest > 0] / rest[rest > 0]
    apart = without.mean() - without
    spread = float((apart**2).sum())
    return float((apart**3).sum() / (6 * spread**1.5)) if spread > 0 else 0.0


def proportion(values: Floats, units: Ints) -> tuple[float, float]:
    """Give Wilson's 95 % interval of a share near 0 or 1, where a bootstrap has none to draw.

    Parameters
    ----------
    values : float64 array of shape (n_topics,)
        0 or 1; NaN where undefined.
    units : int64 array of shape (n_topics,)

    Returns
    -------
    float, float
        NaN without values.

    Notes
    -----
    Topics of one unit tell less than as many of different ones: n is divided by the variance of
    the mean over units, as a multiple of what independent topics would have [1]_. Where all values
    are alike that cannot be seen, and n is the number of units.

    References
    ----------
    .. [1] Korn and Graubard (1998), Confidence Intervals for Proportions with Small Expected
       Number of Positive Counts.

    Examples
    --------
    >>> low, high = proportion(np.ones(50), np.arange(50))
    >>> round(low, 3), high
    (0.929, 1.0)
    """
    known = ~np.isnan(values)
    if not known.any():
        return float("nan"), float("nan")
    value, unit = values[known], np.unique(units[known], return_inverse=True)[1]
    mean, n_units = float(value.mean()), int(unit.max()) + 1
    n = float(n_units)
    if 0 < mean < 1 and n_units > 1:
        off = np.bincount(unit, weights=value - mean)
        spread = n_units / (n_units - 1) * float((off**2).sum()) / len(value) ** 2
        n = min(float(len(value)), mean * (1 - mean) / spread) if spread > 0 else len(value)
    return _wilson(mean, n)


def is_near_an_end(values: Floats, units: Ints) -> bool:
    """Tell whether values are a share so near 0 or 1 that a bootstrap cannot draw its interval.

    All are 0 or 1, and the rarer of the two is in fewer than ten units. In 600 simulated sets of
    300 topics whose true share was .995 the bootstrap's interval held it in .76, `proportion`'s in
    .94; of 20 conversations of 20 topics that agree among themselves, in .63 and .96.
    """
    known = ~np.isnan(values)
    some, unit = values[known], units[known]
    if not len(some) or not np.isin(some, (0.0, 1.0)).all():
        return False
    return min(len(np.unique(unit[some == end])) for end in (0.0, 1.0)) < RARE


def _wilson(share: float, n: float) -> tuple[float, float]:
    from scipy.special import ndtri

    z2 = float(ndtri(0.975)) ** 2
    middle, reach = share + z2 / (2 * n), (z2 * (share * (1 - share) / n + z2 / (4 * n * n))) ** 0.5
    low, high = (middle - reach) / (1 + z2 / n), (middle + reach) / (1 + z2 / n)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)
