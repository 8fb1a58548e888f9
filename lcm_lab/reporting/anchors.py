"""Known anchors: what plain systems reach on public sets, to see whether a harness is sane.

Every figure is of retrieval alone. What a model answers from the hits is another quantity, and
none of its percentages stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lcm_lab.reporting.tables import NOTHING, Cell, Table, keyed, number

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["ANCHORS", "Anchor", "anchors", "here"]

MEASURES = ("AnyR@1", "AnyR@5", "AnyR@10", "AllR@5", "AllR@10", "nDCG@10")

#: Nobody measured it.
_: float | None = None


@dataclass(frozen=True)
class Anchor:
    """A public set at one unit, and what plain systems reach on it.

    Attributes
    ----------
    name, unit : str
    n : int
        Questions.
    about : str
    means : tuple of (system, values by `MEASURES`)
    like : tuple of str
        What stands in the name of a collection of the kind.
    """

    name: str
    unit: str
    n: int
    about: str
    means: tuple[tuple[str, tuple[float | None, ...]], ...]
    like: tuple[str, ...]


#: Stemmed words without stop words, k1 = 1.2 and b = 0.75, binary relevance; "naive" splits at
#: white space, as published baselines do.
ANCHORS = (
    Anchor(
        "LoCoMo",
        "session",
        1982,
        "text with speakers, captions and dates",
        (
            ("random", (0.05, 0.24, 0.43, _, _, 0.167)),
            ("BM25, naive", (0.494, 0.774, 0.877, 0.678, 0.777, 0.662)),
            ("BM25", (0.733, 0.934, 0.971, 0.843, 0.907, 0.836)),
            ("TF-IDF", (0.706, 0.929, 0.971, 0.841, 0.905, 0.824)),
        ),
        ("locomo",),
    ),
    Anchor(
        "LoCoMo",
        "turn",
        1982,
        "single turns",
        (
            ("random", (0.003, 0.012, 0.021, _, _, 0.008)),
            ("BM25, naive", (0.152, 0.345, 0.425, _, _, 0.272)),
            ("BM25", (0.360, 0.606, 0.685, 0.516, 0.590, 0.492)),
            ("TF-IDF", (0.294, 0.571, 0.662, _, _, 0.447)),
        ),
        ("locomo",),
    ),
    Anchor(
        "LongMemEval, evidence sessions as one pool",
        "session",
        470,
        "831 sessions",
        (
            ("BM25, naive", (0.498, 0.672, 0.734, 0.477, 0.545, 0.551)),
            ("BM25", (0.677, 0.851, 0.887, 0.662, 0.755, 0.730)),
            ("TF-IDF", (0.670, 0.864, 0.898, 0.666, 0.772, 0.733)),
            ("MiniLM, 256 tokens", (0.500, 0.755, 0.840, 0.517, 0.649, 0.606)),
        ),
        ("longmemeval", "lme"),
    ),
    Anchor(
        "BEAM-100K",
        "message",
        319,
        "user and assistant messages",
        (
            ("BM25, naive", (0.279, 0.473, 0.536, _, _, 0.303)),
            ("BM25", (0.254, 0.498, 0.593, 0.219, _, 0.328)),
            ("TF-IDF", (0.455, 0.658, 0.709, 0.382, _, 0.488)),
        ),
        ("beam",),
    ),
)

#: Systems of an evaluation, by their expression without a cut, that an anchor knows too.
KNOWN = {"BM25()": "BM25", "TfIdf()": "TF-IDF", "NaiveBM25()": "BM25, naive"}


def anchors() -> Table:
    """Lay out every anchor, a row a set and system."""
    rows = tuple(
        (f"{one.name}, {one.unit} (n = {one.n:,})", (Cell(system), *map(_cell, values)))
        for one in ANCHORS
        for system, values in one.means
    )
    return Table(("system", *MEASURES), rows)


def here(evaluation: Evaluation) -> Sequence[str]:
    """Say what plain systems reach on this page, where an anchor is of a like set."""
    return tuple(_told(evaluation))


def _told(evaluation: Evaluation) -> Iterator[str]:
    name = evaluation.collection.name.lower()
    unit = str(evaluation.collection.card.get("unit", "")).lower()
    means = keyed(evaluation.summary())
    for one in ANCHORS:
        if not any(part in name for part in one.like) or one.unit not in unit:
            continue
        for system, written in evaluation.systems.items():
            known = KNOWN.get(written.partition(" % ")[0])
            values = dict(one.means).get(known or "")
            for measure, value in zip(MEASURES, values or (), strict=False):
                row = means.get((system, measure))
                if value is not None and row is not None:
                    yield (
                        f"{one.name}, {one.unit}, {measure}: {system} has {number(row.mean)} on "
                        f"this page (n = {row.n:,}); the anchor is {number(value)} (n = {one.n:,})."
                    )


def _cell(value: float | None) -> Cell:
    return Cell(NOTHING) if value is None else Cell(number(value), value=value)
