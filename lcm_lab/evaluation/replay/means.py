"""Means of what was kept, with intervals over conversations, and the area under a frontier."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.statistics.significance import bootstrap, interval

__all__ = ["Floats", "Ints", "area", "by_boundary", "means", "units_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def units_of(conversations: Any) -> Ints:
    """Give each row the number of its conversation, from 0, in order of first appearance."""
    return np.asarray(pd.factorize(pd.Series(conversations, dtype=object))[0], np.int64)


def means(facts: pd.DataFrame, by: list[str], seed: int) -> pd.DataFrame:
    """Average ``kept`` within groups, with 95 % intervals over conversations."""
    rows = []
    for key, part in facts.groupby(by, sort=False):
        values, units = part["kept"].to_numpy(float)[:, None], units_of(part["conversation"])
        n_units = int(units.max()) + 1
        low, high = interval(bootstrap(values, units, seed=seed), [n_units])
        ends = (low[0], high[0]) if n_units > 1 else (np.nan, np.nan)
        rows.append((*key, values.mean(), *ends, len(part), n_units))
    return pd.DataFrame(rows, columns=[*by, "mean", "low", "high", "n", "units"])


def area(means: Floats, shares: Floats) -> Floats:
    """Give the mean under each row by the trapezoid rule over log2 of the share, two or more."""
    at = np.log2(shares)
    return np.asarray(np.trapezoid(means, at, axis=1) / (at[-1] - at[0]), np.float64)


def by_boundary(recorded: pd.DataFrame) -> pd.DataFrame:
    """Lay out what was kept at real boundaries: a row a way, a column a boundary, and the mean."""
    wide = recorded.pivot_table(index="way", columns="boundary", values="share", sort=False)
    wide.columns = pd.Index([f"{name[:8]}..." for name in wide.columns])
    return wide.assign(mean=wide.mean(axis=1))
