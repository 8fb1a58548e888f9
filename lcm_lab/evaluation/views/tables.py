"""The tables of an evaluation: means with intervals, the worst topics, systems by measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.comparing.all_pairs import best
from lcm_lab.evaluation.statistics.intervals import is_near_an_end, proportion
from lcm_lab.evaluation.statistics.significance import (
    By,
    bootstrap,
    interval,
    packed,
    percentile_interval,
    resampled,
)
from lcm_lab.evaluation.views.bounds import bounded, luck
from lcm_lab.measures import Measure

if TYPE_CHECKING:
    from lcm_lab.evaluation.measured import Failing, Measured
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["leaderboard", "limits", "printed", "summary", "worst"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

COLUMNS = ["system", "measure", "mean", "low", "high", "n", "undefined", "units", "failed"]
#: A mean of the best order below this is said beside the means.
SHORT = 0.9995
#: So many hits of a topic are listed among the worst.
TOP = 10


class Column(NamedTuple):
    """The values of one system and measure over some topics, and which of these failed."""

    system: str
    measure: Measure
    value: Floats
    failed: npt.NDArray[np.bool_]


def summary(
    result: Evaluation, topics: Ints, *, by_topic: bool = False, failures: Failing = "apart"
) -> pd.DataFrame:
    """Average some of the topics, given by position, with intervals."""
    columns = [
        Column(
            system,
            measure,
            result.values(system, measure, failures)[topics],
            result.failed(system, measure)[topics],
        )
        for system in result.systems
        for measure in result.measures
        if measure.per == "topic"
    ]
    by: By = "topic" if by_topic else "conversation"
    conversation = result.conversation[topics]
    units = [resampled(conversation, by, ~np.isnan(column.value)) for column in columns]
    ends = _intervals(columns, units, result.seed)
    rows = {
        (column.system, column.measure): _row(column, own, *end)
        for column, own, end in zip(columns, units, ends, strict=True)
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


def _intervals(columns: list[Column], units: list[Ints], seed: int) -> list[tuple[float, float]]:
    """Give the interval of each column over the units in which it has a value."""
    found: list[tuple[float, float]] = [(math.nan, math.nan)] * len(columns)
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    for i, (column, own) in enumerate(zip(columns, units, strict=True)):
        known = ~np.isnan(column.value)
        alike.setdefault((known.tobytes(), own[known].tobytes()), []).append(i)
    for places in alike.values():
        known = ~np.isnan(columns[places[0]].value)
        drawn = packed(units[places[0]][known])
        own_columns = [columns[i]._replace(value=columns[i].value[known]) for i in places]
        for i, end in zip(places, _drawn(own_columns, drawn, seed), strict=True):
            found[i] = end
    return found


def _drawn(columns: list[Column], units: Ints, seed: int) -> list[tuple[float, float]]:
    """Give the intervals of columns that have a value everywhere, from the same draws."""
    n_units = len(np.unique(units))
    values = np.array([column.value for column in columns]).reshape(len(columns), len(units)).T
    low, high = interval(bootstrap(values, units, seed=seed), [n_units] * len(columns))
    found = []
    for i, column in enumerate(columns):
        if _is_percentile(column.measure):
            found.append(percentile_interval(column.value, column.measure.at or 50))
        elif n_units < 2:
            found.append((math.nan, math.nan))
        elif bounded(column.measure) and is_near_an_end(column.value, units):
            found.append(proportion(column.value, units))
        else:
            found.append((float(low[i]), float(high[i])))
    return found


def _is_percentile(measure: Measure) -> bool:
    return measure.cutoff == "percentile" and measure.at is not None


def _row(column: Column, units: Ints, low: float, high: float) -> tuple[object, ...]:
    defined = ~np.isnan(column.value)
    # A topic that was not timed is not undefined: nobody asked it.
    timed = column.measure.needs == "timing"
    undefined = 0 if timed else int((~defined & ~column.failed).sum())
    drawn = 0 if _is_percentile(column.measure) else len(np.unique(units[defined]))
    mean = column.measure.average(column.value)
    name = str(column.measure)
    counts = int(defined.sum()), undefined, drawn, int(column.failed.sum())
    return column.system, name, mean, low, high, *counts


def _of_system(result: Evaluation, system: str, measure: Measure) -> tuple[object, ...]:
    frame = result.frame
    found = frame[(frame["system"] == system) & (frame["measure"] == str(measure))]["value"]
    mean = measure.average(found.to_numpy(float))
    return system, str(measure), mean, math.nan, math.nan, len(found), 0, 0, 0


def worst(result: Measured, system: str, measure: Measure, n: int) -> pd.DataFrame:
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


def leaderboard(result: Evaluation, *, intervals: bool = False) -> pd.DataFrame:
    """Lay out systems by measures, in cells of `Shown`; a significant best stands out.

    Nothing does by a measure that a random order has too, and no system that failed on a topic.
    """
    means, given = result.summary(), set(luck(result.bounds()))
    table = {}
    for measure in result.measures:
        first = None if str(measure) in given else best(result, measure)
        table[str(measure)] = [
            Shown(_cell(row, measure, intervals=intervals), row.system == first and not row.failed)
            for row in rows(means[means["measure"] == str(measure)])
        ]
    return pd.DataFrame(table, index=list(result.systems))


def _cell(row: Any, measure: Measure, *, intervals: bool) -> str:
    text = printed(row.mean, measure)
    if intervals and not math.isnan(row.low) and not math.isnan(row.high):
        text += f" [{printed(row.low, measure, unit=False)}, "
        text += f"{printed(row.high, measure, unit=False)}]"
    return f"{text} ({row.failed:,} failed)" if row.failed else text


def printed(value: float, measure: Measure, *, unit: bool = True) -> str:
    """Print a value as tables do: three decimals, or four digits and the unit."""
    if math.isnan(value):
        return "–"
    if not measure.unit:
        return f"{value:.3f}"
    return f"{value:,.4g} {measure.unit}" if unit else f"{value:,.4g}"


def limits(result: Evaluation) -> pd.DataFrame:
    """Lay out, below the systems, a random and the best order; without rows where neither matters.

    They do where some topic has no more rows to rank than k, or the best order is short of 1.
    """
    names = [str(measure) for measure in result.measures]
    found = {row.measure: row for row in rows(result.bounds())}
    ranked = [m for m in result.measures if str(m) in found and m.higher_is_better]
    if not any(found[str(m)].beyond or found[str(m)].ceiling < SHORT for m in ranked):
        return pd.DataFrame(columns=names)
    told = {
        "(random order)": [_bound(found, measure, "random") for measure in result.measures],
        "(best order)": [_bound(found, measure, "ceiling") for measure in result.measures],
    }
    return pd.DataFrame.from_dict(told, orient="index", columns=names)


def _bound(found: dict[str, Any], measure: Measure, column: str) -> str:
    row = found.get(str(measure))
    return printed(math.nan if row is None else getattr(row, column), measure)


def rows(frame: pd.DataFrame) -> list[Any]:
    """Give the rows of a frame; a type checker cannot know their fields."""
    return list(frame.itertuples())
