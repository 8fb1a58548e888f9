"""What lies under the summaries of a corpus, and which of its rows stood in view when.

A corpus has its rows alone; whoever made it of a `Dag` lends it what the Dag knows beside them,
through `lend`. A corpus to which nothing was lent is the raw conversation: nothing lies under
anything, and every row is in view from its own time on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag, Summary
from lcm_lab.times import bound
from lcm_lab.topics import Topics

__all__ = ["ALWAYS", "Links", "Span", "lend", "lent_on", "links", "moments"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

#: What has no end, and the moment of a topic that is asked of all there is.
ALWAYS = int(np.iinfo(np.int64).max)

#: A node, the moment since which it was in view, and the last moment at which it still was.
Span = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class Links:
    """The summaries of a corpus, as rows.

    Attributes
    ----------
    corpus : Corpus
    below : dict of row to int64 array
        The rows that each summary was made from, in order. A source that has no row, such as the
        marker of what was dropped, stands for its own sources.
    row, since, until : int64 arrays of shape (n_spans,)
        A row is in view at a moment where ``since < moment <= until``, in microseconds.
    """

    corpus: Corpus
    below: dict[int, Ints]
    row: Ints
    since: Ints
    until: Ints

    @cached_property
    def above(self) -> dict[int, list[int]]:
        """The summaries that each row went into, in corpus order."""
        found: dict[int, list[int]] = {}
        for summary in sorted(self.below):
            for row in self.below[summary].tolist():
                found.setdefault(row, []).append(summary)
        return found

    def under(self, row: int, depth: int | None = None) -> list[int]:
        """Give the rows that a walk down from one ends at, each once, in order.

        Parameters
        ----------
        depth : int, optional
            How many levels down; all the way when not given.
        """
        ends: dict[int, None] = {}
        seen, stack = {row}, [(row, 0)]
        while stack:
            at, down = stack.pop()
            if at not in self.below or down == depth:
                ends[at] = None
                continue
            for source in self.below[at][::-1].tolist():
                if source not in seen or source not in self.below:
                    seen.add(source)
                    stack.append((source, down + 1))
        return list(ends)

    def over(self, row: int, depth: int | None = None) -> list[int]:
        """Give the summaries above a row, the nearest first, each once."""
        found: dict[int, None] = {}
        level, down = [row], 0
        while level and down != depth:
            level = [up for at in level for up in self.above.get(at, ()) if up not in found]
            found |= dict.fromkeys(level)
            down += 1
        found.pop(row, None)
        return list(found)

    @cached_property
    def place(self) -> Ints:
        """Where each row stands in the order of what was said; shape (n_rows,), int64.

        By conversation; a summary stands behind the last row under it, whenever it was written.
        Of several conversations, what was said later stands later.
        """
        last = np.arange(len(self.corpus))
        for row in sorted(self.below):  # sources stand before what was made from them
            last[row] = last[self.below[row]].max(initial=-1) if len(self.below[row]) else row
        summary = np.zeros(len(last), np.int64)
        summary[list(self.below)] = 1
        order = np.lexsort((last, summary, last, self._said[last]))
        place = np.empty(len(last), np.int64)
        place[order] = np.arange(len(last))
        return place

    @cached_property
    def _said(self) -> Ints:
        """The latest time known so far in the conversation of each row."""
        times = np.array(self.corpus.numpy("time"))
        for rows in self.corpus.conversations.values():
            times[rows] = np.maximum.accumulate(times[rows])
        return times

    def in_view(self, moment: int) -> Bools:
        """Tell which rows stand in view at a moment; shape (n_rows,)."""
        seen = np.zeros(len(self.corpus), bool)
        seen[self.row[(self.since < moment) & (moment <= self.until)]] = True
        return seen


def links(corpus: Corpus) -> Links:
    """Give what a corpus was lent, or that it is a raw conversation.

    A corpus that keeps its Dags under "dags" in its memo, a tuple of them or a callable that gives
    one, is lent those.
    """
    if corpus.kept("links") is None and corpus.kept("dags") is not None:
        held = corpus.kept("dags")
        lend(corpus, held() if callable(held) else held)
    return cast(Links, corpus.memo("links", lambda: _raw(corpus)))


def lent_on(corpus: Corpus, made: Corpus) -> Corpus:
    """Lend a corpus that was made of another's rows the Dags that the other keeps."""
    if corpus.kept("dags") is not None:
        made.memo("dags", lambda: corpus.kept("dags"))
    return made


