"""diff: what changed between two evaluations, beyond noise, and what is not the same on both."""

import json

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.evaluation.comparing.diff import COLUMNS, diff
from lcm_lab.measures import RR, Latency, Tokens, nDCG
from tests.evaluation.given import evaluation

NAN = float("nan")
BASE = np.random.default_rng(0).random(60)


def saved(result, folder):
    """Write what diff reads; the stated values have no runs."""
    result.save(folder)
    return folder


def test_a_change_beyond_noise_is_told_from_one_within_it(tmp_path):
    noise = np.random.default_rng(1).normal(0, 0.1, 60)
    before = evaluation({"ours": BASE, "bm25": BASE, "tf": BASE})
    after = evaluation({"ours": BASE - 0.1, "bm25": BASE, "tf": BASE + noise})
    found = diff(saved(before, tmp_path / "a"), saved(after, tmp_path / "b"))
    assert list(found.frame.columns) == COLUMNS
    assert found.frame[["system", "verdict"]].to_numpy().tolist() == [
        ["ours", "worse"],
        ["bm25", "identical"],
        ["tf", "cannot tell"],
    ]
    row = found.frame.iloc[0]
    assert row["after"] - row["before"] == pytest.approx(row["difference"]) == pytest.approx(-0.1)
    assert row["p_holm"] == pytest.approx(2 * row["p"])
    # What nobody touched takes no room from what was changed.
    assert any("Holm over 2 systems on nDCG@10" in note for note in found.notes)


def test_folders_and_evaluations_at_hand_give_the_same_figures(tmp_path):
    before, after = (evaluation({"ours": BASE + shift}, per_unit=3) for shift in (0, 0.05))
    folders = diff(saved(before, tmp_path / "a"), str(saved(after, tmp_path / "b")))
    at_hand = diff(before, after)
    pd.testing.assert_frame_equal(folders.frame, at_hand.frame)
    assert at_hand.frame["units"].tolist() == [20]
    assert (folders.before, at_hand.before) == (str(tmp_path / "a"), "given")


def test_a_fall_counts_beyond_the_threshold_on_the_first_measure():
    values = {"ours": [BASE - 0.03, BASE], "other": [BASE, BASE - 0.5], "up": [BASE + 0.2, BASE]}
    before = evaluation({name: [BASE, BASE] for name in values}, measures=(nDCG @ 10, RR))
    found = diff(before, evaluation(values, measures=(nDCG @ 10, RR)))
    assert found.fallen()["system"].tolist() == ["ours"]
    assert found.fallen(0.02)["system"].tolist() == ["ours"]
    assert found.fallen(0.04)["system"].tolist() == []
    with pytest.raises(BadParameter, match="threshold must be a number from 0 up"):
        found.fallen(-1)


def test_where_less_is_better_a_rise_is_a_fall():
    before, after = (evaluation({"ours": BASE + up}, measures=(Tokens,)) for up in (0, 10))
    assert diff(before, after).fallen(5)["system"].tolist() == ["ours"]
    assert diff(after, before).fallen(5)["system"].tolist() == []


def test_a_system_that_lost_topics_has_fallen_however_good_it_is_on_the_rest():
    failing = np.where(np.arange(60) < 2, NAN, BASE + 0.3)
    found = diff(evaluation({"ours": BASE}), evaluation({"ours": failing}))
    row = found.frame.iloc[0]
    assert (row["verdict"], row["n"], row["unpaired"], row["lost"]) == ("better", 58, 2, 2)
    assert found.fallen(0.5)["system"].tolist() == ["ours"]
    assert any("ours has no nDCG@10 after on 2 topics" in note for note in found.notes)
    back = diff(evaluation({"ours": failing}), evaluation({"ours": BASE}))
    assert (back.frame["unpaired"].item(), back.frame["lost"].item()) == (2, 0)


def test_what_was_added_removed_or_written_otherwise_is_named():
    before = evaluation({"ours": [BASE, BASE], "old": [BASE, BASE]}, measures=(nDCG @ 10, RR))
    after = evaluation({"ours": BASE, "new": BASE}, measures=(RR,))
    after.systems["ours"] = "BM25(k1=0.9) % 10"
    found = diff(before, after)
    assert found.frame[["system", "measure"]].to_numpy().tolist() == [["ours", "RR"]]
    assert found.notes[:4] == (
        "ours is written otherwise: BM25(k1=0.9) % 10, before policy of ours.",
        "Only before: 1 system (old).",
        "Only before: 1 measure (nDCG@10).",
        "Only after: 1 system (new).",
    )


