"""Where one system finds what another does not, and why something is not in a list."""

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import RR, IndexTime, R, Stale, Tokens
from lcm_lab.run import Run


def pair(toy, measures=(RR, R @ 1)):
    """Four topics: "a" finds the second and third better, "b" the first."""
    bench = toy.collection(3, 4, [(0, 0, 1), (1, 0, 1), (2, 1, 1)])
    a = toy.says(((1, 3, 2), (3, 2, 1), (1, 3, 2), (1, 1, 1)), "a")
    b = toy.says(((3, 2, 1), (2, 3, 1), (1, 0, 2), (1, 1, 1)), "b")
    return evaluate({"a": a % 3, "b": b % 2}, on=bench, measures=measures)


def test_losses_are_the_topics_that_another_does_better_on_the_largest_first(toy):
    table = pair(toy).losses("b", against="a")
    assert table["qid"].tolist() == ["q2", "q1"]
    assert table[["value", "against", "difference"]].to_numpy().tolist() == [
        [0, 1, -1],
        [0.5, 1, -0.5],
    ]
    assert table["rank"].fillna(-1).tolist() == [-1, 2]
    assert table["rank_against"].tolist() == [1, 1]
    assert table["gold"].tolist() == [["d1"], ["d0"]]
    assert not table["failed"].any()
    assert pair(toy).losses("b", against="a", n=1)["qid"].tolist() == ["q2"]


def test_a_system_loses_nothing_to_itself(toy):
    table = pair(toy).losses("a", against="a", n=None)
    assert table.empty
    assert table.columns[0] == "qid"


def test_where_less_is_better_more_is_a_loss(toy):
    table = pair(toy, [Tokens @ 3]).losses("a", against="b", measure=Tokens @ 3)
    assert set(table["qid"]) == {"q0", "q1", "q2", "q3"}
    assert (table["difference"] > 0).all()


def test_losses_of_what_was_not_evaluated_are_refused(toy):
    result = pair(toy, [RR, IndexTime])
    for asked in (("x", "a", RR), ("a", "x", RR), ("a", "b", Stale @ 1)):
        with pytest.raises(NotFound):
            result.losses(asked[0], against=asked[1], measure=asked[2])
    with pytest.raises(BadParameter, match="one number a system"):
        result.losses("a", against="b", measure=IndexTime)
    with pytest.raises(BadParameter):
        result.losses("a", against="b", n=0)


def words(asked_at=None, **systems):
    corpus = lcm.Corpus(
        [
            {"docno": "m1", "text": "use WAL", "time": "2026-01-01"},
            {"docno": "m2", "text": "the WAL grew", "time": "2026-01-02"},
            {"docno": "m3", "text": "lunch", "time": "2026-01-03"},
            {"docno": "m4", "text": "WAL again", "time": "2026-06-01"},
        ]
    )
    topics = {"qid": ["q1"], "query": ["wal"], "asked_at": [asked_at or "2026-02-01"]}
    rows = [("q1", f"m{i}", grade) for i, grade in ((1, 1), (2, 2), (3, 1), (4, 1))]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "relevance"])
    bench = lcm.Collection("words", corpus, pd.DataFrame(topics), qrels)
    return bench, evaluate(systems or {"bm25": lcm.BM25() % 1}, on=bench, measures=[R @ 1])


def test_a_miss_is_told_for_every_relevant_document_of_a_topic():
    _, result = words()
    table = result.miss("bm25", "q1").set_index("docno")
    assert table["reason"].to_dict() == {
        "m1": "found",
        "m2": "cut",
        "m3": "no match",
        "m4": "hidden",
    }
    assert table["relevance"].to_dict() == {"m1": 1, "m2": 2, "m3": 1, "m4": 1}
    assert table.loc["m2", ["rank", "why"]].tolist() == [2, "m2: cut by % 1: it stood at rank 2."]
    assert table.loc["m4", "why"] == "m4: hidden by the filter before='2026-02-01T00:00:00Z'."


def test_a_miss_follows_the_topic_at_its_own_moment():
    late = lcm.BM25() >> lcm.Recency("1D", floor=0.0) >> lcm.AtLeast(1e-6)
    _, result = words(asked_at="2026-02-20", late=late)
    found = set(result.runs["late"].frame()["docno"])
    told = result.miss("late", "q1")
    assert set(told.loc[told["reason"] == "found", "docno"]) == found


def test_a_miss_can_be_of_one_document_also_of_one_that_is_not_relevant(toy):
    result = pair(toy)
    assert result.miss("b", "q0", "d2")[["docno", "relevance", "reason"]].to_numpy().tolist() == [
        ["d2", 0, "cut"]
    ]
    assert result.miss("b", "q3").empty


def test_a_finished_run_says_what_it_lists_and_no_more():
    bench, result = words()
    run = result.runs["bm25"]
    theirs = evaluate({"theirs": run}, on=bench, measures=[R @ 1])
    table = theirs.miss("theirs", "q1").set_index("docno")
    assert table["reason"].to_dict() == {
        "m1": "found",
        "m2": "not listed",
        "m3": "not listed",
        "m4": "hidden",
    }
    assert table.loc["m2", "why"] == "m2: not among its 1 hits."


def test_a_topic_that_failed_says_with_what(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    run = toy.says(((1, 1), (1, 1))).fit(bench.corpus).run(bench.topics)
    twice = Run(run.topics, run.corpus, run.offsets, np.array([0, 1, 1, 1]), run.scores)
    result = evaluate({"s": twice}, on=bench, measures=[RR])
    row = result.miss("s", "q1").iloc[0]
    assert row["reason"] == "failed"
    assert row["why"].startswith("d0: nothing was ranked, the system failed: BadInput: A run lists")
    assert result.losses("s", against="s").empty


def test_a_miss_of_what_there_is_not_is_refused(toy):
    result = pair(toy)
    for asked in (("x", "q0", None), ("a", "q9", None), ("a", "q0", "d9")):
        with pytest.raises(NotFound):
            result.miss(*asked)
