"""The systems of an evaluation: what may be one, what it is called, and the run it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.searcher import Indexes, Searcher, require
from lcm_lab.run import Run
from lcm_lab.shown import counted
from lcm_lab.topics import Topics

__all__ = ["Fits", "Searches", "aligned", "named", "ranked", "searchers"]

WAY_OUT = "Write {'bm25': BM25() % 10, ...}, a list of policies, or one policy."


@runtime_checkable
class Searches(Protocol):
    """What fitting gives: something that runs topics."""

    def run(self, topics: Topics) -> Run:
        """Give the hits of every topic, best first."""


@runtime_checkable
class Fits(Protocol):
    """Anything that can be fitted to a corpus; policies are, and an author's own object may be."""

    def fit(self, corpus: Corpus) -> Searches:
        """Index a corpus."""


def named(systems: Any) -> dict[str, Fits | Run]:
    """Give every system its name: the key it came under, else its expression.

    Raises
    ------
    BadParameter
        For what cannot be fitted, a policy that stands for several or brings no hits, two systems
        of one name, or none at all.
    """
    given = _pairs(systems)
    if not given:
        raise BadParameter(f"There are no systems to evaluate. {WAY_OUT}")
    for name, system in given:
        if not isinstance(name, str) or not name.strip():
            raise BadParameter(f"A system is called by a text that is not blank. Got {name!r}.")
        if isinstance(system, type) or not isinstance(system, Fits | Run):
            raise BadParameter(f"System {name!r} cannot be fitted: {system!r:.80}. {WAY_OUT}")
        if isinstance(system, Ranker):
            require(system)
    names = [name for name, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadParameter(f"Two systems are called {twice!r}. Name them: {{'a': ..., 'b': ...}}.")
    return dict(given)


def _pairs(systems: Any) -> list[tuple[Any, Any]]:
    if isinstance(systems, Mapping):
        return list(systems.items())
    if isinstance(systems, Fits | Run) and not isinstance(systems, type):
        return [(repr(systems), systems)]
    if isinstance(systems, str | bytes) or not isinstance(systems, Iterable):
        raise BadParameter(f"Cannot evaluate {systems!r:.80}. {WAY_OUT}")
    return [(repr(system), system) for system in systems]


def searchers(
    systems: Mapping[str, Fits | Run], corpus: Corpus
) -> tuple[dict[str, Searches], dict[str, Exception]]:
    """Fit every system; leaves that policies share are indexed once. Finished runs are left out.

    Returns
    -------
    dict of name to what was fitted
    dict of name to what was raised instead
    """
    indexes, fitted, failed = Indexes(corpus), dict[str, Searches](), dict[str, Exception]()
    for name, system in systems.items():
        if isinstance(system, Run):
            continue
        try:
            fitted[name] = _fit(system, corpus, indexes)
        except Exception as error:
            failed[name] = error
    return fitted, failed


def _fit(system: Fits, corpus: Corpus, indexes: Indexes) -> Searches:
    if isinstance(system, Ranker) and type(system).fit is Ranker.fit:
        return Searcher(system, corpus, indexes)
    return system.fit(corpus)


def ranked(name: str, searcher: Searches, topics: Topics) -> Run:
    """Run the topics, to the system's own cut or a thousand hits.

    Raises
    ------
    BadParameter
        When a system of somebody's own gives no run.
    BadInput
        When its run is not of as many topics as it was asked.
    """
    run = searcher.run(topics)
    if not isinstance(run, Run):
        raise BadParameter(
            f"System {name!r} must give a Run for topics. Got {type(run).__name__}. "
            "Write Run.of(topics, Hits.stack([(rows, scores), ...]))."
        )
    if len(run.offsets) != len(topics) + 1:
        raise BadInput(
            f"System {name!r} was asked {counted(len(topics), 'topic')} and gave a run of "
            f"{len(run.offsets) - 1:,}. Give one list of hits, empty or not, for each."
        )
    return run


def aligned(name: str, run: Run, topics: Topics) -> Run:
    """Put a finished run in the order of these topics: those it lacks have no hits, others go.

    Raises
    ------
    BadInput
        When the run is over another corpus.
    """
    if run.corpus is not topics.corpus and run.corpus.fingerprint != topics.corpus.fingerprint:
        raise BadInput(f"Run {name!r} is over another corpus than the collection's. Rank again.")
    place = pd.Index(topics.qids, dtype=object).get_indexer(pd.Index(run.topics.qids, dtype=object))
    topic = place[run.topic]
    order = np.argsort(topic, kind="stable")
    order = order[topic[order] >= 0]
    offsets = np.searchsorted(topic[order], np.arange(len(topics) + 1)).astype(np.int64)
    return Run(topics, topics.corpus, offsets, run.rows[order], run.scores[order])
