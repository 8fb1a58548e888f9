"""Long texts judged by their best passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.dense.passages import cut
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows
from lcm_lab.run import Hits, best_first
from lcm_lab.values import value

__all__ = ["BestPassage"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Passages:
    """The inner scorer's index of passages; those of row i are ``starts[i]:starts[i + 1]``."""

    inner: Any
    starts: Ints

    def of(self, rows: Rows) -> Rows:
        """Give the passages of some rows."""
        if isinstance(rows, slice):
            return slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))
        spans = [np.arange(self.starts[row], self.starts[row + 1]) for row in rows]
        return np.concatenate([*spans, np.empty(0, np.int64)]).astype(np.int64)


@value
class BestPassage(Scorer):
    """Score a text as its best passage: what a long text says in one place is not diluted.

    Parameters
    ----------
    inner : Scorer
        What scores passages, such as `BM25`; its statistics are those of passages.
    words : int, at least 1
        Of a passage at most; the passages of a text lie end to end.

    Notes
    -----
    On three development sets passages of 100 words changed nothing that could be told from noise
    once lengths were held in check; they help scorers that dilute.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> long = " ".join(["filler"] * 200 + ["rotate the staging certificate"])
    >>> search = lcm.BestPassage(lcm.BM25(), 50).fit(lcm.Corpus([long, "certificate filler"]))
    >>> search("rotate staging certificate")["docno"].tolist()
    ['m1', 'm2']
    """

    inner: Scorer
    words: int = 100

    def check(self) -> None:
        """Refuse what scores nothing by itself."""
        if not isinstance(self.inner, Scorer):
            raise BadParameter(
                f"BestPassage needs a scorer such as BM25(). Got {self.inner!r:.80}."
            )
        checks.whole("words", self.words)

    def index(self, corpus: Corpus) -> Passages:
        """Cut every text into passages, and index these."""
        parts = [cut(text, self.words) for text in corpus.column("text").to_pylist()]
        counts = np.array([len(part) for part in parts], np.int64)
        frame = (
            corpus.frame().drop(columns=["tokens"]).loc[np.repeat(np.arange(len(parts)), counts)]
        )
        place = pd.Series(np.concatenate([np.arange(n) for n in counts] or [np.empty(0, int)]))
        frame = frame.reset_index(drop=True).assign(
            text=[text for part in parts for text in part],
            docno=lambda rows: rows["docno"] + "\x1f" + place.astype(str),
            seq=np.arange(len(frame)),
        )
        starts = np.append(0, np.cumsum(counts)).astype(np.int64)
        return Passages(self.inner.index(Corpus(frame)), starts)

    def score(self, index: Passages, queries: Sequence[str]) -> Floats:
        """Score every text for every query; shape (n_queries, n_docs), float64."""
        scores = np.asarray(self.inner.score(index.inner, queries), np.float64)
        if len(index.starts) == 1:
            return scores
        return np.maximum.reduceat(scores, index.starts[:-1], axis=1)

    def topk(self, index: Passages, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query."""
        pairs = zip(queries, rows, strict=True)
        return Hits.stack([self._best(index, query, k, allowed) for query, allowed in pairs])

    def _best(self, index: Passages, query: str, k: int, allowed: Rows) -> tuple[Ints, Floats]:
        """Ask for ever more passages until they are of k rows, or there are no more."""
        passages, depth = index.of(allowed), 2 * k
        while True:
            found = self.inner.topk(index.inner, [query], depth, [passages])
            home = np.searchsorted(index.starts, found.rows, side="right") - 1
            rows, first = np.unique(home, return_index=True)
            scores = found.scores[first]
            every = len(found.rows) < depth
            # Rows tied with the k-th may lie behind it, so the last passage must score less.
            if every or (len(rows) >= k and found.scores[-1] < np.sort(scores)[-k]):
                return best_first(rows, scores, k)
            depth *= 2

    def rescore(self, index: Passages, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows: those of query i are ``rows[offsets[i]:offsets[i + 1]]``."""
        counts = np.diff(index.starts)[rows]
        ends = np.append(0, np.cumsum(counts))
        passages = np.repeat(index.starts[rows] - ends[:-1], counts) + np.arange(ends[-1])
        scores = self.inner.rescore(index.inner, queries, ends[offsets], passages)
        return np.maximum.reduceat(scores, ends[:-1]) if len(rows) else np.empty(0)
