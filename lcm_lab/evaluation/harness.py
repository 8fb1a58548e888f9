"""evaluate: rank with every system, measure every topic, and give one tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.failures import NOTHING, failing, frame
from lcm_lab.evaluation.judge import Bench, conversations
from lcm_lab.evaluation.notes import facts, require_judgements
from lcm_lab.evaluation.ranking import Systems, rank_all
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.evaluation.systems import named, searchers
from lcm_lab.evaluation.timing import Timing, index_times, search_times
from lcm_lab.evaluation.vetting import Found
from lcm_lab.measures import Measure, R, nDCG
from lcm_lab.run import Hits, Run
from lcm_lab.shown import counted
from lcm_lab.topics import Topics

__all__ = ["evaluate"]


def evaluate(
    systems: Any,
    on: Collection,
    measures: Iterable[Measure] = (nDCG @ 10, R @ 10),
    n_jobs: int | None = None,
) -> Evaluation:
    """Rank with every system, measure every topic, and give one tidy table.

    Parameters
    ----------
    systems : dict of name to policy, list of policies, or one policy
        Without names a system is called by its expression. A system may also be any object with
        ``fit(corpus)`` whose result has ``run(topics) -> Run``, or a finished `Run`: topics that it
        lacks count 0, topics that are not asked are ignored. Each runs to its own cut, or to 1,000
        hits. The hits of a `Memory` are of a corpus of its own: what is in none of the judgements
        takes its place and its tokens, as any hit does.
    on : Collection
    measures : iterable of Measure
        `Latency` and `IndexTime` are taken in a separate pass.
    n_jobs : int, optional
        Processes to spread the systems over, as in joblib; unset, whatever
        ``joblib.parallel_config`` says, else one. Leaves that policies share are indexed once and
        scored once in each.

    Returns
    -------
    Evaluation
        A topic with nothing to find is left out of the means, counted and listed in ``notes``. A
        system that raises on some topics keeps the others, and one that raises on all of them, or
        when it is fitted, leaves the other systems theirs: what it raised is in ``failures``, and
        a topic that failed has no value (`Evaluation.summary` says how it can count).

    Raises
    ------
    BadParameter
        For what is no system, a policy that brings no hits, or measures that are none.
    BadInput
        When no topic has anything to find, or a run is over another corpus.
    Exception
        What the first system raised, where no system gave anything at all.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.measures import Tokens
    >>> bench = lcm.load("synth-chat-s")
    >>> result = lcm.evaluate([lcm.BM25() % 10, lcm.TfIdf() % 10], on=bench, measures=[Tokens @ 10])
    >>> result.summary()["system"].tolist()
    ['BM25() % 10', 'TfIdf() % 10']
    """
    wanted, chosen = _measures(measures), named(systems)
    if not isinstance(on, Collection):
        raise BadParameter(f"evaluate needs on= a Collection. Got {type(on).__name__}. See load().")
    bench = Bench.of(on)
    require_judgements(bench, wanted)
    found = rank_all(chosen, bench.topics, n_jobs)
    runs = {name: _run(one, bench.topics) for name, one in found.items()}
    failures = frame([failure for one in found.values() for failure in one.failures])
    times = _times(chosen, bench, {measure.name for measure in wanted}, failures)
    return Evaluation(
        frame=_table(bench, wanted, runs, times, failures),
        systems={name: repr(system) for name, system in chosen.items()},
        collection=on,
        runs=runs,
        measures=wanted,
        latency=_latency(bench, times),
        notes=[
            *facts(bench, wanted, runs, conversations(bench), failures),
            *(note for one in found.values() for note in one.notes),
            *times.notes,
        ],
        failures=failures,
        policies=dict(chosen),
    )


def _measures(measures: Any) -> tuple[Measure, ...]:
    given = (measures,) if isinstance(measures, Measure | str) else tuple(measures)
    wrong = next((measure for measure in given if not isinstance(measure, Measure)), None)
    if wrong is not None or not given:
        got = "none" if wrong is None else repr(wrong)
        raise BadParameter(
            f"measures are values such as nDCG @ 10 from lcm_lab.measures. Got {got}. "
            'From a text: measures.parse("nDCG@10").'
        )
    return tuple(dict.fromkeys(given))


def _run(found: Found, topics: Topics) -> Run:
    """Give the run of a system; one that gave nothing has no hits for any topic."""
    if found.run is not None:
        return found.run
    return Run.of(topics, Hits.stack([NOTHING] * len(topics)))


def _times(systems: Systems, bench: Bench, names: set[str], failures: pd.DataFrame) -> Timing:
    """Time the systems that gave something, on topics on which none of them failed."""
    lost = np.array([failing(failures, name, bench.topics.qids) for name in systems])
    gone = lost.all(1) & (lost.shape[1] > 0)
    alive = {n: one for (n, one), bad in zip(systems.items(), gone, strict=True) if not bad}
    times = Timing()
    if "Latency" in names:
        fitted, _ = searchers(alive, bench.collection.corpus)
        sound = np.flatnonzero(~lost[~gone].any(0))
        every = len(sound) == len(bench.topics)
        topics = bench.topics if every else bench.topics.pick(sound)
        found = search_times(fitted, topics)
        times = _spread(found, sound, len(bench.topics))
    if "IndexTime" in names:
        found = index_times(alive, bench.collection.corpus)
        times = Timing(times.ms, found.index_ms, times.notes + found.notes)
    return times


def _spread(times: Timing, sound: npt.NDArray[np.int64], n_topics: int) -> Timing:
    """Put the times of some topics in their places among all."""
    placed = {name: np.full(n_topics, np.nan) for name in times.ms}
    for name, ms in times.ms.items():
        placed[name][sound] = ms
    left_out = n_topics - len(sound)
    told = [f"Latency: {counted(left_out, 'topic')} not timed, on which a system failed."]
    return Timing(placed, times.index_ms, times.notes + (told if left_out else []))


def _table(
    bench: Bench,
    measures: Sequence[Measure],
    runs: Mapping[str, Run],
    times: Timing,
    failures: pd.DataFrame,
) -> pd.DataFrame:
    parts, qids = [], np.array(bench.topics.qids, object)
    for name, run in runs.items():
        judged = bench.judge(run, times.ms.get(name), times.index_ms.get(name, np.nan))
        lost = failing(failures, name, bench.topics.qids)
        for measure in measures:
            values, of_topics = measure.per_topic(judged), measure.per == "topic"
            values = np.where(lost, np.nan, values) if of_topics else values
            rows = {"qid": qids if of_topics else [""], "value": values}
            part = pd.DataFrame(rows).assign(system=name, measure=str(measure))
            parts.append(part[part["value"].notna()] if measure.needs == "timing" else part)
    table = pd.concat(parts, ignore_index=True)
    return table[["system", "qid", "measure", "value"]]


def _latency(bench: Bench, times: Timing) -> pd.DataFrame:
    qids = np.array(bench.topics.qids, object)
    parts = [
        pd.DataFrame({"system": name, "qid": qids[~np.isnan(ms)], "ms": ms[~np.isnan(ms)]})
        for name, ms in times.ms.items()
    ]
    empty = pd.DataFrame({"system": [], "qid": [], "ms": np.empty(0)})
    return pd.concat(parts, ignore_index=True) if parts else empty
