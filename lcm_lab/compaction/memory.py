"""Memory: compaction and ranking as one ranker, so that one evaluation compares both."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.history import History, history
from lcm_lab.compaction.summarise import Lead
from lcm_lab.compaction.work import Summariser
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.searcher import Searcher
from lcm_lab.run import Run
from lcm_lab.shown import counted
from lcm_lab.topics import Topics
from lcm_lab.values import value

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search

__all__ = ["Memory", "Recall"]


@value
class Memory(Ranker):
    """Compact every conversation while it grows, then rank over messages and summaries.

    Parameters
    ----------
    compact : Compactor
        How the frontier is kept short.
    rank : Ranker
        A policy over messages (scope messages) and summaries (scope summaries), which may hold
        `InView`, `Expand` and `Ancestors`.
    summarise : callable ``(texts, tokens) -> str``, default `Lead`
    budget : int, optional
        The limit of the frontier in tokens, as `compact` takes it.
    every : int
        Compaction runs each time that so many tokens have come since it last ran, and in a long
        conversation a 64th of all that there is. Until then what is new stands raw behind what was
        left: a frontier holds at most so much beyond its budget, and a conversation of fewer tokens
        is never compacted.

    Notes
    -----
    A topic sees its conversation as it was at its moment (``asked_at``, or ``before``): the
    summaries made until then, and the frontier of then, as if it had ended there.

    Measures are of messages, and so are judgements: a summary among the hits takes its place and
    its tokens, and is relevant to nothing, even where it tells the answer; `Evidence` and `R` count
    what can be read as it was said. What the text of summaries keeps, `replay` measures.

    Statistics of words are those of messages and summaries together, so that a search of messages
    alone scores a little otherwise than one without summaries does.

    What follows a Memory works within it, over its summaries too: ``Memory(a, rank=b) % 10`` is
    ``Memory(a, rank=b % 10)``. Inside of a `RRF` or another list it gives messages alone.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.compaction.strategies import Rolling
    >>> from lcm_lab.ranking.graph import Expand
    >>> said = [f"Note {n}: port {5000 + n} is taken by the service number {n}." for n in range(9)]
    >>> memory = Memory(Rolling(40, fresh=1), rank=lcm.BM25(), every=40)
    >>> search = memory.fit(lcm.Corpus(said))
    >>> search("note 1", scope="summaries")["docno"].str[:4].unique().tolist()
    ['sum_']
    >>> (memory >> Expand() >> lcm.BM25() % 1).fit(lcm.Corpus(said))("port 5001")["docno"].tolist()
    ['m2']
    """

    compact: Compactor
    rank: Ranker
    summarise: Summariser = field(default_factory=Lead)
    budget: int | None = None
    every: int = 1_000

    retrieves = True
    by_depth = True

    def check(self) -> None:
        """Refuse what is no strategy, no policy that brings hits, no summariser or no limit."""
        kinds = (("compact", Compactor, "Leaves()"), ("rank", Ranker, "BM25() % 10"))
        for name, kind, example in kinds:
            got = getattr(self, name)
            if not isinstance(got, kind):
                raise BadParameter(f"{name} is wanted, such as {name}={example}. Got {got!r:.80}.")
        if not self.rank.retrieves:
            raise BadParameter(
                f"{self.rank!r} brings no hits. Put a retriever before it: "
                f"rank=BM25() % 100 >> {self.rank!r}."
            )
        if isinstance(self.summarise, type) or not callable(self.summarise):
            raise BadParameter(
                "A summariser is a callable (texts, tokens) -> str, such as Lead(). "
                f"Got {self.summarise!r:.80}."
            )
        whole(self, every=self.every)
        if self.budget is not None:
            whole(self, budget=self.budget)

    def fit(self, corpus: Corpus, saved: str | Path | None = None) -> Recall:
        """Compact every conversation of a corpus, and index messages and summaries.

        Policies over the same strategy, summariser and limits share one history of the corpus.

        Parameters
        ----------
        corpus : Corpus
        saved : str or Path, optional
            A folder that ``Searcher.save`` wrote, as in `Ranker.fit`.
        """
        lived = history(self, corpus)
        if saved is not None:
            lived = replace(lived, indexes=self.rank.fit(lived.corpus, saved).indexes)
        return Recall(self, corpus, lived)

    def retrieve(self, search: Search, k: int) -> Run:
        """Give the messages among the hits, as rows of the corpus that is searched."""
        run = self._messages(search)
        search.note(self, run, run.scores)
        return run.top(k)

    def apply(self, search: Search, run: Run) -> Run:
        """Order what came before as the memory does; what it does not recall is dropped."""
        found = self._messages(search)
        return found.take(np.flatnonzero(np.isin(found.keys, run.keys)))

    def over(self, **filters: Any) -> Ranker:
        """Narrow the policy within to rows that pass the filters."""
        return replace(self, rank=self.rank.over(**filters))

    def __rshift__(self, other: Any) -> Ranker:
        return replace(self, rank=self.rank >> other)

    def __mod__(self, k: Any) -> Ranker:
        return replace(self, rank=self.rank % k)

    def _messages(self, search: Search) -> Run:
        topics = search.topics
        recall = self.fit(topics.corpus)
        return recall.history.messages(recall.run(topics), topics)

    def _role(self) -> str:
        return "recalls"


class Recall(Searcher):
    """A `Memory` fitted to a corpus: its policy over the corpus with the summaries in it.

    Attributes
    ----------
    history : History
        The corpus with its summaries, and what was in view when.
    """

    def __init__(self, memory: Memory, corpus: Corpus, lived: History) -> None:
        super().__init__(memory.rank, lived.corpus, lived.indexes)
        self.memory, self.given, self.history = memory, corpus, lived

    def __repr__(self) -> str:
        return f"{self.memory!r} over {self.given!r}"

    @property
    def dags(self) -> dict[str, Dag]:
        """The Dag of each conversation, as it ended."""
        return self.history.dags

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of how it came about: the compactions that were cancelled."""
        lost = self.history.cancelled
        if not lost:
            return ()
        return (f"{len(lost)} of {counted(self.history.runs, 'compaction')} cancelled: {lost[0]}",)

    def run(self, topics: Any, k: int = LIMIT, **filters: Any) -> Run:
        """Give at most k hits for each topic, of messages and summaries.

        Topics that were made for the corpus of messages are put to that of both.
        """
        if isinstance(topics, Topics) and topics.corpus is self.given:
            topics = self.history.asked(topics)
        return super().run(topics, k, **filters)

    def grow(self, corpus: Corpus) -> Recall:
        """Give a searcher over a corpus that holds the rows of this one, and more; made anew."""
        return self.memory.fit(corpus)
