"""Rerankers that look at what was already shown: diversity, and hits that say the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.errors import BadParameter, OverBudget
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT
from lcm_lab.ranking.modifier import Reranker
from lcm_lab.ranking.steps.likeness import alike, jaccard, likeness, term_sets
from lcm_lab.run import Run
from lcm_lab.text import Analysis, Analyzer
from lcm_lab.topics import Topics
from lcm_lab.values import value

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["MMR", "Dedupe"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The best hits are compared first, so many for each that is asked for, and so many at most.
ENOUGH, MOST = 3, 128


@value
class MMR(Reranker):
    """Maximal marginal relevance: each next hit is relevant, and unlike those above it.

    Parameters
    ----------
    balance : float in [0, 1]
        Weight of relevance; 1 leaves the order as it is.
    fields : tuple of str
        What of a row is compared.
    analyzer : Analyzer
        How text becomes terms; two rows are as alike as the share of terms they have in common.

    Notes
    -----
    Greedy: the next hit has the greatest ``balance * relevance - (1 - balance) * likeness``, where
    likeness is that to the most similar hit above it and relevance is scaled from 0 to 1 over the
    topic's hits (Carbonell and Goldstein, 1998). Such an order has no scores; they are 1 / rank.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["retry now", "retry now!", "retry the write"])
    >>> search = (lcm.BM25() >> lcm.MMR(0.3)).fit(corpus)
    >>> search("retry now")["docno"].tolist()
    ['m1', 'm3', 'm2']
    """

    balance: float
    fields: tuple[str, ...] = ("text",)
    analyzer: Analysis = field(default_factory=Analyzer)

    def check(self) -> None:
        """Refuse what makes no sense."""
        checks.number("balance", self.balance, 0, 1)
        checks.texts("fields", self.fields, ("text",))

    def rerank(self, searcher: Searcher, topics: Topics, run: Run) -> Run:
        """Order the hits of each topic anew.

        Raises
        ------
        OverBudget
            For more than 1,000 hits of a topic, whose comparison grows with their square.
        """
        del searcher, topics  # the hits say all
        return self._placed(run, LIMIT)

    def first(self, search: Search, run: Run, k: int) -> Run:
        """Order the k best of each topic, and leave the others out without comparing them."""
        del search  # the hits say all
        return self._placed(run, k)

    def _placed(self, run: Run, k: int) -> Run:
        if len(run) and np.diff(run.offsets).max() > LIMIT:
            raise OverBudget(f"{self!r} compares at most {LIMIT:,} hits. Cut them before: a % 100.")
        rows, sets = run.rows, cast(Any, term_sets(run.corpus, self.analyzer, self.fields))
        if not isinstance(sets, sparse.csr_array):  # they lie in shards, which are asked once
            sets, rows = sets[rows], np.arange(len(rows))
        order = [
            a + self._greedy(run.scores[a:b], sets, rows[a:b], min(k, b - a))
            for a, b in itertools.pairwise(run.offsets.tolist())
        ]
        placed = run.take(np.concatenate(order or [np.empty(0, np.int64)]))
        return replace(placed, scores=1 / placed.rank)

    def _greedy(self, scores: Floats, sets: sparse.csr_array, rows: Ints, k: int) -> Ints:
        size = len(scores)
        if size < 2 or self.balance == 1:
            return np.arange(k)
        least = scores.min()
        spread = scores.max() - least
        relevance = (scores - least) / spread if spread else np.ones(size)
        worth, cost = self.balance * relevance, 1 - self.balance
        some = min(ENOUGH * k, size)
        if some <= MOST:
            order, last = _picked(worth[:some].copy(), cost * alike(sets, rows[:some]), k)
            if last >= worth[some:].max(initial=-np.inf):  # none of the rest could come before
                return order
        return _walked(worth, cost, likeness(sets[rows], k), k)


def _picked(worth: Floats, costs: Floats, k: int) -> tuple[Ints, float]:
    """Pick greedily by a table of what likeness costs; give the least that a pick was worth."""
    order, least = np.zeros(k, np.int64), np.inf
    paid = np.zeros(len(worth))
    for place in range(k):
        left = worth - paid
        pick = int(left.argmax())
        least = min(least, float(left[pick]))
        order[place], worth[pick] = pick, -np.inf
        np.maximum(paid, costs[pick], out=paid)
    return order, least


def _walked(worth: Floats, cost: float, beside: Callable[[int], Floats], k: int) -> Ints:
    """Pick greedily, asking for each pick how alike the others are to it."""
    order, closest = np.zeros(k, np.int64), np.zeros(len(worth))
    for place in range(k):
        pick = int(np.argmax(worth - cost * closest))
        order[place] = pick
        worth[pick] = -np.inf
        np.maximum(closest, beside(pick), out=closest)
    return order


@value
class Dedupe(Reranker):
    """Keep the best of hits that say the same.

    Parameters
    ----------
    by : {"text", "session", "conversation"}
        What is kept once: equal texts (but for white space), or the hits of a session.
    alike : float in (0, 1], only for texts
        Share of terms in common from which two texts count as the same; 1 asks for equal texts.

    Notes
    -----
    The kept hit is the one ranked highest, and `groups` tells which hits stand for which. Messages
    that repeat an earlier one remain in the corpus, and countable there.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = (lcm.BM25() >> lcm.Dedupe()).fit(lcm.Corpus(["use WAL", "use  WAL", "WAL?"]))
    >>> search("wal")["docno"].tolist()
    ['m3', 'm1']
    """

    by: Literal["text", "session", "conversation"] = "text"
    alike: float = 1.0

    def check(self) -> None:
        """Refuse what makes no sense."""
        if self.by not in ("text", "session", "conversation"):
            raise BadParameter(f"by must be 'text', 'session' or 'conversation'. Got {self.by!r}.")
        checks.number("alike", self.alike, 0, 1)
        if self.alike == 0 or (self.alike < 1 and self.by != "text"):
            raise BadParameter(f"alike is above 0, and below 1 only for texts. Got {self.alike!r}.")

    def rerank(self, searcher: Searcher, topics: Topics, run: Run) -> Run:
        """Keep the first hit of each group."""
        del searcher, topics  # the hits say all
        return run.take(np.flatnonzero(self.groups(run) == np.arange(len(run))))

    def groups(self, run: Run) -> Ints:
        """Give for each hit the position of the hit that stands for it; shape (n_hits,)."""
        leader = np.arange(len(run))
        keys = self._keys(run)
        first: dict[Any, int] = {}
        for i, key in enumerate(zip(run.topic.tolist(), keys, strict=True)):
            leader[i] = first.setdefault(key, i)
        return leader if self.alike == 1 else self._near(run, leader)

    def _keys(self, run: Run) -> list[Any]:
        if self.by == "text":
            return [" ".join(text.split()) for text in run.corpus.texts(run.rows)]
        names = ("conversation", "session") if self.by == "session" else ("conversation",)
        return list(zip(*(run.corpus.codes(n)[0][run.rows].tolist() for n in names), strict=True))

    def _near(self, run: Run, leader: Ints) -> Ints:
        sets = term_sets(run.corpus, Analyzer(), ("text",))[run.rows]
        for a, b in itertools.pairwise(run.offsets.tolist()):
            alike = jaccard(sets[a:b]) >= self.alike
            for i in range(a, b):
                above = np.flatnonzero(alike[i - a, : i - a])
                kept = above[leader[a + above] == a + above]
                if leader[i] == i and len(kept):
                    leader[i] = a + kept[0]
        return leader
