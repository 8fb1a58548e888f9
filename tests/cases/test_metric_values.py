"""Metrics, group M of the bug reports: what is measured. An id names the report."""

import math

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab import measures
from lcm_lab.collection.trec import read_qrels
from lcm_lab.errors import NotFound
from lcm_lab.measures import AP, RR, AllR, AnyR, R, nDCG
from tests.cases.judged import collection, finished, means, measured, noted


def test_the_ideal_uses_all_that_is_relevant_found_or_not(tmp_path):
    """ME-01."""
    bench = collection(4, {"q1": {"d1": 1, "d2": 1, "d3": 1}})
    found = measured(bench, finished(bench, tmp_path, {"q1": ["d1"]}), nDCG @ 10, nDCG @ 1)
    assert means(found) == [pytest.approx(0.4693, abs=5e-5), 1]


def test_any_all_and_share_have_three_names(tmp_path):
    """ME-02: the share is never capped; what it can reach is said beside it."""
    bench = collection(12, {"q1": {"d1": 1, "d2": 1, "d3": 1}})
    result = measured(
        bench, finished(bench, tmp_path, {"q1": ["d1"]}), AnyR @ 10, AllR @ 10, R @ 10, R @ 2
    )
    assert means(result) == [1, 0, pytest.approx(1 / 3), pytest.approx(1 / 3)]
    assert result.summary()["measure"].tolist() == ["AnyR@10", "AllR@10", "R@10", "R@2"]
    assert "any" in measures.AnyR.__doc__.lower()
    assert noted(result, "R@2")


def test_a_question_without_gold_is_left_out_counted_and_listed(tmp_path):
    """ME-03."""
    bench = collection(3, {"q1": {"d1": 1}, "q2": {}, "q3": {"d3": 1}})
    run = finished(bench, tmp_path, {"q1": ["d1"], "q2": ["d2"], "q3": ["d2"]})
    result = measured(bench, run, R @ 1, AnyR @ 1, AllR @ 1, nDCG @ 1)
    told = result.summary()[["mean", "n", "undefined"]].to_numpy().tolist()
    assert told == [[0.5, 2, 1]] * 4
    assert result.notes[0].startswith("There is nothing to find for 1 of 3 topics (q2)")


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_tied_documents_measure_the_same_in_whatever_order_a_file_lists_them(tmp_path, order):
    """ME-04: ties stand in corpus order for every measure, and it is said what that decides."""
    bench = collection(4, {"q1": {"d3": 1}})
    run = finished(bench, tmp_path, {"q1": [f"d{i + 1}" for i in order]}, scores=[1.0] * 4)
    result = measured(bench, run, RR, AP, nDCG)
    assert means(result) == pytest.approx([1 / 3, 1 / 3, 0.5])
    assert noted(result, "another order of ties would give")
    bounds = result.ties().iloc[0]
    assert (bounds["worst"], bounds["best"]) == (0.25, 1)


def test_a_question_that_a_run_lacks_counts_zero_and_a_stranger_not_at_all(tmp_path):
    """ME-07."""
    bench = collection(3, {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}})
    run = finished(bench, tmp_path, {"q9": ["d3"], "q1": ["d1"], "q2": ["d1", "d2"]})
    result = measured(bench, run, RR)
    assert result.summary()[["mean", "n"]].to_numpy().tolist() == [[0.5, 3]]
    assert noted(result, "run has 2 of 3 topics; those it lacks (q3) count 0; 1 topic of it that")


def test_what_is_undefined_is_counted_and_in_no_mean(tmp_path):
    """ME-09: bpref is not among the measures; what has no value has none by any of them."""
    bench = collection(3, {"q1": {"d1": 1}, "q2": {}, "q3": {"d3": 1}})
    run = finished(bench, tmp_path, {"q1": ["d1"], "q2": ["d2"], "q3": ["d2"]})
    result = measured(bench, run, R @ 1, nDCG, AP, RR, AnyR @ 1)
    told = result.summary()
    assert told["mean"].tolist() == [0.5] * 5
    assert (set(told["n"]), set(told["undefined"])) == ({2}, {1})
    with pytest.raises(NotFound, match="No measure 'bpref'"):
        measures.parse("bpref")


