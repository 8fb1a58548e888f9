"""What makes scores mean less than they seem to: cases ME-12 and ME-15."""

import pandas as pd
import pytest

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.synth.leaks import ceiling, echoes, same_questions, twins


def collection(rows, topics, qrels):
    judged = pd.DataFrame(qrels, columns=["qid", "docno", "relevance"])
    return Collection("tiny", Corpus(rows), pd.DataFrame(topics), judged)


def five_alike():
    rows = [{"docno": f"s{i}", "text": f"session {i}"} for i in range(1, 6)]
    topics = {"qid": [f"q{i}" for i in range(1, 6)], "query": ["What did we decide?"] * 5}
    return collection(rows, topics, [(f"q{i}", f"s{i}", 1) for i in range(1, 6)])


def test_five_equal_questions_with_different_gold_have_a_ceiling():
    """ME-12: hit@1 cannot pass 0.20, nor the reciprocal rank 0.457."""
    bench = five_alike()
    assert same_questions(bench) == [["q1", "q2", "q3", "q4", "q5"]]
    assert ceiling(bench) == {
        "Success@1": pytest.approx(0.2),
        "RR": pytest.approx(0.4567, abs=1e-4),
    }


def test_different_questions_have_no_ceiling():
    rows = [{"docno": "a", "text": "red"}, {"docno": "b", "text": "blue"}]
    bench = collection(rows, {"qid": ["1", "2"], "query": ["red?", "blue?"]}, [("1", "a", 1)])
    assert same_questions(bench) == []
    assert ceiling(bench) == {"Success@1": 1.0, "RR": 1.0}


def test_the_same_words_in_another_conversation_are_another_question():
    rows = [
        {"docno": "a", "text": "red", "conversation": "x"},
        {"docno": "b", "text": "blue", "conversation": "y"},
    ]
    topics = {"qid": ["1", "2"], "query": ["Which?", "which"], "conversation": ["x", "y"]}
    bench = collection(rows, topics, [("1", "a", 1), ("2", "b", 1)])
    assert same_questions(bench) == []
    assert ceiling(bench)["Success@1"] == 1.0


def test_gold_that_another_document_repeats_is_found():
    """ME-12: near-equal gold documents."""
    rows = [{"docno": "a", "text": "Use port 5433."}, {"docno": "b", "text": "use port 5433"}]
    bench = collection(rows, {"qid": ["1"], "query": ["Which port?"]}, [("1", "a", 1)])
    assert twins(bench) == {"1": ["b"]}


def test_a_message_that_holds_the_question_is_an_echo():
    """ME-15: the message a question was mined from must not be found for it."""
    rows = [
        {"docno": "m2", "text": "We raised the retry limit to nine.", "time": "2024-01-01"},
        {
            "docno": "m9",
            "text": "Tell me: what is the retry limit? I forgot.",
            "time": "2024-01-09",
        },
    ]
    topics = {"qid": ["q"], "query": ["What is the retry limit?"]}
    assert echoes(collection(rows, topics, [("q", "m2", 1)])) == {"q": ["m9"]}
    as_of = {**topics, "asked_at": ["2024-01-09"]}
    assert echoes(collection(rows, as_of, [("q", "m2", 1)])) == {}
