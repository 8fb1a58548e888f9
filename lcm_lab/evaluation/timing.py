"""The timing pass: how long a search and an index take, apart from the ranking that is measured.

One topic at a time in one thread, nothing kept from one search to the next, after a warm-up that is
not counted. The systems take turns on each topic, and another begins each time, so that a slow
moment of the machine is shared. What is timed is the search: the filters of a topic are rows
already, and no table is made of the hits.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter_ns

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.systems import Fits, Searches
from lcm_lab.run import Run
from lcm_lab.topics import Topics

__all__ = [
    "SAMPLE",
    "WARM_UP",
    "Timing",
    "index_times",
    "sample",
    "search_times",
    "without_memory",
]

#: At most so many topics are timed, spread evenly over the collection.
SAMPLE = 200
#: So many searches of each system go before those that count.
WARM_UP = 20

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Timing:
    """What was timed.

    Attributes
    ----------
    ms : dict of system to float64 array of shape (n_topics,)
        Milliseconds of one search; NaN where the topic was not timed.
    index_ms : dict of system to float
        Milliseconds to build all indexes of the system.
    notes : list of str
        How it was done.
    """

    ms: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    index_ms: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def sample(n_topics: int) -> Ints:
    """Give the positions of the topics that are timed: all, or 200 spread evenly."""
    return np.unique(np.linspace(0, n_topics - 1, min(SAMPLE, n_topics)).astype(np.int64))


def search_times(searchers: Mapping[str, Searches], topics: Topics) -> Timing:
    """Time single warm searches of every system."""
    from threadpoolctl import threadpool_limits

    timing = Timing({name: np.full(len(topics), np.nan) for name in searchers})
    chosen, names = sample(len(topics)).tolist(), list(searchers)
    with threadpool_limits(limits=1):
        for i in chosen[:WARM_UP]:
            for searcher in searchers.values():
                searcher.run(topics.pick([i]))
        before = _full_collections()
        for turn, i in enumerate(progress(chosen, "timing searches")):
            start = turn % max(len(names), 1)
            for name in names[start:] + names[:start]:
                timing.ms[name][i] = _search(searchers[name], topics.pick([i]))
        full = _full_collections() - before
    timing.notes.append(
        f"Latency: {len(chosen):,} of {len(topics):,} topics, one at a time in one thread, systems "
        f"by turns, after {min(WARM_UP, len(chosen))} searches each to warm up; the garbage "
        f"collector was {'on' if gc.isenabled() else 'off'} and made {full} full passes meanwhile."
    )
    return timing


def index_times(systems: Mapping[str, Fits | Run], corpus: Corpus) -> Timing:
    """Time how long each system takes to index the corpus from its text, nothing shared."""
    from threadpoolctl import threadpool_limits

    timing = Timing()
    fitted = {name: system for name, system in systems.items() if not isinstance(system, Run)}
    with threadpool_limits(limits=1):
        for name, system in progress(fitted.items(), "timing indexes", len(fitted)):
            fresh = without_memory(corpus)
            started = perf_counter_ns()
            system.fit(fresh)
            timing.index_ms[name] = (perf_counter_ns() - started) / 1e6
    timing.notes.append("IndexTime: each system once, from the text, in one thread.")
    return timing


def _search(searcher: Searches, topic: Topics) -> float:
    started = perf_counter_ns()
    searcher.run(topic)
    return (perf_counter_ns() - started) / 1e6


def without_memory(corpus: Corpus) -> Corpus:
    """Copy a corpus without what was derived from it, which an index would find ready-made."""
    return Corpus(pa.table({name: corpus.column(name) for name in corpus.columns}))


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])
