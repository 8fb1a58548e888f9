"""The speed report: engines side by side, as ratios of one run on one machine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lcm_lab.evaluation.bench.targets import against_targets
from lcm_lab.reporting.axes import marks
from lcm_lab.reporting.document import Document, Grid, Section
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.svg import INK, Chart, drawn, styled
from lcm_lab.reporting.tables import NOTHING, Cell
from lcm_lab.shown import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["duration", "speed_report"]

#: So many pieces of work are counted one by one on top of the page.
MANY = 6

LIMITS = (
    "How fast another machine is. Times of a shared machine move by tens of percent; ratios within "
    "one run move much less, and are what to compare.",
    "Whether what is found is any good: see a ranking report.",
    "Waiting: times are of the processor, so a queue, a disk or a network is not in them.",
)


def speed_report(timed: pd.DataFrame, command: str) -> Document:
    """Make the report of a benchmark.

    Parameters
    ----------
    timed : DataFrame
        As ``lcm-lab bench`` makes it: a row an engine and a piece of work, with engine, work, n,
        median and p95 (milliseconds of processor time), wall (milliseconds, where given) and ratio,
        the median over that of the first engine.
    command : str
        What makes it again.

    Returns
    -------
    Document
        ``.save(folder)`` writes it.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"work": "one question", "n": 400, "p95": 2.0, "wall": float("nan")}
    >>> timed = pd.DataFrame([
    ...     {"engine": "ours", "median": 1.0, "ratio": 1.0, **row},
    ...     {"engine": "theirs", "median": 4.0, "ratio": 4.0, **row},
    ... ])
    >>> speed_report(timed, "lcm-lab bench ranking").headline
    'ours is the first engine. By the work, theirs 4.0 times its median time.'
    """
    subject, lede = _answer(timed)
    works = list(dict.fromkeys(timed["work"]))
    parts = [timed[timed["work"] == work] for work in works]
    counts = [int(part["n"].iloc[0]) for part in parts]
    grids = tuple(_grid(work, part) for work, part in zip(works, parts, strict=True))
    how = (
        "Every engine gets every question; they take turns at blocks of questions in random order, "
        "so that a busy moment falls on all alike. Times are of the processor, medians and 95th "
        "percentiles; wall is the median on the clock, which is all there is, and what p95 and "
        "ratio go by, where other processes did the work. A ratio is the median over that of the "
        "first row, with its 95 % interval over blocks of turns. The limit is what reading the "
        "texts, the posting lists or the vectors once would take one thread."
    )
    return Document(
        kind="speed",
        question="How long does each engine take for the same work?",
        subject=subject,
        lede=lede,
        sections=(
            *_targets(timed),
            Section("result", "Result", how, tables=grids),
            Section("figures", "Figures", charts=(_chart(timed, works),), wide=("ratios",)),
            Section("limits", "What it does not show", points=LIMITS),
        ),
        command=command,
        data={"data": timed},
        strip=_strip(timed, dict(zip(works, counts, strict=True))),
    )


def _targets(timed: pd.DataFrame) -> tuple[Section, ...]:
    """Set what is promised beside what was measured, where the run has figures of it."""
    found = against_targets(timed)
    if found.empty:
        return ()
    missed = int((~found["met"]).sum())
    told = (
        f"{counted(len(found), 'target')} have a figure in this run; {missed} of them are missed."
    )
    lines = tuple(
        (str(row.work), (Cell(row.figure), Cell(row.target), Cell("met" if row.met else "missed")))
        for row in rows(found)
    )
    grid = Grid(("Work", "figure", "target", "outcome"), lines, "What is promised of speed")
    held = found[found["held"] != ""].groupby("held", sort=False)["work"].agg("; ".join)
    points = tuple(f"{works}: {why}" for why, works in held.items())
    return (Section("targets", "Targets", told, tables=(grid,), points=points),)


def duration(milliseconds: float) -> str:
    """Print a time with three digits that count.

    Examples
    --------
    >>> duration(0.1234), duration(12.34), duration(45_678), duration(float("nan"))
    ('0.123 ms', '12.3 ms', '45.7 s', '–')
    """
    if math.isnan(milliseconds):
        return NOTHING
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    places = 3 if milliseconds < 1 else 2 if milliseconds < 10 else 1
    return f"{milliseconds:.{places}f} ms"


def _grid(work: str, part: pd.DataFrame) -> Grid:
    there = [name for name in ("median", "p95", "wall", "limit") if name in part]
    names = [name for name in there if part[name].notna().any()]
    spread = "low" in part and bool(part["low"].notna().any())
    lines = [
        (
            str(row.engine),
            (
                *(Cell(duration(getattr(row, name)), value=getattr(row, name)) for name in names),
                Cell(f"{row.ratio:.2f}", value=row.ratio),
                *([Cell(_interval(row))] if spread else []),
            ),
        )
        for row in rows(part)
    ]
    n = int(part["n"].iloc[0])
    return Grid(
        ("Engine", *names, "ratio", *(["95 %"] if spread else [])),
        tuple(lines),
        f"{work} (n = {n:,})",
    )


def _interval(row: Any) -> str:
    """Print the interval of a ratio; the first row's own has none."""
    return f"{row.low:.2f} to {row.high:.2f}" if row.low < row.high else NOTHING


