"""evaluate: what counts, what is left out, what is said beside the numbers."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import (
    AP,
    RR,
    AllR,
    AnyR,
    Evidence,
    IndexTime,
    Latency,
    R,
    Stale,
    Tokens,
    nDCG,
)
from lcm_lab.ranking.lexical.words import BM25


def means(result):
    summary = result.summary()
    return dict(zip(summary["measure"], summary["mean"], strict=True))


def test_a_system_is_measured_on_every_topic(toy):
    bench = toy.collection(3, 2, [(0, 0, 1), (1, 1, 1)])
    result = evaluate({"s": toy.says(((3, 2, 1), (3, 2, 1)))}, on=bench, measures=[RR, R @ 1])
    assert result.frame.to_dict("list") == {
        "system": ["s"] * 4,
        "qid": ["q0", "q1"] * 2,
        "measure": ["RR", "RR", "R@1", "R@1"],
        "value": [1.0, 0.5, 1.0, 0.0],
    }


def test_a_topic_with_nothing_to_find_is_left_out_counted_and_listed(toy):
    bench = toy.collection(2, 3, [(0, 0, 1), (1, 0, 0)])
    result = evaluate(toy.says(((2, 1),) * 3), on=bench, measures=[AnyR @ 1, AllR @ 1])
    assert result.frame["value"].tolist()[:3] == pytest.approx([1.0, np.nan, np.nan], nan_ok=True)
    assert result.summary()[["mean", "n", "undefined"]].to_numpy().tolist() == [[1, 1, 2]] * 2
    assert "There is nothing to find for 2 of 3 topics" in result.notes[0]
    assert "(q1, q2)" in result.notes[0]


def test_no_judgement_that_counts_is_an_error_unless_none_is_needed(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)], relevant_from=2)
    with pytest.raises(BadInput, match="None of the 2 topics of 'toy' has a document of grade 2"):
        evaluate(toy.says(((2, 1),) * 2), on=bench)
    assert means(evaluate(toy.says(((2, 1),) * 2), on=bench, measures=[Tokens @ 1])) == {
        "Tokens@1": 2
    }


def test_stale_needs_marks_and_says_so(toy):
    system = toy.says(((2, 1),))
    with pytest.raises(BadInput, match="Add a column 'stale'"):
        evaluate(system, on=toy.collection(2, 1, [(0, 0, 1)]), measures=[Stale @ 5])
    bench = toy.collection(2, 1, [(0, 0, 1, True), (0, 1, 3, False)])
    assert means(evaluate(system, on=bench, measures=[Stale @ 5])) == {"Stale@5": 1.0}


def test_a_search_without_hits_counts_zero_and_is_said(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    result = evaluate({"s": toy.says(((1, 0), (0, 0)))}, on=bench, measures=[nDCG @ 10])
    assert result.frame["value"].tolist() == [1.0, 0.0]
    assert "s finds nothing at all for 1 of 2 topics (q1)." in result.notes


def test_ties_are_settled_once_for_every_measure(toy):
    for relevant in range(4):
        bench = toy.collection(4, 1, [(0, relevant, 1)])
        result = means(evaluate(toy.says(((1, 1, 1, 1),)), on=bench, measures=[RR, AP, nDCG]))
        rank = relevant + 1
        assert result == pytest.approx(
            {"RR": 1 / rank, "AP": 1 / rank, "nDCG": 1 / np.log2(rank + 1)}
        )


def test_tied_documents_give_one_value_in_whatever_order_they_come(toy):
    table = pd.DataFrame({"docno": list("abcd"), "seq": [1, 2, 3, 4], "text": list("wxyz")})
    found = set()
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]):
        bench = toy.collection(table.iloc[order].drop(columns="docno").to_dict("list"), 1, [])
        corpus = type(bench.corpus)(table.iloc[order])
        qrels = pd.DataFrame({"qid": ["q0"], "docno": ["c"], "relevance": [1]})
        bench = type(bench)("ties", corpus, bench.topics, qrels)
        result = evaluate(toy.says(((1, 1, 1, 1),)), on=bench, measures=[RR, nDCG @ 10])
        found.add(tuple(result.frame["value"]))
    assert found == {(1 / 3, 0.5)}


def test_repeated_and_shuffled_evaluations_give_the_same_values_within_bounds(toy):
    bench = toy.chat()
    measures = [nDCG @ 10, nDCG, R @ 5, AnyR @ 1, AllR @ 3, RR, AP, Evidence @ 20]
    first = evaluate(BM25(), on=bench, measures=measures).frame
    assert first["value"].between(0, 1).all()
    shuffled = type(bench)(
        "shuffled",
        type(bench.corpus)(bench.corpus.frame().sample(frac=1, random_state=1)),
        bench.topics.sample(frac=1, random_state=2),
        bench.qrels.sample(frac=1, random_state=3),
    )
    for again in (bench, shuffled):
        second = evaluate(BM25(), on=again, measures=measures).frame
        both = first.merge(second, on=["system", "qid", "measure"])
        assert both["value_x"].tolist() == both["value_y"].tolist()
        assert len(both) == len(first)


def test_a_saved_run_measures_the_same_elsewhere(toy, tmp_path):
    result = evaluate({"b": BM25()}, on=toy.chat(), measures=[nDCG(gain="linear") @ 10, RR])
    result.save(tmp_path)
    run = list(ir_measures.read_trec_run(str(tmp_path / "runs" / "b.trec")))
    qrels = result.collection.qrels.rename(columns={"qid": "query_id", "docno": "doc_id"})
    theirs = [
        ir_measures.calc_aggregate([m], qrels, run)[m]
        for m in (ir_measures.nDCG @ 10, ir_measures.RR)
    ]
    assert list(means(result).values()) == pytest.approx(theirs, abs=1e-12)


def test_a_cutoff_that_is_not_below_the_pool_is_said(toy):
    result = evaluate(BM25(), on=toy.chat(), measures=[R @ 50, R @ 5])
    said = [note for note in result.notes if "not below the number of rows" in note]
    assert len(said) == 1
    assert said[0].startswith("R@50: k is not below the number of rows to rank for 40 of 40 topics")
    assert "a random order has R@50 1.000" in said[0]


def test_the_ceiling_of_recall_is_said(toy):
    bench = toy.collection(9, 1, [(0, doc, 1) for doc in range(8)])
    result = evaluate({"s": toy.says(((1,) * 9,)) % 2}, on=bench, measures=[R @ 2, R @ 5])
    assert "R@2: more than 2 documents are relevant for 1 of 1 topic" in result.notes[0]
    assert "can reach is 0.2500" in result.notes[0]
    assert "s gives at most 2 hits, fewer than R@5 would read." in result.notes


def test_relevant_rows_that_a_topic_may_not_see_are_said(toy):
    docs = {"text": ["a", "b"], "conversation": ["c1", "c2"]}
    asked = {"query": ["question 0", "question 1"], "conversation": ["c1", "c1"]}
    bench = toy.collection(docs, asked, [(0, 1, 1), (1, 0, 1)])
    result = evaluate(toy.says(((1, 1), (1, 1))), on=bench, measures=[R @ 1])
    assert result.frame["value"].tolist() == [0.0, 1.0]
    assert any(
        "1 of 2 topics (q0) something relevant lies outside" in note for note in result.notes
    )


def test_no_topics_at_all_give_an_evaluation_that_says_so(toy):
    bench = toy.collection(2, 0, [])
    result = evaluate(BM25() % 10, on=bench, measures=[nDCG @ 10, Latency @ 95, IndexTime])
    assert result.summary()["n"].tolist() == [0, 0, 1]
    assert "0 of 0 topics" in result.notes[0]
    assert result.by("type").empty
    assert result.worst("BM25() % 10", nDCG @ 10).empty


def test_a_corpus_of_one_message_is_evaluated(toy):
    bench = toy.collection({"text": ["hello world"]}, {"query": ["hello"]}, [(0, 0, 1)])
    assert means(evaluate(BM25() % 10, on=bench, measures=[R @ 1])) == {"R@1": 1.0}


@pytest.mark.parametrize("measures", [[], ["nDCG@10"], "nDCG@10", [nDCG @ 10, 5]])
def test_what_is_no_measure_is_refused(toy, measures):
    with pytest.raises(BadParameter, match="measures are values such as nDCG @ 10"):
        evaluate(BM25(), on=toy.chat(), measures=measures)


def test_only_a_collection_can_be_evaluated_on(toy):
    with pytest.raises(BadParameter, match="needs on= a Collection"):
        evaluate(BM25(), on=toy.chat().corpus)


def test_questions_that_nobody_asked_are_marked_as_such():
    corpus = lcm.Corpus(["use WAL"])
    topics = pd.DataFrame({"qid": ["q1"], "query": ["wal"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    mined = lcm.Collection("mine", corpus, topics, qrels, card={"topics": "known items, mined"})
    notes = lcm.evaluate(lcm.BM25(), on=mined).notes
    assert notes[0].startswith("Nobody asked these questions: they are known items, mined.")
    asked = lcm.Collection("mine", corpus, topics, qrels)
    assert not any("Nobody asked" in note for note in lcm.evaluate(lcm.BM25(), on=asked).notes)
