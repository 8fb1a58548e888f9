import numpy as np
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.context.feedback import Feedback
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.view import View
from lcm_lab.testing import check_ranker
from lcm_lab.topics import Topics

TEXTS = ["alpha beta", "beta gamma and more", "the gamma", "delta"]
WORDS = BM25(b=0, fields=("text",))


def added(policy, inner, rows=None):
    corpus = Corpus(TEXTS)
    rows = np.arange(len(TEXTS)) if rows is None else rows
    return policy.score(inner, View(Topics.of("any", corpus), 0, rows)) - inner


def worth(*words):
    corpus = Corpus(TEXTS)
    index = WORDS.index(corpus)
    return [index.worth[index.postings.terms[word]] for word in words]


def test_texts_are_raised_by_the_words_they_share_with_the_best_hit():
    alpha, beta = worth("alpha", "beta")
    found = added(Feedback(BM25(), WORDS, 0.5, best=1), np.array([1.0, 0.2, 0, 0]))
    assert found == pytest.approx([0.5, 0.5 * beta / (alpha + beta), 0, 0])


def test_only_the_weightiest_words_are_believed():
    found = added(Feedback(BM25(), WORDS, 0.5, best=1, terms=1), np.array([1.0, 0.2, 0, 0]))
    assert found == pytest.approx([0.5, 0, 0, 0])


def test_words_of_several_hits_add_up_and_stop_words_weigh_nothing():
    alpha, beta, gamma, more = worth("alpha", "beta", "gamma", "more")
    found = added(Feedback(BM25(), WORDS, 1.0, best=2), np.array([1.0, 0.2, 0, 0]))
    raw = np.array([alpha + 2 * beta, 2 * beta + gamma + more, gamma, 0])
    assert found == pytest.approx(raw / raw.max())


def test_what_a_topic_may_not_see_is_no_hit_and_is_not_raised():
    found = added(Feedback(BM25(), WORDS, 0.5, best=1), np.array([0.2, 0]), np.array([1, 2]))
    _, gamma = worth("beta", "gamma")
    assert found == pytest.approx([0.5, 0.5 * gamma / sum(worth("beta", "gamma", "more"))])


def test_without_a_hit_nothing_is_raised():
    assert added(Feedback(BM25(), WORDS), np.zeros(4)).tolist() == [0, 0, 0, 0]


def test_contract():
    check_ranker(Feedback(BM25(), WORDS))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Feedback(BM25(), "words"), "words must be a BM25"),
        (lambda: Feedback(BM25(), best=0), "best must be a whole number"),
        (lambda: Feedback(BM25(), terms=100_000), "terms must be at most 10,000"),
        (lambda: Feedback(BM25(), share=-1), "share must be a number, 0 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(BadParameter, match=says):
        make()
