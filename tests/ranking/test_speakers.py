import numpy as np
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.context.around import Neighbours
from lcm_lab.ranking.context.speakers import BySpeaker, FirstPerson
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.view import View
from lcm_lab.testing import check_ranker
from lcm_lab.topics import Topics


def view(question, rows):
    corpus = Corpus(rows)
    return View(Topics.of(question, corpus), 0, np.arange(len(rows)))


def said(*speakers):
    return [{"text": "tea", "speaker": who} for who in speakers]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Does Ann like tea?", [True, False, True]),
        ("does ann like tea?", [True, False, True]),
        ("Ann's tea?", [True, False, True]),
        ("Do Ann and Bo like tea?", [False, False, False]),
        ("Who likes tea?", [False, False, False]),
        ("Annual tea?", [False, False, False]),
    ],
)
def test_a_question_names_one_speaker_by_the_first_word_of_the_name(question, named):
    assert view(question, said("Ann Lind", "Bo Ek", "Ann Lind")).named.tolist() == named


def test_a_name_that_is_a_common_word_is_one_only_where_capitalised():
    rows = said("Will", "Bo")
    assert view("what will be served?", rows).named.tolist() == [False, False]
    assert view("what does Will like?", rows).named.tolist() == [True, False]


def test_a_nameless_speaker_is_never_named():
    assert view("tea?", said("", "?!")).named.tolist() == [False, False]


def test_what_the_named_speaker_said_is_raised_by_a_share_of_its_score():
    raised = BySpeaker(BM25(), 0.5).score(np.array([0.8, 0.6, 0.0]), view("Ann?", said(*"ABA")))
    assert raised.tolist() == [0.8, 0.6, 0.0]
    rows = said("Bo", "Ann", "Ann")
    raised = BySpeaker(BM25(), 0.5).score(np.array([0.8, 0.6, 0.0]), view("Ann?", rows))
    assert raised == pytest.approx([0.8, 0.9, 0])


def test_questions_in_the_first_person_raise_the_hits_of_users():
    rows = [{"text": "tea", "role": role} for role in ("assistant", "user", "user")]
    inner = np.array([1.0, 0.5, 0.0])
    policy = FirstPerson(BM25(), 0.3)
    for question in ("when is MY tea?", "what did we decide?", "I said what?"):
        assert policy.score(inner, view(question, rows)) == pytest.approx([1.0, 0.8, 0.0])
    for question in ("what is tea?", "mystery wet iPad"):
        assert policy.score(inner, view(question, rows)).tolist() == inner.tolist()
    other = FirstPerson(BM25(), 0.3, role="assistant").score(inner, view("my tea?", rows))
    assert other == pytest.approx([1.3, 0.5, 0.0])


def test_an_answer_is_said_by_somebody_else():
    rows = [{"text": "tea?", "speaker": who} for who in ("Ann", "Ann", "Bo", "", "")]
    assert view("tea", rows).replies.tolist() == [True, False, True, True, True]
    rows = [{"text": "tea?", "role": who} for who in ("user", "user", "assistant", "", "")]
    assert view("tea", rows).replies.tolist() == [True, False, True, True, True]
    assert view("tea", rows[:1]).replies.tolist() == [True]


def test_nobody_answers_their_own_question():
    inner = np.array([1.0, 0.0, 0.0])
    rows = [{"text": "port?", "speaker": who} for who in ("Ann", "Ann", "Bo")]
    policy = Neighbours(BM25(), 0, after_question=0.5)
    assert policy.score(inner, view("port", rows)).tolist() == [1.0, 0.0, 0.0]
    rows[1]["speaker"] = "Bo"
    assert policy.score(inner, view("port", rows)).tolist() == [1.0, 0.5, 0.0]


def test_what_the_named_speaker_said_borrows_more_and_from_two_messages_before():
    inner = np.array([1.0, 0.0, 0.0, 0.0])
    rows = said("Bo", "Ann", "Bo", "Ann")
    assert Neighbours(BM25(), 0.1, earlier=0.2).score(inner, view("tea", rows)) == pytest.approx(
        [1.0, 0.1, 0.2, 0.0]
    )
    assert Neighbours(BM25(), 0.1, named=0.5).score(inner, view("Ann", rows)) == pytest.approx(
        [1.0, 0.15, 0.0, 0.0]
    )


def test_contract():
    check_ranker(BySpeaker(BM25()))
    check_ranker(FirstPerson(BM25(), 0.4))
    check_ranker(Neighbours(BM25(), earlier=0.1, named=0.5, fade=50.0))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BadParameter, match="share must be a number, 0 or more"):
        BySpeaker(BM25(), -0.1)
    with pytest.raises(BadParameter, match="role must be a text"):
        FirstPerson(BM25(), role=3)
    with pytest.raises(BadParameter, match="looks around the hits of a policy"):
        FirstPerson(0.3)
    with pytest.raises(BadParameter, match="earlier must be a number"):
        Neighbours(BM25(), earlier=-1)