def test_gain_is_printed_with_the_number_and_what_is_below_one_is_not_relevant(tmp_path):
    """ME-16: judgements of a frame and of a TREC file alike."""
    grades = {"d1": 3, "d2": 0, "d3": 1, "d4": -1}
    (tmp_path / "qrels").write_text("".join(f"q1 0 {d} {g}\n" for d, g in grades.items()))
    bench = collection(4, {"q1": grades})
    filed = lcm.Collection("f", bench.corpus, bench.topics, read_qrels(tmp_path / "qrels"))
    for on in (bench, filed):
        run = finished(on, tmp_path, {"q1": ["d1", "d2", "d3"]})
        result = measured(on, run, nDCG(gain="linear"), nDCG)
        # 3.5 / 3.63093 is 0.96394; the case rounds it up.
        assert means(result) == pytest.approx([0.96394, 0.98284], abs=5e-6)
        assert result.summary()["measure"].tolist() == ["nDCG(gain='linear')", "nDCG"]
        last = finished(on, tmp_path, {"q1": ["d2", "d4"]})
        assert means(measured(on, last, nDCG, R @ 2, AnyR @ 2, RR)) == [0] * 4


def test_a_share_of_four_hundred_at_five_comes_with_its_ceiling(tmp_path):
    """ME-20."""
    bench = collection(500, {"q1": {f"d{i}": 1 for i in range(1, 401)}})
    run = finished(bench, tmp_path, {"q1": [f"d{i}" for i in range(1, 6)]})
    result = measured(bench, run, R @ 5)
    assert means(result) == [0.0125]
    assert noted(result, "the best mean that any system can reach is 0.0125")


def test_fifty_evaluations_of_a_run_are_identical_in_whatever_order_it_comes(tmp_path):
    """ME-21."""
    gold = {"q1": {"d2": 2, "d5": 1}, "q2": {"d9": 1}}
    lists = {"q1": ["d5", "d1", "d2"], "q2": ["d8", "d9"]}
    values = set()
    for shuffle in range(5):
        asked = [*gold] if shuffle % 2 else [*gold][::-1]
        rows = np.random.default_rng(shuffle).permutation(9)
        mixed = lcm.Corpus([{"docno": f"d{i + 1}", "text": f"text {i + 1}"} for i in rows])
        made = collection(9, {qid: gold[qid] for qid in asked})
        bench = lcm.Collection("mixed", mixed, made.topics, made.qrels)
        run = finished(bench, tmp_path, {qid: lists[qid] for qid in asked})
        for _ in range(10):
            frame = measured(bench, run, nDCG @ 3, RR).frame
            values.add(tuple(frame.sort_values(["measure", "qid"])["value"]))
    assert len(values) == 1
    assert all(0 <= number <= 1 and math.isfinite(number) for number in values.pop())


def test_k_is_part_of_the_name_and_of_the_column(tmp_path):
    """ME-23: a folder holds one result as a whole; another that is saved there takes its place."""
    bench = collection(12, {"q1": {"d11": 1}})
    run = finished(bench, tmp_path, {"q1": [f"d{i}" for i in range(6, 12)]})
    both = measured(bench, run, RR @ 10, RR @ 5)
    assert means(both) == [pytest.approx(1 / 6), 0]
    both.save(tmp_path / "both")
    assert set(pd.read_parquet(tmp_path / "both/data.parquet")["measure"]) == {"RR@10", "RR@5"}
    for k, kept in ((10, 1 / 6), (5, 0)):
        measured(bench, run, RR @ k).save(tmp_path / "one")
        table = pd.read_parquet(tmp_path / "one/data.parquet")
        assert table[["measure", "value"]].to_numpy().tolist() == [[f"RR@{k}", kept]]
