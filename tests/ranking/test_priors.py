import numpy as np
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.context.around import SessionPrior
from lcm_lab.ranking.context.priors import AboveMean, Questions
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.view import View, questions
from lcm_lab.testing import check_ranker
from lcm_lab.topics import Topics

SENTENCES = {
    "Which port?": 1,
    "It is 8443.": 0,
    "Is it? It is. It is": 1 / 3,
    "a line\nand another?\n": 1 / 2,
    'He asked "why?"': 1,
    "哪个端口？": 1,
    "what?! why??": 1 / 2,
    "see app.py?x=1 and go": 0,
    "no end": 0,
    "": 0,
}


def test_sentences_are_told_from_questions():
    found = questions(Corpus(list(SENTENCES)))
    assert found == pytest.approx(list(SENTENCES.values()))


def test_a_message_loses_by_the_share_of_its_questions_and_by_its_shortness():
    corpus = Corpus([{"text": t, "tokens": 30} for t in ("Which port?", "Is it? It is.", "It is.")])
    view = View(Topics.of("port", corpus), 0, np.arange(3))
    inner = np.array([1.0, 0.5, 0.5])
    assert Questions(BM25(), 0.2).score(inner, view) == pytest.approx([0.8, 0.4, 0.5])
    faded = Questions(BM25(), 0.2, fade=30.0).score(inner, view)
    assert faded == pytest.approx([1 - 0.2 / np.e, 0.5 - 0.1 / np.e, 0.5])


def test_contract():
    check_ranker(Questions(BM25(), 0.3, fade=40.0))


def test_what_all_rows_have_tells_nothing_apart():
    corpus = Corpus(["a", "b", "c", "d"])
    view = View(Topics.of("any", corpus), 0, np.arange(4))
    found = AboveMean(BM25()).score(np.array([1.0, 0.6, 0.2, 0.2]), view)
    assert found == pytest.approx([0.5, 0.1, 0, 0])
    empty = View(Topics.of("any", corpus), 0, np.arange(0))
    assert AboveMean(BM25()).score(np.empty(0), empty).tolist() == []
    check_ranker(AboveMean(BM25()))


def test_a_session_lends_by_what_a_message_has_itself():
    corpus = Corpus(["a", "b", "c"])
    view = View(Topics.of("any", corpus), 0, np.arange(3))
    inner = np.array([1.0, 0.25, 0.0])
    lent = 0.4 * 1.25 / 3
    found = SessionPrior(BM25(), 0.4, own=0.5).score(inner, view)
    assert found == pytest.approx([1 + lent, 0.25 + lent / 2, 0])
    check_ranker(SessionPrior(BM25(), own=1.0))
