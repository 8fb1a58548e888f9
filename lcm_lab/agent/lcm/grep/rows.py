"""Which rows ``lcm_grep`` finds, best first: by a pattern, or by what a question asks for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.agent.lcm.history import History
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.exact.whole import Regex
from lcm_lab.ranking.steps.decay import Decay
from lcm_lab.rows import Rows, contains
from lcm_lab.topics import Topics

__all__ = ["Listed", "by_pattern", "by_words", "newest", "newest_first", "time_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Sort = Literal["recency", "relevance", "hybrid"]

#: Hits that hold only some of the words are added until there are so many.
FEW = 10
#: Rows that a pattern is tried on before it is asked whether that is enough; then twice as many.
BLOCK, MOST_BLOCK = 1 << 13, 1 << 17
#: As lossless-claw weighs age, but down to a half and no further. nDCG@10 with the floor, without
#: it, and of relevance alone: LoCoMo (n = 997) .629 .510 .648; LongMemEval evidence (235) .794 .413
#: .801; BEAM (108) .433 .303 .500; synth-chat-s (637) .572 .478 .585; synth-assistant-s (615) .671
#: .524 .675. On what was changed since (synth, type update, n = 136) it is .634 .595 .612.
HYBRID = Decay("hyperbolic", "1000h", floor=0.5, undated=1)


@dataclass(frozen=True)
class Listed:
    """Rows as they are found, best first.

    Attributes
    ----------
    rows : iterator of int
    scores : dict of int to float
        Of the rows that a policy scored.
    total : int
        How many rows match, at least.
    exact : bool
    unmatched, notes : tuple of str
    """

    rows: Iterator[int]
    scores: dict[int, float]
    total: int
    exact: bool
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def by_words(history: History, asked: Asked, allowed: Rows, sort: Sort, limit: int) -> Listed:
    """List rows for a question in full text.

    Recency: what holds every word that any row holds, newest first, then, up to ten in all, what
    the policy holds best. Relevance: as the policy ranks. Hybrid: that, weighed by age; what is old
    counts half as much, no less. While any row holds a phrase in quotes, what does not is no hit.
    """
    corpus = history.corpus()
    history.read()
    must = asked.required(corpus, allowed)
    whole, lost = asked.together(corpus, allowed)
    whole = whole[contains(must, whole)]
    if not asked.text:  # emoji alone: policies rank words
        order = newest(corpus, whole)
        return Listed(iter(order.tolist()), {}, len(whole), True, lost)
    policy = history.search >> HYBRID if sort == "hybrid" else history.search
    k = min(2 * limit + 50, 1_000)
    rows, scores = ranked(history, policy, asked.text, must, k)
    given = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    if sort != "recency":
        return Listed(iter(rows.tolist()), given, len(rows), len(rows) < k, lost)
    few = FEW if len(asked.pieces) - len(lost) > 1 or not len(whole) else 0
    some = rows[~np.isin(rows, whole)][: max(few - len(whole), 0)]
    order = np.concatenate([newest(corpus, whole), some])
    notes = (_said(len(whole)),) if len(some) else ()
    return Listed(iter(order.tolist()), given, len(order), True, lost, notes)


def _said(whole: int) -> str:
    if not whole:
        return "Nothing has all the words: these come nearest, best first, not newest first."
    return f"All the words are in {whole}, newest first; then what comes nearest, best first."


def by_pattern(history: History, pattern: str, allowed: Rows) -> Iterator[int]:
    """Yield the rows that match a pattern, newest first; no older ones are looked at than asked."""
    corpus = history.corpus()
    scorer = Regex()
    index = scorer.index(corpus)
    order, start, size = newest_first(corpus), 0, BLOCK
    scorer.hits(index, pattern, slice(0, 0))  # a pattern that is none is refused at once
    while start < len(order):
        block = order[start : start + size]
        block = block[contains(allowed, block)]
        yield from block[scorer.hits(index, pattern, block)].tolist()
        start, size = start + size, min(2 * size, MOST_BLOCK)


def ranked(
    history: History, policy: Ranker, question: str, allowed: Rows, k: int
) -> tuple[Ints, Floats]:
    """Give the k best of the allowed rows, as a policy ranks them."""
    search = history.searcher(policy)
    row: dict[str, Any] = {"query": question, "asked_at": history.now()}
    topics = Topics.of(pd.DataFrame([row]), search.corpus)
    # What may be seen is decided already, phrases included; the clock hides nothing.
    topics.rows = [allowed]
    try:
        run = search.run(topics, k)
    except sqlite3.DatabaseError as error:
        raise BadInput(
            f"The full-text index of {history.store.path!r} cannot be asked: {error}. Nothing is "
            "said of what it holds; lcm-lab check tells what is wrong with it."
        ) from error
    return run.rows, run.scores


def newest(corpus: Corpus, rows: Ints) -> Ints:
    """Order rows newest first; of one time in corpus order, of unknown time last."""
    return rows[np.lexsort((rows, -corpus.numpy("time")[rows].astype(np.float64)))]


def newest_first(corpus: Corpus) -> Ints:
    """Give all rows newest first, ordered once."""
    every = np.arange(len(corpus))
    return cast(Ints, corpus.memo("newest first", lambda: newest(corpus, every)))


def time_of(corpus: Corpus, row: int) -> int | None:
    """Give the time of a row, None where unknown."""
    found = int(corpus.numpy("time")[row])
    return None if found == NO_TIME else found
