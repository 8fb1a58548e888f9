"""Gates: what a synthetic collection must share with its real counterpart to predict it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lcm_lab.evaluation.statistics.agreement import Floats, drawn, ends, tau
from lcm_lab.measures import AllR, AnyR, Measure
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.words import BM25, TfIdf

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.evaluation.validating.validation import Validation

__all__ = ["BM", "LEVELS", "TF", "Bar", "Gate", "bar", "gates"]

#: What level and sign are read from, whatever else is compared.
BM: Ranker = BM25() % 10
TF: Ranker = TfIdf() % 10
LEVELS = (AnyR @ 5, AllR @ 10)
#: Fewer types than this have no order to speak of.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """What is wanted: tau-b and its lower end, level within, and tau-b of the types."""

    tau: float = 0.60
    low: float = 0.40
    level: float = 0.10
    types: float = 0.60


#: By source and unit ("" for any) of the real set; set before any comparison was made.
BARS = (
    ("LoCoMo", "turn", Bar(0.70)),
    ("LoCoMo", "", Bar(0.60)),
    ("LongMemEval", "", Bar(0.55)),
    ("BEAM", "", Bar(0.70)),
)


class Gate(NamedTuple):
    """One thing that is wanted: its figure with a 95 % interval, and whether it holds.

    ``passed`` is None where there is nothing to measure it by.
    """

    gate: str
    figure: float
    low: float
    high: float
    wanted: str
    passed: bool | None


def bar(source: str, unit: str) -> Bar:
    """Choose what is wanted by what the real set is.

    Examples
    --------
    >>> bar("LoCoMo (Maharana et al., 2024)", "turn").tau
    0.7
    """
    return next((one for name, cut, one in BARS if name in source and cut in ("", unit)), Bar())


def gates(found: Validation) -> Iterator[Gate]:
    """Measure every gate."""
    low, high = ends(tau(*found.draws))
    least, lowest = found.bar.tau, found.bar.low
    yield _gate("tau-b", found.tau, (low, high), f"at least {least:.2f}", found.tau >= least)
    yield _gate("lower end of tau-b", low, NONE, f"above {lowest:.2f}", low > lowest)
    for measure in LEVELS:
        yield _level(found, measure)
    yield _sign(found)
    yield _types(found)


NONE = (np.nan, np.nan)


def _gate(
    name: str, figure: float, interval: tuple[float, float], wanted: str, holds: bool
) -> Gate:
    """Make a gate; an order that does not exist, since everything is tied, holds nothing."""
    return Gate(name, float(figure), *interval, wanted, bool(holds))


def _level(found: Validation, measure: Measure) -> Gate:
    ours, theirs = (_of(side, found.anchors[0], measure) for side in found.sides)
    apart = float(ours.mean() - theirs.mean())
    interval = ends(drawn(ours, 0) - drawn(theirs, 1))
    wanted = f"within {found.bar.level:.2f} of {theirs.mean():.3f}"
    name = f"BM25{found.looking} {measure}, synthetic less real"
    return _gate(name, apart, interval, wanted, abs(apart) <= found.bar.level)


def _sign(found: Validation) -> Gate:
    plain, sparse = found.anchors
    ours, theirs = (
        _of(side, sparse, found.measure) - _of(side, plain, found.measure) for side in found.sides
    )
    same = bool(np.sign(ours.mean()) == np.sign(theirs.mean()))
    wanted = f"the sign of {theirs.mean():+.3f}"
    name = f"TF-IDF less BM25{found.looking}, {found.measure}"
    return _gate(name, float(ours.mean()), ends(drawn(ours, 0)), wanted, same)


def _types(found: Validation) -> Gate:
    wanted, name = f"at least {found.bar.types:.2f}", "tau-b of the difficulty of types"
    if len(found.types) < FEWEST:
        few = f"{wanted}; only {len(found.types)} types have a counterpart"
        return Gate(name, np.nan, *NONE, few, None)
    sides = [found.of_types(number) for number in (0, 1)]
    means = [np.array([values.mean() for values in side]) for side in sides]
    draws = [
        np.array([drawn(values, seed) for values in side]).T for seed, side in enumerate(sides)
    ]
    figure = float(tau(means[0], means[1]))
    return _gate(name, figure, ends(tau(draws[0], draws[1])), wanted, figure >= found.bar.types)


def _of(side: Evaluation, system: Ranker, measure: Measure) -> Floats:
    """Give the values of one system on the questions that have one; shape (n_questions,)."""
    name = next(one for one, made in side.systems.items() if made == repr(system))
    values = side.values(name, measure)
    return values[~np.isnan(values)]
