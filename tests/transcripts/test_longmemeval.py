"""LongMemEval: one pool of evidence sessions, equal texts once."""

import json

import pytest

from lcm_lab.errors import BadInput
from lcm_lab.transcripts import longmemeval
from lcm_lab.transcripts.load import load


def session(*contents, role="user", date="2023/04/10 (Mon) 14:47"):
    return {"date": date, "turns": [{"role": role, "content": c} for c in contents]}


def question(number=1, **changes):
    return {
        "question_id": f"q{number}",
        "question_type": "multi-session",
        "question": "Which car?",
        "question_date": "2023/04/12 (Wed) 10:00",
        "gold_answers": ["A Volvo.", "Volvo"],
        "answer_session_ids": ["s1", "s2"],
        "evidence_sessions": [session("a Volvo", "blue"), session("washed", role="assistant")],
    } | changes


ITEMS = [
    question(),
    question(2, answer_session_ids=["s3"], evidence_sessions=[session("a Volvo", "blue")]),
    question(3, answer_session_ids=["s4"], evidence_sessions=[session("x")], abstention=True),
]


def test_sessions_are_rows_and_equal_texts_are_one():
    rows = longmemeval.collection(ITEMS, "tiny").corpus.frame()
    assert rows["docno"].tolist() == ["s1", "s2", "s4"]
    assert rows["text"].tolist() == ["a Volvo\nblue", "washed", "x"]
    assert rows["role"].tolist() == ["user", "assistant", "user"]
    assert rows["conversation"].tolist() == rows["docno"].tolist()
    assert rows["time"].dt.strftime("%Y-%m-%d %H:%M").unique().tolist() == ["2023-04-10 14:47"]


def test_every_question_searches_the_pool_and_abstention_is_unjudged():
    made = longmemeval.collection(ITEMS, "tiny")
    assert made.qrels.to_numpy().tolist() == [["q1", "s1", 1], ["q1", "s2", 1], ["q2", "s1", 1]]
    assert made.card["topics_without_evidence"] == ["q3"]
    assert "conversation" not in made.topics
    assert made.topics["asked_at"].isna().all()
    assert made.topics["answer"].tolist() == ["A Volvo."] * 3


def test_json_lines_are_read(tmp_path):
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, ITEMS)) + "\n")
    assert (load(path).name, len(load(path).corpus)) == ("pool", 3)
    path.write_text(json.dumps(ITEMS[0]) + '\n{"question_id": ')
    with pytest.raises(BadInput, match=r"pool.jsonl, record 2 is not JSON"):
        load(path)


def test_ids_that_do_not_pair_with_sessions_are_named():
    with pytest.raises(BadInput, match="Question q1 names 1 sessions and has 2"):
        longmemeval.collection([question(answer_session_ids=["s1"])], "tiny")
    with pytest.raises(BadInput, match="A turn of session s1 has no content"):
        broken = [session("a"), session("b")]
        broken[0]["turns"] = [{"role": "user"}]
        longmemeval.collection([question(evidence_sessions=broken)], "tiny")


def test_the_development_pool(shared):
    made = load(shared / "longmemeval" / "lme_evidence_dev250.jsonl.xz")
    assert (len(made.corpus), len(made.topics), len(made.judged().topics)) == (423, 250, 235)
    assert len(made.qrels) == 422
