"""Five million messages on one machine: written as a stream, indexed and asked over a mapped file.

Each part is done by a fresh process, whose memory is looked at when it ends: text that is mapped
counts as far as it was read, as the system counts it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.bench.lexical import PLAIN
from lcm_lab.evaluation.bench.turns import COLUMNS, Rows, spent
from lcm_lab.evaluation.bench.zipf import blocks
from lcm_lab.evaluation.timing.memory import resident

__all__ = ["bench_large"]

#: Hits asked for, and questions asked before any is timed.
K, WARM = 10, 20


def bench_large(size: int = 5_000_000, *, questions: int = 200, seed: int = 0) -> pd.DataFrame:
    """Time plain BM25 over short messages that lie in a file.

    Parameters
    ----------
    size, questions : int
        Messages, of about a dozen words each, and questions of each kind.

    Returns
    -------
    DataFrame
        As of `bench_ranking`. memory is the most that the process held by then, in megabytes, what
        it read of the mapped file included; NaN where the system does not tell.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messages.arrow"
        with ProcessPoolExecutor(max_workers=1) as fresh:
            rows, asked = fresh.submit(_written, path, size, questions, seed).result()
        with ProcessPoolExecutor(max_workers=1) as fresh:
            rows = rows + fresh.submit(_searched, path, asked).result()
    return pd.DataFrame(rows, columns=list(COLUMNS)).assign(ratio=1.0)


def _written(path: Path, size: int, questions: int, seed: int) -> tuple[Rows, dict[str, list[str]]]:
    """Write messages block by block, and give questions about the first of them."""
    asked: dict[str, list[str]] = {}

    def write() -> None:
        writer = None
        for number, made in enumerate(blocks(size, questions=questions, seed=seed)):
            asked.setdefault("natural question", made.natural)
            asked.setdefault("content words", made.content)
            part = _renamed(made.corpus, number)
            writer = writer or pa.ipc.new_file(str(path), part.schema)
            writer.write_table(part)
        if writer is not None:
            writer.close()

    return [_row("written as a stream", size, spent(write))], asked


def _renamed(corpus: Corpus, number: int) -> pa.Table:
    """Give a block's columns, its conversations behind those of the blocks before it."""
    talks = [f"{number:06}-{name}" for name in corpus["conversation"].tolist()]
    columns = {"text": corpus.column("text"), "conversation": pa.array(talks)}
    return pa.table(columns | {"time": corpus.column("time")})


def _searched(path: Path, asked: dict[str, list[str]]) -> Rows:
    """Index the messages of a mapped file, and ask."""
    made: dict[str, Any] = {}

    def build() -> None:
        corpus = Corpus(pa.ipc.open_file(pa.memory_map(str(path))).read_all())
        made["search"] = PLAIN.fit(corpus)

    times = spent(build)
    search = made["search"]
    rows = [_row("index from a mapped file", len(search.corpus), times)]
    for work, questions in asked.items():
        for question in questions[:WARM]:
            search.run(question, K)
        each = np.array([spent(_asking(search, question)) for question in questions])
        row = _row(work, len(questions), tuple(np.median(each, axis=0)))
        rows.append(row | {"p95": 1e3 * float(np.percentile(each[:, 0], 95))})
    return rows


def _asking(search: Any, question: str) -> Callable[[], Any]:
    return lambda: search.run(question, K)


def _row(work: str, n: int, times: tuple[float, float]) -> dict[str, Any]:
    held = resident()
    peak = np.nan if held is None else held[1] * 1024**2 / 1e6
    row = {"engine": "BM25, plain words", "work": f"short messages: {work}", "n": n}
    return row | {"median": 1e3 * times[0], "wall": 1e3 * times[1], "memory": peak}
