"""The figures of a validation: systems by their means on both sides, and types by difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import INK, LINES, MUTED, SERIES, Chart, drawn, styled

if TYPE_CHECKING:
    from lcm_lab.evaluation.validating.validation import Validation

__all__ = ["by_type", "scatter"]

SYNTHETIC, REAL = SERIES[0], SERIES[3]
#: Room around the points, in units of the measure.
MARGIN = 0.02


def scatter(found: Validation, name: str) -> Chart:
    """Draw a point a system: its mean on the synthetic questions, and on the real ones."""
    from matplotlib.figure import Figure

    table = found.frame().sort_values("real", ascending=False, kind="stable")
    here, there = (safe(side.collection.name, 40) for side in found.sides)
    with styled(name):
        figure = Figure(figsize=(5.4, 5.0), layout="constrained")
        axes: Any = figure.subplots()
        for rank, row in enumerate(rows(table), 1):
            across, up = [row.synthetic_low, row.synthetic_high], [row.real_low, row.real_high]
            axes.plot(across, [row.real] * 2, color=LINES, linewidth=0.9, zorder=1)
            axes.plot([row.synthetic] * 2, up, color=LINES, linewidth=0.9, zorder=1)
            axes.plot(row.synthetic, row.real, marker="o", color=SYNTHETIC, zorder=2)
            place: dict[str, Any] = {"xytext": (4, 4), "textcoords": "offset points"}
            axes.annotate(str(rank), (row.synthetic, row.real), fontsize=7.5, color=INK, **place)
        low = min(table["synthetic_low"].min(), table["real_low"].min()) - MARGIN
        high = max(table["synthetic_high"].max(), table["real_high"].max()) + MARGIN
        axes.plot([low, high], [low, high], color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set(xlim=(low, high), ylim=(low, high), xlabel=here, ylabel=there)
        drawing = drawn(figure)
    best = f"{table['system'].iloc[0]}, {table['real'].iloc[0]:.3f}"
    return Chart(
        name=name,
        title=f"{found.measure} on both sides",
        caption="A point a system, with the 95 % interval of each mean; numbers are ranks on the "
        "real side. On the dashed line both levels are the same; the order is the same where the "
        "points rise together.",
        alt=f"Points of {len(table)} systems, the synthetic mean across and the real one up, with "
        f"a tau-b of {found.tau:.2f}. Highest on the real side: {safe(best)}. The numbers are in "
        "the table.",
        drawing=drawing,
    )


def by_type(found: Validation, name: str) -> Chart | None:
    """Draw how hard each type is on both sides; nothing where no type has a counterpart."""
    from matplotlib.figure import Figure

    table = found.difficulty().sort_values("real", kind="stable")
    if table.empty:
        return None
    with styled(name):
        figure = Figure(figsize=(5.4, 1.3 + 0.42 * len(table)), layout="constrained")
        axes: Any = figure.subplots()
        places = list(range(len(table)))
        axes.hlines(places, table["synthetic"], table["real"], color=LINES, linewidth=3, zorder=1)
        dots: dict[str, Any] = {"linestyle": "none", "clip_on": False}
        ours, theirs = "synthetic", "real"
        axes.plot(table[ours], places, marker="o", color=SYNTHETIC, label=ours, **dots)
        axes.plot(table[theirs], places, marker="D", color=REAL, label=theirs, **dots)
        axes.set_yticks(places, labels=[safe(kind, 34) for kind in table["type"]])
        axes.tick_params(axis="y", labelcolor=INK, length=0)
        axes.set(xlim=(0, 1), xlabel=f"mean {found.measure} over systems")
        axes.grid(axis="x")
        figure.legend(loc="outside lower center", ncols=2)
        drawing = drawn(figure)
    told = ", ".join(f"{safe(r.type)} {r.synthetic:.3f} and {r.real:.3f}" for r in rows(table))
    return Chart(
        name=name,
        title="Difficulty of types",
        caption="A row a type with a counterpart, the hardest of the real side at the bottom.",
        alt=f"Two markers a type, the synthetic mean and the real one: {told}.",
        drawing=drawing,
    )
