"""Comparison: every system set against one of them, and what such a test could not have seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab import markup
from lcm_lab.errors import BadParameter, unknown
from lcm_lab.evaluation.comparing.compare_notes import comparison_notes
from lcm_lab.evaluation.comparing.paired import comparable, family, paired, per_topic, with_verdicts
from lcm_lab.evaluation.statistics.significance import By, per_unit, resampled
from lcm_lab.measures import Measure

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["COLUMNS", "Comparison", "check_margin", "compare", "figures", "html"]

Ints = npt.NDArray[np.int64]

COLUMNS = [
    *("system", "measure", "n", "unpaired", "units", "mean", "baseline_mean", "difference"),
    *("low", "high", "p", "p_holm", "q", "p_equal", "wins", "ties", "losses"),
    *("units_won", "units_lost", "mde", "verdict"),
]
UNITS = ["system", "measure", "unit", "n", "difference"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `Evaluation.compare` found: a row for each system and measure, against one baseline.

    Attributes
    ----------
    baseline : str
    by : str
        What is flipped and drawn again as a whole: "conversation" or "topic".
    frame : DataFrame
        system, measure, n (topics that both have a value on), unpaired (the other topics), units
        (conversations or topics that the n are of), mean, baseline_mean, difference (system less
        baseline), low, high (its 95 % interval), p (paired randomisation, two-sided), p_holm
        (adjusted for all systems that differ at all on that measure), q (Benjamini and Hochberg,
        for a grid one only explores), p_equal (TOST within the margin, adjusted; NaN without one),
        wins, ties, losses (topics, by which way the measure is better), units_won, units_lost (the
        sum of a unit's differences), mde (the least true
        difference that one test would find in 80 % of cases), verdict.
    notes : tuple of str
        What a reader must know beside the numbers.
    by_unit : DataFrame
        What each conversation (or topic) says: system, measure, unit (its number, in the order of
        the collection), n (its topics that both have a value on), difference (mean over these).

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> systems = {"bm25": lcm.BM25() % 10, "tf-idf": lcm.TfIdf() % 10}
    >>> found = lcm.evaluate(systems, on=bench, measures=[lcm.measures.nDCG @ 10]).compare("bm25")
    >>> found.frame[["system", "units", "verdict"]].values.tolist()
    [['tf-idf', 10, 'worse']]
    >>> bool((found.by_unit["difference"] < 0).all())
    True
    """

    baseline: str
    by: By
    frame: pd.DataFrame
    notes: tuple[str, ...]
    by_unit: pd.DataFrame

    def __repr__(self) -> str:
        table = figures(self.frame).to_string(index=False)
        return "\n".join([f"Against {self.baseline}", "", table, "", *self.notes]).rstrip()

    def _repr_html_(self) -> str:
        return html(self.frame, f"Against {self.baseline}", self.notes)


def html(frame: pd.DataFrame, caption: str, notes: Iterable[str]) -> str:
    """Give a comparison as a notebook shows it: its figures under a caption, then the notes."""
    shown = figures(frame)
    body = [[markup.line(cell) for cell in row] for row in shown.itertuples(index=False)]
    marks = "  " + "#" * (len(shown.columns) - 3)
    table = markup.rows(list(shown.columns), body, caption=markup.line(caption), numbers=marks)
    return markup.page(table, markup.notes(notes))


def figures(frame: pd.DataFrame) -> pd.DataFrame:
    """Lay out a comparison as people read it: an interval beside every difference."""
    shown = frame[["system", "measure"]].copy()
    spread = zip(frame["difference"], frame["low"], frame["high"], strict=True)
    shown["difference"] = [
        "–" if np.isnan(d) else f"{d:+.3f}" + ("" if np.isnan(a) else f" [{a:+.3f}, {b:+.3f}]")
        for d, a, b in spread
    ]
    shown["p (Holm)"] = ["–" if np.isnan(p) else _p(p) for p in frame["p_holm"]]
    shown["won/tied/lost"] = _joined(frame, ("wins", "ties", "losses"))
    shown["units won/lost"] = _joined(frame, ("units_won", "units_lost"))
    shown["n"] = [f"{n:,}" for n in frame["n"]]
    shown["detectable"] = ["–" if np.isnan(least) else f"{least:.3f}" for least in frame["mde"]]
    return shown.assign(verdict=frame["verdict"])


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<.001"


