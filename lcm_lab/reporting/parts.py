"""The parts of a ranking report's page: what stands in each of its sections."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting import silence, tables
from lcm_lab.reporting.diagram import diagram
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import Chart
from lcm_lab.reporting.tables import Cell, Table, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure
    from lcm_lab.reporting.axes import Mark

__all__ = [
    "Breakdown",
    "Silence",
    "Told",
    "bounds",
    "breakdowns",
    "failures",
    "frontier",
    "silent",
    "told",
]

#: What questions are broken down by: column, heading, how to read it.
BY = (
    ("type", "By type of question", "A type with few questions has a wide interval."),
    ("age", "By age", "Days from the newest relevant message to the question."),
    ("length", "By length of the question", "In tokens."),
    ("gold_length", "By length of what is sought", "Tokens of the relevant messages, their mean."),
    ("language", "By script of the question", "That of most of its letters."),
)


@dataclass(frozen=True)
class Breakdown:
    """A table of groups of questions by systems, and the means it lays out."""

    name: str
    title: str
    say: str
    table: Table
    frame: pd.DataFrame


def bounds(evaluation: Evaluation, measures: Sequence[Measure]) -> Table:
    """Lay out what no system can leave: a perfect order, and a random one, by measures."""
    found = {row.measure: row for row in rows(evaluation.bounds())}
    kinds = (("perfect order", "ceiling"), ("random order", "random"))
    lines = tuple(
        (said, tuple(_bound(found.get(str(measure)), measure, column) for measure in measures))
        for said, column in kinds
    )
    return Table(tuple(map(str, measures)), lines)


def _bound(row: Any, measure: Measure, column: str) -> Cell:
    value = math.nan if row is None else float(getattr(row, column))
    if math.isnan(value):
        return Cell(tables.NOTHING)
    drawn = f"{row.draws:,} draws" if column == "random" and row.draws else ""
    return Cell(number(value, measure.unit), drawn, value=value)


def breakdowns(evaluation: Evaluation, measure: Measure, systems: Sequence[str]) -> list[Breakdown]:
    """Lay out each breakdown that tells at least two groups with something to find apart."""
    made = []
    for column, title, say in BY:
        if column == "type" and (evaluation.collection.topics["type"] == "").all():
            continue
        frame = evaluation.by(column)
        frame = frame[frame["measure"] == str(measure)]
        kinds = [safe(kind) or "no type" for kind in frame[column]]
        frame = frame.assign(type=kinds)
        if column == "type" or len(set(frame.loc[frame["n"] > 0, "type"])) > 1:
            table = tables.per_type(frame, measure, systems)
            made.append(Breakdown(column, title, say, table, frame))
    return made


@dataclass(frozen=True)
class Silence:
    """What a page shows of abstention; without a table, why there is none."""

    table: Table
    chart: Chart | None
    measure: str
    none: str = ""


def silent(
    evaluation: Evaluation,
    measure: Measure | None,
    looks: Mapping[str, Mark],
    systems: Sequence[str],
) -> Silence:
    """Lay out abstention by a measure, if it is one of what is found where higher is better."""
    nothing = Table((), ())
    if measure is None or measure.needs != "qrels" or not measure.higher_is_better:
        return Silence(nothing, None, "", "The first measure is not one of what is found.")
    table, name = evaluation.abstention(measure), str(measure)
    if table.empty or (table["unanswerable"] == 0).all() or (table["answerable"] == 0).all():
        none = "Every question has something to find, so there is nothing to tell apart."
        if len(table) and (table["answerable"] == 0).all():
            none = "No question has anything to find, so there is nothing to tell apart."
        return Silence(nothing, None, name, none)
    curve = evaluation.risk_coverage(measure)
    return Silence(silence.silence(table, systems, name), silence.risk(curve, name, looks), name)


@dataclass(frozen=True)
class Told:
    """Which systems are told apart: drawn, in words, and those that the first is not told from.

    ``near`` is None where no test was made.
    """

    chart: Chart | None = None
    notes: tuple[str, ...] = ()
    near: tuple[str, ...] | None = None


def told(
    evaluation: Evaluation, measure: Measure | None, looks: Mapping[str, Mark], first: str
) -> Told:
    """Draw which systems are told apart, and give what must be known beside it."""
    from lcm_lab.evaluation.comparing.all_pairs import MOST, all_pairs
    from lcm_lab.evaluation.comparing.paired import comparable

    if measure is None or not comparable(measure) or not 1 < len(looks) <= MOST:
        return Told()
    pairs = all_pairs(evaluation, measure)
    both = pairs.frame[~pairs.frame["apart"].astype(bool)]
    near = [
        *both.loc[both["system"] == first, "other"],
        *both.loc[both["other"] == first, "system"],
    ]
    tested = pairs.n and first in set(pairs.systems["system"])
    return Told(diagram(pairs, looks), pairs.notes, tuple(near) if tested else None)


def frontier(points: pd.DataFrame) -> list[str]:
    """Name the systems that no other beats in both quality and time, fastest first."""
    known = points.dropna(subset=["mean", "p50"])
    return [row.system for row in rows(known[known["best"]].sort_values("p50"))]


def failures(evaluation: Evaluation) -> list[str]:
    """Say what systems could not do: a line each system and kind of error."""
    frame, lines = evaluation.failures, []
    for (system, kind), part in frame.groupby(["system", "kind"], sort=False):
        first = rows(part)[0]
        whole = (part["qid"] == "").any()
        on = "every question" if whole else f"{len(part):,} of its questions"
        lines.append(f"{safe(system, 60)} raised {kind} on {on}: {safe(first.message, 200)}")
    return lines