def test_another_collection_is_refused_unless_told_to_match_by_qid():
    before, after = evaluation({"ours": BASE}), evaluation({"ours": BASE[:50]}, name="grown")
    with pytest.raises(BadInput, match="not the same questions, documents and judgements"):
        diff(before, after)
    found = diff(before, after, across=True)
    assert found.frame["n"].tolist() == [50]
    assert found.notes[0].startswith("The collections differ: 'given'")
    assert any("Only before: 10 topics (q50, q51," in note for note in found.notes)
    assert found.frame["lost"].tolist() == [10]


def test_the_same_name_with_other_content_is_another_collection():
    before, after = evaluation({"ours": BASE}), evaluation({"ours": BASE}, per_unit=2)
    with pytest.raises(BadInput, match="'given'"):
        diff(before, after)


def test_nothing_in_common_is_refused_with_what_there_is():
    with pytest.raises(BadInput, match=r"has systems a; measures nDCG@10; 60 topics\..*systems b"):
        diff(evaluation({"a": BASE}), evaluation({"b": BASE}))
    timed = evaluation({"a": BASE}, measures=(Latency @ 95,))
    with pytest.raises(BadInput, match="measures none to compare"):
        diff(timed, timed)


def damaged(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_that_holds_no_evaluation_is_refused(tmp_path):
    good = saved(evaluation({"ours": BASE}), tmp_path / "good")
    with pytest.raises(NotFound, match=r"holds no manifest\.json"):
        diff(good, tmp_path / "nowhere")
    bad = saved(evaluation({"ours": BASE}), tmp_path / "bad")
    (bad / "data.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(BadInput, match="cannot be read as an evaluation"):
        diff(good, bad)
    saved(evaluation({"ours": BASE}), bad)
    damaged(bad, systems=3)
    with pytest.raises(BadInput, match="cannot be read as an evaluation"):
        diff(bad, good)
    damaged(bad, systems=[], measures=[{"name": "Vibes@3"}])
    with pytest.raises(BadInput, match=r"cannot be read as an evaluation.*Vibes"):
        diff(bad, good)
    (bad / "manifest.json").write_text('{"report": "compaction", "systems": []}')
    with pytest.raises(BadInput, match="lacks collection, measures"):
        diff(bad, good)
    (bad / "manifest.json").write_text("[1")
    with pytest.raises(BadInput, match="cannot be read as an evaluation"):
        diff(bad, good)
    (bad / "manifest.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read as an evaluation"):
        diff(bad, good)


def test_a_table_with_two_values_of_one_thing_is_refused(tmp_path):
    result = evaluation({"ours": BASE})
    bad = saved(result, tmp_path)
    pd.concat([result.frame, result.frame.head(1)]).to_parquet(bad / "data.parquet")
    with pytest.raises(BadInput, match=r"two values of \{'system': 'ours', 'qid': 'q0'"):
        diff(bad, result)
    result.frame.drop(columns="value").to_parquet(bad / "data.parquet")
    with pytest.raises(BadInput, match="cannot be read as an evaluation"):
        diff(bad, result)


def test_a_diff_prints_as_text_and_as_escaped_html():
    before, after = (evaluation({"<b>": BASE + up}, name="<i>") for up in (0, 0.1))
    found = diff(before, after)
    assert repr(found).startswith("<i> -> <i>")
    assert "+0.100 [+0.100, +0.100]" in repr(found)
    assert "<b>" not in found._repr_html_()
    assert "<i>" not in found._repr_html_()


def test_real_evaluations_differ_where_a_parameter_does(tmp_path, toy):
    bench = toy.chat(n_topics=60)
    for name, policy in (("a", lcm.BM25(b=0.0)), ("b", lcm.CharGrams())):
        lcm.evaluate({"ours": policy % 3}, on=bench).save(tmp_path / name)
    found = diff(tmp_path / "a", tmp_path / "b")
    assert found.frame["measure"].tolist() == ["nDCG@10", "R@10"]
    assert (found.frame["wins"] + found.frame["losses"]).iloc[0] > 0
    assert "ours is written otherwise" in found.notes[0]
    same = diff(tmp_path / "a", tmp_path / "a")
    assert same.frame["verdict"].tolist() == ["identical", "identical"]
    assert not len(same.fallen())


def test_one_conversation_is_compared_by_topic_though_other_topics_have_no_value(toy, tmp_path):
    docs = {"text": [f"text {i}" for i in range(12)], "conversation": ["c"] * 12}
    bench = toy.collection(docs, 22, [(i, i, 1) for i in range(12)])
    for name, at in (("a", 0), ("b", 2)):
        table = tuple(tuple(1 + (d == t % 12) * at for d in range(12)) for t in range(22))
        lcm.evaluate({"ours": toy.says(table, name) % 5}, on=bench).save(tmp_path / name)
    found = diff(tmp_path / "a", tmp_path / "b")
    assert found.frame["units"].tolist() == [12, 12]
    assert found.frame["verdict"].tolist() == ["better", "better"]
    assert "the signs of whole topics flipped" in " ".join(found.notes)
