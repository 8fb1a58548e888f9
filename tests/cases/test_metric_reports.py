"""Metrics, group M: what is told beside the numbers. Others stand in tests/evaluation."""

import json

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.measures import RR, R, nDCG
from tests.cases.judged import collection, finished, means, measured, noted

GOLD = {f"q{i}": {f"d{i % 3 + 1}": 1} for i in range(20)}


def test_the_same_run_under_two_names_differs_by_exactly_nothing(tmp_path):
    """ME-14."""
    bench = collection(3, GOLD)
    run = finished(bench, tmp_path, {qid: ["d1", "d2"] for qid in GOLD})
    result = lcm.evaluate({"a": run, "b": run}, on=bench, measures=[nDCG @ 2])
    low, high = result.summary()[["low", "high"]].to_numpy().T
    assert low[0] == low[1] < high[0] == high[1]
    row = result.compare("a").frame.iloc[0]
    assert row[["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert result.manifest()["bootstrap"]["seed"] == 0


def test_one_question_is_too_few_for_an_interval(tmp_path):
    """ME-14."""
    bench = collection(3, {"q1": {"d1": 1}})
    runs = {"a": finished(bench, tmp_path, {"q1": ["d1"]})}
    runs["b"] = finished(bench, tmp_path, {"q1": ["d2", "d1"]})
    result = lcm.evaluate(runs, on=bench, measures=[nDCG @ 2])
    assert result.summary()[["low", "high"]].isna().to_numpy().all()
    told = result.compare("a")
    assert told.frame[["low", "high"]].isna().to_numpy().all()
    assert "There is 1 unit: no test at 5 % is possible below 6" in repr(told)


def test_what_repeats_the_question_is_hidden_and_both_scores_are_shown():
    """ME-15: `tests/transcripts/test_probes.py` shows that what asks is never gold."""
    asked = "What is the retry limit of uploads?"
    rows = [
        {"docno": "m2", "session": "s2", "text": "We set it to nine.", "time": "2026-01-02"},
        {"docno": "m3", "session": "s2", "text": "The limit was raised.", "time": "2026-01-03"},
        {"docno": "m9", "session": "s9", "text": f"Tell me: {asked}", "time": "2026-01-09"},
    ]
    topics = pd.DataFrame({"qid": ["q1"], "query": [asked], "asked_at": ["2026-01-09"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m3"], "relevance": [1]})
    bench = lcm.Collection("echo", lcm.Corpus(rows), topics, qrels)
    result = lcm.evaluate({"words": lcm.BM25()}, on=bench, measures=[RR])
    assert "m9" not in result.runs["words"].frame()["docno"].tolist()
    both = lcm.hindsight(result)
    assert both[["as_of", "nothing_hidden", "n"]].to_numpy().tolist() == [[1, 0.5, 1]]


CATEGORIES = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"]


@pytest.fixture
def locomo(tmp_path):
    """A LoCoMo file with a question of each category, among them bad evidence."""
    turns = [{"dia_id": f"D1:{i}", "speaker": "Ann", "text": f"port {i}"} for i in range(1, 7)]
    evidence = [["D1:3; D1:5"], ["D1:1"], ["D9:9"], ["D1:2"], ["D1:6"]]
    asked = [
        {"question": f"Which port is {i}?", "category": i, "evidence": told}
        | ({"answer": "x"} if i < 5 else {"adversarial_answer": "never"})
        for i, told in enumerate(evidence, start=1)
    ]
    talk = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    sample = {"sample_id": "c", "conversation": talk | {"speaker_a": "Ann"}, "qa": asked}
    (tmp_path / "locomo10.json").write_text(json.dumps([sample]))
    return lcm.load(tmp_path / "locomo10.json")


def test_categories_have_the_names_of_the_data(locomo):
    """ME-17: by the library and in a table by type."""
    assert locomo.topics["type"].tolist() == CATEGORIES
    result = lcm.evaluate({"words": lcm.BM25() % 5}, on=locomo, measures=[R @ 5])
    assert set(result.by("type")["type"]) == set(CATEGORIES)


def test_bad_evidence_is_listed_and_no_miss_and_adversarial_stands_apart(locomo):
    """ME-18."""
    assert locomo.qrels["docno"].tolist() == ["c/D1:3", "c/D1:5", "c/D1:1", "c/D1:2", "c/D1:6"]
    assert locomo.card["bad_evidence"] == [{"qid": "c/q3", "evidence": "D9:9"}]
    assert locomo.topics["answer"].isna().tolist() == [False] * 4 + [True]
    result = lcm.evaluate({"words": lcm.BM25() % 6}, on=locomo, measures=[R @ 6])
    assert result.summary()[["mean", "n", "undefined"]].to_numpy().tolist() == [[1, 4, 1]]
    apart = result.by("type").set_index("type")
    assert apart.loc["adversarial", "n"] == 1


def test_gold_outside_what_was_indexed_is_said_and_counted_for_every_policy_alike():
    """ME-19: by a filter it is a miss for all, outside the corpus it is in no mean."""
    rows = [
        {"docno": "d1", "text": "which port?", "role": "user"},
        {"docno": "d2", "text": "port 8080", "role": "assistant"},
    ]
    asked = pd.DataFrame({"qid": ["q1", "q2"], "query": ["which port"] * 2})
    gold = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["d2", "d1"], "relevance": 1})
    systems = {"words": lcm.BM25(), "letters": lcm.CharGrams()}
    narrowed = lcm.Collection("c", lcm.Corpus(rows), asked.assign(role="user"), gold)
    result = lcm.evaluate(systems, on=narrowed, measures=[R @ 2])
    assert noted(result, "lies outside the rows that the topic may see (1 document in all)")
    assert means(result) == [0.5, 0.5]
    users = lcm.Collection("u", lcm.Corpus(rows[:1]), asked, gold)
    assert users.card["unknown_docnos"] == ["d2"]
    result = lcm.evaluate(systems, on=users, measures=[R @ 2])
    assert noted(result, "Not in the corpus, and not counted: 1 judged document")
    assert result.summary()[["mean", "n", "undefined"]].to_numpy().tolist() == [[1, 1, 1]] * 2


def test_two_versions_of_a_policy_are_two_artefacts_with_their_settings(tmp_path):
    """ME-22: and question by question it is told who won, and what was missed."""
    bench = collection(3, {f"q{i}": {f"d{i % 3 + 1}": 1} for i in range(30)})
    systems = {"p v1": lcm.BM25(k1=0.9) % 2, "p v2": lcm.BM25(k1=1.6) % 1}
    result = lcm.evaluate(systems, on=bench, measures=[RR @ 10, RR @ 5])
    row = result.compare("p v1").frame.iloc[0]
    assert row[["wins", "ties", "losses"]].sum() == 30
    lost = result.losses("p v2", against="p v1", measure=RR @ 10)
    assert len(lost) == row["losses"] > 0
    assert set(lost["qid"]) <= set(bench.topics["qid"])
    result.save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [made["expression"] for made in manifest["systems"]] == [
        "BM25(k1=0.9) % 2",
        "BM25(k1=1.6) % 1",
    ]
    assert len({made["run"] for made in manifest["systems"]}) == 2
    table = pd.read_parquet(tmp_path / "data.parquet")
    assert len(table) == 2 * 2 * 30
    assert not table.duplicated(["system", "qid", "measure"]).any()


def test_a_run_is_judged_as_it_was_listed(tmp_path):
    """ME-22: a run from a file is a system beside policies."""
    bench = collection(3, GOLD)
    run = finished(bench, tmp_path, {qid: ["d1", "d2"] for qid in GOLD})
    assert len(means(measured(bench, run, RR))) == 1
