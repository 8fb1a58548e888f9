"""How a policy came to its order: what each of its steps gave the first hits of a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.safe import safe

if TYPE_CHECKING:
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Explained", "explained"]

#: Columns of a frame of `Searcher.explain` that are no steps.
PLAIN = ("docno", "rank", "score", "text")
SHORT, LONG = 24, 300


@dataclass(frozen=True)
class Explained:
    """What the steps gave: their names, short and in full, and a row a hit."""

    steps: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, tuple[str, ...]], ...]


def explained(
    searcher: Searcher, query: str, filters: dict[str, Any], wanted: set[str], first: int
) -> Explained:
    """Explain the first hits of a question, and those further down that were wanted.

    Parameters
    ----------
    searcher : Searcher
    query : str
    filters : dict
        Of the topic, its moment included.
    wanted : set of docnos
    first : int
        How many hits from the first.
    """
    frame = searcher.explain(query, **filters)
    steps = [name for name in frame.columns if name not in PLAIN]
    kept = frame[(frame["rank"] <= first) | frame["docno"].isin(wanted)]
    rows = tuple(
        (str(row["rank"]), safe(row["docno"], 80), tuple(_printed(row[step]) for step in steps))
        for row in kept.to_dict("records")
    )
    return Explained(tuple((short(step), safe(step, LONG)) for step in steps), rows)


def short(step: str) -> str:
    """Give a step's expression as a heading: that of a long one ends at its bracket.

    Examples
    --------
    >>> short("BM25()"), short("Neighbours(Proximity(BM25(b=0.6, average=70.0)), share=0.2)")
    ('BM25()', 'Neighbours(…)')
    """
    if len(step) <= SHORT:
        return step
    head, bracket, _ = step.partition("(")
    return f"{head[:SHORT]}(…)" if bracket else f"{step[:SHORT]}…"


def _printed(value: Any) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3g}"
