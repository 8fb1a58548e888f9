"""A store timed at a size: how fast it fills, how large it gets, what appends and searches take."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.bench.turns import COLUMNS
from lcm_lab.evaluation.bench.zipf import Zipf, zipf
from lcm_lab.evaluation.progress import progress
from lcm_lab.messages import Message, Part
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.store.fulltext import WORDS
from lcm_lab.store.store import Store

__all__ = ["bench_store", "stored"]

#: Where the made-up messages that are appended begin in time; after those that were imported.
LATER = 4_000_000_000_000_000


def bench_store(
    size: int = 100_000,
    *,
    appends: int = 2_000,
    questions: int = 100,
    seed: int = 0,
    words: Sequence[str] = WORDS,
) -> pd.DataFrame:
    """Time a store on made-up conversations, on this machine's disk.

    Parameters
    ----------
    size : int
        Messages that are imported before anything else is timed.
    appends, questions : int
        Messages that are appended one by one, to conversations drawn at random, and questions that
        are asked of the store's own index.
    words : sequence of str
        The tokenizers that the store keeps an index for.

    Returns
    -------
    DataFrame
        A row a figure: what, n (of how many), value, unit.
    """
    made = zipf(size, questions=questions, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with Store(path, words=words) as store:
            rows = [*_filled(store, made.corpus, path)]
            rows += _appended(store, made, appends, seed)
            rows += _asked(store, made.content)
    return pd.DataFrame(rows, columns=["what", "n", "value", "unit"])


def stored(size: int = 100_000, *, questions: int = 100, seed: int = 0) -> pd.DataFrame:
    """Time a store as `bench_store` does, and give what compares with other work.

    Returns
    -------
    DataFrame
        As of `bench_ranking`: imports and appends, median and p95 in milliseconds of processor
        time, wall on the clock; a search's p95 is on the clock.
    """
    told = bench_store(size, questions=questions, seed=seed).set_index("what")
    value, n = told["value"], told["n"]
    spent = ", processor time"
    found = [
        {"work": "import into a store", "median": 1e3 * value[f"import{spent}"],
         "wall": 1e3 * size / value["import"], "n": size},
        {"work": "append one message to a store", "median": value[f"append, median{spent}"],
         "p95": value[f"append, p95{spent}"], "wall": value["append, median"],
         "n": n["append, median"]},
        {"work": "ask a store's own index", "p95": value["search, p95"],
         "wall": value["search, median"], "n": n["search, median"]},
    ]  # fmt: skip
    return pd.DataFrame(found, columns=list(COLUMNS)).assign(engine="Store", ratio=1.0)


def _filled(store: Store, corpus: Corpus, path: Path) -> Iterator[tuple[str, int, float, str]]:
    size = len(corpus)
    wall, spent = _spent(lambda: store.add(corpus))
    yield "import", size, size / wall, "messages/s"
    yield "import, processor time", size, spent, "s"
    store.connection.execute("pragma wal_checkpoint(truncate)")
    text = sum(len(one.encode()) for one in corpus.column("text").to_pylist())
    yield "text", size, text / 1e6, "MB"
    yield "file, its index included", size, path.stat().st_size / 1e6, "MB"
    wall, spent = _spent(store.corpus)
    yield "corpus", size, wall, "s"
    yield "corpus, processor time", size, spent, "s"


def _appended(
    store: Store, made: Zipf, count: int, seed: int
) -> Iterator[tuple[str, int, float, str]]:
    rng = np.random.default_rng(seed)
    names = list(made.corpus.conversations)
    texts = made.corpus.column("text").to_pylist()
    times = []
    for at in progress(range(count), "append"):
        name, text = names[int(rng.integers(len(names)))], texts[int(rng.integers(len(texts)))]
        said = Message(f"appended {at}", name, "user", (Part("text", text),), LATER + at)
        times.append(_spent(_append(store, said)))
    for at, of in enumerate(("", ", processor time")):
        for name, share in (("median", 50), ("p95", 95), ("p99", 99)):
            value = float(np.percentile([one[at] for one in times], share)) * 1e3
            yield f"append, {name}{of}", count, value, "ms"


def _asked(store: Store, questions: Sequence[str]) -> Iterator[tuple[str, int, float, str]]:
    search = (FTS5() % 10).fit(store.corpus())
    search(questions[0])
    times = [_spent(_ask(search, one))[0] for one in islice(questions, 1, None)]
    yield "search, median", len(times), float(np.median(times)) * 1e3, "ms"
    yield "search, p95", len(times), float(np.percentile(times, 95)) * 1e3, "ms"


def _append(store: Store, message: Message) -> Callable[[], Any]:
    return lambda: store.append(message)


def _ask(search: Any, question: str) -> Callable[[], Any]:
    return lambda: search(question)


def _spent(work: Callable[[], Any]) -> tuple[float, float]:
    """Give the seconds that work took, on the clock and of the processor."""
    wall, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - spent
