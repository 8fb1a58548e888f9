"""What stands around scorers, timed: fusing, decay and diversity; sweeps; processes; the import."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from lcm_lab.collection import Collection
from lcm_lab.evaluation.bench.lexical import PLAIN
from lcm_lab.evaluation.bench.turns import COLUMNS, Rows, take_turns, told
from lcm_lab.evaluation.bench.zipf import Zipf, zipf
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.words import BM25, TfIdf
from lcm_lab.ranking.searcher import Indexes, Searcher
from lcm_lab.ranking.steps.diverse import MMR
from lcm_lab.ranking.steps.recency import Recency
from lcm_lab.text import Analyzer
from lcm_lab.topics import Topics

__all__ = ["bench_pipeline", "family"]

Floats = npt.NDArray[np.float64]

#: Of a sweep: times that each way of doing it has its turn, and topics at most.
ROUNDS, TOPICS = 5, 2_000

OTHER = TfIdf(fields=PLAIN.fields, analyzer=PLAIN.analyzer)

#: Reads texts in a way of its own, at about the cost of the first: a leaf group apart.
APART = BM25(
    fields=PLAIN.fields, analyzer=Analyzer(language=None, stop=("the",), identifiers=False)
)

#: The steps of a usual pipeline, each on top of those before.
STEPS: dict[str, Ranker] = {
    "fused": PLAIN % 100 + 0.3 * OTHER % 100,
    "fused, decay": PLAIN % 100 + 0.3 * OTHER % 100 >> Recency("30D"),
    "fused, decay, MMR": PLAIN % 100 + 0.3 * OTHER % 100 >> Recency("30D") >> MMR(0.7) % 10,
}


def bench_pipeline(size: int = 100_000, *, questions: int = 400, seed: int = 0) -> pd.DataFrame:
    """Time what is built on scorers, on made-up conversations.

    Parameters
    ----------
    size, questions : int
        Messages, and topics of the pipeline; a sweep asks five times as many, 2,000 at most.

    Returns
    -------
    DataFrame
        As of `bench_ranking`. Rows "... on top" hold what a step costs beyond the scorers alone,
        from differences question by question; their ratio is to the scorers. A sweep's rows are of
        processor time; where several processes work, and of the import, of the clock.
    """
    made, rng = zipf(size, questions=questions, seed=seed), np.random.default_rng(seed)
    with threadpool_limits(limits=1):
        rows = [*_pipeline(made, rng), *_sweep(made, rng)]
    rows += [*_processes(made, rng), *_import(rng)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def family() -> list[Ranker]:
    """Give thirty policies of two scorers."""
    return [
        PLAIN % 100 + weight * OTHER % 100 >> Recency(half_life) % 10
        for weight in (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
        for half_life in ("1D", "7D", "30D", "90D", "365D")
    ]


def _pipeline(made: Zipf, rng: np.random.Generator) -> Rows:
    shared = Indexes(made.corpus)
    searchers = [Searcher(policy, made.corpus, shared) for policy in STEPS.values()]
    doers: list[Callable[[str], Any]] = [lambda q: _alone(searchers[0], q)]
    doers += [_ran(searcher) for searcher in searchers]
    work = "fuse, decay and MMR over 2 x 100 candidates"
    times = take_turns(doers, made.natural, work, rng)
    rows = told(["the two scorers alone", *STEPS], work, times)
    for row, name, at in zip(rows[1:], STEPS, range(1, len(doers)), strict=True):
        extra = 1e3 * (times[0, at] - times[0, 0])
        added = {"median": float(np.median(extra)), "p95": float(np.percentile(extra, 95))}
        over = {"ratio": added["median"] / rows[0]["median"], "low": np.nan, "high": np.nan}
        clock = {"wall": float(np.median(1e3 * (times[1, at] - times[1, 0])))}
        rows.append(row | {"engine": f"{name}, on top"} | added | over | clock)
    return rows


def _alone(searcher: Searcher, question: str) -> Any:
    search = searcher.asked(Topics.of(question, searcher.corpus))
    return search.topk(PLAIN, 100), search.topk(OTHER, 100)


def _ran(searcher: Searcher) -> Callable[[str], Any]:
    return lambda question: searcher.run(question, 10)


def _collection(made: Zipf, topics: int) -> Collection:
    """Make topics of questions; what answers them is the first message of their conversation."""
    asked = [*made.natural, *made.content]
    asked = [asked[i % len(asked)] for i in range(topics)]
    talks = [made.asked[i % len(made.asked)] for i in range(topics)]
    docnos = made.corpus["docno"].to_numpy()
    firsts = [docnos[made.corpus.conversations[talk].start] for talk in talks]
    qids = [f"q{i}" for i in range(topics)]
    return Collection(
        "made up",
        made.corpus,
        pd.DataFrame({"qid": qids, "query": asked}),
        pd.DataFrame({"qid": qids, "docno": firsts, "relevance": 1}),
    )


def _sweep(made: Zipf, rng: np.random.Generator) -> Rows:
    """Time thirty policies that share two scorers beside the scorers alone, and one by one."""
    bench = _collection(made, min(5 * len(made.natural), TOPICS))
    policies, leaves = family(), [PLAIN % 100, OTHER % 100]
    evaluate(leaves, on=bench)  # indexes are built once, and are not what is timed
    doers: list[Callable[[int], Any]] = [
        lambda _: evaluate(leaves, on=bench),
        lambda _: evaluate(policies, on=bench),
        lambda _: [evaluate(policy, on=bench) for policy in policies[:3]],
    ]
    names = ["2 scorers", "30 policies of the 2", "3 of the policies, one by one"]
    work = f"evaluate, {len(bench.topics):,} topics"
    return told(names, work, _rounds(doers, rng), block=1)


def _processes(made: Zipf, rng: np.random.Generator) -> Rows:
    """Time evaluate in two processes beside one, and a plain loop likewise."""
    from joblib import Parallel, delayed

    bench = _collection(made, min(5 * len(made.natural), TOPICS))
    systems: list[Ranker] = [PLAIN % 100, APART % 100]
    loops = 40 * len(bench.topics)
    doers: list[Callable[[int], Any]] = [
        lambda _: [_loop(loops), _loop(loops)],
        lambda _: Parallel(n_jobs=2)(delayed(_loop)(loops) for _ in range(2)),
        lambda _: evaluate(systems, on=_fresh(bench)),
        lambda _: evaluate(systems, on=_fresh(bench), n_jobs=2),
    ]
    for do in doers:  # workers are started, and modules imported
        do(0)
    names = ["one process", "two processes"]
    times = _rounds(doers, rng)
    return [
        *told(names, "a plain loop", times[:, :2], block=1, clock=1),
        *told(names, "evaluate, 2 leaf groups indexed and asked", times[:, 2:], block=1, clock=1),
    ]


def _fresh(bench: Collection) -> Collection:
    """Give a collection of which nothing is indexed yet, as a process finds it."""
    from lcm_lab.corpus import Corpus

    return Collection(bench.name, Corpus(bench.corpus._table), bench.topics, bench.qrels)


def _loop(times: int) -> int:
    total = 0
    for i in range(100 * times):
        total += i * i % 7
    return total


def _rounds(doers: list[Callable[[int], Any]], rng: np.random.Generator) -> Floats:
    """Let each have its turn a few times, in an order drawn anew."""
    times = np.zeros((2, len(doers), ROUNDS))
    for turn in range(ROUNDS):
        for place in rng.permutation(len(doers)):
            wall, spent = time.perf_counter(), time.process_time()
            doers[place](turn)
            times[:, place, turn] = time.process_time() - spent, time.perf_counter() - wall
    return times


def _import(rng: np.random.Generator) -> Rows:
    """Time a fresh process that imports the library, beside one that imports nothing."""
    codes = {
        "Python alone": "pass",
        "import lcm_lab": "import lcm_lab",
        "import lcm_lab, and lcm_lab.BM25": "import lcm_lab; lcm_lab.BM25",
        "import numpy, pandas, pyarrow": "import numpy, pandas, pyarrow",
    }
    doers = [_fresh_process(code) for code in codes.values()]
    return told(list(codes), "import", _rounds(doers, rng), block=1, clock=1)


def _fresh_process(code: str) -> Callable[[int], Any]:
    return lambda _: subprocess.run([sys.executable, "-c", code], check=True)
