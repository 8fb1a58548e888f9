"""BEAM: batches as sessions, evidence in any nesting, several chats as one collection."""

import json

import pytest

from lcm_lab.errors import BadInput
from lcm_lab.transcripts import beam
from lcm_lab.transcripts.load import load


def said(number, content, role="user", **more):
    return {"role": role, "id": number, "content": content} | more


def chat(number=1, **changes):
    first = [said(0, "start", time_anchor="March-15-2024"), said(1, "fine", "assistant")]
    return {
        "topic": {"id": number},
        "chat": [
            {"batch_number": 1, "turns": [first, [said(2, "more")]]},
            {"batch_number": 2, "turns": [[said(3, "undated")]]},
        ],
        "probing_questions": {
            "abstention": [{"question": "What is unknown?", "ideal_response": "Nothing."}],
            "event_ordering": [{"question": "Which first?", "source_chat_ids": [[0, 2], 3]}],
            "knowledge_update": [
                {"question": "Now?", "answer": 2, "source_chat_ids": {"old": [1], "new": [9]}}
            ],
        },
    } | changes


def test_messages_are_rows_and_share_the_day_of_their_batch():
    rows = beam.collection(chat(), "tiny").corpus.frame()
    assert rows["docno"].tolist() == ["chat-1/0", "chat-1/1", "chat-1/2", "chat-1/3"]
    assert rows["session"].tolist() == ["b1", "b1", "b1", "b2"]
    assert rows["role"].tolist() == ["user", "assistant", "user", "user"]
    days = rows["time"].dt.strftime("%Y-%m-%d").fillna("unknown").tolist()
    assert days == ["2024-03-15"] * 3 + ["unknown"]


def test_evidence_is_found_in_any_nesting_and_bad_evidence_is_listed():
    made = beam.collection(chat(), "tiny")
    assert made.qrels.to_numpy().tolist() == [
        ["chat-1/event_ordering-1", "chat-1/0", 1],
        ["chat-1/event_ordering-1", "chat-1/2", 1],
        ["chat-1/event_ordering-1", "chat-1/3", 1],
        ["chat-1/knowledge_update-1", "chat-1/1", 1],
    ]
    assert made.card["bad_evidence"] == [{"qid": "chat-1/knowledge_update-1", "evidence": "9"}]
    assert made.card["topics_without_evidence"] == ["chat-1/abstention-1"]
    assert made.topics["answer"].tolist() == ["Nothing.", None, "2"]
    assert set(made.topics["conversation"]) == {"chat-1"}


def test_several_files_are_one_collection(tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(json.dumps(chat(number)))
    for source in (tmp_path, tmp_path / "*.json"):
        made = load(source)
        assert (made.name, len(made.corpus), len(made.topics)) == (tmp_path.name, 8, 6)
    assert load(tmp_path / "2.json").corpus["conversation"].unique().tolist() == ["chat-2"]


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(chat()))
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(BadInput, match=r"b.json is not BEAM, as a.json is"):
        load(tmp_path)


def test_what_a_message_or_a_question_lacks_is_named():
    with pytest.raises(BadInput, match="A message of chat-1 batch 1 has no id or content"):
        beam.collection(chat(chat=[{"turns": [[{"role": "user"}]]}]), "tiny")
    with pytest.raises(BadInput, match="chat-1/x-1 lacks a question"):
        beam.collection(chat(probing_questions={"x": [{"answer": "?"}]}), "tiny")


def test_the_six_development_chats(shared):
    made = load(shared / "beam")
    answerable = made.topics[made.topics["type"] != "summarization"]
    judged = set(made.judged().topics["qid"])
    assert (made.name, len(made.corpus), len(made.topics)) == ("beam", 1290, 120)
    assert len(judged & set(answerable["qid"])) == 96
    assert len(made.qrels[made.qrels["qid"].isin(answerable["qid"])]) == 234
    assert made.card["bad_evidence"] == []
