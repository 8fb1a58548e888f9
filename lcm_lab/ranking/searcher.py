"""A policy fitted to a corpus: the indexes of its leaves, and the questions put to them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.search import Note, Search
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.values import parts, varies

if TYPE_CHECKING:
    from lcm_lab.ranking.miss import Miss

__all__ = ["Indexes", "Searcher", "require", "within"]

T = TypeVar("T")


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

    def give(self, scorer: Scorer, built: Any) -> None:
        """Take an index that was built before, and saved."""
        self._built[scorer], self.seconds[scorer] = built, 0.0


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
        require(policy)
        self.policy, self.corpus = policy, corpus
        self.indexes = Indexes(corpus) if indexes is None else indexes
        for ranker in within(policy, Contextual):
            ranker.prepare(corpus)
        for scorer in within(policy, Scorer):
            self.indexes[scorer]

    def __repr__(self) -> str:
        return f"{self.policy!r} over {self.corpus!r}"

    def _repr_html_(self) -> str:
        from lcm_lab.ranking.diagram import diagram

        return diagram(self.policy, f"over {self.corpus!r}")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its numbers must know of how it was made."""
        return ()

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
        from lcm_lab.ranking.found import Found

        hits = self.run(question, **filters).frame().drop(columns="qid")
        return Found.of(hits, self, question, filters)

    def run(self, topics: Any, k: int = LIMIT, **filters: Any) -> Run:
        """Give at most k hits for each topic: a question, several, or a frame with a ``query``."""
        checks.whole("k", k)
        asked = Topics.of(topics, self.corpus, **filters)
        return self.policy.retrieve(self.asked(asked), k)

    def asked(self, topics: Topics, notes: list[Note] | None = None) -> Search:
        """Put a batch of topics to this searcher, noting what each step contributes if asked to."""
        return Search(self, topics, notes)

    def miss(self, question: str, docno: str, **filters: Any) -> Miss:
        """Say what became of a message: in the list, hidden, without a match, outscored or cut.

        Examples
        --------
        >>> import lcm_lab as lcm
        >>> search = (lcm.BM25() % 1).fit(lcm.Corpus(["use WAL", "the WAL grew", "lunch"]))
        >>> print(search.miss("wal", "m2"))
        m2: cut by % 1: it stood at rank 2.
        >>> print(search.miss("wal", "m3"))
        m3: BM25() scores it 0: nothing in common with the question.

        Raises
        ------
        NotFound
            For a docno that the corpus does not hold.
        """
        from lcm_lab.ranking.miss import miss

        return miss(self, question, docno, filters)

    def grow(self, corpus: Corpus) -> Searcher:
        """Give a searcher over a corpus that holds the rows of this one, and more after them.

        Posting lists are added to, at the cost of the new rows and a pass over the lists; whatever
        else the policy needs is built anew. It answers as the policy fitted to that corpus does.

        Raises
        ------
        BadParameter
            For a corpus whose first rows are others. Messages that go on with an earlier
            conversation stand before the end.

        Examples
        --------
        >>> import lcm_lab as lcm
        >>> search = lcm.BM25().fit(lcm.Corpus(["use WAL", "drop the table"]))
        >>> more = search.grow(lcm.Corpus(["use WAL", "drop the table", "the WAL grew"]))
        >>> more("wal")["docno"].tolist()
        ['m1', 'm3']
        """
        from lcm_lab.ranking.lexical.segments import carry
        from lcm_lab.ranking.lexical.stored import read_by

        for analyzer, fields in read_by(self.policy):
            carry(self.corpus, corpus, analyzer, fields)
        return Searcher(self.policy, corpus)

    def save(self, folder: str | Path) -> Path:
        """Write the posting lists to a folder, for ``policy.fit(corpus, saved=folder)``.

        An index saved there before is replaced as a whole; a process that has it open keeps it.
        Neither the corpus nor the policy is written, nor what other rankers than those of words
        have built. It holds every word as it was said, secrets included: keep it as you keep the
        corpus.

        Raises
        ------
        BadParameter
            For a folder that holds something else, a policy without rankers of words, or an
            analyzer that prints as a place in memory.
        """
        from lcm_lab.collection.paths import expanded
        from lcm_lab.ranking.lexical.stored import save

        return save(self, expanded(folder))

    def explain(self, question: str, **filters: Any) -> pd.DataFrame:
        """Give the hits of one question with a column a step, headed by the step's expression.

        A term of a sum or a fusion shows what it adds, a modifier its factor, a re-scorer its
        score; terms that bring candidates also show the rank they gave, missing where they did not
        bring the hit.
        """
        search = self.asked(Topics.of(question, self.corpus, **filters), notes=[])
        run = self.policy.retrieve(search, LIMIT)
        hits = run.frame()
        steps = pd.DataFrame(search.columns(run), index=hits.index)
        return pd.concat([hits[["docno", "rank", "score"]], steps, hits[["text"]]], axis=1)


def require(policy: Ranker) -> None:
    """Refuse a policy that stands for several, or that brings no hits.

    Raises
    ------
    BadParameter
        With the way out.
    """
    if varies(policy):
        several = len(policy.grid())
        raise BadParameter(f"{policy!r} stands for {several} policies. Fit one of .grid().")
    if not policy.retrieves:
        policy.retrieve(None, LIMIT)  # type: ignore[arg-type]  # raises, with the way out


def within(policy: Any, kind: type[T]) -> Iterator[T]:
    """Walk over the rankers of a kind in a policy, leftmost first."""
    if isinstance(policy, kind):
        yield policy
    for part in parts(policy):
        yield from within(part, kind)
