"""The figures of a compaction report: frontiers, curves, freed tokens, and a Dag drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lcm_lab.reporting.axes import Mark, axes, label, legend
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import INK, LINES, MUTED, SERIES, Chart, drawn, styled

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.dag import Dag

__all__ = ["curve", "folds", "frontier", "icicle"]


def frontier(
    frames: Mapping[str, pd.DataFrame], arm: str, looks: Mapping[str, Mark], name: str
) -> Chart | None:
    """Draw what each strategy keeps against what it leaves in view.

    Parameters
    ----------
    frames : mapping of strategy to DataFrame
        share, mean, low, high of one arm, a row a budget.
    arm : str
    looks : mapping of strategy to Mark
    name : str
    """
    lines = {one: frame.sort_values("share") for one, frame in frames.items() if len(frame)}
    if not lines:
        return None
    with styled(name):
        figure, axis = axes((5.4, 4.2))
        for one, frame in lines.items():
            look = looks[one]
            axis.plot(
                100 * frame["share"], frame["mean"], label=label(one), clip_on=False, **look.line
            )
            ends = frame.dropna(subset=["low", "high"])
            axis.vlines(
                100 * ends["share"], ends["low"], ends["high"], color=look.colour, linewidth=0.8
            )
        ticks = [1, 2, 5, 10, 20, 50]
        axis.set(xscale="log", ylim=(0, 1), xlabel="in view, % of all tokens (log scale)")
        axis.set(ylabel="share of facts kept")
        axis.set_xticks(ticks, labels=[str(tick) for tick in ticks])
        axis.minorticks_off()
        axis.grid(axis="y")
        legend(figure, axis)
        drawing = drawn(figure)
    told = "; ".join(
        f"{safe(one, 40)} {frame['mean'].iloc[0]:.3f} to {frame['mean'].iloc[-1]:.3f}"
        for one, frame in lines.items()
    )
    return Chart(
        name=name,
        title=f"Frontier, {arm}",
        caption="Share of facts kept, by what stands in view; bars are 95 % intervals over "
        "conversations.",
        alt=f"Lines of the share kept against the share of tokens in view, one a strategy, from "
        f"the smallest budget to the largest: {told}.",
        drawing=drawing,
    )


def curve(
    frames: Mapping[str, pd.DataFrame], column: str, looks: Mapping[str, Mark], words: Sequence[str]
) -> Chart | None:
    """Draw a mean against age, condensations or cycle.

    Parameters
    ----------
    frames : mapping of series to DataFrame
        The column, mean, low, high.
    column : str
    looks : mapping of series to Mark
    words : (name, title, caption, label of x, label of y)
    """
    lines = {one: frame.sort_values(column) for one, frame in frames.items() if len(frame) > 1}
    if not lines:
        return None
    name, title, caption, across, up = words
    with styled(name):
        figure, axis = axes((5.4, 3.9))
        for one, frame in lines.items():
            look = looks[one]
            axis.plot(frame[column], frame["mean"], label=label(one), clip_on=False, **look.line)
            ends = frame.dropna(subset=["low", "high"])
            axis.fill_between(
                ends[column], ends["low"], ends["high"], color=look.colour, alpha=0.12, linewidth=0
            )
        axis.set(ylim=(0, 1), xlabel=across, ylabel=up)
        axis.grid(axis="y")
        legend(figure, axis)
        drawing = drawn(figure)
    told = "; ".join(
        f"{safe(one, 40)} from {frame['mean'].iloc[0]:.3f} to {frame['mean'].iloc[-1]:.3f}"
        for one, frame in lines.items()
    )
    return Chart(name, title, caption, f"Lines of {up} against {across}: {told}.", drawing)


def icicle(dag: Dag, name: str, title: str) -> Chart:
    """Draw a Dag: messages along the bottom by their tokens, each summary over what it is of."""
    ends, spans = _spans(dag)
    top = max((one.depth for one in dag.summaries), default=-1) + 1
    seen = set(dag.frontier)
    with styled(name):
        figure, axis = axes((11.2, 1.4 + 0.5 * (top + 1)))
        axis.broken_barh([(0, ends)], (0.1, 0.8), facecolor=LINES, edgecolor="none")
        raw = _joined(spans[one.id] for one in dag.messages if one.id in seen)
        axis.broken_barh(raw, (0.1, 0.8), facecolor=SERIES[0], edgecolor="none")
        for one in dag.summaries:
            if one.id in spans:
                colour = SERIES[0] if one.id in seen else SERIES[5]
                place = (one.depth + 1.1, 0.8)
                axis.broken_barh([spans[one.id]], place, facecolor=colour, edgecolor=INK)
        axis.set_yticks(
            [at + 0.5 for at in range(top + 1)],
            labels=["messages", *(f"depth {at}" for at in range(top))],
        )
        axis.tick_params(axis="y", labelcolor=INK, length=0)
        axis.set(xlim=(0, ends), ylim=(0, top + 1), xlabel="tokens of the conversation")
        axis.spines["left"].set_visible(False)
        axis.tick_params(axis="x", labelcolor=MUTED)
        drawing = drawn(figure)
    return Chart(
        name=name,
        title=title,
        caption="Dark blue stands in view, light blue lies under a summary, grey are messages that "
        "do. Widths are tokens of the messages beneath.",
        alt=f"A bar of {ends:,} tokens of messages, and {len(dag.summaries)} summaries above it in "
        f"{top} levels. The outline below names them.",
        drawing=drawing,
    )


def folds(dag: Dag) -> str:
    """Give the outline of a Dag as HTML, without secrets: they are looked for before escaping."""
    hidden = replace(
        dag, summaries=tuple(replace(one, text=safe(one.text)) for one in dag.summaries)
    )
    return safe(hidden._repr_html_())


def _spans(dag: Dag) -> tuple[int, dict[str, tuple[int, int]]]:
    """Give where each node stands, as (start, width) in tokens of messages."""
    at, spans = 0, dict[str, tuple[int, int]]()
    for one in dag.messages:
        size = dag.size(one.id)
        spans[one.id] = (at, size)
        at += size
    for summary in sorted(dag.summaries, key=lambda one: one.depth):
        below = [spans[name] for name in summary.sources if name in spans]
        if below:
            start = min(first for first, _ in below)
            spans[summary.id] = (start, max(first + width for first, width in below) - start)
    return at, spans


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join bars that touch, so that a long tail is one."""
    found: list[tuple[int, int]] = []
    for start, width in spans:
        if found and sum(found[-1]) == start:
            found[-1] = (found[-1][0], found[-1][1] + width)
        else:
            found.append((start, width))
    return found
