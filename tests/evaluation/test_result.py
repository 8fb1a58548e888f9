"""Evaluation: means with intervals, groups, curves, the worst topics, files, how it prints."""

import json

import numpy as np
import pandas as pd
import pytest

from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.evaluation.comparing.all_pairs import all_pairs
from lcm_lab.evaluation.files.saving import file_names
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.judge import conversations
from lcm_lab.measures import RR, AnyR, Latency, R, Tokens, nDCG


def ladder(toy, hits, measures=(RR,), conversation=None, **systems):
    """Evaluate a system that puts the one relevant document of topic i at rank hits[i] of three."""
    n = len(hits)
    docs = {"text": ["one two", "three", "four"]}
    asked = {"query": [f"question {i}" for i in range(n)]}
    asked["type"] = [("late", "early")[i % 2] for i in range(n)]
    if conversation:
        docs = {"text": [f"text {i}" for i in range(3 * n)]}
        docs["conversation"] = [f"c{i}" for i in range(n) for _ in range(3)]
        asked["conversation"] = [f"c{conversation[i]}" for i in range(n)]
    first = [3 * (conversation[i] if conversation else 0) for i in range(n)]
    qrels = [(i, first[i] + rank - 1, 1) for i, rank in enumerate(hits)]
    width = len(docs["text"])
    table = tuple((3, 2, 1) * (width // 3) for _ in range(n))
    given = {"s": toy.says(table)} | {
        name: toy.says(table, name) for name in systems.get("also", ())
    }
    return evaluate(given, on=toy.collection(docs, asked, qrels), measures=measures)


def test_a_mean_stands_beside_its_interval_and_its_counts(toy):
    result = ladder(toy, [1, 2, 1, 2], conversation=[0, 1, 2, 3])
    row = result.summary().iloc[0]
    assert row[["system", "measure", "mean", "n", "undefined", "units"]].tolist() == [
        "s",
        "RR",
        0.75,
        4,
        0,
        4,
    ]
    assert 0.5 <= row["low"] < 0.75 < row["high"] <= 1.0


def test_the_same_run_under_two_names_has_the_same_interval(toy):
    rng = np.random.default_rng(7)
    result = ladder(
        toy, rng.integers(1, 4, 20), [RR, nDCG @ 10], range(20), also=["again", "third"]
    )
    summary = result.summary()
    for name in ("again", "third"):
        own = summary[summary["system"] == name].drop(columns="system").reset_index(drop=True)
        first = summary[summary["system"] == "s"].drop(columns="system").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, first, check_exact=True)


def test_one_question_is_too_few_for_an_interval(toy):
    row = ladder(toy, [1]).summary().iloc[0]
    assert (row["mean"], row["n"]) == (1.0, 1)
    assert np.isnan([row["low"], row["high"]]).all()


def test_one_conversation_falls_back_to_topics_and_says_so(toy):
    result = ladder(toy, [1, 2, 3, 1])
    assert result.summary()["units"].tolist() == [4]
    pd.testing.assert_frame_equal(result.summary(), result.summary(unit="topic"))
    assert any("All topics are of one conversation" in note for note in result.notes)


def test_few_conversations_are_said_and_topics_can_be_resampled_instead(toy):
    result = ladder(toy, [1, 1, 3, 3], conversation=[0, 0, 1, 1])
    assert any("resample 2 conversations; fewer than 20" in note for note in result.notes)
    assert any("with 2 they hold the truth in about 50 % of cases" in n for n in result.notes)
    assert result.summary()["units"].tolist() == [2]
    assert result.summary(unit="topic")["units"].tolist() == [4]
    with pytest.raises(BadParameter, match="unit must be 'conversation' or 'topic'"):
        result.summary(unit="session")


def test_enough_conversations_need_no_warning(toy):
    result = ladder(toy, [1, 2] * 10, conversation=range(20))
    assert not any("conversation" in note for note in result.notes)


def test_groups_stand_in_order_of_appearance_and_average_their_own_topics(toy):
    table = ladder(toy, [1, 2, 1, 2, 1, 2], [RR, Tokens @ 1], conversation=range(6)).by("type")
    assert list(table.columns[:5]) == ["type", "system", "measure", "mean", "low"]
    assert table[["type", "measure", "mean", "n"]].to_numpy().tolist() == [
        ["late", "RR", 1.0, 3],
        ["late", "Tokens@1", 2.0, 3],
        ["early", "RR", 0.5, 3],
        ["early", "Tokens@1", 2.0, 3],
    ]


def test_a_group_with_nothing_to_find_keeps_its_row(toy):
    asked = {"query": ["question 0", "question 1"], "type": ["fact", "abstention"]}
    bench = toy.collection(2, asked, [(0, 0, 1)])
    table = evaluate(toy.says(((2, 1),) * 2), on=bench, measures=[R @ 1]).by("type")
    assert table[["type", "n", "undefined"]].to_numpy().tolist() == [
        ["fact", 1, 0],
        ["abstention", 0, 1],
    ]


def test_topics_can_be_grouped_by_filters_that_are_lists_or_missing(toy):
    asked = {
        "query": ["question 0", "question 1", "question 2"],
        "session": [["a", "b"], None, None],
    }
    bench = toy.collection({"text": ["x"], "session": ["a"]}, asked, [(0, 0, 1), (1, 0, 1)])
    table = evaluate(toy.says(((1,),) * 3), on=bench, measures=[R @ 1]).by("session")
    assert table["n"].tolist() == [1, 1]
    assert table["session"].tolist()[0] == "['a', 'b']"


def test_an_unknown_column_is_refused_with_the_nearest(toy):
    with pytest.raises(NotFound, match="Did you mean 'type'"):
        ladder(toy, [1]).by("typ")


def test_the_unit_of_a_topic_is_its_conversation_or_that_of_its_answer(toy):
    docs = {"text": ["a", "b", "c"], "conversation": ["c1", "c2", "c3"]}
    asked = {"query": [f"question {i}" for i in range(5)]}
    asked["conversation"] = ["c1", None, None, "c2", None]
    bench = toy.collection(docs, asked, [(1, 0, 1), (2, 0, 1), (2, 2, 3)])
    result = evaluate(toy.says(((1, 1, 1),) * 5), on=bench, measures=[R @ 1])
    assert conversations(result.bench).tolist() == [0, 0, 1, 2, 3]


def test_the_curve_goes_down_to_the_hits_that_there_are(toy):
    curve = ladder(toy, [1, 2, 3, 3]).curve(ks=(1, 2, 3, 10))
    assert curve.to_numpy().tolist() == [
        ["s", 1, "R", 0.25],
        ["s", 2, "R", 0.5],
        ["s", 3, "R", 1.0],
    ]


def test_the_worst_topics_come_with_what_was_wanted_and_what_was_found(toy):
    worst = ladder(toy, [1, 3, 2, 3], [RR, Latency @ 50]).worst("s", RR, n=3)
    assert worst["qid"].tolist() == ["q1", "q3", "q2"]
    assert worst["value"].tolist() == [1 / 3, 1 / 3, 1 / 2]
    assert worst.iloc[0][["query", "type"]].tolist() == ["question 1", "early"]
    assert worst["gold"].tolist() == [["d2"], ["d2"], ["d1"]]
    assert worst["top"].tolist() == [["d0", "d1", "d2"]] * 3


def test_where_less_is_better_the_worst_is_the_highest(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    result = evaluate({"s": toy.says(((1, 0), (1, 1)))}, on=bench, measures=[Tokens @ 2])
    assert result.worst("s", Tokens @ 2)["qid"].tolist() == ["q1", "q0"]


def test_the_worst_of_what_was_not_evaluated_is_refused(toy):
    result = ladder(toy, [1])
    with pytest.raises(NotFound, match="No system 'x'"):
        result.worst("x", RR)
    with pytest.raises(NotFound, match="No measure here 'AnyR@1'"):
        result.worst("s", AnyR @ 1)


def test_a_saved_evaluation_holds_the_table_the_runs_and_how_to_make_them(toy, tmp_path):
    result = ladder(toy, [1, 2], [RR, RR @ 1], also=["BM25() % 10", "bm25 10"])
    assert result.save(tmp_path / "out") == tmp_path / "out"
    files = sorted(path.relative_to(tmp_path / "out").as_posix() for path in tmp_path.rglob("*.*"))
    assert files == [
        "data.parquet",
        "manifest.json",
        "runs/bm25-10-2.trec",
        "runs/bm25-10.trec",
        "runs/s.trec",
    ]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out" / "data.parquet"), result.frame)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest == result.manifest()
    assert manifest["systems"][0]["run"] == "runs/s.trec"
    assert [measure["name"] for measure in manifest["measures"]] == ["RR", "RR@1"]
    assert manifest["bootstrap"] == {"unit": "topic", "resamples": 2000, "seed": 0}
    assert str(tmp_path) not in json.dumps(manifest)


def test_saving_again_leaves_no_run_of_another_evaluation(toy, tmp_path):
    ladder(toy, [1], also=["other"]).save(tmp_path)
    ladder(toy, [1]).save(tmp_path)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["s.trec"]


def test_saving_the_same_twice_gives_the_same_bytes(toy, tmp_path):
    for folder in ("a", "b"):
        ladder(toy, [1, 2, 3]).save(tmp_path / folder)
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_file_names_are_plain_and_never_alike():
    names = file_names(["A/B", "a b", "../x", "", "\N{SNOWMAN}", "con" * 40])
    assert list(names.values())[:5] == [
        "a-b.trec",
        "a-b-2.trec",
        "x.trec",
        "system.trec",
        "system-2.trec",
    ]
    assert len(names["con" * 40]) == 65


def test_an_evaluation_prints_systems_by_measures(toy):
    text = repr(ladder(toy, [1, 2], [RR, Tokens @ 1]))
    assert text.splitlines()[0] == "Evaluation of 1 system on 2 topics of 'toy'"
    assert text.split()[-4:] == ["s", "0.750", "2", "tokens"]


def duel(toy, n, name="toy"):
    """Evaluate a system that is always right against one that is not, and against its twin."""
    docs = {"text": ["a", "b"] * n, "conversation": [f"c{i // 2}" for i in range(2 * n)]}
    asked = {"query": [f"question {i}" for i in range(n)]}
    asked["conversation"] = [f"c{i}" for i in range(n)]
    bench = toy.collection(docs, asked, [(i, 2 * i, 1) for i in range(n)], name=name)
    right, wrong = toy.says(((2, 1) * n,) * n), toy.says(((1, 2) * n,) * n)
    twin = toy.says(((2, 1) * n,) * n, "twin")
    against = {"bad": wrong, "twin": twin}
    return {
        k: evaluate({"<script>": right, k: v}, on=bench, measures=[RR]) for k, v in against.items()
    }


def test_html_shows_names_as_text(toy):
    html = duel(toy, 6, name="<b>toy</b>")["bad"]._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "&lt;b&gt;toy" in html


def test_only_a_significant_best_is_bold(toy):
    assert "<b>1.000</b>" in duel(toy, 6)["bad"]._repr_html_()
    assert "<b>" not in duel(toy, 6)["twin"]._repr_html_()
    assert "<b>" not in duel(toy, 5)["bad"]._repr_html_()


def lonely(toy, talks=1):
    """Topics of so few conversations, and ten that have nothing to find."""
    docs = {"text": [f"text {i}" for i in range(12)]}
    docs["conversation"] = [f"c{i % talks}" for i in range(12)]
    bench = toy.collection(docs, 22, [(i, i, 1) for i in range(12)])
    close = toy.says(
        tuple(tuple(1 + (d == t % 12) * (t % 3) for d in range(12)) for t in range(22))
    )
    far = toy.says(tuple(tuple(2 - (d == t % 12) for d in range(12)) for t in range(22)), "far")
    return evaluate({"far": far % 5, "close": close % 5}, on=bench, measures=[RR])


def test_topics_with_nothing_to_find_do_not_hide_that_all_others_are_of_one_conversation(toy):
    result = lonely(toy)
    summary = result.summary()
    assert summary["units"].tolist() == [12, 12]
    assert not summary["low"].isna().any()
    assert any("with something to find are of one conversation" in note for note in result.notes)
    row = result.compare("far").frame.iloc[0]
    assert row["units"] == 12
    assert row["p"] < 0.05
    assert row["verdict"] == "better"
    assert all_pairs(result, RR).units == 12
    assert result.n_judged == (12, 1)


def test_conversations_are_counted_among_what_is_judged(toy):
    result = lonely(toy, talks=3)
    assert result.n_judged == (12, 3)
    assert any("Intervals resample 3 conversations" in note for note in result.notes)
    assert "over 12 topics of toy" in result.to_markdown()
    assert "bootstrap over 3 conversations" in result.to_markdown()
    (few,) = [note for note in result.compare("far").notes if "There are" in note]
    assert few.startswith("There are 3 conversations: no test at 5 % is possible")


def test_topics_without_a_value_change_no_interval(toy):
    """Conversations of which nothing is measured are not among those drawn."""
    judged = [(i, i % 8, 1) for i in range(8)]
    found = []
    for more in (0, 30):
        docs = {"text": [f"text {i}" for i in range(8)], "conversation": list("aabbccdd")}
        bench = toy.collection(docs, 8 + more, judged)
        table = tuple(tuple(1 + (d == t) * (t % 3 - 1) for d in range(8)) for t in range(8 + more))
        found.append(evaluate({"s": toy.says(table)}, on=bench, measures=[RR]).summary())
    columns = ["mean", "low", "high", "n", "units"]
    pd.testing.assert_frame_equal(found[0][columns], found[1][columns])
