"""What speed is promised, beside what a run measured of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = ["against_targets"]

OURS = "BM25, plain words"
EVALUATED = "evaluate, 2 leaf groups indexed and asked"


#: What was found to hold a figure back, by profiles and by what was tried in its place.
READING = (
    "Reading the texts is most of it (1.6 of 2.2 seconds at 100,000 messages), and one thread does "
    "it, where tantivy writes with two."
)
LOOKING_UP = (
    "Nearly all of it is adding up, and looking up candidates in, lists that lie outside the "
    "processor's cache; scans are under 1 %. First lists alone, scores carried along and looking "
    "up in all lists at once gained 2 % at most."
)
CALLING = "Some 60 calls of numpy on short arrays, and rows that lie outside the processor's cache."


class Target(NamedTuple):
    """A promise: what it is about, the figure of a run, its bound, and whether more is better.

    ``held`` says what holds it back, where it was missed and that was found out.
    """

    work: str
    measured: Callable[[pd.DataFrame], float]
    bound: float
    more: bool
    unit: str
    held: str = ""


def against_targets(timed: pd.DataFrame) -> pd.DataFrame:
    """Set the figures of a run beside their targets.

    Parameters
    ----------
    timed : DataFrame
        As of `bench_ranking`, `bench_pipeline` and others, end to end; of several sizes the largest
        counts.

    Returns
    -------
    DataFrame
        A row a target of which the run has a figure: work, figure, target (as text), met, and for
        what is missed ``held``, what holds it back as far as that is known.

    Examples
    --------
    >>> row = {"work": "import", "engine": "import lcm_lab", "wall": 500.0}
    >>> against_targets(pd.DataFrame([row])).values.tolist()
    [['import lcm_lab', '500 ms', 'at most 700 ms', True, '']]
    """
    rows = []
    for one in TARGETS:
        figure = one.measured(timed)
        if np.isnan(figure):
            continue
        bound = f"at {'least' if one.more else 'most'} {_shown(one.bound, one.unit)}"
        met = figure >= one.bound if one.more else figure <= one.bound
        held = "" if met else one.held
        rows.append((one.work, _shown(figure, one.unit), bound, bool(met), held))
    return pd.DataFrame(rows, columns=["work", "figure", "target", "met", "held"])


def _shown(figure: float, unit: str) -> str:
    return f"{figure:.3g}{unit}" if figure < 1000 else f"{figure:,.0f}{unit}"


def _figure(timed: pd.DataFrame, work: str, engine: str, column: str) -> float:
    """Give a figure of a run, at its largest size; NaN where it has none."""
    named = timed["what"].fillna(timed["work"]) if "what" in timed else timed["work"]
    rows = timed[(named == work) & (timed["engine"] == engine)]
    if rows.empty or column not in rows:
        return float("nan")
    if "size" in rows and rows["size"].notna().any():
        rows = rows.sort_values("size")
    return float(rows[column].iloc[-1])


def _of(work: str, engine: str, column: str) -> Callable[[pd.DataFrame], float]:
    return lambda timed: _figure(timed, work, engine, column)


def _over(work: str, engine: str, first: str, column: str) -> Callable[[pd.DataFrame], float]:
    """Give one engine's figure over that of another."""
    return lambda timed: _figure(timed, work, engine, column) / _figure(timed, work, first, column)


def _gained(timed: pd.DataFrame) -> float:
    """Give what two processes gain an evaluation, over what they gain a plain loop."""
    one, two = "one process", "two processes"
    loop = _over("a plain loop", one, two, "wall")(timed)
    return _over(EVALUATED, one, two, "wall")(timed) / loop


def _beside(work: str, engine: str, bound: float, column: str = "median", held: str = "") -> Target:
    told = f"{work}, {'p95' if column == 'p95' else column}: {engine} over {OURS}"
    return Target(told, _over(work, engine, OURS, column), bound, more=True, unit="x", held=held)


INDEX, ASKED = "index from raw text", "natural question"
PIPELINE = "fuse, decay and MMR over 2 x 100 candidates"

TARGETS = (
    _beside(INDEX, "tantivy", 2, "wall", READING),
    _beside(INDEX, "SQLite FTS5", 2, "wall", READING),
    _beside(INDEX, "bm25s, numba", 3, "wall"),
    Target(f"{INDEX}, memory over the text", _of(INDEX, OURS, "memory"), 2147, False, " MB"),
    _beside(ASKED, "bm25s, numba", 2, held=LOOKING_UP),
    _beside(ASKED, "tantivy", 4, held=LOOKING_UP),
    _beside(ASKED, "tantivy", 1, "p95"),
    Target(
        "one conversation, median: of all over a corpus of it alone",
        _over("one conversation", OURS, "BM25, plain words, it alone", "median"),
        *(1.5, False, "x"),
    ),
    Target(
        f"{PIPELINE}, on top of the scorers",
        _of(PIPELINE, "fused, decay, MMR, on top", "median"),
        *(0.3, False, " ms", CALLING),
    ),
    Target(
        "exact dense search over a flat scan of FAISS",
        _over("all vectors", 'Dense(scan="exact")', "FAISS, flat", "median"),
        *(1.2, False, "x"),
    ),
    Target(
        "evaluate, 30 policies over the 2 scorers that they share",
        _over("evaluate, 2,000 topics", "30 policies of the 2", "2 scorers", "median"),
        *(2.0, False, "x"),
    ),
    Target("evaluate in two processes, over what a plain loop gains", _gained, 0.8, True, "x"),
    Target("import lcm_lab", _of("import", "import lcm_lab", "wall"), 700, False, " ms"),
    Target(
        "short messages indexed from a mapped file and asked, memory",
        _of("short messages: natural question", OURS, "memory"),
        *(8590, False, " MB"),
    ),
    Target(
        "append one message to a store, its index included, p95",
        _of("append one message to a store", "Store", "p95"),
        *(5, False, " ms"),
    ),
)
