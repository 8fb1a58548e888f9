"""What `Latency` and `IndexTime` of an evaluation are: single searches by turns, and indexing.

One topic at a time in one thread, nothing due at any moment, after a warm-up that is not counted:
service times. What waiting behind other searches adds to them is for `lcm_lab.latency`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.systems import Fits, Searches
from lcm_lab.evaluation.timing.clock import Clock, Monotonic, pinned
from lcm_lab.evaluation.timing.passes import carry_out, told
from lcm_lab.evaluation.timing.plan import by_turns
from lcm_lab.evaluation.vetting import Failure
from lcm_lab.ranking.links import lent_on
from lcm_lab.run import Run
from lcm_lab.topics import Topics

__all__ = [
    "SAMPLE",
    "WARM_UP",
    "Timing",
    "index_times",
    "loaded",
    "prefix",
    "sample",
    "search_times",
    "without_memory",
]

#: At most so many topics are timed, spread evenly over the collection.
SAMPLE = 200
#: So many searches of each system go before those that count.
WARM_UP = 20
#: Rows that a system indexes before it is timed, so that what it imports is there.
FEW = 100

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Timing:
    """What was timed.

    Attributes
    ----------
    ms : dict of system to float64 array of shape (n_topics,)
        Milliseconds of one search; NaN where the topic was not timed, or the search raised.
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


def search_times(
    searchers: Mapping[str, Searches], topics: Topics, clock: Clock | None = None
) -> Timing:
    """Time single warm searches of every system; one that raises loses no times but its own."""
    chosen, read = sample(len(topics)), clock or Monotonic()
    plan = by_turns(list(searchers), chosen, WARM_UP)
    taken, conditions = pinned(lambda: carry_out(plan, searchers, topics, read))
    ms = {name: np.full(len(topics), np.nan) for name in searchers if name not in taken.lost}
    done = taken.counted()
    for name, part in done.groupby("system"):
        ms[str(name)][part["topic"].to_numpy(int)] = part["service"].to_numpy()
    notes = [
        f"Latency: {len(chosen):,} of {len(topics):,} topics, one at a time in one thread, systems "
        f"by turns, after {min(WARM_UP, len(chosen))} searches each to warm up.",
        f"Latency: {conditions}.",
        *(f"Latency: {one}" for one in told(taken)),
    ]
    return Timing(ms, notes=notes)


def index_times(
    systems: Mapping[str, Fits | Run], corpus: Corpus, clock: Clock | None = None
) -> Timing:
    """Time how long each system takes to index the corpus from its text, nothing shared."""
    fitted = {name: system for name, system in systems.items() if not isinstance(system, Run)}
    read, failed, ms = clock or Monotonic(), dict[str, Failure](), dict[str, float]()
    for system in fitted.values():
        loaded(system, corpus)

    def work() -> None:
        for name, system in progress(fitted.items(), "timing indexes", len(fitted)):
            fresh = without_memory(corpus)
            started = read.now()
            try:
                system.fit(fresh)
            except Exception as error:
                failed[name] = Failure.of(name, "", error)
            else:
                ms[name] = (read.now() - started) / 1e6

    _, conditions = pinned(work)
    lost = (
        f"IndexTime: {name} has none: it raised ({one.kind}: {one.message.rstrip(' .:')})."
        for name, one in failed.items()
    )
    how = "IndexTime: each system once, from the text, in one thread, its imports done before."
    return Timing(index_ms=ms, notes=[how, f"IndexTime: {conditions}.", *lost])


def loaded(system: Fits, corpus: Corpus) -> None:
    """Let a system index a few rows, so that the modules it imports are there, and pinned."""
    # Whatever it says of so few rows: it is put to all of them next.
    with contextlib.suppress(Exception):
        system.fit(prefix(corpus, FEW))


def prefix(corpus: Corpus, size: int) -> Corpus:
    """Copy the first rows of a corpus, with the Dags it was lent, without what was derived."""
    columns = {name: corpus.column(name)[:size] for name in corpus.columns}
    return lent_on(corpus, Corpus(pa.table(columns)))


def without_memory(corpus: Corpus) -> Corpus:
    """Copy a corpus without what was derived from it, which an index would find ready-made."""
    return prefix(corpus, len(corpus))