def _strip(timed: pd.DataFrame, counts: dict[str, int]) -> tuple[tuple[str, str], ...]:
    """Say how often each piece of work was done; of many, how many there are."""
    if len(counts) > MANY:
        engines = timed["engine"].nunique()
        return (("pieces of work", f"{len(counts)}"), ("ways to do them", f"{engines}"))
    return tuple((work, f"{n:,}") for work, n in counts.items())


def _answer(timed: pd.DataFrame) -> tuple[str, str]:
    """Give what the answer names first, and the answer."""
    first = str(timed["engine"].iloc[0])
    if len(set(timed.groupby("work", sort=False)["engine"].first())) == 1:
        return first, _lede(timed, first)
    own = "Every ratio is to the first row of its own table."
    found = against_targets(timed)
    if found.empty:
        return "Several pieces of work", f"were timed. {own}"
    met = int(found["met"].sum())
    return f"{met} of {counted(len(found), 'target')}", f"of speed are met. {own}"


def _lede(timed: pd.DataFrame, first: str) -> str:
    others = timed[timed["engine"] != first]
    if others.empty:
        return "is the only engine here; install the extra “bench” to have others beside it."
    told = []
    for engine, part in others.groupby("engine", sort=False):
        low, high = f"{part['ratio'].min():.1f}", f"{part['ratio'].max():.1f}"
        told.append(f"{engine} {low if low == high else f'{low} to {high}'} times")
    return f"is the first engine. By the work, {'; '.join(told)} its median time."


def _chart(timed: pd.DataFrame, works: list[str]) -> Chart:
    from matplotlib.figure import Figure

    looks = marks(list(dict.fromkeys(timed["engine"])))
    with styled("ratios"):
        figure = Figure(figsize=(11.2, 1.4 + 0.5 * len(works)), layout="constrained")
        axes: Any = figure.subplots()
        for engine, look in looks.items():
            part = timed[timed["engine"] == engine]
            at = [-works.index(work) for work in part["work"]]
            dots: dict[str, Any] = {"color": look.colour, "marker": look.marker, "markersize": 8}
            axes.plot(part["ratio"], at, linestyle="none", label=engine, clip_on=False, **dots)
        axes.axvline(1, color=INK, linewidth=0.8)
        axes.set_yticks([-i for i in range(len(works))], labels=works)
        axes.tick_params(axis="y", labelcolor=INK, length=0)
        axes.set(xscale="log", xlabel="times the first engine's median (log scale)")
        axes.grid(axis="x")
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        drawing = drawn(figure)
    return Chart(
        name="ratios",
        title="Time over the first engine's",
        caption="A row a piece of work, a marker an engine; the line at 1 is the first engine.",
        alt=f"Markers of the ratio of medians, a row for each of {', '.join(works)}. The numbers "
        "are in the tables.",
        drawing=drawing,
    )
