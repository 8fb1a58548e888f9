"""scaling: what indexing, the first search, a search, an addition and memory cost, by size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.bench.zipf import zipf
from lcm_lab.evaluation.systems import Fits, named
from lcm_lab.evaluation.timing.clock import Monotonic, pinned
from lcm_lab.evaluation.timing.costs import ADDED, REPEATS, WARM, Source, costs, weighed
from lcm_lab.evaluation.timing.curve import COLUMNS, Scaling
from lcm_lab.evaluation.timing.memory import resident
from lcm_lab.evaluation.timing.service import loaded, prefix
from lcm_lab.evaluation.vetting import Failure
from lcm_lab.ranking.checks import whole
from lcm_lab.run import Run

__all__ = ["scaling"]


#: A corpus of fewer messages says nothing of sizes.
LEAST = 100


def scaling(
    systems: Any,
    sizes: Sequence[int] = (1_000, 10_000, 100_000),
    on: Collection | None = None,
    *,
    searches: int = 100,
    memory: bool = False,
    seed: int = 0,
) -> Scaling:
    """Time indexing, the first search, warm searches and an addition at several sizes.

    Parameters
    ----------
    systems : dict of name to policy, list of policies, or one policy
        As in `evaluate`, but no finished run.
    sizes : sequence of int
        Messages; they rise. A million take minutes and several GiB.
    on : Collection, optional
        Its first messages are indexed and its questions asked, without their filters, since a
        search within one conversation does not grow with the corpus. Where not given, messages of
        made-up words whose frequencies and lengths are as in conversations.
    searches : int
        Warm searches at each size.
    memory : bool
        Whether to let a fresh process build each index, to see what it grows by. Linux only.
    seed : int
        Of the made-up messages and of whose turn it is.

    Returns
    -------
    Scaling
        ``.summary()``, ``.exponents()``, ``.frame`` and ``.notes``. A system that raises has no
        figures of that size and of larger ones, and the others keep theirs.

    Raises
    ------
    BadParameter
        For what is no system, sizes that do not rise, or a collection that is too small.

    Notes
    -----
    At each size every system indexes three times from the text, in an order drawn anew each time.
    The first search is the first of that index, in a process that has answered before: files that
    it reads may be in the system's cache. An addition is of the last 100 messages (a tenth of all
    below 1,000) to an index of the others, by ``grow``, as where a conversation goes on.

    Examples
    --------
    >>> grown = scaling({"bm25": lcm.BM25() % 10}, sizes=(100, 200, 400), searches=20)
    >>> grown.exponents()[["system", "work", "sizes"]].values.tolist()[0]
    ['bm25', 'index', 3]
    """
    chosen = named(systems)
    _check(chosen, sizes, on)
    whole("searches", searches)
    whole("seed", seed, 0)
    source = _source(on, REPEATS + WARM + searches, seed)
    for system in chosen.values():
        loaded(cast(Fits, system), source(sizes[0]).corpus)
    (rows, lost), conditions = pinned(lambda: costs(chosen, sizes, source, seed, Monotonic()))
    if memory:
        rows += weighed(chosen, sizes, source, lost)
    return Scaling(
        pd.DataFrame(rows, columns=COLUMNS),
        {name: repr(system) for name, system in chosen.items()},
        conditions,
        tuple(_notes(on, lost, f"{conditions}.", memory=memory)),
    )


def _check(systems: Mapping[str, Any], sizes: Any, on: Any) -> None:
    run = next((name for name, system in systems.items() if isinstance(system, Run)), None)
    if run is not None:
        raise BadParameter(f"System {run!r} is a finished run, which takes no time. Give a policy.")
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or not sizes:
        raise BadParameter(f"sizes are some, such as (1_000, 10_000). Got {sizes!r:.80}.")
    for size in sizes:
        whole("a size", size, LEAST)
    if any(after <= before for before, after in pairwise(sizes)):
        raise BadParameter(f"sizes must rise, as in (1_000, 10_000). Got {sizes!r:.80}.")
    if on is not None:
        _check_collection(on, sizes)


def _check_collection(on: Any, sizes: Sequence[int]) -> None:
    if not isinstance(on, Collection):
        raise BadParameter(f"scaling takes on= a Collection. Got {type(on).__name__}. See load().")
    if not len(on.topics):
        raise BadParameter(f"{on.name!r} has no topics, so there is nothing to ask.")
    if len(on.corpus) < sizes[-1]:
        raise BadParameter(
            f"{on.name!r} has {len(on.corpus):,} messages, and sizes go up to {sizes[-1]:,}. "
            "Choose smaller ones, or leave on= out for made-up messages."
        )


def _source(on: Collection | None, n: int, seed: int) -> Callable[[int], Source]:
    """Give what makes a corpus of some size, and n questions; the last one is kept."""

    @lru_cache(maxsize=1)
    def made(size: int) -> Source:
        if on is None:
            words = zipf(size, questions=n, seed=seed)
            return Source(words.corpus, words.natural)
        asked = on.topics["query"].tolist()
        order = np.random.default_rng(seed).permutation(len(asked))
        return Source(prefix(on.corpus, size), [asked[order[i % len(asked)]] for i in range(n)])

    return made


def _notes(
    on: Collection | None, lost: Mapping[str, Failure], machine: str, *, memory: bool
) -> Iterator[str]:
    what = "messages of made-up words" if on is None else f"the first messages of {on.name!r}"
    yield (
        f"Over {what}; questions are put to all of them. Times are medians: of {REPEATS} builds "
        f"from the text, of their first searches, of searches after {WARM} more, and of {REPEATS} "
        f"additions of {ADDED} messages (a tenth of all, where that is less)."
    )
    yield machine
    if memory and resident() is None:
        yield "Memory is blank: this system does not tell how much a process takes."
    elif memory:
        yield (
            "Memory is what a fresh process grew by, once: it holds the index and what fitting "
            "derived from the text, not the text. Less than a few MiB is chance."
        )
    for name, one in lost.items():
        yield f"{name} raised at {one.qid} messages ({one.kind}: {one.message.rstrip(' .:')})."