def _raw(corpus: Corpus) -> Links:
    rows = np.arange(len(corpus))
    return Links(corpus, {}, rows, np.full(len(rows), NO_TIME), np.full(len(rows), ALWAYS))


def lend(corpus: Corpus, dags: Iterable[Dag], spans: Sequence[Span] | None = None) -> Corpus:
    """Lend a corpus what the Dags that it holds know, for `InView`, `Expand` and `Ancestors`.

    Parameters
    ----------
    corpus : Corpus
        With a row for each message (``m1``, or ``m1#tool_call`` and so on) and each summary.
    dags : iterable of Dag
        Of its conversations; one that is not among them is raw, and in view as a whole.
    spans : sequence of (node, since, until), optional
        When each node was in view; without it, the frontiers are, at every moment.

    Returns
    -------
    Corpus
        The same one.
    """
    held, rows = list(dags), _rows_of(corpus)
    always: list[tuple[int, int, int]] = []
    if spans is None:
        spans = [(name, NO_TIME, ALWAYS) for dag in held for name in dag.frontier]
        always = [(row, NO_TIME, ALWAYS) for row in _raw_rows(corpus, held)]
    seen = [(row, *span) for name, *span in spans for row in rows.get(name, ())] + always
    row, since, until = np.array(seen, np.int64).reshape(-1, 3).T
    made = Links(corpus, _below(held, rows), row, since, until)
    corpus.memo("links", lambda: made)
    return corpus


def _raw_rows(corpus: Corpus, dags: Sequence[Dag]) -> list[int]:
    """Give the rows of conversations of which there is no Dag."""
    talks = dict(corpus.conversations)
    for dag in dags:
        talks.pop(dag.conversation, None)
    return [row for rows in talks.values() for row in range(rows.start, rows.stop)]


def _rows_of(corpus: Corpus) -> dict[str, list[int]]:
    """Give the rows of each node: a message has one for each kind of its parts."""
    found: dict[str, list[int]] = {}
    kinds, names = corpus.codes("kind")
    for row, docno in enumerate(corpus.column("docno").to_pylist()):
        found.setdefault(docno.removesuffix(f"#{names[kinds[row]]}"), []).append(row)
    return found


def _below(dags: Iterable[Dag], rows: dict[str, list[int]]) -> dict[int, Ints]:
    found: dict[int, Ints] = {}
    for dag in dags:
        for summary in dag.summaries:
            for row in rows.get(summary.id, ()):
                if sources := _sources(dag, summary, rows):
                    found[row] = np.array(sources, np.int64)
    return found


def _sources(dag: Dag, summary: Summary, rows: dict[str, list[int]]) -> list[int]:
    """Give the rows of what a summary was made from, through sources that have none."""
    given: dict[int, None] = {}
    seen, stack = {summary.id}, [*summary.sources][::-1]
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in rows:
            given |= dict.fromkeys(rows[name])
        else:
            stack += [source.id for source in dag.sources(name)][::-1] if name in dag else []
    return list(given)


def moments(topics: Topics) -> Ints:
    """Give the moment that each topic looks from: its ``before``, else the end; shape (n_topics,).

    In microseconds, UTC.
    """
    given = (bound(filters.get("before")) for filters in topics.filters)
    return np.array([ALWAYS if moment is None else moment for moment in given], np.int64)
