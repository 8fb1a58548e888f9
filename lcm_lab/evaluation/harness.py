"""evaluate: rank with every system, measure every topic, and give one tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation import timing
from lcm_lab.evaluation.judge import Bench, conversations
from lcm_lab.evaluation.notes import facts, require_judgements
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.evaluation.systems import Fits, aligned, named, ranked, searchers
from lcm_lab.evaluation.timing import Timing, without_memory
from lcm_lab.measures import Measure, R, nDCG
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics

__all__ = ["evaluate"]

Systems = Mapping[str, Fits | Run]

#: The corpus that a system's hits are rows of, and the hits.
Found = tuple[Corpus, Hits]


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
        A topic with nothing to find is left out of the means, counted and listed in ``notes``.

    Raises
    ------
    BadParameter
        For systems that cannot be fitted, or measures that are none.
    BadInput
        When no topic has anything to find, or a run is over another corpus.

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
    runs = _runs(chosen, bench.topics, n_jobs)
    times = _times(chosen, bench, {measure.name for measure in wanted})
    return Evaluation(
        frame=_table(bench, wanted, runs, times),
        systems={name: repr(system) for name, system in chosen.items()},
        collection=on,
        runs=runs,
        measures=wanted,
        latency=_latency(bench, times),
        notes=facts(bench, wanted, runs, conversations(bench)) + times.notes,
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


def _runs(systems: Systems, topics: Topics, n_jobs: int | None) -> dict[str, Run]:
    from joblib import effective_n_jobs

    ready = {n: aligned(n, run, topics) for n, run in systems.items() if isinstance(run, Run)}
    policies = {name: system for name, system in systems.items() if name not in ready}
    workers = min(effective_n_jobs(n_jobs), len(policies))
    hits = _apart(policies, topics, n_jobs, workers) if workers > 1 else _rank(policies, topics)
    made = ready | {name: Run(topics, corpus, *bare) for name, (corpus, bare) in hits.items()}
    return {name: made[name] for name in systems}


def _rank(systems: Systems, topics: Topics) -> dict[str, Found]:
    """Rank with systems that share their leaves."""
    fitted = searchers(systems, topics.corpus)
    found = {}
    for name, searcher in progress(fitted.items(), "ranking", len(fitted)):
        run = ranked(name, searcher, topics)
        found[name] = (run.corpus, Hits(run.offsets, run.rows, run.scores))
    return found


def _sent(systems: Systems, topics: Topics) -> dict[str, tuple[Corpus | None, Hits]]:
    """Rank in a worker, which sends bare hits home; a corpus only where it is the system's own."""
    found = _rank(systems, topics).items()
    return {
        name: (None if corpus is topics.corpus else without_memory(corpus), hits)
        for name, (corpus, hits) in found
    }


def _apart(systems: Systems, topics: Topics, n_jobs: int | None, workers: int) -> dict[str, Found]:
    """Rank in several processes, neighbours together: in a grid they share the most."""
    from joblib import Parallel, delayed

    names = list(systems)
    parts = [
        names[i * len(names) // workers : (i + 1) * len(names) // workers] for i in range(workers)
    ]
    cells = (delayed(_sent)({name: systems[name] for name in part}, topics) for part in parts)
    done = Parallel(n_jobs=n_jobs, return_as="generator")(cells)
    return {
        name: (topics.corpus if corpus is None else corpus, hits)
        for part in progress(done, "ranking", workers)
        for name, (corpus, hits) in part.items()
    }


def _times(systems: Systems, bench: Bench, names: set[str]) -> Timing:
    times = Timing()
    if "Latency" in names:
        fitted = searchers(systems, bench.collection.corpus)
        times = timing.search_times(fitted, bench.topics)
    if "IndexTime" in names:
        indexing = timing.index_times(systems, bench.collection.corpus)
        times = Timing(times.ms, indexing.index_ms, times.notes + indexing.notes)
    return times


def _table(
    bench: Bench, measures: Sequence[Measure], runs: Mapping[str, Run], times: Timing
) -> pd.DataFrame:
    parts, qids = [], np.array(bench.topics.qids, object)
    for name, run in runs.items():
        judged = bench.judge(run, times.ms.get(name), times.index_ms.get(name, np.nan))
        for measure in measures:
            values = measure.per_topic(judged)
            rows = {"qid": qids if measure.per == "topic" else [""], "value": values}
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
