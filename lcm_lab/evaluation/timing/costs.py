"""What `scaling` measures: one index after another, and what is asked of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.systems import Fits, Searches
from lcm_lab.evaluation.timing.clock import Clock
from lcm_lab.evaluation.timing.memory import index_memory
from lcm_lab.evaluation.timing.service import prefix, without_memory
from lcm_lab.evaluation.vetting import Failure
from lcm_lab.topics import Topics

__all__ = ["ADDED", "REPEATS", "WARM", "Row", "Source", "costs", "weighed"]

#: Every system indexes, answers first and is added to so many times at each size.
REPEATS = 3
#: So many messages are added at once, or a tenth of all where that is less.
ADDED = 100
#: So many searches come between the first one and those that are timed as warm.
WARM = 20

T = TypeVar("T")

#: System, size, work, repeat, and milliseconds or MiB.
Row = tuple[str, int, str, int, float]


class Source(NamedTuple):
    """A corpus of some size, and questions that are put to the whole of it."""

    corpus: Corpus
    questions: list[str]


def costs(
    systems: Mapping[str, Any],
    sizes: Sequence[int],
    source: Callable[[int], Source],
    seed: int,
    clock: Clock,
) -> tuple[list[Row], dict[str, Failure]]:
    """Time every system at every size; give rows, and what was raised by those that raised."""
    rng, rows, lost = np.random.default_rng(seed), list[Row](), dict[str, Failure]()
    names = list(systems)
    for size, repeat in progress([(s, r) for s in sizes for r in range(REPEATS)], "timing sizes"):
        for name in (names[int(i)] for i in rng.permutation(len(names))):
            if name in lost:
                continue
            try:
                done = _costs(systems[name], source(size), repeat, clock)
            except Exception as error:
                lost[name] = Failure.of(name, f"{size:,}", error)
                rows = [row for row in rows if row[:2] != (name, size)]
            else:
                rows += [(name, size, work, repeat, ms) for work, ms in done]
    return rows, lost


def _costs(system: Fits, given: Source, repeat: int, clock: Clock) -> list[tuple[str, float]]:
    """Time one index of a system, the searches that fall to it, and an addition."""
    fresh = without_memory(given.corpus)
    ms, fitted = _timed(lambda: system.fit(fresh), clock)
    topics = Topics.of(given.questions, fresh)
    first, warm, counted = _turns(len(topics), repeat)
    answers = [_search(fitted, topics.pick([i]), clock) for i in (first, *warm, *counted)]
    done = [("index", ms), ("first search", answers[0])]
    done += [("search", ms) for ms in answers[1 + len(warm) :]]
    if not hasattr(fitted, "grow"):
        return done
    shorter = system.fit(prefix(given.corpus, len(fresh) - min(ADDED, len(fresh) // 10)))
    longer = without_memory(given.corpus)
    ms, _ = _timed(lambda: cast(Any, shorter).grow(longer), clock)
    return [*done, ("add", ms)]


def _turns(n: int, repeat: int) -> tuple[int, list[int], list[int]]:
    """Give the question that comes first in a repeat, those to warm up, and those that count."""
    counted = np.array_split(np.arange(REPEATS + WARM, n), REPEATS)[repeat]
    return repeat, list(range(REPEATS, REPEATS + WARM)), counted.tolist()


def _search(fitted: Searches, topic: Topics, clock: Clock) -> float:
    return _timed(lambda: fitted.run(topic), clock)[0]


def _timed(work: Callable[[], T], clock: Clock) -> tuple[float, T]:
    started = clock.now()
    done = work()
    return (clock.now() - started) / 1e6, done


def weighed(
    systems: Mapping[str, Any],
    sizes: Sequence[int],
    source: Callable[[int], Source],
    lost: dict[str, Failure],
) -> list[Row]:
    """Weigh the indexes of the systems that did not raise, each in a process of its own."""
    rows = list[Row]()
    for size in progress(sizes, "weighing indexes"):
        for name in [name for name in systems if name not in lost]:
            try:
                grown = index_memory(systems[name], source(size).corpus)
            except Exception as error:
                lost[name] = Failure.of(name, f"{size:,}", error)
                continue
            if grown is not None:
                rows.append((name, size, "memory", 0, grown.held))
                rows.append((name, size, "peak memory", 0, grown.peak))
    return rows
