"""A run looked at before it is judged: order, scores that are no numbers, documents listed twice.

Rankers of this library keep these rules by law; a finished run or somebody's own system may not.
What is wrong is counted and said; a topic that lists a document twice has no value, since whichever
of the two ranks were taken would be a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lcm_lab.errors import BadInput
from lcm_lab.evaluation.naming import listed
from lcm_lab.redact import redact
from lcm_lab.rows import contains
from lcm_lab.run import Run
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.topics import Topics

__all__ = ["Failure", "Found", "asked", "leaks", "vetted"]


#: Characters of an error's message that are kept.
LONGEST = 500
#: So many are looked through for secrets, far more than are kept.
READ = 20_000


class Failure(NamedTuple):
    """One thing that a system could not do; a blank qid is all of them."""

    system: str
    qid: str
    kind: str
    message: str
    error: Exception

    @classmethod
    def of(cls, system: str, qid: str, error: Exception) -> Failure:
        """Tell an error by its kind, and on one line, without secrets and where home is."""
        told = redact(str(error)[:READ]).text
        home = str(Path.home())
        told = told.replace(home, "~") if len(home) > 1 else told
        return cls(system, qid, type(error).__name__, cut(one_line(told), LONGEST), error)


@dataclass(frozen=True, eq=False)
class Found:
    """What ranking with one system gave.

    Attributes
    ----------
    run : Run or None
        Empty on topics that failed; None where the system gave nothing at all.
    failures : tuple of Failure
    notes : tuple of str
        What a reader must know of how the run was read.
    """

    run: Run | None
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()


def vetted(name: str, run: Run) -> Found:
    """Put a run in the order of its scores, without what is no hit, and say what was wrong."""
    run, notes = _finite(name, run)
    run, told = _ordered(name, run)
    twice = _twice(run)
    failures = tuple(Failure.of(name, run.topics.qids[i], _listed_twice(run, i)) for i in twice)
    if twice:
        run = run.take(np.flatnonzero(~np.isin(run.topic, twice)))
    whole = len(twice) == len(run.topics) > 0
    return Found(None if whole else run, failures, (*notes, *told))


def _finite(name: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    wrong = ~np.isfinite(run.scores)
    if not wrong.any():
        return run, ()
    where = np.unique(run.topic[wrong])
    told = (
        f"{name} gives scores that are no finite numbers, {int(wrong.sum()):,} in all, for "
        f"{counted(len(where), 'topic')}{listed(run.topics.qids, where)}; those documents are no "
        "hits."
    )
    return run.take(np.flatnonzero(~wrong)), (told,)


def _ordered(name: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    rises = (np.diff(run.scores) > 0) & (np.diff(run.topic) == 0)
    if not rises.any():
        return run, ()
    where = np.unique(run.topic[1:][rises])
    told = (
        f"{name} lists hits out of the order of their scores for "
        f"{counted(len(where), 'topic')}{listed(run.topics.qids, where)}; read by score."
    )
    return run.take(np.lexsort((run.rows, -run.scores, run.topic))), (told,)


def _twice(run: Run) -> list[int]:
    """Give the topics that list a document more than once."""
    keys = np.sort(run.keys)
    again = keys[1:][keys[1:] == keys[:-1]]
    return [int(i) for i in np.unique(again // max(len(run.corpus), 1))]


def _listed_twice(run: Run, topic: int) -> BadInput:
    rows = run.rows[run.offsets[topic] : run.offsets[topic + 1]]
    names, times = np.unique(rows, return_counts=True)
    docno = run.corpus["docno"].iloc[int(names[times > 1][0])]
    more = int((times > 1).sum()) - 1
    besides = f", and {counted(more, 'document')} besides" if more else ""
    return BadInput(
        f"A run lists {docno!r} more than once for topic {run.topics.qids[topic]!r}{besides}. "
        "List a document once."
    )


def leaks(name: str, run: Run) -> tuple[str, ...]:
    """Say which hits a topic may not see; they count as any hit does."""
    topics = run.topics
    if run.corpus is not topics.corpus:
        return ()
    parts = zip(topics.rows, pairwise(run.offsets), strict=True)
    seen = [contains(rows, run.rows[a:b]) for rows, (a, b) in parts]
    outside = np.array([int((~one).sum()) for one in seen], np.int64)
    where = np.flatnonzero(outside)
    if not len(where):
        return ()
    return (
        f"{name} gives {counted(int(outside.sum()), 'hit')} that the topic may not see, for "
        f"{counted(len(where), 'topic')}{listed(topics.qids, where)}: it did not keep to the "
        "filters, so it is not comparable with systems that do.",
    )


def asked(name: str, run: Run, topics: Topics) -> tuple[str, ...]:
    """Say which topics a finished run lacks, and how many it has that nobody asks."""
    there = set(run.topics.qids)
    lacks = np.array([i for i, qid in enumerate(topics.qids) if qid not in there], np.int64)
    strangers = len(there - set(topics.qids))
    both = len(topics) - len(lacks)
    if not len(lacks) and not strangers:
        return ()
    told = f"{name} has {both:,} of {counted(len(topics), 'topic')}"
    if len(lacks):
        told += f"; those it lacks{listed(topics.qids, lacks)} count 0"
    if strangers:
        told += f"; {counted(strangers, 'topic')} of it that nobody asks left out"
    return (f"{told}.",)
