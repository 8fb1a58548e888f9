"""Validation: what two evaluations of the same systems say of each other, and what was wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.evaluation.result import Evaluation
from lcm_lab.evaluation.statistics.agreement import (
    Floats,
    agreement,
    draws,
    ends,
    halves,
    signs_agree,
    tau,
)
from lcm_lab.evaluation.statistics.significance import interval
from lcm_lab.evaluation.validating.gates import BM, TF, Bar, Gate, gates
from lcm_lab.measures import Measure
from lcm_lab.ranking.base import Ranker

__all__ = ["Validation"]

SIDES = ("synthetic", "real")
#: How the name of a comparison says what was searched.
SEEN = {"whole": "", "evidence": ", evidence alone", "pool": ", evidence as one pool"}


@dataclass(frozen=True, eq=False, repr=False)
class Validation:
    """How far a synthetic collection and a real one agree on the same systems.

    Attributes
    ----------
    synthetic, real : Evaluation
    measure : Measure
        What orders the systems.
    counted : tuple of str
        The systems that are ordered; others are there for level and sign alone.
    types : dict of str to tuple of str
        Types of the synthetic questions with their counterparts.
    bar : Bar
        What was wanted.
    unit : str
        What both sides were cut into.
    view : str
        What of the synthetic history was searched: "whole", its "evidence", or that as one "pool".
    anchors : pair of Ranker
        BM25 and TF-IDF, of which level and sign are read.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.evaluation.validating.validate import validate
    >>> bench = lcm.load("synth-chat-s")
    >>> five = [lcm.BM25(b=b) % 10 for b in (0, 0.25, 0.5, 0.75, 1)]
    >>> found = validate(bench, bench, systems=five)
    >>> found.tau, found.passed
    (1.0, True)
    """

    synthetic: Evaluation
    real: Evaluation
    measure: Measure
    counted: tuple[str, ...]
    types: Mapping[str, tuple[str, ...]]
    bar: Bar
    unit: str = "turn"
    view: str = "whole"
    anchors: tuple[Ranker, Ranker] = (BM, TF)

    @property
    def against(self) -> str:
        """The real set, how it was cut where that is not into turns, and what was searched."""
        name = self.real.collection.name
        cut = name if self.unit == "turn" else f"{name} by {self.unit}"
        return cut + SEEN[self.view]

    @property
    def looking(self) -> str:
        """How the anchors are told apart from the plain ones: " around", or nothing."""
        return "" if self.anchors == (BM, TF) else " around"

    @property
    def sides(self) -> tuple[Evaluation, Evaluation]:
        """The synthetic evaluation and the real one."""
        return self.synthetic, self.real

    @cached_property
    def measured(self) -> tuple[Floats, Floats]:
        """The measure of every question that has one, on both sides: (n_questions, n_counted)."""
        first, second = (_values(side, self.counted, self.measure) for side in self.sides)
        return first, second

    @cached_property
    def draws(self) -> tuple[Floats, Floats]:
        """Means of the counted systems, a row a draw, the questions of each side drawn again."""
        first, second = (draws(values, seed) for seed, values in enumerate(self.measured))
        return first, second

    @property
    def tau(self) -> float:
        """Kendall's tau-b between the means of the counted systems on both sides."""
        first, second = (values.mean(0) for values in self.measured)
        return float(tau(first, second))

    def agreement(self) -> pd.DataFrame:
        """Give tau-b, and tau-AP where the top matters, with 95 % intervals over questions.

        Returns
        -------
        DataFrame
            statistic ("tau-b", "tau-AP"), figure, low, high.
        """
        return agreement(*self.measured)

    @property
    def passed(self) -> bool:
        """Whether every gate holds that could be measured."""
        return all(one.passed is not False for one in self._gates)

    def frame(self) -> pd.DataFrame:
        """Give the counted systems on both sides.

        Returns
        -------
        DataFrame
            system, synthetic, synthetic_low, synthetic_high, real, real_low, real_high: the mean of
            the measure over questions, and its 95 % interval from a bootstrap over them.
        """
        out = pd.DataFrame({"system": list(self.counted)})
        for name, values, again in zip(SIDES, self.measured, self.draws, strict=True):
            out[name] = values.mean(0)
            low, high = interval(again, [len(values)] * len(out))
            out[f"{name}_low"], out[f"{name}_high"] = low, high
        return out

    def gates(self) -> pd.DataFrame:
        """Give what was wanted and what was found.

        Returns
        -------
        DataFrame
            gate, figure, low, high (95 % interval from a bootstrap over the questions of both
            sides, NaN where there is none), wanted, passed (None where it cannot be measured).
        """
        frame = pd.DataFrame(self._gates, columns=list(Gate._fields))
        return frame.astype({"passed": object})

    @cached_property
    def _gates(self) -> list[Gate]:
        return list(gates(self))

    def difficulty(self) -> pd.DataFrame:
        """Give the types with a counterpart, and how hard each is on both sides.

        Returns
        -------
        DataFrame
            type, counterpart, synthetic, real (means of the measure over questions and counted
            systems), n_synthetic, n_real (questions).
        """
        pairs = zip(self.types.items(), self.of_types(0), self.of_types(1), strict=True)
        rows = [
            (kind, ", ".join(kinds), ours.mean(), theirs.mean(), len(ours), len(theirs))
            for (kind, kinds), ours, theirs in pairs
        ]
        names = ["type", "counterpart", *SIDES, "n_synthetic", "n_real"]
        return pd.DataFrame(rows, columns=names)

    def of_types(self, side: int) -> list[Floats]:
        """Give each question's mean over the counted systems, an array for each pair of types.

        Parameters
        ----------
        side : int
            0 for the synthetic side, 1 for the real one.
        """
        told = self.sides[side]
        wanted = [(kind,) if side == 0 else kinds for kind, kinds in self.types.items()]
        types = told.collection.topics["type"]
        return [
            _values(told, self.counted, self.measure, types.isin(one).to_numpy()).mean(1)
            for one in wanted
        ]

    @cached_property
    def ceilings(self) -> pd.DataFrame:
        """How well each side agrees with itself: side, mean, low, high of its halves' tau-b."""
        rows = []
        for name, values in zip(SIDES, self.measured, strict=True):
            found = halves(values)
            known = found[~np.isnan(found)]
            rows.append((name, known.mean() if len(known) else np.nan, *ends(found)))
        return pd.DataFrame(rows, columns=["side", "mean", "low", "high"])

    @cached_property
    def sure_pairs(self) -> tuple[int, int]:
        """Pairs of systems that differ for sure on both sides, and how many do in one direction."""
        return signs_agree(*self.draws)

    def facts(self) -> dict[str, Any]:
        """Give what a collection's card publishes, ready for JSON, passed or failed."""
        sure, alike = self.sure_pairs
        return {
            "against": self.real.collection.name,
            "unit": self.unit,
            "view": self.view,
            "measure": str(self.measure),
            "systems": len(self.counted),
            "questions": [len(values) for values in self.measured],
            "gates": _records(self.gates()),
            "own_halves": _records(self.ceilings),
            "sure_pairs": {"on_both_sides": sure, "in_one_direction": alike},
        }

    def __repr__(self) -> str:
        held = [one.passed for one in self._gates if one.passed is not None]
        return (
            f"Validation of {self.synthetic.collection.name!r} against "
            f"{self.against!r}: tau-b {self.tau:.2f} over {len(self.counted)} "
            f"systems, {sum(held)} of {len(held)} gates hold"
        )


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Give rows ready for JSON: three decimals, None for what is unknown."""
    rounded = frame.round(3).astype(object)
    rows = rounded.where(rounded.notna(), None).to_dict("records")
    return [{str(name): item for name, item in row.items()} for row in rows]


def _values(
    side: Evaluation, systems: tuple[str, ...], measure: Measure, asked: Any = slice(None)
) -> Floats:
    """Give the values of some questions, those that have one; shape (n_questions, n_systems)."""
    values = np.array([side.values(name, measure)[asked] for name in systems], np.float64).T
    return values[~np.isnan(values).any(1)]
