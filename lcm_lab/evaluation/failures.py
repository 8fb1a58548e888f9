"""What a system could not do: the topics on which it raised, and how the rest is ranked still.

A topic on which a system raised has no value: it is neither a 0 nor left unsaid. `summary` counts
it beside n, and gives on demand the mean that takes it as the worst.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadInput, LcmError
from lcm_lab.evaluation.systems import Searches, ranked
from lcm_lab.evaluation.vetting import Failure, Found, vetted
from lcm_lab.ranking.searcher import Searcher
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics

__all__ = ["COLUMNS", "NOTHING", "failing", "frame", "portable", "rank"]

COLUMNS = ["system", "qid", "kind", "message"]
#: A system that raises on as many topics, spread evenly over all, is asked no more of them.
PROBES = 20

#: The hits of a topic without any.
NOTHING = (np.empty(0, np.int64), np.empty(0))


def rank(name: str, searcher: Searches, topics: Topics) -> Found:
    """Rank all topics at once, or one at a time where that raises, so that the rest is kept.

    What is no `Exception`, such as an interrupt from the keyboard, passes through.
    """
    try:
        found = vetted(name, ranked(name, searcher, topics))
        return replace(found, notes=(*_told(name, searcher), *found.notes))
    except Exception as error:
        if not len(topics):
            return Found(None, (Failure.of(name, "", error),))
        first = error
    probes = np.unique(np.linspace(0, len(topics) - 1, min(PROBES, len(topics))).astype(int))
    done = _each(name, searcher, topics, probes.tolist())
    if all(isinstance(one, Exception) for one in done.values()):
        return Found(None, _whole(name, topics, done))
    done |= _each(name, searcher, topics, [i for i in range(len(topics)) if i not in done])
    try:
        found = vetted(name, _joined(name, topics, done))
    except BadInput as error:
        return Found(None, (Failure.of(name, "", error),))
    return Found(
        found.run,
        (*_failed(name, topics, done), *found.failures),
        (*_told(name, searcher), *found.notes, *_only_together(name, done, first)),
    )


def _told(name: str, searcher: Searches) -> list[str]:
    """Give what a system says of how it came about, such as compactions that were cancelled."""
    notes = searcher.notes if isinstance(searcher, Searcher) else ()
    return [f"{name}: {note}" for note in notes]


def _each(
    name: str, searcher: Searches, topics: Topics, which: Iterable[int]
) -> dict[int, Run | Exception]:
    """Rank some topics one at a time: the run of each, or what was raised."""
    done: dict[int, Run | Exception] = {}
    for i in which:
        try:
            done[i] = ranked(name, searcher, topics.pick([i]))
        except Exception as error:
            done[i] = error
    return done


def _failed(name: str, topics: Topics, done: dict[int, Run | Exception]) -> tuple[Failure, ...]:
    """Give the failures of single topics, in the order of the topics."""
    return tuple(
        Failure.of(name, topics.qids[i], one)
        for i, one in sorted(done.items(), key=lambda item: item[0])
        if isinstance(one, Exception)
    )


def _whole(name: str, topics: Topics, done: dict[int, Run | Exception]) -> tuple[Failure, ...]:
    """Give a failure of the system as a whole, then those of the topics that were asked."""
    failures = _failed(name, topics, done)
    return (failures[0]._replace(qid=""), *failures)


def _joined(name: str, topics: Topics, done: dict[int, Run | Exception]) -> Run:
    """Put the runs of single topics end to end; a topic that failed has no hits."""
    parts = [one for one in done.values() if isinstance(one, Run)]
    corpus = parts[0].corpus
    if any(
        one.corpus is not corpus and one.corpus.fingerprint != corpus.fingerprint for one in parts
    ):
        raise BadInput(f"System {name!r} gives hits of another corpus from topic to topic.")
    runs = (done[i] for i in range(len(topics)))
    lists = [(one.rows, one.scores) if isinstance(one, Run) else NOTHING for one in runs]
    return Run(topics, corpus, *Hits.stack(lists))


def _only_together(
    name: str, done: dict[int, Run | Exception], first: Exception
) -> tuple[str, ...]:
    """Say that a system raised on all topics together and on none alone."""
    if any(isinstance(one, Exception) for one in done.values()):
        return ()
    told = Failure.of(name, "", first)
    why = f"{told.kind}: {told.message}".rstrip(" .:")
    return (f"{name} raised on all topics at once, and was ranked one topic at a time ({why}).",)


def portable(found: Found) -> Found:
    """Make the errors such that another process can read them."""
    sent = (one._replace(error=_readable(one.error)) for one in found.failures)
    return Found(found.run, tuple(sent), found.notes)


def _readable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an exception class may do anything here
        return LcmError(f"{type(error).__name__}: {error}")
    return error


def frame(failures: Sequence[Failure]) -> pd.DataFrame:
    """Lay failures out: system, qid (blank for the system as a whole), kind, message."""
    rows = [(one.system, one.qid, one.kind, one.message) for one in failures]
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def failing(failures: pd.DataFrame, system: str, qids: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Tell for each topic whether the system failed on it; shape (n_topics,)."""
    lost = set(failures.loc[failures["system"] == system, "qid"])
    return np.array(["" in lost or qid in lost for qid in qids], bool)
