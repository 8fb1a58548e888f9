"""One batch of topics put to one searcher: what the steps of a policy share while they work."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.nodes import Weighted
from lcm_lab.rows import Rows, contains, count, distinct, rows_of
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics

if TYPE_CHECKING:
    from typing import Any

    from lcm_lab.ranking.scorer import Leaf
    from lcm_lab.ranking.searcher import Indexes, Searcher

__all__ = ["Note", "Search"]

Floats = npt.NDArray[np.float64]

#: Beyond so many rows a contextual ranker looks at its inner ranker's best, and at rows so near.
#: On the development sets the first ten are the same from 50 best rows on.
WIDE, BEST, REACH = 20_000, 200, 2

#: A weight below it may turn the score of a hit to 0.
TINY = float(np.finfo(np.float64).tiny)

#: Pools that topics keep: policies that share one mostly follow each other in a grid.
POOLS = 4

#: Pairs of topic and row up to which a leaf scores them all, once for all policies that share it.
WHOLE = 1 << 21

#: A heading, corpus rows, and what a step contributed to each.
Note = tuple[str, npt.NDArray[np.int64], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class Pool(Run):
    """Candidates in corpus order, not scored yet, that policies of the same terms share.

    Attributes
    ----------
    shares : dict
        What leaves say of them to topics, each asked once.
    """

    shares: dict[tuple[Leaf, Topics], Floats] = field(default_factory=dict)


class Search:
    """One batch of topics put to one searcher, with what its steps share."""

    def __init__(self, searcher: Searcher, topics: Topics, notes: list[Note] | None = None) -> None:
        self.searcher, self.topics, self._notes = searcher, topics, notes

    @property
    def indexes(self) -> Indexes:
        """What the searcher's leaves have built."""
        return self.searcher.indexes

    def topk(self, leaf: Leaf, k: int) -> Run:
        """Give the leaf's k best allowed rows of each topic, scored once for all who ask."""
        kept: dict[int, Run] = self.topics.memo(("topk", leaf), dict)
        deeper = [depth for depth in kept if depth >= k]
        if deeper:
            return kept[min(deeper)].top(k)
        kept[k] = Run.of(self.topics, self.hits(leaf, k))
        return kept[k]

    def hits(self, leaf: Leaf, k: int) -> Hits:
        """Let a leaf find its k best allowed rows of each topic."""
        return leaf._hits(self, k)

    def scores(self, leaf: Leaf, run: Run) -> Floats:
        """Let a leaf score given hits; shape (n_hits,), float64, 0 is no hit."""
        return leaf._scores(self, run)

    def shares(self, leaf: Leaf, run: Run) -> Floats:
        """Give a leaf's scores of hits as shares of its best for the topic; a pool keeps them."""
        if not isinstance(run, Pool):
            return self._shares(leaf, run)
        key = (leaf, self.topics)
        if key not in run.shares:
            run.shares[key] = self._shares(leaf, run)
        return run.shares[key]

    def _shares(self, leaf: Leaf, run: Run) -> Floats:
        best, raw = self.best(leaf), self.scores(leaf, run)
        best = best if len(best) == 1 else best[run.topic]
        return np.divide(raw, best, out=np.zeros(len(raw)), where=best > 0)

    def best(self, leaf: Leaf) -> Floats:
        """Give the score of the leaf's best allowed row, 0 without any; shape (n_topics,)."""
        return np.asarray(self.topics.memo(("best", leaf), lambda: self._best(leaf)))

    def _best(self, leaf: Leaf) -> Floats:
        kept: dict[int, Run] = self.topics.memo(("topk", leaf), dict)
        run = kept[min(kept)] if kept else self.topk(leaf, 1)
        some = np.diff(run.offsets) > 0
        best = np.zeros(len(self.topics))
        best[some] = run.scores[run.offsets[:-1][some]]
        return best

    def narrow(self, filters: tuple[tuple[str, Any], ...]) -> Search:
        """Give the same search over fewer rows."""
        topics = self.topics.memo(("narrow", filters), lambda: self.topics.narrow(dict(filters)))
        return self.searcher.asked(topics, self._notes)

    def allows(self, run: Run) -> npt.NDArray[np.bool_]:
        """Tell for each hit whether its topic may see it; shape (n_hits,)."""
        parts = zip(self.topics.rows, itertools.pairwise(run.offsets), strict=True)
        return np.concatenate(
            [contains(rows, run.rows[a:b]) for rows, (a, b) in parts] or [np.empty(0, bool)]
        )

    def retrieve(self, rankers: Iterable[Ranker]) -> list[Run]:
        """Let several rankers retrieve side by side, noting the rank each gave."""
        quiet, runs = self.searcher.asked(self.topics), []
        for ranker in rankers:
            run = ranker.retrieve(quiet, LIMIT)
            if self._notes is not None:
                self.note(ranker, run, run.rank.astype(np.float64), "rank in ")
            runs.append(run)
        return runs

    def united(self, rankers: Iterable[Ranker]) -> Run:
        """Give every row that any of the rankers retrieves, in corpus order, not scored yet.

        Of several topics the last few are kept, for other policies of the same rankers.
        """
        if self._notes is not None:
            return self.union(self.retrieve(rankers))
        bare = tuple(map(_unweighted, rankers))
        if len(self.topics) == 1:
            return self.union(self.retrieve(bare))
        kept: dict[tuple[Ranker, ...], Run] = self.topics.memo("united", dict)
        found = kept.get(bare)
        if found is None:
            for oldest in list(kept)[: 1 - POOLS]:
                kept.pop(oldest, None)
            found = kept[bare] = self.union(self.retrieve(bare))
        return found

    def union(self, runs: list[Run]) -> Pool:
        """Give every row of several runs once, in corpus order, not scored yet."""
        both = distinct(np.concatenate([run.keys for run in runs]))
        if len(self.topics) == 1:
            return Pool.of(self.topics, Hits(np.array((0, len(both))), both, np.ones(len(both))))
        size = max(len(self.topics.corpus), 1)
        offsets = np.searchsorted(both, np.arange(len(self.topics) + 1) * size)
        return Pool.of(self.topics, Hits(offsets, both % size, np.ones(len(both))))

    def everything(self) -> Run | None:
        """Give every row that each topic may see, or None where that is too much to hold."""
        return cast("Run | None", self.topics.memo("everything", self._everything))

    def _everything(self) -> Run | None:
        if len(self.topics) < 2 or sum(map(count, self.topics.rows)) > WHOLE:
            return None
        lists = [(rows_of(rows), np.ones(count(rows))) for rows in self.topics.rows]
        return Run.of(self.topics, Hits.stack(lists))

    def scope(self, ranker: Ranker) -> Run:
        """Give the rows a contextual ranker looks at: all, or the best and what touches them."""
        wide = [count(rows) > WIDE for rows in self.topics.rows]
        found = iter(ranker.retrieve(self, BEST) if any(wide) else [])
        lists = []
        for rows, is_wide in zip(self.topics.rows, wide, strict=True):
            best = next(found, None)
            each = self._touching(rows, best[1]) if is_wide and best else rows_of(rows)
            lists.append((each, np.ones(len(each))))
        return Run.of(self.topics, Hits.stack(lists))

    def _touching(self, allowed: Rows, best: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        near = distinct((best[:, None] + np.arange(-REACH, REACH + 1)).ravel())
        return near[contains(allowed, near)]

    def note(self, step: object, run: Run, values: Floats, what: str = "") -> Floats:
        """Remember what a step contributed to each hit, when explaining; gives ``values`` back."""
        if self._notes is not None:
            self._notes.append((f"{what}{step!r}", run.rows, values))
        return values

    def columns(self, run: Run) -> dict[str, Floats]:
        """Give what was noted of the hits of a run of one topic, a column a step."""
        made: dict[str, Floats] = {}
        for heading, rows, values in self._notes or []:
            again = sum(name == heading or name.startswith(f"{heading} (") for name in made)
            found = dict(zip(rows.tolist(), values.tolist(), strict=True))
            column = np.array([found.get(row, np.nan) for row in run.rows.tolist()])
            made[f"{heading} ({again + 1})" if again else heading] = column
        return made


def _unweighted(ranker: Ranker) -> Ranker:
    """Give what a term ranks by, which brings the same hits unless their scores vanish."""
    return ranker.ranker if isinstance(ranker, Weighted) and ranker.weight >= TINY else ranker
