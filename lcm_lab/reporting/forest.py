"""The forest of a comparison: each difference with its interval, and what each unit says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lcm_lab.errors import unknown
from lcm_lab.reporting.axes import axes, label
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import INK, MUTED, SERIES, Chart, drawn, styled

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.comparing.compare import Comparison
    from lcm_lab.measures import Measure

__all__ = ["forest"]

#: Units that have a dot of their own; of more, the dots would be a smear.
MOST = 60


def forest(comparison: Comparison, measure: Measure | str | None = None) -> Chart:
    """Draw a comparison: a row a system, its difference with the 95 % interval, a dot a unit.

    What is better is blue, what is worse is red, and what cannot be told is hollow; the words
    stand beside it.

    Parameters
    ----------
    comparison : Comparison
        As `Evaluation.compare` gives it.
    measure : Measure or str, optional
        One of those compared; the primary one, where not given.

    Returns
    -------
    Chart
        Shows itself in a notebook; ``.save(folder)`` writes SVG and PNG, ``.alt`` tells it in
        words. Systems stand in the order of the evaluation.

    Raises
    ------
    NotFound
        For a measure that was not compared.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> bench = lcm.load("synth-chat-s")
    >>> systems = {"bm25": lcm.BM25() % 10, "tf-idf": lcm.TfIdf() % 10}
    >>> result = lcm.evaluate(systems, on=bench, measures=[lcm.measures.nDCG @ 10])
    >>> print(forest(result.compare("bm25")).alt)
    nDCG@10 less that of bm25: tf-idf -0.047 [-0.058, -0.037], worse.
    """
    there = list(dict.fromkeys(comparison.frame["measure"]))
    chosen = str(measure) if measure is not None else there[0] if there else ""
    if there and chosen not in there:
        raise unknown("measure here", chosen, there)
    table = rows(comparison.frame[comparison.frame["measure"] == chosen])
    units = comparison.by_unit[comparison.by_unit["measure"] == chosen]
    units = units if units["unit"].nunique() <= MOST else units.iloc[:0]
    baseline = safe(comparison.baseline, 40)
    with styled("forest"):
        figure, axis = axes((9.2, 0.8 + 0.32 * max(len(table), 1)))
        for place, row in enumerate(table):
            _row(axis, -place, row, units[units["system"] == row.system])
        axis.axvline(0, color=MUTED, linewidth=0.8, zorder=1)
        places = [-place for place in range(len(table))]
        axis.set_yticks(places, labels=[label(safe(row.system)) for row in table])
        axis.tick_params(axis="y", labelcolor=INK, length=0)
        axis.set(ylim=(-len(table) + 0.4, 0.6), xlabel=f"{chosen} less that of {baseline}")
        axis.grid(axis="x")
        axis.spines["left"].set_visible(False)
        drawing = drawn(figure)
    dots = f"A dot is one {_unit(comparison)}. " if len(units) else ""
    told = "; ".join(f"{safe(row.system)} {_words(row)}" for row in table) or "there is no other"
    return Chart(
        name="forest",
        title=f"Against {baseline}",
        caption=f"{dots}The line is the 95 % interval of the mean difference over topics.",
        alt=f"{chosen} less that of {baseline}: {told}.",
        drawing=drawing,
    )


def _row(axis: Any, y: int, row: Any, units: pd.DataFrame) -> None:
    """Draw one system: dots below, then the interval, then its mean, and the words beside it."""
    colour = _colour(row.verdict)
    dots = {"color": MUTED, "marker": "o", "markersize": 4, "linestyle": "none", "alpha": 0.3}
    axis.plot(units["difference"], np.full(len(units), y), mew=0, zorder=2, **dots)
    axis.plot([row.low, row.high], [y, y], color=colour, linewidth=2, zorder=3)
    inside = "white" if colour == MUTED else colour
    axis.plot([row.difference], [y], marker="o", markersize=6, color=colour, mfc=inside, zorder=4)
    beside: dict[str, Any] = {"xycoords": axis.get_yaxis_transform(), "va": "center"}
    axis.annotate(_words(row), (1.02, y), annotation_clip=False, fontsize=8, **beside)


def _colour(verdict: str) -> str:
    if verdict.startswith("better"):
        return SERIES[0]
    return SERIES[3] if verdict.startswith("worse") else MUTED


def _words(row: Any) -> str:
    if np.isnan(row.difference):
        return str(row.verdict)
    spread = "" if np.isnan(row.low) else f" [{row.low:+.3f}, {row.high:+.3f}]"
    return f"{row.difference:+.3f}{spread}, {row.verdict}"


def _unit(comparison: Comparison) -> str:
    return "question" if comparison.by == "topic" else "conversation"
