"""What a comparison could have found: standard error, least detectable difference, equivalence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["detectable", "equivalence", "standard_error"]

Floats = npt.NDArray[np.float64]
Degrees = npt.NDArray[np.int64] | int | float


def standard_error(sums: Floats, counts: Floats) -> Floats:
    """Give the standard error of the mean difference of every column, over whole units.

    Parameters
    ----------
    sums, counts : float64 arrays of shape (n_columns, n_units)
        Of the differences of each unit; a unit without any does not count.

    Returns
    -------
    float64 array of shape (n_columns,)
        NaN with fewer than two units.

    Notes
    -----
    That of a ratio of two sums, by linearisation [1]_; with one topic a unit it is the familiar one
    of a mean.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, section 6.5.
    """
    n, units = counts.sum(axis=1), (counts > 0).sum(axis=1)
    mean = np.divide(sums.sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    off = ((sums - mean[:, None] * counts) ** 2).sum(axis=1)
    scale = np.divide(units, units - 1, out=np.full(len(n), np.nan), where=units > 1)
    return np.asarray(np.sqrt(off * scale) / np.where(n > 0, n, np.nan))


def detectable(error: Floats, degrees: Degrees, *, power: float = 0.8) -> Floats:
    """Give the least true difference that a two-sided test at 5 % finds so often.

    Parameters
    ----------
    error : float64 array
        Standard errors of the difference: s / sqrt(n) for n independent topics.
    degrees : int or array of int
        Units less one, which error is known by; infinity where it is known for sure.
    power : float
        Share of cases in which it is found.

    Returns
    -------
    float64 array
        In the unit of the measure; NaN where the error is.

    Notes
    -----
    The usual sum of two quantiles of t, one for the level and one for the power. It is of a single
    comparison: what is found after Holm's adjustment must be larger.

    Examples
    --------
    >>> detectable(np.array([0.3 / 500**0.5]), np.inf).round(3).tolist()
    [0.038]
    """
    from scipy.stats import t

    known = np.maximum(degrees, 1)
    return np.asarray(error * (t.ppf(0.975, known) + t.ppf(power, known)))


def equivalence(difference: Floats, error: Floats, degrees: Degrees, margin: float) -> Floats:
    """Test by two one-sided t tests whether differences lie within a margin on both sides of 0.

    Parameters
    ----------
    difference, error : float64 arrays of shape (n,)
    degrees : int or array of int
    margin : float, above 0
        In the unit of the measure.

    Returns
    -------
    float64 array of shape (n,)
        The larger p of the two; small where the difference is inside. NaN where the error is.

    References
    ----------
    .. [1] Schuirmann (1987), A Comparison of the Two One-Sided Tests Procedure and the Power
       Approach.

    Examples
    --------
    >>> equivalence(np.array([0.001]), np.array([0.003]), 499, 0.01).round(4).tolist()
    [0.0014]
    """
    from scipy.stats import t

    inside, known = margin - np.abs(difference), ~np.isnan(error)
    sure = np.where(inside > 0, np.inf, -np.inf)
    far = np.divide(inside, error, out=sure, where=known & (error > 0))
    return np.where(known, t.sf(far, np.maximum(degrees, 1)), np.nan)
