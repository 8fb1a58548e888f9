"""Engines timed side by side, in one run on one machine, so that the ratios can be trusted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from lcm_lab.errors import MissingExtra
from lcm_lab.evaluation.engines import BM25s, Engine, FTS5Engine, Ours, Tantivy
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.zipf import Zipf, zipf
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.text import Analyzer

__all__ = ["bench_ranking"]

PLAIN = BM25(fields=("text",), analyzer=Analyzer(language=None, stop=None, identifiers=False))

#: Questions asked of every engine before any is timed, and in a row before another has its turn.
WARM, BLOCK = 20, 25


def bench_ranking(size: int = 100_000, *, questions: int = 400, seed: int = 0) -> pd.DataFrame:
    """Time BM25 beside the other engines that are installed, on made-up conversations.

    Every question goes to every engine. They take turns at blocks of questions, in an order drawn
    anew each time, so that a busy moment of the machine falls on all alike.

    Parameters
    ----------
    size : int
        Messages.
    questions : int
        Questions of each kind.

    Returns
    -------
    DataFrame
        A row an engine and a piece of work: engine, work, n, median and p95 in milliseconds of
        processor time, wall (of builds), and ratio, the median over that of the first
        engine.
    """
    made = zipf(size, questions=questions, seed=seed)
    engines = _engines()
    with threadpool_limits(limits=1), ExitStack() as done:
        for engine in engines:
            done.callback(engine.close)
        rows = [_build(engine, made) for engine in progress(engines, "build")]
        for work, ask, asked in _work(made):
            rows += _timed(engines, work, ask, asked, seed)
    frame = pd.DataFrame(rows)
    first = frame[frame["engine"] == engines[0].name].set_index("work")["median"]
    return frame.assign(ratio=frame["median"] / frame["work"].map(first))


def _engines() -> list[Engine]:
    found: list[Engine] = [Ours("BM25, plain words", PLAIN), Ours("BM25()", BM25())]
    for make in (BM25s, Tantivy, FTS5Engine):
        try:
            found.append(make())
        except MissingExtra:  # timed where it is installed
            continue
    return found


def _build(engine: Engine, made: Zipf) -> dict[str, Any]:
    wall, spent = time.perf_counter(), time.process_time()
    engine.build(made.corpus)
    spent, wall = time.process_time() - spent, time.perf_counter() - wall
    row = {"engine": engine.name, "work": "index from raw text", "n": len(made.corpus)}
    return row | {"median": spent * 1e3, "p95": np.nan, "wall": wall * 1e3}


def _work(made: Zipf) -> list[tuple[str, Callable[[Engine, Any], Any], Sequence[Any]]]:
    size = len(made.corpus)
    tenth = slice(int(0.6 * size), int(0.7 * size))
    pairs = list(zip(made.content, made.asked, strict=True))
    return [
        ("natural question", lambda engine, q: engine.search(q), made.natural),
        ("content words", lambda engine, q: engine.search(q), made.content),
        ("one conversation", lambda engine, pair: engine.within(*pair), pairs),
        ("a tenth of the time line", lambda engine, q: engine.between(q, tenth), made.content),
    ]


def _timed(
    engines: list[Engine],
    work: str,
    ask: Callable[[Engine, Any], Any],
    asked: Sequence[Any],
    seed: int,
) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    spent = np.zeros((len(engines), len(asked)))
    for question in asked[:WARM]:
        for engine in engines:
            ask(engine, question)
    for start in progress(range(0, len(asked), BLOCK), work):
        for place in rng.permutation(len(engines)):
            for i in range(start, min(start + BLOCK, len(asked))):
                started = time.process_time()
                ask(engines[place], asked[i])
                spent[place, i] = time.process_time() - started
    return [
        {
            "engine": engine.name,
            "work": work,
            "n": len(asked),
            "median": float(np.median(times)) * 1e3,
            "p95": float(np.percentile(times, 95)) * 1e3,
            "wall": np.nan,
        }
        for engine, times in zip(engines, spent, strict=True)
    ]
