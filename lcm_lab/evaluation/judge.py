"""Runs joined with judgements: the arrays that measures read, and the facts a reader must know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput
from lcm_lab.measures import Judged
from lcm_lab.rows import contains, count
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics

__all__ = ["Bench", "conversations", "homes"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Bench:
    """A collection made ready to judge runs: its topics asked, its qrels as arrays.

    Attributes
    ----------
    collection : Collection
    topics : Topics
        Those of the collection, in its order.
    topic, row, grade : int64 arrays of shape (n_judgements,)
        Position of the topic, corpus row and relevance; by topic, highest grade first.
    stale : bool array of shape (n_judgements,)
    """

    collection: Collection
    topics: Topics
    topic: Ints
    row: Ints
    grade: Ints
    stale: Bools

    @classmethod
    def of(cls, collection: Collection) -> Bench:
        """Resolve the filters of every topic and the rows of every judgement."""
        topics, qrels = Topics.of(collection.topics, collection.corpus), collection.qrels
        topic = pd.Index(topics.qids).get_indexer(pd.Index(qrels["qid"], dtype=object))
        row = collection.corpus.row_of(qrels["docno"])
        grade = qrels["relevance"].to_numpy(np.int64)
        stale = qrels["stale"].to_numpy(bool) if "stale" in qrels else np.zeros(len(qrels), bool)
        order = np.lexsort((row, -grade, topic))
        return cls(collection, topics, topic[order], row[order], grade[order], stale[order])

    @property
    def relevant_from(self) -> int:
        """The grade from which a document is relevant; at least 1."""
        return max(1, self.collection.relevant_from)

    @property
    def relevant(self) -> Bools:
        """Whether each judgement is of a relevant document; shape (n_judgements,)."""
        return np.asarray(self.grade >= self.relevant_from)

    @cached_property
    def n_relevant(self) -> Ints:
        """How many relevant documents each topic has; shape (n_topics,)."""
        return np.bincount(self.topic[self.relevant], minlength=len(self.topics))

    @cached_property
    def answerable(self) -> Bools:
        """Whether each topic may see anything relevant to it; shape (n_topics,)."""
        seen = self.relevant & ~self.hidden
        return np.bincount(self.topic[seen], minlength=len(self.topics)) > 0

    @cached_property
    def unranked(self) -> Judged:
        """The topics as judged before anything is found: from it a measure tells its ceiling."""
        none = np.zeros(len(self.topics) + 1, np.int64)
        return self.judge(Run.of(self.topics, Hits(none, none[:0], np.empty(0))))

    @cached_property
    def pool(self) -> Ints:
        """How many rows each topic may see; shape (n_topics,)."""
        return np.array([count(rows) for rows in self.topics.rows], np.int64)

    @cached_property
    def pool_tokens(self) -> Ints:
        """How many tokens the rows have that each topic may see; shape (n_topics,)."""
        ends = np.append(0, np.cumsum(self.collection.corpus.numpy("tokens"), dtype=np.int64))
        sums = (
            ends[rows.stop] - ends[rows.start]
            if isinstance(rows, slice)
            else (ends[rows + 1] - ends[rows]).sum()
            for rows in self.topics.rows
        )
        return np.array(list(sums), np.int64)

    @cached_property
    def outside(self) -> Bools:
        """Whether each judgement is of a row that its topic may not see."""
        seen = [
            contains(self.topics.rows[topic], np.array([row]))[0]
            for topic, row in zip(self.topic, self.row, strict=True)
        ]
        return ~np.array(seen, bool)

    @cached_property
    def hidden(self) -> Bools:
        """Whether each judgement is of a relevant row that its topic may not see."""
        return np.asarray(self.relevant & self.outside)

    def judge(self, run: Run, latency: Floats | None = None, index_ms: float = np.nan) -> Judged:
        """Join a run of these topics with the judgements; it may be over another corpus.

        Raises
        ------
        BadInput
            When a run lists a judged document twice for one topic, which would count it twice.
        """
        n, at = len(self.topics), self._judgement(run)
        self._refuse_twice(at)
        current = np.bincount(self.topic[self.relevant & ~self.stale], minlength=n) > 0
        return Judged(
            offsets=run.offsets,
            grades=np.append(self.grade, 0)[at],
            gold_offsets=np.searchsorted(self.topic, np.arange(n + 1)).astype(np.int64),
            gold=self.grade,
            relevant_from=self.relevant_from,
            tokens=run.corpus.numpy("tokens")[run.rows].astype(np.int64),
            stale=np.append(self.stale, False)[at],
            can_be_stale=current & (np.bincount(self.topic[self.stale], minlength=n) > 0),
            latency=np.full(n, np.nan) if latency is None else latency,
            index_ms=index_ms,
        )

    def relevance(self, run: Run) -> Bools:
        """Tell for each hit of a run of these topics whether it is relevant; shape (n_hits,)."""
        grades = np.append(self.grade, 0)[self._judgement(run)]
        return np.asarray(grades >= self.relevant_from)

    def _refuse_twice(self, at: Ints) -> None:
        times = np.bincount(at[at >= 0], minlength=1)
        if times.max() > 1:
            twice = int(np.argmax(times > 1))
            docno = self.collection.corpus["docno"].iloc[self.row[twice]]
            raise BadInput(
                f"A run lists {docno!r} more than once for topic "
                f"{self.topics.qids[self.topic[twice]]!r}. List a document once."
            )

    def _judgement(self, run: Run) -> Ints:
        """Give the position of the judgement of every hit, -1 where it was not judged."""
        n_rows, rows = len(self.collection.corpus), self._rows(run)
        known = pd.Index(self.topic * n_rows + self.row)
        asked = pd.Index(np.where(rows < 0, -1, run.topic * n_rows + rows))
        return np.asarray(known.get_indexer(asked), np.int64)

    def _rows(self, run: Run) -> Ints:
        """Give the collection's row of every hit, -1 where it is none: a summary of a `Memory`."""
        corpus = self.collection.corpus
        if run.corpus is corpus:
            return run.rows
        return corpus.row_of(run.corpus["docno"].iloc[run.rows])


def homes(bench: Bench) -> list[str | None]:
    """Name each topic's conversation: the one it is asked of, else that of its best judged row.

    None for a topic with neither.
    """
    given = bench.topics.frame
    asked = given["conversation"] if "conversation" in given else [None] * len(given)
    names = bench.collection.corpus["conversation"].to_numpy(object)
    first, at = np.unique(bench.topic, return_index=True)
    found: list[str | None] = [None] * len(bench.topics)
    for topic, judgement in zip(first, at, strict=True):
        found[topic] = str(names[bench.row[judgement]])
    for topic, name in enumerate(asked):
        if isinstance(name, str):
            found[topic] = name
    return found


def conversations(bench: Bench) -> Ints:
    """Give each topic a number for its conversation, as `homes` names it; one without is alone."""
    known: dict[tuple[str | None, str], int] = {}
    names = zip(homes(bench), bench.topics.qids, strict=True)
    keys = [(name, "" if name is not None else qid) for name, qid in names]
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
