"""The critical-difference diagram: systems by their mean, and bars over those not told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.axes import Mark, axes, label, listed
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.svg import INK, LINES, Chart, drawn, styled

if TYPE_CHECKING:
    from lcm_lab.evaluation.comparing.all_pairs import AllPairs

__all__ = ["diagram"]

#: Groups that have a bar; beyond these there is no room.
MOST = 16


def diagram(pairs: AllPairs, looks: Mapping[str, Mark]) -> Chart | None:
    """Draw the systems best first, and a bar for each group that no test tells apart.

    Parameters
    ----------
    pairs : AllPairs
    looks : mapping of system to Mark

    Returns
    -------
    Chart or None
        None with fewer than two systems that have a mean.
    """
    if pairs.n == 0 or len(pairs.systems) < 2:
        return None
    order = {str(name): -i for i, name in enumerate(pairs.systems["system"])}
    with styled("told-apart"):
        figure, axis = axes((11.2, 1.0 + 0.27 * len(order)))
        _dots(axis, pairs, order, looks)
        _bars(axis, pairs.groups[:MOST], order)
        axis.set_yticks(list(order.values()), labels=[label(name) for name in order])
        axis.tick_params(axis="y", labelcolor=INK, length=0)
        axis.set(ylim=(-len(order) + 0.4, 0.6), xlabel=f"mean {pairs.measure}")
        axis.grid(axis="x")
        axis.spines["left"].set_visible(False)
        drawing = drawn(figure)
    over = "questions" if pairs.units == pairs.n else "conversations"
    more = f" {len(pairs.groups) - MOST} more groups are not drawn." * (len(pairs.groups) > MOST)
    return Chart(
        name="told-apart",
        title="Which systems are told apart",
        caption="Best first. Systems whose dots a bar on the right joins are not told apart "
        f"(permutation test of all pairs at once, max-T over {over}, 5 %); systems that no "
        f"bar joins are.{more}",
        alt=_words(pairs),
        drawing=drawing,
    )


def _dots(axis: Any, pairs: AllPairs, order: Mapping[str, int], looks: Mapping[str, Mark]) -> None:
    low = min(0.0, float(pairs.systems["mean"].min()))
    for row in rows(pairs.systems):
        y = order[row.system]
        axis.plot([low, row.mean], [y, y], color=LINES, linewidth=1, zorder=1)
        dot = looks[row.system].dot | {"markersize": 7, "clip_on": False, "zorder": 2}
        axis.plot([row.mean], [y], **dot)
        place = {"xytext": (8, 0), "textcoords": "offset points", "va": "center"}
        axis.annotate(f"{row.mean:.3f}", (row.mean, y), **place)
    axis.set_xlim(left=low)


def _bars(axis: Any, groups: Sequence[Sequence[str]], order: Mapping[str, int]) -> None:
    """Draw the groups to the right of the axes, where they hide no dot."""
    bar = {"color": INK, "clip_on": False, "transform": axis.get_yaxis_transform()}
    for i, group in enumerate(groups):
        at, ys = 1.015 + 0.018 * i, [order[name] for name in group]
        axis.plot([at, at], [min(ys), max(ys)], linewidth=2.2, solid_capstyle="butt", **bar)
        axis.plot([at] * len(ys), ys, linestyle="none", marker="o", markersize=4.5, **bar)


def _words(pairs: AllPairs) -> str:
    means = listed(f"{row.system} {row.mean:.3f}" for row in rows(pairs.systems))
    together = "; ".join(f"not told apart: {listed(group)}" for group in pairs.groups)
    told = together or "Every system is told apart from every other"
    return f"Dots of mean {pairs.measure}, best first: {means}. {told}."
