"""Engines timed side by side, in one run on one machine, so that the ratios can be trusted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from lcm_lab.corpus import Corpus
from lcm_lab.errors import MissingExtra
from lcm_lab.evaluation.bench.engines import BM25s, Engine, FTS5Engine, Ours, Tantivy
from lcm_lab.evaluation.bench.turns import COLUMNS, bandwidth, resident, take_turns, told
from lcm_lab.evaluation.bench.zipf import Zipf, zipf
from lcm_lab.evaluation.progress import progress
from lcm_lab.ranking.lexical.weighted import Weights
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.text import Analyzer

__all__ = ["PLAIN", "bench_ranking", "compared", "curve", "exponents", "sizes"]

PLAIN = BM25(fields=("text",), analyzer=Analyzer(language=None, stop=None, identifiers=False))

#: What asks a conversation that is a corpus by itself.
ALONE = "BM25, plain words, it alone"

#: Bytes of a posting: the row and the value.
POSTING = 8


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
        A row an engine and a piece of work, with the columns of `turns.COLUMNS`: median and p95 in
        milliseconds of processor time, wall on the clock, and ratio, the median over that of the
        first engine, with its 95 % interval over blocks of turns. Of builds, memory is what the
        process grew by. limit is the time in which one thread would read what must be read: all
        texts of a build, the posting lists of a question.
    """
    made = zipf(size, questions=questions, seed=seed)
    engines, speed = _engines(), bandwidth()
    rng, names = np.random.default_rng(seed), [engine.name for engine in engines]
    with threadpool_limits(limits=1), ExitStack() as done:
        for engine in engines:
            done.callback(engine.close)
        rows = [_build(engine, made, speed) for engine in progress(engines, "build")]
        index = engines[0].searcher.indexes[PLAIN]  # type: ignore[attr-defined]
        for work, ask, asked in _work(made):
            doers = [_asking(ask, engine) for engine in engines]
            if work == "one conversation":
                doers.append(_alone(made))
            whole = work in ("natural question", "content words")
            least = 1e3 * _bytes(index, asked) / speed if whole else np.nan
            taking_part = [*names, ALONE][: len(doers)]
            rows += told(taking_part, work, take_turns(doers, asked, work, rng), limit=least)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    first = frame[frame["engine"] == names[0]].set_index("work")["median"]
    return frame.assign(ratio=frame["ratio"].fillna(frame["median"] / frame["work"].map(first)))


def sizes(size: int) -> list[int]:
    """Give a hundredth, a tenth and the whole of a size, none of them below 100.

    >>> sizes(1_000_000), sizes(2_000)
    ([10000, 100000, 1000000], [100, 200, 2000])
    """
    return sorted({max(size // 100, 100), max(size // 10, 100), size})


def compared(now: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Set a run beside another, by engine and work.

    Parameters
    ----------
    now, before : DataFrame
        As of `bench_ranking`.

    Returns
    -------
    DataFrame
        A row for what both timed: engine, work, ratio and then (to the first engine, in its own
        run), change (one over the other: what a machine's speed does not move), and time (the
        median over that of the other run, or wall where there is no median).

    Examples
    --------
    >>> rows = [("ours", "ask", 1.0, 1.0, 1.0), ("theirs", "ask", 4.0, 4.0, 4.0)]
    >>> then = pd.DataFrame(rows, columns=["engine", "work", "median", "wall", "ratio"])
    >>> compared(then.assign(ratio=[1.0, 2.0]), then)["change"].tolist()
    [1.0, 0.5]
    """
    keys = ["engine", "work"]
    both = now.merge(before, on=keys, suffixes=("", "_then"))
    spent = [both[f"median{s}"].fillna(both[f"wall{s}"]) for s in ("", "_then")]
    return both[keys].assign(
        ratio=both["ratio"],
        then=both["ratio_then"],
        change=both["ratio"] / both["ratio_then"],
        time=spent[0] / spent[1],
    )


def curve(sizes: Sequence[int], *, questions: int = 100, seed: int = 0) -> pd.DataFrame:
    """Time the engines at several sizes; ``work`` says at which.

    Returns
    -------
    DataFrame
        As of `bench_ranking`, with a column ``size``.
    """
    parts = []
    for size in sizes:
        frame = bench_ranking(size, questions=questions, seed=seed)
        at = frame["work"] + f", {size:,} messages"
        parts.append(frame.assign(what=frame["work"], work=at, size=size))
    return pd.concat(parts, ignore_index=True)


def exponents(timed: pd.DataFrame) -> pd.DataFrame:
    """Fit time to a power of the size: 1, as the corpus grows; 0, whatever its size.

    Parameters
    ----------
    timed : DataFrame
        As `curve` gives it.

    Returns
    -------
    DataFrame
        A row an engine and a piece of work: engine, work, n (sizes), exponent (the slope of the
        logarithm of the median on that of the size).

    Examples
    --------
    >>> rows = [("ours", "ask", 10 ** e, 2.0 * 10 ** (e / 2)) for e in (3, 4, 5)]
    >>> timed = pd.DataFrame(rows, columns=["engine", "what", "size", "median"])
    >>> exponents(timed)["exponent"].round(6).tolist()
    [0.5]
    """
    found = []
    for (engine, what), part in timed.groupby(["engine", "what"], sort=False):
        logs = np.log(part[["size", "median"]].to_numpy(np.float64).clip(min=1e-9))
        slope = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(part) > 1 else np.nan
        found.append({"engine": engine, "work": what, "n": len(part), "exponent": slope})
    return pd.DataFrame(found, columns=["engine", "work", "n", "exponent"])


def _engines() -> list[Engine]:
    found: list[Engine] = [Ours("BM25, plain words", PLAIN), Ours("BM25()", BM25())]
    for make in (BM25s, Tantivy, FTS5Engine):
        try:
            found.append(make())
        except MissingExtra:  # timed where it is installed
            continue
    return found


def _build(engine: Engine, made: Zipf, speed: float) -> dict[str, Any]:
    before = resident()
    wall, spent = time.perf_counter(), time.process_time()
    engine.build(made.corpus)
    spent, wall = time.process_time() - spent, time.perf_counter() - wall
    row = {"engine": engine.name, "work": "index from raw text", "n": len(made.corpus)}
    row |= {"median": spent * 1e3, "wall": wall * 1e3, "memory": resident() - before}
    return row | {"limit": 1e3 * made.corpus.column("text").nbytes / speed}


def _bytes(index: Weights, asked: Sequence[str]) -> float:
    """Give the bytes of the posting lists that a question asks for, the median over questions."""
    lists = index.postings
    sizes = [lists.frequency[list(lists.asked(question))].sum() for question in asked]
    return POSTING * float(np.median(sizes))


def _alone(made: Zipf) -> Callable[[tuple[str, str]], Any]:
    """Ask a conversation that is a corpus by itself, indexed before: what a filter may cost."""
    talks, table = made.corpus.conversations, made.corpus._table
    alone = {
        name: PLAIN.fit(Corpus(table.slice(rows.start, rows.stop - rows.start)))
        for name, rows in talks.items()
        if name in made.asked
    }
    for searcher in alone.values():
        searcher.run(made.content[0], 10)
    return lambda pair: alone[pair[1]].run(pair[0], 10)


def _asking(ask: Callable[[Engine, Any], Any], engine: Engine) -> Callable[[Any], Any]:
    return lambda question: ask(engine, question)


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
