"""Latencies: what searches took under load, from when they were due, and the views of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import unknown
from lcm_lab.evaluation.timing.clock import Conditions
from lcm_lab.evaluation.timing.percentiles import (
    PERCENTILES,
    Estimate,
    estimate,
    percentiles_of,
    ratio,
)
from lcm_lab.evaluation.timing.printed import Printed
from lcm_lab.shown import counted, one_line

__all__ = ["TIMES", "Latencies", "shown"]

#: From when a search was due, and from when it began.
TIMES = ("latency", "service")


@dataclass(frozen=True, eq=False, repr=False)
class Latencies(Printed):
    """What `latency` found.

    Attributes
    ----------
    frame : DataFrame
        A row a search: system, round, qid, latency and service (milliseconds from when it was due
        and from when it began; NaN where it raised). Warm-up is left out.
    systems : dict of name to expression
        Also those that have no times, of which ``notes`` say why.
    collection : str
        Name of the collection, whose topics were asked.
    rate : float
        Searches a second that were due to each system.
    conditions : Conditions
        The machine meanwhile.
    seed : int
        Of the arrivals, of the order of topics and blocks, and of the bootstrap.
    notes : tuple of str
        What a reader must know beside the numbers, a sentence or two each.

    Examples
    --------
    >>> from lcm_lab.evaluation.timing.latency import latency
    >>> bench = lcm.load("synth-chat-s")
    >>> timed = latency({"bm25": lcm.BM25() % 10}, on=bench, rate=1000, n=40)
    >>> timed.summary()[["time", "percentile", "n"]].head(2).values.tolist()
    [['latency', 50.0, 40], ['latency', 90.0, 40]]
    """

    frame: pd.DataFrame
    systems: dict[str, str]
    collection: str
    rate: float
    conditions: Conditions
    seed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def busy(self) -> dict[str, float]:
        """The share of the time that each system was busy; from 1 on it cannot keep up."""
        return {name: self.rate * ms.mean() / 1e3 for name, (ms, _) in self._all("service").items()}

    def summary(self, percentiles: float | Sequence[float] = PERCENTILES) -> pd.DataFrame:
        """Give percentiles of latency and of service time, with intervals.

        Parameters
        ----------
        percentiles : float or sequence of float

        Returns
        -------
        DataFrame
            system, time ("latency" or "service"), percentile (100 is the maximum), ms, low, high
            (its 95 % interval), n (searches that have a time), failed (those that raised). ``ms``
            is NaN of fewer than ten values beyond the percentile, so that 99 needs 1,000 searches
            and 99.9 needs 10,000; an end is NaN that so few cannot bound, and the maximum has none.

        Raises
        ------
        BadParameter
            For what is no percentile.

        Notes
        -----
        Intervals are of order statistics, and allow for searches of one round that hang together.
        In 200 simulated passes of 1,000 searches of an M/M/1 queue they held the 50th and 95th
        percentile of the latency in .96 and .93 where it is busy half of the time, and in .94 and
        .89 where for .8 of it; those that take searches for independent ones in .72 and .54, and
        in .39 and .26.
        """
        asked = percentiles_of(percentiles)
        columns = ["system", "time", "percentile", "ms", "low", "high", "n", "failed"]
        told = []
        for time in TIMES:
            for name, (ms, rounds) in self._all(time).items():
                failed = int((self.frame["system"] == name).sum()) - len(ms)
                found = {p: estimate(ms, rounds, p) for p in asked}
                most = float(ms.max()) if len(ms) else math.nan
                found[100.0] = Estimate(most, math.nan, math.nan)
                told += [(name, time, p, *one, len(ms), failed) for p, one in found.items()]
        table = pd.DataFrame(told, columns=columns)
        order = table["system"].map({name: i for i, name in enumerate(self.systems)})
        return table.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)

    def ratio(
        self, system: str, against: str, percentiles: float | Sequence[float] = (50.0, 95.0)
    ) -> pd.DataFrame:
        """Give how many times as long one system took as another.

        Returns
        -------
        DataFrame
            time, percentile, ratio (below 1: ``system`` is the faster one), low, high (its 95 %
            interval), rounds (what the bootstrap drew from). NaN of too few searches, as in
            `summary`; the interval is that of one machine at one time.

        Raises
        ------
        NotFound
            For a system that has no times.
        BadParameter
            For what is no percentile.
        """
        asked = percentiles_of(percentiles)
        told = []
        for time in TIMES:
            there = self._all(time)
            for name in (system, against):
                if name not in there:
                    raise unknown("timed system", str(name), there)
            one, other = there[system], there[against]
            n = len(np.intersect1d(one[1], other[1]))
            told += [(time, p, *ratio(one, other, p, seed=self.seed), n) for p in asked]
        return pd.DataFrame(told, columns=["time", "percentile", "ratio", "low", "high", "rounds"])

    def _all(self, time: str) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
        """Give the times of each timed system, and the rounds that they are of."""
        known = self.frame[self.frame[time].notna()]
        timed = set(self.frame["system"])
        parts = ((name, known[known["system"] == name]) for name in self.systems if name in timed)
        return {n: (part[time].to_numpy(), part["round"].to_numpy()) for n, part in parts}

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Lay out a line for each system and time: percentiles, and how busy it was."""
        found, body = self.summary(), []
        for (name, time), part in found.groupby(["system", "time"], sort=False):
            cells = [shown(Estimate(*row)) for row in part[["ms", "low", "high"]].to_numpy()]
            busy = self.busy[str(name)]
            share = f"{busy:.0%}" if time == "latency" and not math.isnan(busy) else ""
            body.append([one_line(str(name)), str(time), *cells, f"{part['n'].iloc[0]:,}", share])
        heads = [f"p{p:g}" for p in PERCENTILES]
        return ["system", "ms of", *heads, "max", "n", "busy"], body

    def _headline(self) -> str:
        return (
            f"Latencies of {counted(len(self.systems), 'system')} on {self.collection!r}, "
            f"{self.rate:g} searches a second due to each"
        )


def shown(one: Estimate) -> str:
    """Print milliseconds with three digits that count, and the interval.

    Examples
    --------
    >>> shown(Estimate(1234.5, 1.2345, math.nan)), shown(Estimate(math.nan, 0, 0))
    ('1,234 [1.23, –]', '–')
    """
    if math.isnan(one.value):
        return "–"
    if math.isnan(one.low) and math.isnan(one.high):
        return _digits(one.value)
    return f"{_digits(one.value)} [{_digits(one.low)}, {_digits(one.high)}]"


def _digits(ms: Any) -> str:
    if math.isnan(ms):
        return "–"
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:#.3g}"