def _joined(frame: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    return ["/".join(f"{n:,}" for n in row) for row in frame[list(names)].itertuples(index=False)]


def compare(
    result: Evaluation,
    baseline: str,
    by: By = "conversation",
    measures: Measure | Iterable[Measure] | None = None,
    margin: float | None = None,
) -> Comparison:
    """Set every system of an evaluation against one of them; see `Evaluation.compare`."""
    if baseline not in result.systems:
        raise unknown("system", str(baseline), result.systems)
    check_margin(margin)
    chosen = _measures(result, measures)
    resampled(result.conversation, by)  # another by is refused before any work
    parts, units = zip(*(_on(result, baseline, one, by, margin) for one in chosen), strict=True)
    frame = pd.concat(parts, ignore_index=True)[COLUMNS]
    notes = comparison_notes(result, baseline, chosen, by, margin, int(family(parts[0]).sum()))
    return Comparison(baseline, by, frame, notes, pd.concat(units, ignore_index=True))


def check_margin(margin: float | None) -> None:
    """Refuse a margin of equivalence that is none."""
    if margin is None:
        return
    given: object = margin
    number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not number or not 0 < margin < np.inf:
        raise BadParameter(
            "margin must be a number above 0, in the unit of the measure, such as 0.01: what a "
            f"difference may be and not matter. Got {margin!r}."
        )


def _measures(
    result: Evaluation, measures: Measure | Iterable[Measure] | None
) -> tuple[Measure, ...]:
    """Give the measures to compare, the primary one first; every comparable one by default."""
    if measures is None:
        chosen = tuple(filter(comparable, result.measures))
    else:
        chosen = (
            (measures,) if isinstance(measures, Measure | str) else tuple(dict.fromkeys(measures))
        )
    if not chosen:
        there = ", ".join(map(str, result.measures))
        raise BadParameter(
            f"There is no measure to compare topic by topic: {there or 'none'} was evaluated. "
            "Evaluate with nDCG@10, for example."
        )
    for measure in chosen:
        for system in result.systems:
            per_topic(result, system, measure)
    return chosen


def _on(
    result: Evaluation, baseline: str, measure: Measure, by: By, margin: float | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare on one measure, which is a family of its own; with what each unit says."""
    names = [name for name in result.systems if name != baseline]
    shape = (len(result.conversation), len(names))
    columns = [result.values(name, measure) for name in names]
    values = np.array(columns, float).reshape(shape[::-1]).T
    against = np.broadcast_to(result.values(baseline, measure)[:, None], shape)
    known = np.asarray(~np.isnan(values - against).all(axis=1))
    units, higher = resampled(result.conversation, by, known), measure.higher_is_better
    frame = paired(values, against, units, higher=higher, seed=result.seed)
    frame.insert(0, "system", pd.Series(names, dtype=object))
    frame.insert(1, "measure", str(measure))
    within = margin if not measure.unit else None
    each = _by_unit(values - against, units, names).assign(measure=str(measure))
    return with_verdicts(frame, higher=higher, margin=within), each[UNITS]


def _by_unit(apart: npt.NDArray[np.float64], units: Ints, names: list[str]) -> pd.DataFrame:
    """Give the mean difference of each unit that has one, a row a system and unit."""
    n_units = int(units.max(initial=-1)) + 1
    sums, counts = per_unit(apart, units, n_units)
    system, unit = np.nonzero(counts)
    n = counts[system, unit]
    return pd.DataFrame(
        {
            "system": np.array(names, object)[system],
            "unit": unit,
            "n": n.astype(int),
            "difference": sums[system, unit] / n,
        }
    )
