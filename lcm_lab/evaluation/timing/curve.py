"""Scaling: what indexes and searches cost at several sizes, and how that grows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.statistics.significance import percentile_interval
from lcm_lab.evaluation.timing.clock import Conditions
from lcm_lab.evaluation.timing.printed import Printed
from lcm_lab.shown import counted, one_line

__all__ = ["COLUMNS", "UNITS", "Growth", "Scaling", "growth"]

Floats = npt.NDArray[np.float64]

COLUMNS = ["system", "size", "work", "repeat", "value"]
#: What is measured, in the order in which it is shown.
UNITS = {
    "index": "ms",
    "first search": "ms",
    "search": "ms",
    "add": "ms",
    "memory": "MiB",
    "peak memory": "MiB",
}


class Growth(NamedTuple):
    """The power of the size that a cost grows as.

    Attributes
    ----------
    exponent, low, high : float
        Of the line through all sizes in log and log, and its 95 % interval; NaN below three sizes.
    last : float
        Of the two largest sizes alone.
    sizes : int
    """

    exponent: float
    low: float
    high: float
    last: float
    sizes: int


def growth(sizes: Sequence[float], costs: Sequence[float]) -> Growth:
    """Fit ``cost = a * size ** exponent`` by least squares of logarithms; costs of 0 are left out.

    Parameters
    ----------
    sizes, costs : sequence of float, of one length

    Examples
    --------
    >>> round(growth([1e3, 1e4, 1e5], [2.0, 20.0, 200.0]).exponent, 6)
    1.0
    """
    from scipy.special import stdtrit

    known = sorted((x, y) for x, y in zip(sizes, costs, strict=True) if y > 0)
    n = len(known)
    if n < 2:
        return Growth(math.nan, math.nan, math.nan, math.nan, n)
    x, y = np.log(np.array(known)).T
    off = x - x.mean()
    slope = float(off @ y / (off @ off))
    last = float((y[-1] - y[-2]) / (x[-1] - x[-2]))
    if n < 3:
        return Growth(slope, math.nan, math.nan, last, n)
    left = y - y.mean() - slope * off
    reach = float(stdtrit(n - 2, 0.975) * np.sqrt(left @ left / (n - 2) / (off @ off)))
    return Growth(slope, slope - reach, slope + reach, last, n)


@dataclass(frozen=True, eq=False, repr=False)
class Scaling(Printed):
    """What `scaling` found.

    Attributes
    ----------
    frame : DataFrame
        A row a measurement: system, size (messages), work, repeat, value (in the unit of the work,
        which `summary` gives).
    systems : dict of name to expression
    conditions : Conditions
        The machine meanwhile.
    notes : tuple of str
        What a reader must know beside the numbers, a sentence or two each.

    Examples
    --------
    >>> from lcm_lab.evaluation.timing.scaling import scaling
    >>> grown = scaling({"bm25": lcm.BM25() % 10}, sizes=(100, 200), searches=20)
    >>> grown.summary()["work"].unique().tolist()
    ['index', 'first search', 'search', 'add']
    """

    frame: pd.DataFrame
    systems: dict[str, str]
    conditions: Conditions
    notes: tuple[str, ...] = ()

    def summary(self) -> pd.DataFrame:
        """Give medians by system, work and size.

        Returns
        -------
        DataFrame
            system, work, unit, size, median, low, high (its 95 % interval from order statistics;
            NaN below six values), least, most, n.
        """
        columns = ["system", "work", "unit", "size", "median", "low", "high", "least", "most", "n"]
        told = []
        for system in self.systems:
            for work, unit in UNITS.items():
                part = self.frame[(self.frame["system"] == system) & (self.frame["work"] == work)]
                for size, one in part.groupby("size"):
                    found = one["value"].to_numpy(float)
                    spread = (*percentile_interval(found, 50), found.min(), found.max())
                    told.append((system, work, unit, size, np.median(found), *spread, len(found)))
        return pd.DataFrame(told, columns=columns)

    def exponents(self) -> pd.DataFrame:
        """Give the power of the number of messages that each cost grows as: 1 is in proportion.

        Returns
        -------
        DataFrame
            system, work, exponent, low, high (its 95 % interval; NaN below three sizes), last (of
            the two largest sizes alone), sizes.

        Notes
        -----
        A line through the medians in log and log, each size a point, with Student's t of as many
        degrees of freedom as there are sizes, less two. What every search costs whatever the size
        flattens it at small sizes, so that ``last`` tells more of sizes beyond.
        """
        told = []
        for (system, work), part in self.summary().groupby(["system", "work"], sort=False):
            found = growth(part["size"].tolist(), part["median"].tolist())
            told.append((system, work, *found))
        columns = ["system", "work", "exponent", "low", "high", "last", "sizes"]
        return pd.DataFrame(told, columns=columns)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Lay out a line for each system and work, a column for each size, and how it grows."""
        found, body = self.summary(), []
        sizes = sorted(found["size"].unique().tolist())
        for row in self.exponents().itertuples():
            part = found[(found["system"] == row.system) & (found["work"] == row.work)]
            medians = part.set_index("size")["median"].reindex(sizes)
            cells = ["–" if math.isnan(cost) else f"{cost:,.3g}" for cost in medians]
            work = f"{row.work}, {UNITS[str(row.work)]}"
            body.append([one_line(str(row.system)), work, *cells, _power(row), _two(row.last)])
        return ["system", "work", *(f"{size:,}" for size in sizes), "exponent", "last"], body

    def _headline(self) -> str:
        sizes = self.frame["size"].nunique()
        return f"Scaling of {counted(len(self.systems), 'system')} over {counted(sizes, 'size')}"


def _power(row: object) -> str:
    exponent, low, high = (float(getattr(row, name)) for name in ("exponent", "low", "high"))
    between = "" if math.isnan(low) else f" [{low:.2f}, {high:.2f}]"
    return _two(exponent) + between


def _two(exponent: object) -> str:
    number = float(str(exponent))
    return "–" if math.isnan(number) else f"{number:.2f}"
