"""diff: what changed between two evaluations, beyond what chance makes of the topics drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.comparing.compare import figures, html
from lcm_lab.evaluation.comparing.diff_notes import UNKNOWN, changes, limits, losses, nothing
from lcm_lab.evaluation.comparing.paired import family, paired, with_verdicts
from lcm_lab.evaluation.files.saved import Saved, kept
from lcm_lab.evaluation.statistics.significance import By, Floats, Ints, resampled
from lcm_lab.measures import Measure

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["COLUMNS", "Diff", "diff"]

COLUMNS = [
    *("system", "measure", "n", "unpaired", "lost", "units", "before", "after", "difference"),
    *("low", "high", "p", "p_holm", "wins", "ties", "losses", "units_won", "units_lost", "mde"),
    "verdict",
]


@dataclass(frozen=True, eq=False, repr=False)
class Diff:
    """What changed from one evaluation to another.

    Attributes
    ----------
    before, after : str
        The folders, or the collections of evaluations at hand.
    frame : DataFrame
        A row for each system and measure that both have: system, measure, n (topics that both have
        a value on), unpaired (the other topics of either), lost (topics that only the first has a
        value on), units (conversations that the n are of), before, after (means over the n),
        difference with its 95 % interval low and high, p (paired randomisation), p_holm (adjusted
        for all systems that differ at all on that measure), wins, ties, losses, units_won,
        units_lost, mde (as in `Comparison`), verdict. The first measure is the primary one.
    notes : tuple of str
        What was added, removed or written otherwise, and what limits the numbers.
    gone : tuple of str
        Systems of the first that the second does not have, and the primary measure of the first,
        where the second does not have that: what no row of ``frame`` speaks for.

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> old, new = (lcm.evaluate({"ours": lcm.BM25(b=b) % 10}, on=bench) for b in (0.4, 0.75))
    >>> found = diff(old, new)
    >>> found.frame["measure"].tolist(), found.frame["n"].tolist()
    (['nDCG@10', 'R@10'], [637, 637])
    >>> found.notes[0]
    'ours is written otherwise: BM25() % 10, before BM25(b=0.4) % 10.'
    """

    before: str
    after: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def fallen(self, threshold: float = 0.0) -> pd.DataFrame:
        """Give the systems that got worse on the primary measure by more than a threshold.

        Parameters
        ----------
        threshold : float, at least 0
            In the unit of the measure. A fall counts where it is larger, and its adjusted p is at
            most .05.

        Returns
        -------
        DataFrame
            Rows of ``frame``. A system that has lost topics is among them, however good it is on
            the others: what it failed on is in no mean.

        Raises
        ------
        BadParameter
            For a threshold that is no number from 0 up.
        """
        if not 0 <= threshold < np.inf:
            raise BadParameter(f"threshold must be a number from 0 up. Got {threshold!r}.")
        frame = self.frame
        primary = frame["measure"] == frame["measure"].iloc[0]
        beyond = (frame["verdict"] == "worse") & (frame["difference"].abs() > threshold)
        found: pd.DataFrame = frame.loc[(primary & (beyond | (frame["lost"] > 0))).to_numpy(bool)]
        return found

    def __repr__(self) -> str:
        table = figures(self.frame).to_string(index=False)
        return "\n".join([f"{self.before} -> {self.after}", "", table, "", *self.notes]).rstrip()

    def _repr_html_(self) -> str:
        return html(self.frame, f"{self.before} → {self.after}", self.notes)


def diff(
    before: str | Path | Evaluation,
    after: str | Path | Evaluation,
    *,
    by: By = "conversation",
    across: bool = False,
) -> Diff:
    """Say what changed between two evaluations of the same questions, and what is only chance.

    Parameters
    ----------
    before, after : str, Path or Evaluation
        Folders that `Evaluation.save` or a ranking report wrote, or evaluations. Systems and
        measures are matched by name, topics by qid.
    by : {"conversation", "topic"}
        What is flipped and drawn again as a whole.
    across : bool
        Whether two collections that are not the same may be set against each other; what the same
        qid asks is then for you to know.

    Returns
    -------
    Diff

    Raises
    ------
    NotFound
        For a folder without an evaluation.
    BadInput
        For files that are none, different collections, or nothing in common.

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> result = lcm.evaluate({"bm25": lcm.BM25() % 10}, on=bench)
    >>> folder = result.save("before")
    >>> diff("before", result).frame["verdict"].tolist()
    ['identical', 'identical']
    """
    first, second = kept(before), kept(after)
    if first.fingerprint != second.fingerprint and not across:
        raise BadInput(
            f"{first.name!r} is of {first.collection!r} ({first.fingerprint[:8]}) and "
            f"{second.name!r} of {second.collection!r} ({second.fingerprint[:8]}): not the same "
            "questions, documents and judgements. To match topics by qid all the same, say across."
        )
    systems = [name for name in first.systems if name in second.systems]
    measures = [one for one in first.measures if one in second.measures]
    qids = list(dict.fromkeys([*first.qids, *second.qids]))
    if not systems or not measures or not set(first.qids) & set(second.qids):
        raise BadInput(nothing(first, second))
    talks = _conversations(first, second, qids)
    resampled(talks, by)  # another by is refused before any work
    each = {one: _values(first, second, one, systems, qids) for one in measures}
    parts = [_on(one, systems, values, talks, by) for one, values in each.items()]
    frame = pd.concat(parts, ignore_index=True)[COLUMNS]
    told = [*changes(first, second), *losses(frame)]
    known = _known(*each[measures[0]])
    held = resampled(talks, by, known)[known]
    told += limits(measures, held, by, int(family(parts[0]).sum()))
    if by == "conversation" and not (first.units or second.units):
        told.append(UNKNOWN)
    gone = [name for name in first.systems if name not in second.systems]
    gone += [str(one) for one in first.measures[:1] if one not in second.measures]
    return Diff(first.name, second.name, frame, tuple(told), tuple(gone))


def _values(
    first: Saved, second: Saved, measure: Measure, systems: list[str], qids: list[str]
) -> tuple[Floats, Floats]:
    """Give what both sides have of a measure; each of shape (n_qids, n_systems)."""
    old, new = (
        np.array([side.column(name, measure, qids) for name in systems]).T
        for side in (first, second)
    )
    return old, new


def _known(old: Floats, new: Floats) -> npt.NDArray[np.bool_]:
    """Tell on which topics any system has a value on both sides; shape (n_qids,)."""
    return np.asarray(~np.isnan(new - old).all(axis=1))


def _on(
    measure: Measure, systems: list[str], values: tuple[Floats, Floats], talks: Ints, by: By
) -> pd.DataFrame:
    """Compare on one measure, which is a family of its own."""
    (old, new), higher = values, measure.higher_is_better
    frame = paired(new, old, resampled(talks, by, _known(old, new)), higher=higher)
    frame.insert(0, "system", systems)
    frame.insert(1, "measure", str(measure))
    lost = (np.isnan(new) & ~np.isnan(old)).sum(axis=0)
    # A topic without a value on either side has nothing to find, or was not asked.
    frame["unpaired"] = (np.isnan(new) ^ np.isnan(old)).sum(axis=0)
    found = with_verdicts(frame, higher=higher).assign(lost=lost)
    return found.rename(columns={"mean": "after", "baseline_mean": "before"})


def _conversations(first: Saved, second: Saved, qids: list[str]) -> Ints:
    """Give each topic the number of its conversation; one of its own where that is not known."""
    known = second.units | first.units
    names = [("conversation", known[qid]) if qid in known else ("topic", qid) for qid in qids]
    return np.asarray(pd.factorize(pd.Series(names, dtype=object))[0], np.int64)
