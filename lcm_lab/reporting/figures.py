"""The figures of a report: recall by depth, quality per type, quality against latency.

Each takes frames that an Evaluation gives and returns a `Chart`, or None where there is nothing to
draw; a report then says so in words instead of showing empty axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lcm_lab.reporting.axes import Mark, axes, label, legend, legend_rows, listed, log_ms
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.svg import INK, LINES, MUTED, Chart, drawn, styled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["against_latency", "by_depth", "by_type"]


def by_depth(curve: pd.DataFrame, looks: Mapping[str, Mark]) -> Chart | None:
    """Draw recall against the number of hits read.

    Parameters
    ----------
    curve : DataFrame
        system, k, mean; k from 1, means between 0 and 1 or NaN.
    looks : mapping of system to Mark
    """
    known = curve.dropna(subset=["mean"])
    if known.empty:
        return None
    with styled("recall-by-k"):
        figure, axis = axes((11.2, 4.3))
        for system, look in looks.items():
            line = known[known["system"] == system].sort_values("k")
            if line.empty:
                continue
            axis.plot(line["k"], line["mean"], label=label(system), clip_on=False, **look.line)
        ks = sorted(known["k"].unique())
        axis.set(xscale="log", ylim=(0, 1), xlabel="hits read, k (log scale)", ylabel="recall at k")
        axis.set_xticks(ks, labels=[str(k) for k in ks])
        axis.minorticks_off()
        axis.grid(axis="y")
        legend(figure, axis, beside=True)
        drawing = drawn(figure)
    deepest = max(ks)
    last = known[known["k"] == deepest].set_index("system")["mean"]
    reached = listed(f"{name} {last[name]:.3f}" for name in looks if name in last.index)
    return Chart(
        name="recall-by-k",
        title="Recall by depth",
        caption="Share of a question's relevant messages in the first k hits, mean over questions.",
        alt=f"Lines of recall against k from {min(ks)} to {deepest}, one a system. "
        f"At k = {deepest}: {reached}.",
        drawing=drawing,
    )


def by_type(table: pd.DataFrame, measure: str, looks: Mapping[str, Mark]) -> Chart | None:
    """Draw the mean per question type, a row a type and a marker a system.

    Parameters
    ----------
    table : DataFrame
        type, system, mean, n of one measure, in the order to draw.
    measure : str
        Its printed form.
    looks : mapping of system to Mark
    """
    known = table.dropna(subset=["mean"])
    if known.empty:
        return None
    kinds = list(dict.fromkeys(known["type"]))
    with styled("per-type"):
        figure, axis = axes((11.2, 1.0 + 0.34 * len(kinds) + 0.2 * legend_rows(looks)))
        places = {kind: -i for i, kind in enumerate(kinds)}
        for kind, y in places.items():
            means = known.loc[known["type"] == kind, "mean"]
            axis.plot([means.min(), means.max()], [y, y], color=LINES, linewidth=5, zorder=1)
        for i, (system, look) in enumerate(looks.items()):
            own = known[known["system"] == system]
            if own.empty:  # a line of nothing that is not clipped leaves the axes no room
                continue
            ys = [places[kind] for kind in own["type"]]
            points = look.dot | {"zorder": 2 + i, "clip_on": False}
            axis.plot(own["mean"], ys, label=label(system), **points)
        counts = known.groupby("type", sort=False)["n"].max()
        labels = [f"{label(kind)} (n={counts[kind]})" for kind in kinds]
        axis.set_yticks(list(places.values()), labels=labels)
        axis.tick_params(axis="y", labelcolor=INK, length=0)
        axis.set(xlim=(0, 1), ylim=(-len(kinds) + 0.4, 0.6), xlabel=f"mean {measure}")
        axis.grid(axis="x")
        axis.spines["left"].set_visible(False)
        legend(figure, axis)
        drawing = drawn(figure)
    return Chart(
        name="per-type",
        title=f"{measure} per question type",
        caption="Mean over the questions of a type; the bar spans the systems. The table has "
        "the intervals.",
        alt=f"Dots of mean {measure}, a row for each of {len(kinds)} question types, one dot a "
        "system. The numbers are in the table per type.",
        drawing=drawing,
    )


def against_latency(points: pd.DataFrame, measure: str, looks: Mapping[str, Mark]) -> Chart | None:
    """Draw mean quality against the latency of one search, with the frontier.

    Parameters
    ----------
    points : DataFrame
        system, mean (of the measure), p50 and p95 (milliseconds), best (bool: on the frontier).
    measure : str
        Its printed form.
    looks : mapping of system to Mark
    """
    known = points.dropna(subset=["mean", "p50", "p95"])
    if known.empty:
        return None
    with styled("quality-latency"):
        figure, axis = axes((11.2, 4.3))
        front = known[known["best"]].sort_values("p50")
        axis.plot(front["p50"], front["mean"], color=MUTED, drawstyle="steps-post", linewidth=1)
        for row in rows(known):
            look = looks[row.system]
            axis.plot([row.p50, row.p95], [row.mean] * 2, color=look.colour, linewidth=1)
            dot = look.dot | {"markersize": 7}
            axis.plot([row.p50], [row.mean], label=label(row.system), **dot)
        log_ms(axis, known["p50"].min(), known["p95"].max())
        axis.set(ylim=(0, 1), xlabel="ms for one search (log scale)", ylabel=f"mean {measure}")
        axis.grid(axis="y")
        legend(figure, axis, beside=True)
        drawing = drawn(figure)
    told = listed(f"{r.system} {r.mean:.3f} at {r.p50:.2f} ms" for r in rows(known))
    return Chart(
        name="quality-latency",
        title="Quality against latency",
        caption="Marker at the median, line to the 95th percentile; grey steps join the "
        "systems that no other beats in both.",
        alt=f"Markers of mean {measure} against median milliseconds of one search: {told}.",
        drawing=drawing,
    )
