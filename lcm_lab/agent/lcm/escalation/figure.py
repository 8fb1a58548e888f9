"""The figure of an escalation: what each step reaches, and what it had to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import INK, LINES, SERIES, Chart, drawn, styled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["steps"]


def steps(summary: pd.DataFrame, collection: str) -> Chart:
    """Draw a bar a step: questions whose evidence was shown before, now first, or not yet.

    Parameters
    ----------
    summary : DataFrame
        As `Escalation.summary` gives it.
    collection : str
    """
    from matplotlib.figure import Figure

    listed = rows(summary)
    with styled("escalation"):
        figure = Figure(figsize=(6.4, 0.8 + 0.5 * len(listed)), layout="constrained")
        axes: Any = figure.subplots()
        for place, row in enumerate(listed):
            before = row.reached - row.first
            axes.barh(-place, 1, color=LINES, height=0.55)
            axes.barh(-place, row.reached, color=SERIES[5], height=0.55)
            axes.barh(-place, row.first, left=before, color=SERIES[0], height=0.55)
            axes.plot([row.low, row.high], [-place, -place], color=INK, linewidth=1.0)
            told = f"{row.reached:.3f}, {row.spent:,.0f} tokens"
            axes.annotate(told, (1.01, -place), va="center", fontsize=8, annotation_clip=False)
        axes.set(xlim=(0, 1), xlabel="share of questions with evidence shown")
        axes.set_yticks([-place for place in range(len(listed))], [row.step for row in listed])
        axes.tick_params(axis="y", length=0)
        drawing = drawn(figure)
    said = "; ".join(
        f"{row.step} {row.reached:.3f} [{row.low:.3f}, {row.high:.3f}] after {row.spent:,.0f} "
        "tokens"
        for row in listed
    )
    return Chart(
        name="escalation",
        title="At which step the evidence appears",
        caption=f"{safe(collection)}, n = {listed[0].n:,} questions. Dark: shown first at this "
        "step; light: shown before; the line is the 95 % interval of both together. Tokens are "
        "what an agent has read by then, if it stops as soon as evidence is shown.",
        alt=f"Bars of the share of questions whose evidence was shown: {said}.",
        drawing=drawing,
    )
