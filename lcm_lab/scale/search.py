"""A policy over shards: scorers answer where their rows lie, and all else is done here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.scorer import Leaf, Scorer
from lcm_lab.ranking.search import Note, Search
from lcm_lab.ranking.searcher import Indexes, Searcher, require, within
from lcm_lab.run import Hits, Run
from lcm_lab.scale.allowed import leaves, require_exact
from lcm_lab.scale.far import Far
from lcm_lab.topics import Topics

if TYPE_CHECKING:
    from lcm_lab.scale.shards import Shards

__all__ = ["FarSearcher"]

Floats = npt.NDArray[np.float64]


class FarSearcher(Searcher):
    """A policy fitted to a corpus in shards; answers as a `Searcher` over one corpus does."""

    def __init__(self, policy: Ranker, shards: Shards) -> None:
        require(policy)
        require_exact(policy)
        self.policy, self.corpus, self._shards = policy, shards, shards
        self.indexes = Indexes(shards)  # scorers that are nowhere else
        for ranker in within(policy, Contextual):
            ranker.prepare(shards)
        shards.workers.build(leaves(policy), shards)

    def asked(self, topics: Topics, notes: list[Note] | None = None) -> Search:
        """Put a batch of topics to this searcher."""
        return FarSearch(self, topics, notes)

    def far(self, scorer: Scorer) -> Far:
        """Give the index of a scorer."""
        return self._shards.workers.far(scorer, self._shards)

    def grow(self, corpus: Any) -> NoReturn:
        """Refuse: rows are added to a file, and the file sharded anew."""
        del corpus  # whatever it is
        raise BadParameter("A corpus in shards does not grow. Call shard() on the longer one.")

    def save(self, folder: str | Path) -> NoReturn:
        """Refuse: what workers built stays with them."""
        del folder  # wherever it is
        raise BadParameter("An index in shards is not saved. Keep the files that were sharded.")


class FarSearch(Search):
    """One batch of topics put to shards."""

    searcher: FarSearcher

    def hits(self, leaf: Leaf, k: int) -> Hits:
        """Let the shards find a scorer's k best allowed rows of each topic."""
        if not isinstance(leaf, Scorer):
            return super().hits(leaf, k)
        return self.searcher.far(leaf).topk(self.topics.queries, k, self.topics.rows)

    def scores(self, leaf: Leaf, run: Run) -> Floats:
        """Let the shards score given hits by a scorer; shape (n_hits,), float64."""
        if not isinstance(leaf, Scorer):
            return super().scores(leaf, run)
        return self.searcher.far(leaf).rescore(self.topics.queries, run.offsets, run.rows)
