"""LoCoMo: categories by their right names, evidence in any spelling (ME-17, ME-18)."""

import json

import pytest

from lcm_lab.errors import BadInput
from lcm_lab.transcripts import locomo
from lcm_lab.transcripts.load import load


def turn(dia_id, text, speaker="Ann", **more):
    return {"dia_id": dia_id, "text": text, "speaker": speaker} | more


def sample(**changes):
    questions = [
        ("Where?", 1, ["D1:1; D1:02", "D:2:1"], "Here"),
        ("When?", 2, ["D1:2"], 2022),
        ("Why?", 3, [], "No reason"),
        ("Who?", 4, ["D9:9"], "Bo"),
        ("What did Bo not say?", 5, ["D1:1", "D"], None),
    ]
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_10": [turn("D10:1", "last")],
            "session_10_date_time": "9:00 am on 1 June, 2023",
            "session_1": [
                turn("D1:1", "hello"),
                turn("D1:2", "look", "Bo", blip_caption="a red dog"),
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [turn("D2:1", "again")],
            "session_2_date_time": "12:05 am on 9 May, 2023",
        },
        "qa": [
            {"question": q, "category": c, "evidence": e}
            | ({"answer": a} if a is not None else {"adversarial_answer": "x"})
            for q, c, e, a in questions
        ],
    } | changes


def test_turns_are_rows_in_order_of_the_session_numbers():
    rows = locomo.collection([sample()], "tiny").corpus.frame()
    assert rows["docno"].tolist() == ["conv-1/D1:1", "conv-1/D1:2", "conv-1/D2:1", "conv-1/D10:1"]
    assert rows["text"].tolist()[:2] == ["hello", "look [image: a red dog]"]
    assert rows["session"].tolist() == ["D1", "D1", "D2", "D10"]
    assert rows["speaker"].tolist() == ["Ann", "Bo", "Ann", "Ann"]
    assert rows["time"].dt.strftime("%Y-%m-%d %H:%M").tolist() == [
        "2023-05-08 13:56",
        "2023-05-08 13:56",
        "2023-05-09 00:05",
        "2023-06-01 09:00",
    ]


def test_categories_have_the_names_of_the_data_not_of_the_paper():
    topics = locomo.collection([sample()], "tiny").topics
    assert topics["type"].tolist() == [
        "multi-hop",
        "temporal",
        "open-domain",
        "single-hop",
        "adversarial",
    ]
    assert topics["answer"].tolist() == ["Here", "2022", "No reason", "Bo", None]
    assert set(topics["conversation"]) == {"conv-1"}


def test_evidence_of_any_spelling_is_found_and_bad_evidence_is_listed_and_left_out():
    made = locomo.collection([sample()], "tiny")
    assert made.qrels.to_numpy().tolist() == [
        ["conv-1/q1", "conv-1/D1:1", 1],
        ["conv-1/q1", "conv-1/D1:2", 1],
        ["conv-1/q1", "conv-1/D2:1", 1],
        ["conv-1/q2", "conv-1/D1:2", 1],
        ["conv-1/q5", "conv-1/D1:1", 1],
    ]
    assert made.card["bad_evidence"] == [
        {"qid": "conv-1/q4", "evidence": "D9:9"},
        {"qid": "conv-1/q5", "evidence": "D"},
    ]
    assert made.card["topics_without_evidence"] == ["conv-1/q3", "conv-1/q4"]
    assert len(made.topics) == 5
    assert made.judged().topics["qid"].tolist() == ["conv-1/q1", "conv-1/q2", "conv-1/q5"]


def test_what_a_turn_or_a_question_lacks_is_named():
    broken = sample()
    broken["conversation"]["session_2"] = [{"text": "no id"}]
    with pytest.raises(BadInput, match="A turn of conv-1 session 2 has no dia_id or text"):
        locomo.collection([broken], "tiny")
    with pytest.raises(BadInput, match="conv-1/q1 lacks a question or a category"):
        locomo.collection([sample(qa=[{"question": "x"}])], "tiny")


def test_it_is_recognised_by_content(tmp_path):
    path = tmp_path / "anything.txt"
    path.write_text(json.dumps([sample()]))
    assert load(path).name == "anything"
    path.write_text(json.dumps(sample()))
    assert len(load(path).topics) == 5


def test_the_five_development_conversations(shared):
    made = load(shared / "locomo" / "locomo_dev.json.xz")
    assert (len(made.corpus), len(made.topics), len(made.judged().topics)) == (2760, 999, 997)
    assert made.judged().topics["type"].value_counts().to_dict() == {
        "single-hop": 418,
        "adversarial": 237,
        "temporal": 156,
        "multi-hop": 142,
        "open-domain": 44,
    }
    assert made.card["bad_evidence"] == [
        {"qid": "conv-42/q59", "evidence": "D10:19"},
        {"qid": "conv-42/q89", "evidence": "D"},
    ]
    assert made.card["topics_without_evidence"] == ["conv-26/q31", "conv-26/q47"]
    found = made.qrels[made.qrels["qid"] == "conv-26/q38"]["docno"].tolist()
    assert found == ["conv-26/D8:6", "conv-26/D9:17"]
    assert not made.corpus["time"].isna().any()
    assert len(made.units("session").corpus) == 128
    exchanges = made.units("exchange")
    assert len(exchanges.judged().topics) == 997
    assert "\n".join(exchanges.corpus["text"]).count("\n") + 1 >= len(made.corpus)
