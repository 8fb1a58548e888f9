"""The tables of an evaluation: means with intervals, the worst topics, systems by measures."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.significance import bootstrap, interval, percentile_interval
from lcm_lab.measures import Measure
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["leaderboard", "summary", "worst"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

COLUMNS = ["system", "measure", "mean", "low", "high", "n", "undefined", "units"]
#: So many hits of a topic are listed among the worst.
TOP = 10
#: Fewer units than this cannot tell at 5 % even if all agree: 2 / 2^5 = 0.06, 2 / 2^6 = 0.03.
ENOUGH = 6


class Column(NamedTuple):
    """The values of one system and measure over some topics."""

    system: str
    measure: Measure
    value: Floats


def summary(result: Evaluation, topics: Ints, *, by_topic: bool = False) -> pd.DataFrame:
    """Average some of the topics, given by position, with intervals."""
    columns = [
        Column(system, measure, result.values(system, measure)[topics])
        for system in result.systems
        for measure in result.measures
        if measure.per == "topic"
    ]
    units = _units(result.conversation[topics], by_topic=by_topic)
    ends = _intervals(columns, units, result.seed)
    rows = {
        (column.system, column.measure): _row(column, units, *end)
        for column, end in zip(columns, ends, strict=True)
    }
    asked = [(system, measure) for system in result.systems for measure in result.measures]
    whole = len(topics) == len(result.conversation)
    return pd.DataFrame(
        [
            rows[key] if key in rows else _of_system(result, *key)
            for key in asked
            if key in rows or whole
        ],
        columns=COLUMNS,
    )


def _units(conversation: Ints, *, by_topic: bool) -> Ints:
    """Give what is drawn again, numbered: conversations, or topics where there is but one."""
    names, numbered = np.unique(conversation, return_inverse=True)
    if by_topic or len(names) < 2:
        return np.arange(len(conversation))
    return numbered.astype(np.int64)


def _intervals(columns: list[Column], units: Ints, seed: int) -> list[tuple[float, float]]:
    nothing = (math.nan, math.nan)
    values = np.array([column.value for column in columns]).reshape(len(columns), len(units)).T
    drawn = [len(np.unique(units[~np.isnan(column)])) for column in values.T]
    low, high = interval(bootstrap(values, units, seed=seed), drawn)
    found = []
    for i, column in enumerate(columns):
        if _is_percentile(column.measure):
            timed = column.value[~np.isnan(column.value)]
            found.append(percentile_interval(timed, column.measure.at or 50))
        else:
            found.append((float(low[i]), float(high[i])) if drawn[i] > 1 else nothing)
    return found


def _is_percentile(measure: Measure) -> bool:
    return measure.cutoff == "percentile" and measure.at is not None


def _row(column: Column, units: Ints, low: float, high: float) -> tuple[object, ...]:
    defined = ~np.isnan(column.value)
    # A topic that was not timed is not undefined: nobody asked it.
    undefined = 0 if column.measure.needs == "timing" else int((~defined).sum())
    drawn = 0 if _is_percentile(column.measure) else len(np.unique(units[defined]))
    mean = column.measure.average(column.value)
    name = str(column.measure)
    return column.system, name, mean, low, high, int(defined.sum()), undefined, drawn


def _of_system(result: Evaluation, system: str, measure: Measure) -> tuple[object, ...]:
    frame = result.frame
    found = frame[(frame["system"] == system) & (frame["measure"] == str(measure))]["value"]
    mean = measure.average(found.to_numpy(float))
    return system, str(measure), mean, math.nan, math.nan, len(found), 0, 0


def worst(result: Evaluation, system: str, measure: Measure, n: int) -> pd.DataFrame:
    """List the n topics on which the system does worst."""
    values = result.values(system, measure)
    order = np.argsort(values if measure.higher_is_better else -values, kind="stable")
    order = order[~np.isnan(values[order])][:n]
    bench, run, docnos = result.bench, result.runs[system], result.collection.corpus["docno"]
    shown = run.corpus["docno"]
    gold_of = np.searchsorted(bench.topic, np.arange(len(values) + 1))
    rows = []
    for i in order:
        gold = slice(gold_of[i], gold_of[i + 1])
        wanted = bench.row[gold][bench.relevant[gold]]
        top = run.rows[run.offsets[i] : run.offsets[i + 1]][:TOP]
        rows.append((docnos.iloc[wanted].tolist(), shown.iloc[top].tolist()))
    topics = result.collection.topics.iloc[order].reset_index(drop=True)
    found = pd.DataFrame(rows, columns=["gold", "top"], dtype=object)
    kept = topics.reindex(columns=["qid", "query", "type"]).assign(value=values[order])
    return pd.concat([kept, found], axis=1)


class Shown(NamedTuple):
    """A cell of the leaderboard: its text, and whether it is the best beyond doubt."""

    text: str
    best: bool


def leaderboard(result: Evaluation) -> pd.DataFrame:
    """Lay out systems by measures, in cells of `Shown`; a significant best stands out."""
    means = result.summary()
    table = {}
    for measure in result.measures:
        rows = means[means["measure"] == str(measure)]
        best = _best(result, measure)
        table[str(measure)] = [
            Shown(_printed(mean, measure), system == best)
            for system, mean in zip(rows["system"], rows["mean"], strict=True)
        ]
    return pd.DataFrame(table, index=list(result.systems))


def _printed(value: float, measure: Measure) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if not measure.unit else f"{value:,.4g} {measure.unit}"


def _best(result: Evaluation, measure: Measure) -> str | None:
    """Name the system whose paired difference to every other has an interval above 0."""
    names = list(result.systems)
    if len(names) < 2 or measure.needs == "timing":
        return None
    values = np.array([result.values(name, measure) for name in names]).T
    units = _units(result.conversation, by_topic=False)
    drawn = len(np.unique(units))
    if drawn < ENOUGH:
        return None
    sign = 1 if measure.higher_is_better else -1
    draws = bootstrap(sign * values, units, seed=result.seed)
    means = np.nan_to_num([sign * measure.average(column) for column in values.T], nan=-np.inf)
    first = int(np.argmax(means))
    others = np.delete(draws, first, axis=1)
    low, _ = interval(draws[:, [first]] - others, [drawn] * others.shape[1])
    return names[first] if bool(np.all(low > 0)) else None


def html(result: Evaluation) -> str:
    """Give the leaderboard as HTML, everything escaped."""
    board = leaderboard(result)
    head = "".join(f"<th>{escape(name)}</th>" for name in board.columns)
    lines = []
    for name, cells in zip(board.index, board.itertuples(index=False), strict=True):
        row = "".join(
            f"<td><b>{escape(cell.text)}</b></td>" if cell.best else f"<td>{escape(cell.text)}</td>"
            for cell in cells
        )
        title = escape(result.systems[name], quote=True)
        lines.append(f'<tr><th title="{title}">{escape(name)}</th>{row}</tr>')
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    topics = counted(len(result.bench.topics), "topic")
    return (
        f"<table><caption>{topics} of {escape(result.collection.name)}</caption>"
        f"<thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table><ul>{notes}</ul>"
    )
