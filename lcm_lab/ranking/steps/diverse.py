"""Rerankers that look at what was already shown: diversity, and hits that say the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, OverBudget
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT
from lcm_lab.ranking.modifier import Reranker
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

#: Rows of a table of likeness that cost as much one by one as one row of it does with all others.
FEW = 4


def term_sets(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> sparse.csr_array:
    """Give which row holds which term, built once for each analyzer and fields; 1 where it does."""
    key = ("term sets", analyzer, tuple(fields))
    return cast(sparse.csr_array, corpus.memo(key, lambda: _sets(corpus, analyzer, fields)))


def _sets(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> sparse.csr_array:
    tokens = analyzer.analyze(corpus.view(fields))
    shape = (len(corpus), max(len(tokens.vocabulary), 1))
    ones = np.ones(len(tokens.ids), np.float32)
    sets = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape)
    sets.sum_duplicates()
    sets.data[:] = 1
    return sets


def jaccard(sets: sparse.csr_array) -> Floats:
    """Give the share of terms that each two rows have in common; empty rows have none."""
    common: Floats = (sets @ sets.T).toarray().astype(np.float64)
    size = common.diagonal()
    union = size[:, None] + size[None, :] - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def likeness(sets: sparse.csr_array, times: int) -> Callable[[int], Floats]:
    """Give what tells how alike a row is to each, as `jaccard` does, to be asked so many times."""
    size = sets.shape[0]
    if FEW * times >= size:
        table = jaccard(sets)
        return lambda row: np.asarray(table[row], np.float64)
    counts, mark = np.diff(sets.indptr), np.zeros(sets.shape[1], bool)
    where = np.repeat(np.arange(size), counts)

    def alike(row: int) -> Floats:
        mine = sets.indices[sets.indptr[row] : sets.indptr[row + 1]]
        mark[mine] = True
        common = np.bincount(where[mark[sets.indices]], minlength=size).astype(np.float64)
        mark[mine] = False
        union = counts[row] + counts - common
        share = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        return np.asarray(share, np.float64)

    return alike


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
        sets = term_sets(run.corpus, self.analyzer, self.fields)[run.rows]
        order = [
            a + self._greedy(run.scores[a:b], sets[a:b], min(k, b - a))
            for a, b in itertools.pairwise(run.offsets.tolist())
        ]
        placed = run.take(np.concatenate([*order, np.empty(0, np.int64)]).astype(np.int64))
        return replace(placed, scores=1 / placed.rank)

    def _greedy(self, scores: Floats, sets: sparse.csr_array, k: int) -> Ints:
        size = len(scores)
        if size < 2 or self.balance == 1:
            return np.arange(k)
        spread = scores.max() - scores.min()
        relevance = (scores - scores.min()) / spread if spread else np.ones(size)
        alike, closest = likeness(sets, k), np.zeros(size)
        worth, order = self.balance * relevance, np.zeros(k, np.int64)
        for place in range(k):
            pick = int(np.argmax(worth - (1 - self.balance) * closest))
            order[place] = pick
            worth[pick] = -np.inf
            np.maximum(closest, alike(pick), out=closest)
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
