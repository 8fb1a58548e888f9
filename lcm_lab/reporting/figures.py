"""The figures of a report: recall by depth, quality per type, quality against latency.

Each takes frames that an Evaluation gives and returns a `Chart`, or None where there is nothing to
draw; a report then says so in words instead of showing empty axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.svg import INK, LINES, MUTED, ROLES, SERIES, Chart, drawn, styled

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Mark", "against_latency", "by_depth", "by_type", "marks"]

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)))
LABEL = 34


@dataclass(frozen=True)
class Mark:
    """How a system is drawn, everywhere the same: by colour, by marker, and by dashes."""

    colour: str
    marker: str
    dashes: Any

    @property
    def paint(self) -> str:
        """The colour as a page writes it, where ink is light on a dark page."""
        return ROLES.get(self.colour, self.colour)

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments of a line with this mark."""
        return {"color": self.colour, "marker": self.marker, "linestyle": self.dashes}


def marks(systems: Sequence[str]) -> dict[str, Mark]:
    """Give every system its mark, in order.

    Examples
    --------
    >>> marks(["bm25", "tfidf"])["tfidf"].marker
    's'
    """
    n = len(SERIES)
    return {
        name: Mark(SERIES[i % n], MARKERS[(i + i // n) % n], DASHES[i // n % len(DASHES)])
        for i, name in enumerate(systems)
    }


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
        figure, axes = _axes((5.4, 3.9))
        for system, look in looks.items():
            line = known[known["system"] == system].sort_values("k")
            axes.plot(line["k"], line["mean"], label=_label(system), clip_on=False, **look.line)
        ks = sorted(known["k"].unique())
        axes.set(xscale="log", ylim=(0, 1), xlabel="hits read, k (log scale)", ylabel="recall at k")
        axes.set_xticks(ks, labels=[str(k) for k in ks])
        axes.minorticks_off()
        axes.grid(axis="y")
        _legend(figure, axes)
        svg = drawn(figure)
    deepest = max(ks)
    last = known[known["k"] == deepest].set_index("system")["mean"]
    reached = _listed(f"{name} {last[name]:.3f}" for name in looks if name in last.index)
    return Chart(
        name="recall-by-k",
        title="Recall by depth",
        caption="Share of a question's relevant messages in the first k hits, mean over questions.",
        alt=f"Lines of recall against k from {min(ks)} to {deepest}, one a system. "
        f"At k = {deepest}: {reached}.",
        svg=svg,
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
        figure, axes = _axes((11.2, 1.0 + 0.34 * len(kinds) + 0.2 * _legend_rows(looks)))
        places = {kind: -i for i, kind in enumerate(kinds)}
        for kind, y in places.items():
            means = known.loc[known["type"] == kind, "mean"]
            axes.plot([means.min(), means.max()], [y, y], color=LINES, linewidth=5, zorder=1)
        for i, (system, look) in enumerate(looks.items()):
            own = known[known["system"] == system]
            ys = [places[kind] for kind in own["type"]]
            points: dict[str, Any] = {"color": look.colour, "marker": look.marker}
            points |= {"zorder": 2 + i, "clip_on": False}
            axes.plot(own["mean"], ys, linestyle="none", label=_label(system), **points)
        counts = known.groupby("type", sort=False)["n"].max()
        labels = [f"{_label(kind)} (n={counts[kind]})" for kind in kinds]
        axes.set_yticks(list(places.values()), labels=labels)
        axes.tick_params(axis="y", labelcolor=INK, length=0)
        axes.set(xlim=(0, 1), ylim=(-len(kinds) + 0.4, 0.6), xlabel=f"mean {measure}")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        _legend(figure, axes)
        svg = drawn(figure)
    return Chart(
        name="per-type",
        title=f"{measure} per question type",
        caption="Mean over the questions of a type; the bar spans the systems. The table below has "
        "the intervals.",
        alt=f"Dots of mean {measure}, a row for each of {len(kinds)} question types, one dot a "
        "system. The numbers are in the table per type.",
        svg=svg,
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
        figure, axes = _axes((5.4, 3.9))
        front = known[known["best"]].sort_values("p50")
        axes.plot(front["p50"], front["mean"], color=MUTED, drawstyle="steps-post", linewidth=1)
        for row in rows(known):
            look = looks[row.system]
            axes.plot([row.p50, row.p95], [row.mean] * 2, color=look.colour, linewidth=1)
            dot = {"color": look.colour, "marker": look.marker, "markersize": 7}
            axes.plot([row.p50], [row.mean], linestyle="none", label=_label(row.system), **dot)
        _log_ms(axes, known["p50"].min(), known["p95"].max())
        axes.set(ylim=(0, 1), xlabel="ms for one search (log scale)", ylabel=f"mean {measure}")
        axes.grid(axis="y")
        _legend(figure, axes)
        svg = drawn(figure)
    told = _listed(f"{r.system} {r.mean:.3f} at {r.p50:.2f} ms" for r in rows(known))
    return Chart(
        name="quality-latency",
        title="Quality against latency",
        caption="Marker at the median, line to the 95th percentile; grey steps join the "
        "systems that no other beats in both.",
        alt=f"Markers of mean {measure} against median milliseconds of one search: {told}.",
        svg=svg,
    )


def _axes(size: tuple[float, float]) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def _log_ms(axes: Any, low: float, high: float) -> None:
    """Ticks at 1, 2 and 5 of each decade that the points span, printed as plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ticks = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
    below = max((t for t in ticks if t <= low), default=low)
    above = min((t for t in ticks if t >= high), default=high)
    axes.set(xscale="log", xlim=(below * 0.9, above * 1.1))
    axes.xaxis.set_major_locator(FixedLocator([t for t in ticks if below <= t <= above]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: f"{ms:g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _legend(figure: Any, axes: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    columns = _columns(labels)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handletextpad=0.5)


def _columns(labels: Sequence[str]) -> int:
    return 3 if max(map(len, labels), default=0) <= 18 else 2 if len(labels) > 1 else 1


def _legend_rows(looks: Mapping[str, Mark]) -> int:
    return -(-len(looks) // _columns([_label(name) for name in looks]))


def _label(name: str) -> str:
    # Matplotlib leaves names that begin with an underscore out of a legend.
    shown = name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"
    return f" {shown}" if shown.startswith("_") else shown


def _listed(items: Any) -> str:
    return ", ".join(items)
