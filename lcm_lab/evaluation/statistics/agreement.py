"""How far two orders of the same systems agree: tau-b and tau-AP, draws of them, and a ceiling.

Two questions are kept apart. Whether a set orders systems as another does is tau-b between their
means; how high that can be at all is bounded by what each set's own random halves reach.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.statistics.significance import bootstrap

__all__ = [
    "Floats", "agreement", "drawn", "draws", "ends", "halves", "signs_agree", "tau", "tau_ap"
]  # fmt: skip

Floats = npt.NDArray[np.float64]

#: Means that differ by less are tied: sums in another order differ in their last digits.
TIED = 1e-9


def tau(left: Floats, right: Floats) -> Floats:
    """Give Kendall's tau-b between two scores of the same items.

    Parameters
    ----------
    left, right : float64 arrays of shape (n_items,) or (n_draws, n_items)

    Returns
    -------
    float64 array of shape () or (n_draws,)
        From -1 (reversed) to 1 (the same order); NaN where one side ties everything.

    Notes
    -----
    Concordant less discordant pairs, over the geometric mean of the pairs that each side does not
    tie [1]_.

    References
    ----------
    .. [1] Kendall (1945), The Treatment of Ties in Ranking Problems.

    Examples
    --------
    >>> float(tau(np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.9, 0.7])).round(3))
    0.333
    """
    first, second = _signs(left), _signs(right)
    both = np.sqrt((first**2).sum(-1) * (second**2).sum(-1))
    with np.errstate(invalid="ignore"):
        return np.asarray((first * second).sum(-1) / both, np.float64)


def tau_ap(left: Floats, right: Floats) -> Floats:
    """Give AP correlation between two scores of the same items: tau that weighs the top more.

    Parameters
    ----------
    left, right : float64 arrays of shape (n_items,) or (n_draws, n_items)
        Higher is better.

    Returns
    -------
    float64 array of shape () or (n_draws,)
        From -1 (reversed) to 1 (the same order); NaN where one side ties everything.

    Notes
    -----
    Of the items above each one on one side, the share that is above it on the other too, averaged
    over the items below the top [1]_ and over both sides. An item tied on the other side is half
    above; items tied with each other are not above each other, which is tau-AP,b of [2]_.

    References
    ----------
    .. [1] Yilmaz, Aslam and Robertson (2008), A New Rank Correlation Coefficient for Information
       Retrieval.
    .. [2] Urbano and Marrero (2017), The Treatment of Ties in AP Correlation.

    Examples
    --------
    >>> order, top, end = np.array([[4.0, 3, 2, 1], [3, 4, 2, 1], [4, 3, 1, 2]])
    >>> float(tau_ap(order, top).round(3)), float(tau_ap(order, end).round(3))
    (0.333, 0.778)
    """
    return np.asarray((_one_way(left, right) + _one_way(right, left)) / 2, np.float64)


def _one_way(order: Floats, other: Floats) -> Floats:
    """Share of what is above each item that is above it in the other order, scaled to -1 to 1."""
    apart, there = (x[..., None, :] - x[..., :, None] for x in (order, other))
    above = apart > TIED
    agreed = (1 + np.where(np.abs(there) > TIED, np.sign(there), 0.0)) / 2 * above
    n_above = above.sum(-1)
    below_top = n_above > 0
    share = agreed.sum(-1) / np.where(below_top, n_above, 1)
    with np.errstate(invalid="ignore"):
        return np.asarray(2 * share.sum(-1) / below_top.sum(-1) - 1, np.float64)


def agreement(left: Floats, right: Floats) -> pd.DataFrame:
    """Give tau-b and tau-AP between the means of the same items on two sets of questions.

    Parameters
    ----------
    left, right : float64 arrays of shape (n_questions, n_items)
        Without NaN; the sets may differ in length.

    Returns
    -------
    DataFrame
        statistic ("tau-b", "tau-AP"), figure, low, high: the 95 % interval from drawing the
        questions of both sides again.
    """
    means = left.mean(axis=0), right.mean(axis=0)
    again = draws(left, 0), draws(right, 1)
    rows = [
        (name, float(statistic(*means)), *ends(statistic(*again)))
        for name, statistic in (("tau-b", tau), ("tau-AP", tau_ap))
    ]
    return pd.DataFrame(rows, columns=["statistic", "figure", "low", "high"])


def draws(values: Floats, seed: int) -> Floats:
    """Draw questions again and give the mean of each column; shape (n_draws, n_columns).

    Every question is a unit of its own: sets of a handful of conversations have no other.
    """
    return bootstrap(values, np.arange(len(values), dtype=np.int64), seed=seed)


def drawn(values: Floats, seed: int) -> Floats:
    """Draw the mean of one column again; shape (n_draws,)."""
    return np.asarray(draws(values[:, None], seed)[:, 0], np.float64)


def ends(found: Floats) -> tuple[float, float]:
    """Give the 2.5th and 97.5th percentile of what is no NaN; NaN where nothing is."""
    known = found[~np.isnan(found)]
    low, high = np.percentile(known, (2.5, 97.5)) if len(known) else (np.nan, np.nan)
    return float(low), float(high)


def halves(values: Floats, *, splits: int = 500, seed: int = 0) -> Floats:
    """Split topics in two at random, again and again, and give tau-b between the halves' means.

    Parameters
    ----------
    values : float64 array of shape (n_topics, n_items)
        Without NaN.

    Returns
    -------
    float64 array of shape (splits,)
        NaN where there are fewer than two topics.
    """
    n = len(values)
    if n < 2:
        return np.full(splits, np.nan)
    rng = np.random.default_rng(seed)
    first = np.zeros((splits, n))
    for row in first:
        row[rng.permutation(n)[: n // 2]] = 1
    one = first @ values / (n // 2)
    other = (1 - first) @ values / (n - n // 2)
    return tau(one, other)


def signs_agree(left: Floats, right: Floats) -> tuple[int, int]:
    """Count the pairs of items that differ for sure on both sides, and those with the same sign.

    Parameters
    ----------
    left, right : float64 arrays of shape (n_draws, n_items)
        Bootstrap draws. A pair differs for sure where 95 % of its draws are on one side of 0.

    Returns
    -------
    int, int
        Pairs that differ on both sides, and those of them that differ in the same direction.
    """
    first, second = _sure(left), _sure(right)
    both = (first != 0) & (second != 0)
    return int(both.sum()), int((both & (first == second)).sum())


def _sure(draws: Floats) -> Floats:
    """Give the sign of each pair's difference where it is sure, 0 elsewhere; shape (n_pairs,)."""
    first, second = _pairs(draws.shape[-1])
    low, high = np.percentile(draws[:, first] - draws[:, second], (2.5, 97.5), axis=0)
    return np.asarray((low > TIED).astype(float) - (high < -TIED))


def _signs(scores: Floats) -> Floats:
    first, second = _pairs(scores.shape[-1])
    apart = scores[..., first] - scores[..., second]
    return np.asarray(np.where(np.abs(apart) > TIED, np.sign(apart), 0.0))


def _pairs(n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    first, second = np.triu_indices(n, 1)
    return first.astype(np.int64), second.astype(np.int64)
