"""A policy fitted to a corpus: the indexes of its leaves, and the questions put to them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.kinds import Leaf, Scorer
from lcm_lab.rows import contains
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics
from lcm_lab.values import parts, varies

__all__ = ["Indexes", "Search", "Searcher"]

Floats = npt.NDArray[np.float64]

#: A heading, corpus rows, and what a step contributed to each.
Note = tuple[str, npt.NDArray[np.int64], Floats]


class Indexes:
    """What scorers built for one corpus, each once, with the seconds it took.

    Give one to several searchers, and the leaves that their policies share are indexed once.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.seconds: dict[Scorer, float] = {}
        self._built: dict[Scorer, Any] = {}

    def __getitem__(self, scorer: Scorer) -> Any:
        """Give the scorer's index, built on first use."""
        if scorer not in self._built:
            started = time.perf_counter()
            self._built[scorer] = scorer.index(self.corpus)
            self.seconds[scorer] = time.perf_counter() - started
        return self._built[scorer]


class Searcher:
    """A policy and a corpus, ready for questions; made by `Ranker.fit`.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = (lcm.BM25() % 10).fit(lcm.Corpus(["use WAL", "drop the table"]))
    >>> search("which table?")["docno"].tolist()
    ['m2']
    """

    def __init__(self, policy: Ranker, corpus: Corpus, indexes: Indexes | None = None) -> None:
        if varies(policy):
            several = len(policy.grid())
            raise BadParameter(f"{policy!r} stands for {several} policies. Fit one of .grid().")
        if not policy.retrieves:
            policy.retrieve(None, LIMIT)  # type: ignore[arg-type]  # raises, with the way out
        self.policy, self.corpus = policy, corpus
        self.indexes = Indexes(corpus) if indexes is None else indexes
        for scorer in scorers(policy):
            self.indexes[scorer]

    def __repr__(self) -> str:
        return f"{self.policy!r} over {self.corpus!r}"

    def __call__(self, question: str, **filters: Any) -> pd.DataFrame:
        """Give the hits of one question, best first: docno, rank, score, conversation, time, text.

        ``filters`` narrow what may be found: conversation, session, since, before, role, scope,
        kind, or any other text column of the corpus. Statistics (idf, average length) stay those of
        the whole corpus.

        Raises
        ------
        EmptyQuery
            For a question with nothing to look for.
        BadParameter
            For a filter that the corpus does not have.
        """
        return self.run(question, **filters).frame().drop(columns="qid")

    def run(self, topics: Any, k: int = LIMIT, **filters: Any) -> Run:
        """Give at most k hits for each topic: a question, several, or a frame with a ``query``."""
        asked = Topics.of(topics, self.corpus, **filters)
        return self.policy.retrieve(Search(self, asked), k)

    def explain(self, question: str, **filters: Any) -> pd.DataFrame:
        """Give the hits of one question with a column a step, headed by the step's expression.

        A term of a sum shows what it adds, a modifier its factor, a re-scorer its score; terms that
        bring candidates also show the rank they gave, missing where they did not bring the hit.
        """
        search = Search(self, Topics.of(question, self.corpus, **filters), notes=[])
        run = self.policy.retrieve(search, LIMIT)
        hits = run.frame()
        steps = pd.DataFrame(search.columns(run), index=hits.index)
        return pd.concat([hits[["docno", "rank", "score"]], steps, hits[["text"]]], axis=1)


def scorers(policy: Any) -> Iterator[Scorer]:
    """Walk over the scorers in a policy, leftmost first."""
    if isinstance(policy, Scorer):
        yield policy
    for part in parts(policy):
        yield from scorers(part)


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
        hits: dict[int, Hits] = self.topics.memo(("topk", leaf), dict)
        if k not in hits:
            hits[k] = leaf._hits(self, k)
        return Run.of(self.topics, hits[k])

    def best(self, leaf: Leaf) -> Floats:
        """Give the score of the leaf's best allowed row, 0 without any; shape (n_topics,)."""
        return np.asarray(self.topics.memo(("best", leaf), lambda: self._best(leaf)))

    def _best(self, leaf: Leaf) -> Floats:
        hits: dict[int, Hits] = self.topics.memo(("topk", leaf), dict)
        run = self.topk(leaf, max(hits, default=1))
        some = np.diff(run.offsets) > 0
        best = np.zeros(len(self.topics))
        best[some] = run.scores[run.offsets[:-1][some]]
        return best

    def narrow(self, filters: tuple[tuple[str, Any], ...]) -> Search:
        """Give the same search over fewer rows."""
        topics = self.topics.memo(("narrow", filters), lambda: self.topics.narrow(dict(filters)))
        return Search(self.searcher, topics, self._notes)

    def allows(self, run: Run) -> npt.NDArray[np.bool_]:
        """Tell for each hit whether its topic may see it; shape (n_hits,)."""
        parts = zip(self.topics.rows, itertools.pairwise(run.offsets), strict=True)
        return np.concatenate(
            [contains(rows, run.rows[a:b]) for rows, (a, b) in parts] or [np.empty(0, bool)]
        )

    def retrieve(self, rankers: Iterable[Ranker]) -> list[Run]:
        """Let several rankers retrieve side by side, noting the rank each gave."""
        quiet, runs = Search(self.searcher, self.topics), []
        for ranker in rankers:
            run = ranker.retrieve(quiet, LIMIT)
            self.note(ranker, run, run.rank.astype(np.float64), "rank in ")
            runs.append(run)
        return runs

    def united(self, rankers: Iterable[Ranker]) -> Run:
        """Give every row that any of the rankers retrieves, in corpus order, not scored yet."""
        return self.union(self.retrieve(rankers))

    def union(self, runs: list[Run]) -> Run:
        """Give every row of several runs once, in corpus order, not scored yet."""
        size = max(len(self.topics.corpus), 1)
        keys = [run.topic * size + run.rows for run in runs]
        both = np.unique(np.concatenate(keys))
        offsets = np.searchsorted(both, np.arange(len(self.topics) + 1) * size)
        return Run.of(self.topics, Hits(offsets.astype(np.int64), both % size, np.ones(len(both))))

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
