"""What rankers of words share: a weighted sum over posting lists."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.lexical.postings import Postings, dense, rescored
from lcm_lab.ranking.lexical.topk import topk
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows
from lcm_lab.run import Hits
from lcm_lab.text import Analysis

__all__ = ["Lexical", "Weights"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """Postings with what each term is worth at query time; shape (n_terms,), float64."""

    postings: Postings
    worth: Floats


class Lexical(Scorer):
    """A scorer that is a weighted sum over posting lists: extend `index` and `weights`."""

    fields: tuple[str, ...]
    analyzer: Analysis

    @abstractmethod
    def index(self, corpus: Corpus) -> Weights:
        """Build posting lists with the scorer's own values."""

    def weights(self, index: Weights, query: str) -> dict[int, float]:
        """Give the weight of each term of a question, by term number, rising."""
        asked = index.postings.asked(query)
        return {term: times * float(index.worth[term]) for term, times in asked.items()}

    def score(self, index: Weights, queries: Sequence[str]) -> Floats:
        """Score every document for every query.

        Returns
        -------
        ndarray of shape (n_queries, n_docs), float64
            0 where no query term occurs; higher is better.
        """
        return dense(index.postings, self._asked(index, queries))

    def topk(self, index: Weights, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each query, from the posting lists alone."""
        return topk(index.postings, self._asked(index, queries), k, rows)

    def rescore(self, index: Weights, queries: Sequence[str], offsets: Any, rows: Any) -> Floats:
        """Score given rows by bisecting the posting lists; shape (n_hits,), float64."""
        return rescored(index.postings, self._asked(index, queries), offsets, rows)

    def _asked(self, index: Weights, queries: Sequence[str]) -> list[dict[int, float]]:
        """Weigh the terms of questions, read once for finding hits and for completing scores."""
        last = vars(index).get("asked")
        if last is None or last[0] is not queries or last[1] != (self, *queries):
            weighed = [self.weights(index, query) for query in queries]
            last = vars(index)["asked"] = (queries, (self, *queries), weighed)
        return cast("list[dict[int, float]]", last[2])
