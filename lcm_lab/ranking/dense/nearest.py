"""The rows nearest to questions: over vectors made beforehand, or made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.dense.embedder import Embedder
from lcm_lab.ranking.dense.ladder import BEAM, Coarse
from lcm_lab.ranking.dense.vectors import Passages, each
from lcm_lab.ranking.scorer import CELLS
from lcm_lab.rows import Rows, count, distinct, rows_of
from lcm_lab.run import best_first

__all__ = ["Eager", "Lazy", "encoded"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Ranked: TypeAlias = tuple[Ints, Floats]

#: Share of the passages up to which allowed rows are gathered and read as they are: under a narrow
#: filter a graph finds little, and this is as fast.
NARROW = 0.15

#: An index is asked for so many times the hits that are wanted, and next for so many times more.
FACTOR = 4

#: Scores of which only the greatest is looked at, when the least that matters is sought.
BLOCK = 128


def encoded(embedder: Embedder, texts: Sequence[list[str]]) -> Passages:
    """Encode the passages of each row."""
    starts = np.cumsum([0, *map(len, texts)])
    vectors = embedder.documents([passage for row in texts for passage in row])
    return Passages(vectors, None if starts[-1] == len(texts) else starts)


class Eager:
    """Rows whose vectors are all there.

    Parameters
    ----------
    embedder : Embedder
    made : Passages
    coarse : Coarse, optional
        What proposes rows; all are read where there is none.
    """

    def __init__(self, embedder: Embedder, made: Passages, coarse: Coarse | None) -> None:
        self.embedder, self.made, self.coarse = embedder, made, coarse

    def __len__(self) -> int:
        return len(self.made)

    def cosines(self, questions: Vectors, rows: Rows) -> Vectors:
        """Give the cosine of each question with each row, between 0 and 1."""
        return self.made.cosines(questions, rows)

    def best(self, questions: Vectors, k: int, rows: Rows) -> list[Ranked]:
        """Give the k best of some rows for each question."""
        coarse = self.coarse
        narrow = count(self.made.of(rows)) <= NARROW * len(self.made.vectors)
        if coarse is None or narrow or (coarse.scan == "hnsw" and k > BEAM):
            return exact(self, questions, k, rows)
        found: dict[int, Ranked] = {}

        def find(i: int) -> None:
            found[i] = self._proposed(coarse, questions[i : i + 1], k, rows)

        each(find, range(len(questions)), threads=len(questions) > 1)
        return [found[i] for i in range(len(questions))]

    def _proposed(self, coarse: Coarse, question: Vectors, k: int, rows: Rows) -> Ranked:
        """Score what an index proposes, until nothing it left out can be among the k best."""
        allowed, size = self.made.of(rows), len(self.made.vectors)
        want = BEAM if coarse.scan == "hnsw" else FACTOR * k
        while want < size:
            near, where = coarse.near(question, want, allowed)
            there = where[0][where[0] >= 0]
            some = distinct(self.made.row(there))
            kept = top(self.cosines(question, some)[0], some, k)
            beyond = float(near[0, -1]) + coarse.error
            sure = beyond <= 0 or (len(kept[1]) == k and kept[1][-1] > beyond)
            if sure or len(there) < want or coarse.scan == "hnsw":
                return kept
            want *= FACTOR
        return exact(self, question, k, rows)[0]


@dataclass(eq=False)
class Lazy:
    """Rows that are encoded when they are first scored.

    Attributes
    ----------
    embedder : Embedder
    texts : list of list of str
        The passages of each row.
    made : dict of int to float32 array of shape (n_passages, n_dimensions)
        The vectors of the rows encoded so far.
    """

    embedder: Embedder
    texts: list[list[str]]
    made: dict[int, Vectors] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def need(self, rows: Rows) -> None:
        """Encode those rows that are not yet."""
        lacking = [row for row in distinct(rows_of(rows)).tolist() if row not in self.made]
        if lacking:
            new = encoded(self.embedder, [self.texts[row] for row in lacking])
            for i, row in enumerate(lacking):
                self.made[row] = new.vectors[new.of(slice(i, i + 1))]

    def cosines(self, questions: Vectors, rows: Rows) -> Vectors:
        """Give the cosine of each question with each row, between 0 and 1."""
        if not count(rows):
            return np.empty((len(questions), 0), np.float32)
        self.need(rows)
        parts = [self.made[row] for row in rows_of(rows).tolist()]
        starts = np.cumsum([0, *map(len, parts)])
        return Passages(np.concatenate(parts), starts).cosines(questions, slice(0, len(parts)))

    def best(self, questions: Vectors, k: int, rows: Rows) -> list[Ranked]:
        """Give the k best of some rows for each question; encodes them all."""
        return exact(self, questions, k, rows)


def exact(index: Eager | Lazy, questions: Vectors, k: int, rows: Rows) -> list[Ranked]:
    """Give the k best of some rows for each question, after a look at each row."""
    ranked: list[Ranked] = []
    step = max(1, CELLS // max(count(rows), 1))
    for start in range(0, len(questions), step):
        for line in index.cosines(questions[start : start + step], rows):
            ranked.append(top(line, rows, k))
    return ranked


def top(scores: Vectors, rows: Rows, k: int) -> Ranked:
    """Give the k best of rows with their scores, ties in row order; 0 is no hit."""
    least = np.float32(0)
    blocks = len(scores) // BLOCK
    if blocks > k:  # the k greatest of blocks are k scores: what is less than all is not wanted
        greatest = scores[: blocks * BLOCK].reshape(blocks, BLOCK).max(axis=1)
        least = np.partition(greatest, blocks - k)[blocks - k]
    hit = np.flatnonzero((scores >= least) & (scores > 0))
    where = hit + rows.start if isinstance(rows, slice) else rows[hit]
    return best_first(where, scores[hit].astype(np.float64), k)
