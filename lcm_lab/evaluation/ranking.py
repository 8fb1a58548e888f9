"""Ranking with every system, here or in several processes; what fails is kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.failures import portable, rank
from lcm_lab.evaluation.lending import lent, settled
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.systems import Fits, aligned, searchers
from lcm_lab.evaluation.timing import without_memory
from lcm_lab.evaluation.vetting import Failure, Found, asked, leaks, vetted
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.nodes import Around, Top
from lcm_lab.ranking.scorer import Leaf
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics

__all__ = ["Systems", "rank_all"]

Systems = Mapping[str, Fits | Run]


class Sent(NamedTuple):
    """What a worker sends home: a corpus only where it is the system's own."""

    corpus: Corpus | None
    hits: Hits | None
    rest: Found


def rank_all(systems: Systems, topics: Topics, n_jobs: int | None) -> dict[str, Found]:
    """Rank with every system; leaves that policies share are scored once in each process.

    Raises
    ------
    Exception
        What the first system raised, where none gave anything at all.
    """
    from joblib import effective_n_jobs

    policies = {name: one for name, one in systems.items() if not isinstance(one, Run)}
    workers = min(effective_n_jobs(n_jobs), len(policies))
    found = _apart(policies, topics, n_jobs, workers) if workers > 1 else _here(policies, topics)
    for name, system in systems.items():
        if isinstance(system, Run):
            found[name] = _finished(name, system, topics)
    if all(one.run is None for one in found.values()):
        _give_up({name: found[name] for name in systems})
    return {name: found[name] for name in systems}


def _give_up(found: Mapping[str, Found]) -> None:
    name, first = next(iter(found.items()))
    error = first.failures[0].error
    error.add_note(f"This is what {name!r} raised; no system gave anything for any topic.")
    raise error


def _finished(name: str, run: Run, topics: Topics) -> Found:
    found = vetted(name, aligned(name, run, topics))
    notes = (*asked(name, run, topics), *found.notes)
    told = () if found.run is None else leaks(name, found.run)
    return Found(found.run, found.failures, (*notes, *told))


def _here(systems: Systems, topics: Topics) -> dict[str, Found]:
    """Rank with systems that share their leaves."""
    fitted, failed = searchers(systems, topics.corpus)
    found = {name: Found(None, (Failure.of(name, "", error),)) for name, error in failed.items()}
    # A list that is cut deeper holds the shallower ones, so the deepest is asked for first.
    order = sorted(fitted, key=lambda name: -_depth(systems[name]))
    for name in progress(order, "ranking", len(order)):
        one = rank(name, fitted[name], topics)
        if one.run is not None:
            told = () if isinstance(systems[name], Ranker) else leaks(name, one.run)
            bare = Run(topics, one.run.corpus, one.run.offsets, one.run.rows, one.run.scores)
            one = Found(bare, one.failures, (*one.notes, *told))
        found[name] = one
    return found


def _depth(system: Any) -> int:
    """Tell how deep a policy asks its leaf to rank; what is no mere cut of a leaf asks for all."""
    k = LIMIT
    while isinstance(system, Around):
        k = min(k, system.k) if isinstance(system, Top) else k
        system = system.ranker
    return k if isinstance(system, Leaf) else LIMIT


def _sent(systems: Systems, topics: Topics, path: str | None) -> dict[str, Sent]:
    """Rank in a worker, which sends bare hits home."""
    if path is not None:
        settled(topics.corpus, path)
    return {name: _packed(found, topics) for name, found in _here(systems, topics).items()}


def _packed(found: Found, topics: Topics) -> Sent:
    rest = portable(Found(None, found.failures, found.notes))
    if found.run is None:
        return Sent(None, None, rest)
    run = found.run
    corpus = None if run.corpus is topics.corpus else without_memory(run.corpus)
    return Sent(corpus, Hits(run.offsets, run.rows, run.scores), rest)


def _unpacked(sent: Sent, topics: Topics) -> Found:
    if sent.hits is None:
        return sent.rest
    corpus = topics.corpus if sent.corpus is None else sent.corpus
    return Found(Run(topics, corpus, *sent.hits), sent.rest.failures, sent.rest.notes)


def _apart(systems: Systems, topics: Topics, n_jobs: int | None, workers: int) -> dict[str, Found]:
    """Rank in several processes, neighbours together: in a grid they share the most."""
    from joblib import Parallel, delayed

    names = list(systems)
    parts = [
        names[i * len(names) // workers : (i + 1) * len(names) // workers] for i in range(workers)
    ]
    with lent(topics) as (bare, path):
        cells = (delayed(_sent)({n: systems[n] for n in part}, bare, path) for part in parts)
        done = Parallel(n_jobs=n_jobs, return_as="generator")(cells)
        return {
            name: _unpacked(sent, topics)
            for part in progress(done, "ranking", workers)
            for name, sent in part.items()
        }
