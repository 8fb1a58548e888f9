"""What searches and indexes took, as a report lays it out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.tables import Cell, Table, leaderboard, number

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure

__all__ = ["costs", "points", "timings"]


def timings(evaluation: Evaluation) -> pd.DataFrame:
    """Give the median and 95th percentile of each system's timed searches: system, p50, p95, n."""
    latency, told = evaluation.latency, []
    for system in evaluation.systems:
        ms = latency.loc[latency["system"] == system, "ms"].dropna()
        p50, p95 = ms.quantile([0.5, 0.95]) if len(ms) else (math.nan, math.nan)
        told.append((system, p50, p95, len(ms)))
    return pd.DataFrame(told, columns=["system", "p50", "p95", "n"])


def points(times: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Join times with means, and mark what no other system beats in both; adds mean and best."""
    joined = times.merge(means[["system", "mean"]], on="system", how="left")
    return joined.assign(best=[_unbeaten(here, joined) for here in rows(joined)])


def costs(
    evaluation: Evaluation, times: pd.DataFrame, measures: Sequence[Measure], systems: Sequence[str]
) -> Table:
    """Lay out systems, in the order given, by what they cost: latency, then what else was asked."""
    others = [measure for measure in measures if measure.name != "Latency"]
    extra = dict(leaderboard(evaluation, others).rows)
    timed = {row.system: _timing(row) for row in rows(times[times["n"] > 0])}
    latency = ("median, ms", "95th percentile, ms", "searches") if timed else ()
    nothing = (Cell("–"),) * len(latency)
    lines = [(name, (*timed.get(name, nothing), *extra[name])) for name in systems]
    columns = (*latency, *(f"{measure}, {measure.unit}" for measure in others))
    return Table(columns, tuple(lines) if columns else ())


def _unbeaten(here: Any, joined: pd.DataFrame) -> bool:
    better = (joined["p50"] <= here.p50) & (joined["mean"] > here.mean)
    faster = (joined["p50"] < here.p50) & (joined["mean"] >= here.mean)
    return not bool((better | faster).any())


def _timing(row: Any) -> tuple[Cell, ...]:
    p50, p95 = (Cell(number(ms, "ms"), value=float(ms)) for ms in (row.p50, row.p95))
    return p50, p95, Cell(f"{row.n:,}", value=float(row.n))
