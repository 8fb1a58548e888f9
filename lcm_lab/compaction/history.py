"""The history of a corpus as it was compacted: conversation by conversation, while it grew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.columns import NO_TIME
from lcm_lab.compaction.base import compact
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag, Summary
from lcm_lab.messages import Message
from lcm_lab.ranking.links import ALWAYS, Span, lend
from lcm_lab.ranking.searcher import Indexes
from lcm_lab.rows import contains, rows_of, tidy
from lcm_lab.run import Hits, Run
from lcm_lab.text import clean
from lcm_lab.topics import Topics

if TYPE_CHECKING:
    from lcm_lab.compaction.memory import Memory

__all__ = ["History", "history"]

Ints = npt.NDArray[np.int64]

#: A compaction looks at the whole conversation, so that the time for all of them would grow with
#: its square; what comes between two is therefore no less than this part of what there is.
PART = 64


@dataclass(frozen=True, eq=False)
class History:
    """A corpus and all the summaries that were ever made of it.

    Attributes
    ----------
    corpus : Corpus
        The rows that were given, and a row for each summary right behind the message after which it
        was made, with the time of that message.
    dags : dict of conversation to Dag
        As each ended.
    place : int64 array of shape (n_given,), rising
        Where each row that was given stands in ``corpus``.
    cancelled : tuple of str
        Why, of each compaction whose summariser failed.
    runs : int
        How many compactions there were.
    indexes : Indexes
        Shared by every policy over this history.
    """

    corpus: Corpus
    dags: dict[str, Dag]
    place: Ints
    indexes: Indexes
    cancelled: tuple[str, ...] = ()
    runs: int = 0

    def asked(self, topics: Topics) -> Topics:
        """Put topics of the given corpus to this one: they see the same rows, and summaries."""
        return cast(Topics, topics.memo(("asked", self), lambda: self._asked(topics)))

    def _asked(self, topics: Topics) -> Topics:
        made = topics.asked_of(self.corpus)
        for i, given in enumerate(topics.rows):
            # A topic that was narrowed further sees less than its filters say.
            allowed = rows_of(made.rows[i])
            message = self._given[allowed]
            allowed = allowed[(message < 0) | contains(given, message)]
            made.rows[i] = tidy(allowed)
        return made

    @cached_property
    def _given(self) -> Ints:
        """The row that each row of the corpus was given as, -1 for a summary."""
        row = np.full(len(self.corpus), -1)
        row[self.place] = np.arange(len(self.place))
        return row

    def messages(self, run: Run, topics: Topics) -> Run:
        """Give the hits of a run that are rows of the corpus that was given, as such."""
        kept = run.take(np.flatnonzero(self._given[run.rows] >= 0))
        return Run.of(topics, Hits(kept.offsets, self._given[kept.rows], kept.scores))


def history(memory: Memory, corpus: Corpus) -> History:
    """Give the history of a corpus under a strategy, made once for all policies over it."""
    key = ("history", memory.compact, memory.summarise, memory.budget, memory.every)
    return cast(History, corpus.memo(key, lambda: _history(memory, corpus)))


def _history(memory: Memory, corpus: Corpus) -> History:
    growths = [_grown(memory, Dag.of(corpus, name)) for name in corpus.conversations]
    whole, place = _joined(corpus, growths)
    dags = {growth.dag.conversation: growth.dag for growth in growths}
    lend(whole, dags.values(), [span for growth in growths for span in growth.spans])
    cancelled = tuple(why for growth in growths for why in growth.cancelled)
    return History(
        whole, dags, place, Indexes(whole), cancelled, sum(growth.runs for growth in growths)
    )


@dataclass
class _Growth:
    """A conversation while it grows."""

    dag: Dag
    #: The latest time of a message so far.
    moment: int = NO_TIME
    #: Since when each node that is in view has been.
    since: dict[str, int] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    #: Each summary, with the message after which it was made and the moment of that.
    made: list[tuple[Summary, Message, int]] = field(default_factory=list)
    #: How often it was compacted, and why not, each time that this was cancelled.
    runs: int = 0
    cancelled: list[str] = field(default_factory=list)

    def grow(self, messages: list[Message]) -> None:
        """Let messages come."""
        for message in messages:
            time = NO_TIME if message.time is None else message.time
            self.moment = max(self.moment, time)
            self.since[message.id] = time
        self.dag = self.dag.append(messages)

    def compact(self, memory: Memory) -> None:
        """Compact, right after the last message that came."""
        known = {summary.id for summary in self.dag.summaries}
        self.dag = compact(self.dag, memory.compact, memory.summarise, memory.budget)
        self.runs += 1
        if self.dag.outcome and self.dag.outcome.failed:
            self.cancelled.append(self.dag.outcome.reason.removeprefix("cancelled, "))
        new = (summary for summary in self.dag.summaries if summary.id not in known)
        last = self.dag.messages[-1]
        self.made += [(summary, last, self.moment) for summary in new]
        self._look()

    def _look(self) -> None:
        """Note what came into view, and what went."""
        seen = set(self.dag.frontier)
        for name in [name for name in self.since if name not in seen]:
            self.spans.append((name, self.since.pop(name), self.moment))
        for name in self.dag.frontier:
            self.since.setdefault(name, self.moment)

    def end(self) -> None:
        """Say that what is in view stays so."""
        self.spans += [(name, since, ALWAYS) for name, since in self.since.items()]


def _grown(memory: Memory, whole: Dag) -> _Growth:
    """Let a conversation grow, compacting each time that enough has come."""
    growth = _Growth(Dag(whole.conversation))
    waiting: list[Message] = []
    came = total = 0
    for message in whole.messages:
        waiting.append(message)
        came += whole.size(message.id)
        if came >= max(memory.every, (total + came) // PART):
            growth.grow(waiting)
            growth.compact(memory)
            waiting, came, total = [], 0, total + came
    growth.grow(waiting)
    growth.end()
    return growth


def _joined(corpus: Corpus, growths: Iterable[_Growth]) -> tuple[Corpus, Ints]:
    """Put the summaries among the rows; give the corpus, and where its own rows stand now."""
    last = _last_rows(corpus)
    found: dict[str, dict[str, Any]] = {}
    behind: list[int] = []
    for growth in growths:
        for summary, message, moment in growth.made:
            # One without text has nothing to be found by; one that is there was given.
            if summary.text and summary.id not in last and summary.id not in found:
                found[summary.id] = _row(growth.dag, summary, message, moment)
                behind.append(last[message.id])
    given = _given(corpus)
    both = pa.concat_tables([given, _table([*found.values()], given.schema)])
    order = np.argsort(np.array([*range(len(corpus)), *behind], np.int64), kind="stable")
    return Corpus(both.take(pa.array(order))), np.flatnonzero(order < len(corpus))


def _given(corpus: Corpus) -> pa.Table:
    """Give the rows of a corpus with the columns that summaries have beside; unnumbered."""
    columns = {name: corpus.column(name) for name in corpus.columns if name != "seq"}
    blank = pa.array([""] * len(corpus), pa.string())
    return pa.table(columns | {n: blank for n in ("depth", "level") if n not in columns})


def _table(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    columns = {}
    for field_ in schema:
        kind = field_.type
        blank = "" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None
        columns[field_.name] = pa.array([row.get(field_.name, blank) for row in rows], kind)
    return pa.table(columns)


def _last_rows(corpus: Corpus) -> dict[str, int]:
    """Give the last row of each message; one has a row for each kind of its parts."""
    kinds, names = corpus.codes("kind")
    docnos = corpus.column("docno").to_pylist()
    return {d.removesuffix(f"#{names[kinds[row]]}"): row for row, d in enumerate(docnos)}


def _row(dag: Dag, summary: Summary, message: Message, moment: int) -> dict[str, Any]:
    return {
        "docno": summary.id,
        "text": clean(summary.text),
        "conversation": dag.conversation,
        "session": message.session,
        "scope": "summaries",
        "kind": "summary",
        "time": None if moment == NO_TIME else moment,
        "tokens": summary.tokens,
        "depth": str(summary.depth),
        "level": summary.level,
    }
