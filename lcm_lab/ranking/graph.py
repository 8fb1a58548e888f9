"""Rankers that know the summaries: what stands in view, what lies under a hit, what over it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.links import Links, links, moments
from lcm_lab.ranking.modifier import Reranker
from lcm_lab.rows import Rows, contains, rows_of
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics
from lcm_lab.values import value

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Ancestors", "Expand", "InView"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@value
class InView(Ranker):
    """What stands in the frontier: what a model sees without searching, the newest first.

    Behind ``>>`` it drops what does not stand in view and leaves the order as it is. In a sum it
    adds the same to everything in view, a bonus for what need not be read again.

    Notes
    -----
    A topic that is asked at a moment sees the frontier of that moment. A summary stands where the
    last message under it does. Listed alone, hits have no scores; they are 1 / rank. A corpus that
    was never compacted is in view as a whole.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = (InView() % 2).fit(lcm.Corpus(["use WAL", "drop the table", "done"]))
    >>> search("which table?")["docno"].tolist()
    ['m3', 'm2']
    >>> (lcm.BM25() >> InView()).fit(search.corpus)("table")["docno"].tolist()
    ['m2']
    """

    retrieves = True

    def retrieve(self, search: Search, k: int) -> Run:
        """Give what each topic has in view, the newest first."""
        topics = search.topics
        place, found = links(topics.corpus).place, []
        for allowed, seen in zip(topics.rows, _in_view(topics), strict=True):
            rows = rows_of(allowed)[seen[allowed]]
            rows = rows[np.argsort(-place[rows])][:k]
            found.append((rows, 1 / np.arange(1, len(rows) + 1)))
        run = Run.of(topics, Hits.stack(found))
        search.note(self, run, run.scores)
        return run

    def apply(self, search: Search, run: Run) -> Run:
        """Keep what stands in view, in its order."""
        return run.take(np.flatnonzero(search.note(self, run, self._mask(search, run))))

    def weigh(self, search: Search, run: Run, scores: Floats) -> Floats:
        """Give 0 to what does not stand in view, and leave the rest as it is."""
        return scores * search.note(self, run, self._mask(search, run))

    def _mask(self, search: Search, run: Run) -> Floats:
        seen, hits = _in_view(search.topics), zip(run.topic, run.rows, strict=True)
        return np.array([seen[topic][row] for topic, row in hits], np.float64)


def _in_view(topics: Topics) -> list[npt.NDArray[np.bool_]]:
    """Tell for each topic which rows of the corpus stand in view; equal moments share an array."""
    return cast("list[Any]", topics.memo("in view", lambda: _at_moments(topics)))


def _at_moments(topics: Topics) -> list[npt.NDArray[np.bool_]]:
    known, each = links(topics.corpus), moments(topics).tolist()
    seen = {moment: known.in_view(moment) for moment in set(each)}
    return [seen[moment] for moment in each]


class _Walks(Reranker):
    """What puts other rows beside a hit, or in its place: extend `_instead`."""

    depth: int | None

    @abstractmethod
    def _instead(self, known: Links, row: int, allowed: Rows) -> Iterator[int]:
        """Give the rows that stand where a hit stood, best first."""

    def rerank(self, searcher: Searcher, topics: Topics, run: Run) -> Run:
        """Put rows in the place of each hit, with its score; each at the best place it gets."""
        del searcher  # the corpus knows what lies where
        known, found = links(run.corpus), []
        for (_, rows, scores), allowed in zip(run, topics.rows, strict=True):
            given: dict[int, float] = {}
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
                for other in self._instead(known, row, allowed):
                    given.setdefault(other, score)
            found.append(self._kept(known, given, set(rows.tolist())))
        return Run.of(topics, Hits.stack(found))

    def _kept(self, known: Links, given: dict[int, float], hits: set[int]) -> tuple[Ints, Floats]:
        del known, hits  # for those that have a limit
        return np.array([*given], np.int64), np.array([*given.values()], np.float64)


@value
class Expand(_Walks):
    """Put in the place of each summary what lies under it; messages stay where they are.

    Parameters
    ----------
    depth : int, optional
        How many levels down; to the messages when not given.
    tokens : int, optional
        The limit of what is brought in for a topic, in all. What does not fit is passed over; what
        follows may still fit.

    Notes
    -----
    What is brought in has the score of its summary, and the order in which it was said; a row that
    comes twice keeps its best place. A topic gets nothing that its filters hide. A summary stays
    where the corpus does not know what lies under it: one that an agent left in its transcript.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> lcm.BM25().over(scope="summaries") % 5 >> Expand() >> lcm.BM25() % 10
    BM25().over(scope='summaries') % 5 >> Expand() >> BM25() % 10
    >>> from lcm_lab.dag import Dag, Summary
    >>> dag = Dag.of(lcm.Corpus(["Which database?", "Postgres it is.", "Lunch?"]))
    >>> dag = dag.replace("m1", "m2", Summary.of("A database was chosen.", dag.messages[:2]))
    >>> from lcm_lab.ranking.links import lend
    >>> corpus = lend(dag.corpus(), [dag])
    >>> (lcm.BM25() >> Expand()).fit(corpus)("chosen")["docno"].tolist()
    ['m1', 'm2']
    """

    depth: int | None = None
    tokens: int | None = None

    def check(self) -> None:
        """Refuse limits that are none."""
        for name, given in (("depth", self.depth), ("tokens", self.tokens)):
            if given is not None:
                checks.whole(name, given)

    def _instead(self, known: Links, row: int, allowed: Rows) -> Iterator[int]:
        if row not in known.below:
            yield row
            return
        under = np.array(known.under(row, self.depth), np.int64)
        yield from under[contains(allowed, under)].tolist()

    def _kept(self, known: Links, given: dict[int, float], hits: set[int]) -> tuple[Ints, Floats]:
        rows, scores = super()._kept(known, given, hits)
        if self.tokens is None:
            return rows, scores
        left, keep = self.tokens, []
        for place, (row, size) in enumerate(
            zip(rows.tolist(), known.corpus.numpy("tokens")[rows].tolist(), strict=True)
        ):
            if row not in hits and size > left:
                continue
            left -= 0 if row in hits else size
            keep.append(place)
        return rows[keep], scores[keep]


@value
class Ancestors(_Walks):
    """Bring, right behind each hit, the summaries that it went into: the wider story.

    Parameters
    ----------
    depth : int, optional
        How many levels up; all when not given.
    keep : bool, default True
        Whether the hit itself stays. Without it, a hit gives way to its summaries, and stays only
        where it went into none: messages are searched, and what is read is summaries.

    Notes
    -----
    A summary has the score of the best hit under it, and stands once, the nearest first. A topic
    gets no summary that its filters hide, which are those of a later moment.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> lcm.BM25() % 20 >> Ancestors(depth=1, keep=False) % 3 >> Expand(tokens=2_000)
    BM25() % 20 >> Ancestors(depth=1, keep=False) % 3 >> Expand(tokens=2000)
    """

    depth: int | None = None
    keep: bool = True

    def check(self) -> None:
        """Refuse a depth that is none."""
        if self.depth is not None:
            checks.whole("depth", self.depth)

    def _instead(self, known: Links, row: int, allowed: Rows) -> Iterator[int]:
        over = np.array(known.over(row, self.depth), np.int64)
        over = over[contains(allowed, over)]
        if self.keep or not len(over):
            yield row
        yield from over.tolist()
