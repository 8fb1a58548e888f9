"""The timing pass: apart from the ranking, and no assertion about how long anything takes."""

import numpy as np
import pytest

from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import (
    IndexTime,
    Latency,
    R,
)
from lcm_lab.ranking.lexical.words import BM25, TfIdf


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


def test_without_cost_measures_nothing_is_timed(toy):
    result = evaluate(BM25(), on=toy.chat())
    assert result.latency.empty
    assert list(result.latency.columns) == ["system", "qid", "ms"]


def test_at_most_two_hundred_topics_are_timed_spread_over_all():
    from lcm_lab.evaluation.timing import sample

    assert sample(0).tolist() == []
    assert sample(1).tolist() == [0]
    assert sample(200).tolist() == list(range(200))
    assert len(sample(1000)) == 200
    assert (sample(1000)[0], sample(1000)[-1]) == (0, 999)
