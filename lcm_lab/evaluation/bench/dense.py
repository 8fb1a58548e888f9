"""Search of vectors timed beside a bare flat index of FAISS and a bare product of numpy."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.bench.turns import COLUMNS, bandwidth, take_turns, told
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.searcher import Searcher
from lcm_lab.values import Named

__all__ = ["bench_dense"]

Vectors = npt.NDArray[np.float32]

#: Messages of a conversation, whose vectors lie around one of their own; and the hits asked for.
TALK, K = 200, 10


def bench_dense(
    size: int = 100_000, *, questions: int = 100, dimensions: int = 384, seed: int = 0
) -> pd.DataFrame:
    """Time `Dense` over made-up vectors, its exact scan first.

    A question costs what a search by this library does, but for the encoder, which here looks its
    vectors up. FAISS and numpy are given arrays and give arrays, one question at a time as well.

    Parameters
    ----------
    size, questions, dimensions : int
        Vectors, each of length 1, of so many numbers; questions are vectors off their course.

    Returns
    -------
    DataFrame
        As of `bench_ranking`. limit is the time in which one thread reads all vectors.
    """
    rng = np.random.default_rng(seed)
    vectors = _unit(rng, size, dimensions)
    off = rng.normal(0, 0.5 / np.sqrt(dimensions), (questions, dimensions))
    near = vectors[rng.integers(size, size=questions)] + off
    asked = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
    least, rows = 1e3 * vectors.nbytes / bandwidth(), []
    importlib.import_module("faiss")  # or its threads would not be limited
    with threadpool_limits(limits=1):
        engines = _engines(vectors, asked)
        for work, part in _work(size):
            doers = [_asking(engine, part) for _, engine in engines]
            times = take_turns(doers, range(questions), work, rng)
            share = (part.stop - part.start) / size
            rows += told([name for name, _ in engines], work, times, limit=share * least)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _unit(rng: np.random.Generator, size: int, dimensions: int) -> Vectors:
    talks = rng.normal(size=(size // TALK + 1, dimensions)).astype(np.float32)
    made = rng.standard_normal((size, dimensions), np.float32)
    made += talks[np.arange(size) // TALK]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def _work(size: int) -> list[tuple[str, slice]]:
    start = size // 2 // TALK * TALK
    return [
        ("all vectors", slice(0, size)),
        ("one conversation's vectors", slice(start, min(start + TALK, size))),
    ]


#: Asks for the best rows of a stretch: (number of the question, rows).
Ask = Callable[[int, slice], Any]


def _engines(vectors: Vectors, asked: Vectors) -> list[tuple[str, Ask]]:
    exact, coarse = (_ours(vectors, asked, scan) for scan in ("exact", "sq8"))
    return [
        ('Dense(scan="exact")', exact),
        ('Dense(scan="sq8")', coarse),
        ("FAISS, flat", _faiss(vectors, asked)),
        ("numpy", _numpy(vectors, asked)),
    ]


def _ours(vectors: Vectors, asked: Vectors, scan: Any) -> Ask:
    """Give a search by this library, whose encoder finds a vector under the number in a text."""

    def encode(texts: Sequence[str]) -> Vectors:
        where = [asked if text.startswith("asked") else vectors for text in texts]
        return np.stack([a[int(t.split()[1])] for a, t in zip(where, texts, strict=True)])

    talks = [f"c{i // TALK}" for i in range(len(vectors))]
    said = {"text": [f"said {i}" for i in range(len(vectors))], "conversation": talks}
    dense = Dense(Named("looked up", encode), fields=("text",), scan=scan)
    search = dense.fit(Corpus(pd.DataFrame(said)))
    return lambda i, rows: _searched(search, f"asked {i}", rows)


def _searched(search: Searcher, question: str, rows: slice) -> Any:
    whole = rows.stop - rows.start == len(search.corpus)
    given = {} if whole else {"conversation": f"c{rows.start // TALK}"}
    return search.run(question, K, **given)


def _faiss(vectors: Vectors, asked: Vectors) -> Ask:
    faiss = importlib.import_module("faiss")
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)

    def ask(i: int, rows: slice) -> Any:
        inside = faiss.IDSelectorRange(rows.start, rows.stop)
        whole = rows.stop - rows.start == len(vectors)
        given = {} if whole else {"params": faiss.SearchParameters(sel=inside)}
        return index.search(asked[i : i + 1], K, **given)

    return ask


def _numpy(vectors: Vectors, asked: Vectors) -> Ask:
    def ask(i: int, rows: slice) -> Any:
        scores = vectors[rows] @ asked[i]
        best = np.argpartition(-scores, K)[:K] if len(scores) > K else np.arange(len(scores))
        return rows.start + best[np.argsort(-scores[best])]

    return ask


def _asking(engine: Ask, rows: slice) -> Callable[[int], Any]:
    return lambda i: engine(i, rows)
