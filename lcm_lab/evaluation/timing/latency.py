"""latency: how long a question waits for its answer when questions come at their own pace.

A loop that asks again once it is answered times no waiting: while a search stalls, nothing is
asked. Here every search is due at a moment fixed before, and what counts is the time from then on,
so that a stall is charged to each search that had to wait for it ("coordinated omission" is what
leaving that out is called).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.systems import Searches, named, searchers
from lcm_lab.evaluation.timing.clock import Clock, Conditions, Monotonic, pinned
from lcm_lab.evaluation.timing.latencies import Latencies
from lcm_lab.evaluation.timing.passes import Taken, carry_out, told
from lcm_lab.evaluation.timing.percentiles import PERCENTILES, least
from lcm_lab.evaluation.timing.plan import LEAD, Arrivals, by_turns, in_rounds
from lcm_lab.evaluation.timing.service import WARM_UP, sample
from lcm_lab.evaluation.vetting import Failure
from lcm_lab.ranking.checks import whole
from lcm_lab.run import Run
from lcm_lab.shown import counted
from lcm_lab.topics import Topics

__all__ = ["latency"]

#: Of what the slowest system can serve, where no rate is given.
HALF = 0.5
#: A system that is busy for longer has a queue that blocks of this length do not show in full.
BUSY = 0.8


def latency(
    systems: Any,
    on: Collection,
    *,
    rate: float | None = None,
    n: int = 1000,
    arrivals: Arrivals = "poisson",
    seed: int = 0,
) -> Latencies:
    """Time searches that are due at moments fixed before, whether or not others are done.

    Parameters
    ----------
    systems : dict of name to policy, list of policies, or one policy
        As in `evaluate`, but no finished run.
    on : Collection
        Its topics are asked in turn, shuffled, each under its own filters.
    rate : float, optional
        Searches a second that are due to each system. Where not given, half of what the slowest
        serves while it warms up.
    n : int
        Searches of each system that count. A thousand take ``1.2 * n / rate`` seconds a system.
    arrivals : {"poisson", "even"}
        Whether searches are due at random moments or at regular ones.
    seed : int

    Returns
    -------
    Latencies
        ``.summary()``, ``.ratio(a, b)``, ``.frame`` and ``.notes``. A system that raises while it
        is timed loses no times but its own.

    Raises
    ------
    BadParameter
        For what is no system, no rate, or no way to arrive.
    Exception
        What the first system raised, where none could be fitted.

    Notes
    -----
    One search runs at a time, in one thread, in the order in which they are due. Systems alternate
    in blocks, ten of each, in random order and at the same moments; the queue is empty when a block
    begins. Before the blocks each system answers 20 searches to warm up, and the first 20 of a
    block are not counted either.

    Examples
    --------
    >>> bench = lcm.load("synth-chat-s")
    >>> systems = {"bm25": lcm.BM25() % 10, "tf-idf": lcm.TfIdf() % 10}
    >>> timed = latency(systems, on=bench, rate=1000, n=100)
    >>> timed.ratio("bm25", "tf-idf")[["time", "percentile", "rounds"]].values.tolist()
    [['latency', 50.0, 5], ['latency', 95.0, 5], ['service', 50.0, 5], ['service', 95.0, 5]]
    """
    chosen = named(systems)
    _check(chosen, on, rate, arrivals)
    whole("n", n)
    whole("seed", seed, 0)
    fitted, failed = searchers(chosen, on.corpus)
    if not fitted:
        raise next(iter(failed.values()))
    topics = Topics.of(on.topics, on.corpus)
    load = Load(rate, n, arrivals, seed)
    frame, rate, conditions, notes = timed_under_load(fitted, topics, load, Monotonic())
    return Latencies(
        frame=frame,
        systems={name: repr(system) for name, system in chosen.items()},
        collection=on.name,
        rate=rate,
        conditions=conditions,
        seed=seed,
        notes=(*notes, *_unfitted(failed)),
    )


def _check(systems: Mapping[str, Any], on: Any, rate: Any, arrivals: Any) -> None:
    if not isinstance(on, Collection):
        raise BadParameter(f"latency needs on= a Collection. Got {type(on).__name__}. See load().")
    if not len(on.topics):
        raise BadParameter(f"{on.name!r} has no topics, so there is nothing to ask.")
    run = next((name for name, system in systems.items() if isinstance(system, Run)), None)
    if run is not None:
        raise BadParameter(f"System {run!r} is a finished run, which takes no time. Give a policy.")
    number = isinstance(rate, int | float | np.number) and not isinstance(rate, bool)
    if rate is not None and not (number and 0 < rate < np.inf):
        raise BadParameter(
            f"rate must be searches a second, above 0, such as 10. Got {rate!r:.80}."
        )
    if arrivals not in get_args(Arrivals):
        raise BadParameter(f"arrivals must be 'poisson' or 'even'. Got {arrivals!r:.80}.")


class Load(NamedTuple):
    """What is asked of each system, as `latency` takes it."""

    rate: float | None
    n: int
    arrivals: Arrivals
    seed: int


def timed_under_load(
    searchers: Mapping[str, Searches], topics: Topics, load: Load, clock: Clock
) -> tuple[pd.DataFrame, float, Conditions, list[str]]:
    """Warm up, find a rate where none is given, and time.

    Returns
    -------
    DataFrame
        As in `Latencies`.
    float
        The rate.
    Conditions
    list of str
        How it was done.
    """

    def work() -> tuple[Taken, float]:
        warm_up = by_turns(list(searchers), sample(len(topics))[:WARM_UP], 0)
        warm = carry_out(warm_up, searchers, topics, clock)
        rate = _affordable(warm) if load.rate is None else float(load.rate)
        left = [name for name in searchers if name not in warm.lost]
        plan = in_rounds(left, len(topics), load.n, rate, load.arrivals, seed=load.seed)
        done = carry_out(plan, searchers, topics, clock)
        return Taken(done.frame, done.failures | warm.failures, done.lost | warm.lost), rate

    (taken, rate), conditions = pinned(work)
    counts = taken.counted()
    counts["qid"] = np.array(topics.qids, object)[counts["topic"].to_numpy(int)]
    frame = counts[["system", "round", "qid", "latency", "service"]]
    notes = list(_notes(taken, frame, rate, load, len(topics)))
    notes.insert(2, f"{conditions}.")
    return frame, rate, conditions, notes


def _affordable(warm: Taken) -> float:
    """Give half of what the slowest system serves in a second, in two digits."""
    mean = warm.counted().groupby("system")["service"].mean().max()
    slowest = max(float(mean), 1e-3) if np.isfinite(mean) else 1.0
    return float(f"{HALF / (slowest / 1e3):.2g}")


def _notes(
    taken: Taken, frame: pd.DataFrame, rate: float, load: Load, n_topics: int
) -> Iterator[str]:
    random = f"at random moments (Poisson, seed {load.seed})"
    moments = random if load.arrivals == "poisson" else "at regular moments"
    rounds = int(frame["round"].nunique())
    yield (
        f"{rate:g} searches a second were due to each system, {moments}. Latency is from when a "
        "search was due, service from when it began; one ran at a time, in one thread."
    )
    yield (
        f"{load.n:,} searches each, of {counted(n_topics, 'topic')} in turn, in {rounds} blocks a "
        "system, in random order. Not counted: 20 searches each before, and the first "
        f"{LEAD} of each block."
    )
    late = taken.lateness()
    if len(late):
        yield (
            f"Searches that had none to wait for began {np.median(late):.3f} ms late at the "
            f"median, {late.max():.3f} ms at most, which is in their latency."
        )
    yield from told(taken)
    yield from _overloaded(frame, rate)
    blank = [f"p{p:g} ({least(p):,})" for p in PERCENTILES if load.n < least(p)]
    if blank:
        yield f"Blank, for it takes more searches: {', '.join(blank)}."


def _overloaded(frame: pd.DataFrame, rate: float) -> Iterator[str]:
    for name, ms in frame.groupby("system", sort=False)["service"]:
        busy = rate * ms.mean() / 1e3
        if busy >= 1:
            yield (
                f"{name} cannot keep up: it would be busy for {busy:.0%} of the time, and its "
                "latency grows for as long as it is asked. Its percentiles are of blocks this long."
            )
        elif busy >= BUSY:
            yield (
                f"{name} was busy for {busy:.0%} of the time. A queue grows slowly then, and it is "
                "emptied after each block: a longer load would wait longer."
            )


def _unfitted(failed: Mapping[str, Exception]) -> Iterator[str]:
    for name, error in failed.items():
        one = Failure.of(name, "", error)
        yield f"{name} has no times: it could not be fitted ({one.kind}: {one.message})."
