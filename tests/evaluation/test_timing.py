"""The timing pass: apart from the ranking, and no assertion about how long anything takes."""

import numpy as np
import pytest

from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.timing import index_times, sample, search_times
from lcm_lab.measures import (
    IndexTime,
    Latency,
    R,
)
from lcm_lab.ranking.lexical.words import BM25, TfIdf
from lcm_lab.topics import Topics
from tests.evaluation.hands import MS, Hands, Takes


def test_latency_and_index_time_come_from_a_pass_of_their_own(toy):
    bench, system = toy.chat(), {"a": BM25() % 5, "b": TfIdf()}
    result = evaluate(system, on=bench, measures=[Latency @ 50, Latency @ 95, IndexTime, R @ 5])
    assert result.latency.groupby("system")["qid"].nunique().to_dict() == {"a": 40, "b": 40}
    assert (result.latency["ms"] > 0).all()
    summary = result.summary().set_index(["system", "measure"])
    assert summary.loc[("a", "IndexTime"), "n"] == 1
    assert summary.loc[("a", "Latency@50"), "n"] == 40
    median = result.latency.query("system == 'a'")["ms"].median()
    assert summary.loc[("a", "Latency@50"), "mean"] == pytest.approx(median)
    assert np.isnan(summary.loc[("a", "Latency@95"), "high"])
    assert any(note.startswith("Latency: 40 of 40 topics") for note in result.notes)


def test_the_machine_is_told_beside_the_times(toy):
    result = evaluate(BM25(), on=toy.chat(), measures=[Latency @ 50, IndexTime])
    for measure in ("Latency", "IndexTime"):
        (told,) = (n for n in result.notes if n.startswith(f"{measure}: ") and "processor" in n)
        assert "one thread for BLAS and OpenMP" in told
        assert "garbage collector was o" in told


def test_without_cost_measures_nothing_is_timed(toy):
    result = evaluate(BM25(), on=toy.chat())
    assert result.latency.empty
    assert list(result.latency.columns) == ["system", "qid", "ms"]


def test_at_most_two_hundred_topics_are_timed_spread_over_all():
    assert sample(0).tolist() == []
    assert sample(1).tolist() == [0]
    assert sample(200).tolist() == list(range(200))
    assert len(sample(1000)) == 200
    assert (sample(1000)[0], sample(1000)[-1]) == (0, 999)


def asked(toy, n=40):
    bench = toy.chat(n_topics=n)
    return Topics.of(bench.topics, bench.corpus)


def test_a_time_is_that_of_its_own_search_by_turns_after_a_warm_up(toy):
    clock = Hands()
    a, b = Takes(clock, 2), Takes(clock, *[9] * 20, *range(1, 41))
    timing = search_times({"a": a, "b": b}, asked(toy), clock)
    assert timing.ms["a"].tolist() == [2.0] * 40
    assert timing.ms["b"].tolist() == list(range(1, 41))
    assert a.asked == b.asked == [f"q{i}" for i in [*range(20), *range(40)]]
    assert clock.time == (60 * 2 + 20 * 9 + sum(range(1, 41))) * MS


def test_a_search_that_raises_has_no_time_and_takes_none_from_others(toy):
    clock = Hands()
    a, b = Takes(clock, 2), Takes(clock, *[3] * 29, None)
    timing = search_times({"a": a, "b": b}, asked(toy), clock)
    assert timing.ms["a"].tolist() == [2.0] * 40
    assert np.flatnonzero(np.isnan(timing.ms["b"])).tolist() == [9, 39]
    told = "b raised on 2 of its searches while it was timed, warm-up included"
    assert f"Latency: {told}, which have no time (TimeoutError: no answer)." in timing.notes


def test_a_system_that_raises_again_and_again_is_given_up_and_said(toy):
    clock = Hands()
    a, b = Takes(clock, 2), Takes(clock, None)
    timing = search_times({"a": a, "b": b}, asked(toy), clock)
    assert list(timing.ms) == ["a"]
    assert len(b.asked) == 20
    assert timing.notes[-1] == (
        "Latency: b has no times: it raised on 20 searches in a row while it was timed "
        "(TimeoutError: no answer)."
    )


def test_nothing_to_time_is_no_error(toy):
    assert search_times({}, asked(toy)).ms == {}
    none = asked(toy).pick([])
    assert search_times({"a": Takes(Hands(), 1)}, none).ms["a"].tolist() == []


class Indexes:
    """Take so many milliseconds to index a corpus, or raise where that is None."""

    def __init__(self, clock, ms):
        self.clock, self.ms, self.given = clock, ms, []

    def fit(self, corpus):
        self.given.append(corpus)
        if self.ms is None:
            raise MemoryError("too much")
        self.clock.time += self.ms * MS
        return self


def test_an_index_is_timed_once_of_a_corpus_without_memory_and_one_that_raises_is_said(toy):
    clock, corpus = Hands(), toy.chat().corpus
    good, bad = Indexes(clock, 7), Indexes(clock, None)
    timing = index_times({"bad": bad, "good": good}, corpus, clock)
    assert timing.index_ms == {"good": 7.0}
    assert [len(given) for given in good.given] == [100, 120]
    assert all(given is not corpus for given in good.given)
    assert timing.notes[-1] == "IndexTime: bad has none: it raised (MemoryError: too much)."
