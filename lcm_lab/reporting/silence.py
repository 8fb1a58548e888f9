"""Abstention in a report: whether a system's scores tell when there is nothing to find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.axes import Mark, axes, label, legend, listed
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.svg import Chart, drawn, styled
from lcm_lab.reporting.tables import NOTHING, Cell, Table, number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["columns", "risk", "silence"]

#: Points of a line.
POINTS = 80
#: Heading of each column, and what it holds; two are of a measure.
COLUMNS = {
    "AUROC": "chance that a question with an answer has a higher top score than one without; "
    "0.5 is chance",
    "hits, nothing to find": "share of the questions with nothing to find that get hits all the "
    "same",
    "no hits, something to find": "share of the questions with something to find that get none",
    "{measure}": "mean over all questions with something to find",
    "{measure} at 90 %": "the same over those of them that are answered when the 90 % of all "
    "questions are of which the system is surest",
    "refused at 90 %": "share of the questions with nothing to find among the 10 % left out",
    "risk area": "mean risk over all coverages; lower is better",
}


def columns(measure: str) -> dict[str, str]:
    """Give the heading of each column, and what it holds."""
    return {head.format(measure=measure): told for head, told in COLUMNS.items()}


def silence(table: pd.DataFrame, systems: Sequence[str], measure: str) -> Table:
    """Lay out a table of `Evaluation.abstention`; a system that cannot abstain says why."""
    found = {row.system: _cells(row) for row in rows(table)}
    return Table(tuple(columns(measure)), tuple((name, found[name]) for name in systems))


def _cells(row: Any) -> tuple[Cell, ...]:
    shares = (row.surfaced, row.silent, row.recall, row.recall_90, row.refused_90, row.aurc)
    area = _share(row.auroc, row.low, row.high)
    first = Cell(NOTHING, interval=str(row.why)) if row.why else area
    return (first, *map(_share, shares))


def _share(value: float, low: float = math.nan, high: float = math.nan) -> Cell:
    if math.isnan(value):
        return Cell(NOTHING)
    if math.isnan(low) or math.isnan(high):
        return Cell(number(value), value=float(value))
    between = f"[{number(low)}, {number(high)}]"
    return Cell(number(value), between, value=float(value), low=float(low), high=float(high))


def risk(curve: pd.DataFrame, measure: str, looks: Mapping[str, Mark]) -> Chart | None:
    """Draw risk against coverage: what is lost when the surest share of questions is answered.

    Parameters
    ----------
    curve : DataFrame
        system, coverage, risk, as `Evaluation.risk_coverage` gives them.
    measure : str
        Whose complement the risk is.
    looks : mapping of system to Mark
    """
    if curve.empty:
        return None
    with styled("risk-coverage"):
        figure, axis = axes((11.2, 4.3))
        ends = {}
        for system, look in looks.items():
            own = _thinned(curve[curve["system"] == system].sort_values("coverage"))
            if len(own):
                ends[system] = own["risk"].iloc[-1]
                line = look.line | {"marker": None}
                axis.plot(own["coverage"], own["risk"], label=label(system), **line)
        axis.set(xlim=(0, 1), ylim=(0, 1), ylabel=f"risk, 1 − mean {measure}")
        axis.set(xlabel="coverage: share of questions answered, the surest first")
        axis.grid(axis="y")
        legend(figure, axis, beside=True)
        drawing = drawn(figure)
    return Chart(
        name="risk-coverage",
        title="Risk by coverage",
        caption="To the left only the questions are answered of which a system is surest. A line "
        "that falls to the left is of scores that know what they are worth.",
        alt=f"Lines of risk against coverage. With every question answered the risk is "
        f"{listed(f'{name} {end:.3f}' for name, end in ends.items())}.",
        drawing=drawing,
    )


def _thinned(curve: pd.DataFrame) -> pd.DataFrame:
    """Keep points that are spread evenly: a drawing shows no more, and a page stays small."""
    import numpy as np

    kept = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), POINTS)).astype(int))
    return curve.iloc[kept]
