"""What became of many messages in one batch of topics: `miss` for all of them at once.

A policy is walked once for all topics, where `miss` walks it for one message. Only the rank that an
outscored message would have had is not worked out: that takes the scores of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.miss import Miss, hidden, walk
from lcm_lab.ranking.nodes import Top
from lcm_lab.ranking.scorer import Leaf
from lcm_lab.ranking.search import Search
from lcm_lab.ranking.searcher import Searcher, within
from lcm_lab.rows import contains
from lcm_lab.run import Run
from lcm_lab.topics import Topics

__all__ = ["misses"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def misses(searcher: Searcher, topics: Topics, topic: Ints, row: Ints) -> list[Miss]:
    """Follow messages through the steps of a policy, each in its own topic.

    Parameters
    ----------
    searcher : Searcher
    topics : Topics
        Of the searcher's corpus.
    topic, row : int64 arrays of shape (n,)
        Position of the topic, and corpus row, of each message.

    Returns
    -------
    list of Miss, length n
        As `Searcher.miss` tells it, but that what is outscored has no rank.

    Examples
    --------
    >>> import numpy as np
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["use WAL", "the WAL grew", "lunch"])
    >>> search = (lcm.BM25() % 1).fit(corpus)
    >>> asked = Topics.of(["wal", "wal"], corpus)
    >>> for found in misses(search, asked, np.array([0, 1]), np.array([1, 2])):
    ...     print(found)
    m2: cut by % 1: it stood at rank 2.
    m3: BM25() scores it 0: nothing in common with the question.
    """
    names = searcher.corpus.column("docno").take(row.astype(np.int64)).to_pylist()
    found: list[Miss | None] = [None] * len(names)
    for i, (at, one) in enumerate(zip(topic.tolist(), row.tolist(), strict=True)):
        if not contains(topics.rows[at], np.array([one]))[0]:
            found[i] = Miss(names[i], "hidden", hidden(topics.pick([at]), one))
    left = np.array([i for i, one in enumerate(found) if one is None], np.int64)
    search, before = searcher.asked(topics), np.zeros(len(names), np.int64)
    for step, run in walk(searcher.policy, search):
        at = _ranks(run, topic[left], row[left])
        gone = left[at == 0]
        for i, one in zip(
            gone.tolist(), _lost(step, before, (topic, row, gone), search), strict=True
        ):
            found[i] = replace(one, docno=names[i])
        before[left] = at
        left = left[at > 0]
    return [
        Miss(names[i], "found", rank=int(before[i])) if one is None else one
        for i, one in enumerate(found)
    ]


def _ranks(run: Run, topic: Ints, row: Ints) -> Ints:
    """Give the rank of each message in a run, 0 where it is not there."""
    keys = run.keys
    order = np.argsort(keys, kind="stable")
    wanted = topic * max(len(run.corpus), 1) + row
    place = np.searchsorted(keys, wanted, sorter=order)
    inside = np.minimum(place, max(len(keys) - 1, 0))
    there = place < len(keys)
    if len(keys):
        there &= keys[order[inside]] == wanted
        return np.where(there, run.rank[order[inside]], 0)
    return np.zeros(len(wanted), np.int64)


def _lost(
    step: Ranker, before: Ints, where: tuple[Ints, Ints, Ints], search: Search
) -> Sequence[Miss]:
    """Say why a step, the first or a later one, does not have some messages."""
    topic, row, gone = where
    ranks = [int(rank) or None for rank in before[gone].tolist()]
    if isinstance(step, Top):
        return [Miss("", "cut", f"% {step.k}", rank) for rank in ranks]
    if any(rank is not None for rank in ranks):  # every message that is left had one
        return [Miss("", "dropped", repr(step), rank) for rank in ranks]
    if not len(gone):
        return []
    both = np.stack([topic[gone], row[gone]], axis=1)
    pairs, back = np.unique(both, axis=0, return_inverse=True)
    scored = _scored(step, pairs, search)[back.ravel()]
    return [Miss("", "outscored" if has else "no match", repr(step)) for has in scored.tolist()]


def _scored(step: Ranker, pairs: Ints, search: Search) -> Bools:
    """Tell which messages the first step gives a score at all; pairs rise by topic, then row."""
    n = len(search.topics)
    offsets = np.searchsorted(pairs[:, 0], np.arange(n + 1)).astype(np.int64)
    one = Run(search.topics, search.topics.corpus, offsets, pairs[:, 1], np.ones(len(pairs)))
    some = np.zeros(len(pairs), bool)
    for leaf in within(step, Leaf):
        some |= np.asarray(search.scores(leaf, one)) > 0
    if step.by_depth or not some.any():
        return some
    return some & (step.weigh(search, one, np.ones(len(pairs))) > 0)
