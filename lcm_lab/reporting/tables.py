"""The tables of a report, as rows of printed cells: what an Evaluation says, laid out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure

__all__ = ["Cell", "Table", "facts", "keyed", "leaderboard", "number", "per_type"]

NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """One printed number: its interval, the topics behind it and those that failed, if the best."""

    text: str
    interval: str = ""
    n: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    failed: int = 0

    @property
    def track(self) -> str:
        """Custom properties for a bar from 0 to 1; empty for what is not a share."""
        ends = (self.low, self.value, self.high)
        if any(end is None or not 0 <= end <= 1 for end in ends):
            return ""
        return ";".join(f"--{name}:{end:.4f}" for name, end in zip("lmh", ends, strict=True))

    @property
    def heat(self) -> str:
        """A custom property for a tint from 0 to 1; empty for what is not a share."""
        inside = self.value is not None and 0 <= self.value <= 1
        return f"--m:{self.value:.4f}" if inside else ""


@dataclass(frozen=True)
class Table:
    """Columns and, for each row, its key and its cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]

    @property
    def counts(self) -> list[int | None]:
        """For each column the number of topics behind every cell, None where cells differ."""
        columns = zip(*(cells for _, cells in self.rows), strict=True)
        found = [{cell.n for cell in cells} for cells in columns]
        return [next(iter(ns)) if len(ns) == 1 else None for ns in found]

    @property
    def empty(self) -> bool:
        """Whether no cell holds a number."""
        return all(cell.value is None for _, cells in self.rows for cell in cells)


def number(value: float, unit: str = "") -> str:
    """Print a value: shares with three decimals, amounts with a unit by their size.

    Examples
    --------
    >>> number(0.5), number(float("nan")), number(1234.5, "tokens"), number(0.234, "ms")
    ('0.500', '–', '1,234', '0.23')
    """
    if math.isnan(value):
        return NOTHING
    if not unit:
        return f"{value:.3f}"
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f}"


def leaderboard(
    evaluation: Evaluation, measures: Sequence[Measure], systems: Sequence[str] = ()
) -> Table:
    """Lay out systems by measures, in the order given, else that in which they were evaluated.

    The best of a column is marked only where the evaluation found it better than every other,
    paired topic by topic.
    """
    from lcm_lab.evaluation.views.tables import leaderboard as judged

    found, best = keyed(evaluation.summary()), cast("Any", judged(evaluation))
    lines = []
    for system in systems or evaluation.systems:
        cells = [
            _cell(found.get((system, str(m))), m, best=best.loc[system, str(m)].best)
            for m in measures
        ]
        lines.append((system, tuple(cells)))
    return Table(tuple(map(str, measures)), tuple(lines))


def per_type(table: pd.DataFrame, measure: Measure, systems: Sequence[str]) -> Table:
    """Lay out question types by systems, for one measure.

    Parameters
    ----------
    table : DataFrame
        type, system, measure, mean, low, high, n, as ``Evaluation.by("type")`` gives it, of this
        measure alone.
    measure : Measure
    systems : sequence of str
        The columns, in order.
    """
    lines = []
    for kind, group in table.groupby("type", sort=False):
        found = keyed(group)
        cells = [_cell(found.get((name, str(measure))), measure) for name in systems]
        lines.append((str(kind), tuple(cells)))
    return Table(tuple(systems), tuple(lines))


def keyed(summary: pd.DataFrame) -> dict[tuple[str, str], Any]:
    """Give the rows of a summary by system and measure."""
    return {(row.system, row.measure): row for row in rows(summary)}


def facts(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Print a collection's card: a line a fact, lists shortened, nested facts on one line."""
    return [
        (key.replace("_", " "), _fact(value))
        for key, value in card.items()
        if value not in (None, "", [], {})
    ]


def _fact(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{safe(key)}: {_fact(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        shown = "; ".join(_fact(item) for item in value[:12])
        return f"{shown}; and {len(value) - 12:,} more" if len(value) > 12 else shown
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return safe(value, limit=600)


def _cell(row: Any, measure: Measure, *, best: bool = False) -> Cell:
    if row is None or math.isnan(row.mean):
        return Cell(NOTHING, n=0 if row is None else int(row.n), failed=row.failed if row else 0)
    unit, n = measure.unit, int(row.n) if measure.per == "topic" else None
    value, failed = float(row.mean), int(row.failed)
    if math.isnan(row.low) or math.isnan(row.high):
        return Cell(number(row.mean, unit), n=n, value=value, best=best, failed=failed)
    return Cell(
        text=number(row.mean, unit),
        interval=f"[{number(row.low, unit)}, {number(row.high, unit)}]",
        n=n,
        value=value,
        low=float(row.low),
        high=float(row.high),
        best=best,
        failed=failed,
    )
