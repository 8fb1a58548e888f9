import numpy as np
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.context.proximity import Proximity
from lcm_lab.ranking.lexical.words import BM25, TfIdf
from lcm_lab.ranking.view import View
from lcm_lab.testing import check_ranker
from lcm_lab.topics import Topics

WORDS = BM25(b=0, fields=("text",))  # without a length, so that 1 + pivot is 2.2 for every text


def added(policy, question, texts, inner=None):
    """What proximity adds to each text, all of which the inner ranker holds for equally good."""
    corpus = Corpus(texts)
    view = View(Topics.of(question, corpus), 0, np.arange(len(texts)))
    inner = np.ones(len(texts)) if inner is None else inner
    return policy.score(inner, view) - inner


def test_a_pair_is_worth_more_the_closer_it_stands_and_in_the_order_of_the_question():
    texts = ["red car", "car red", "red big car", "red and the car", "red", "blue sky"]
    found = added(Proximity(WORDS, 2.2), "the red car", texts)
    assert found == pytest.approx([0.5, 0.25, 0.5 / 1.5, 0.5, 0, 0])


def test_a_pair_that_the_question_does_not_have_is_loose():
    policy = Proximity(WORDS, 2.2, loose=0.2)
    one, two = added(policy, "red fast car", ["red car", "red fast"])
    weights = WORDS.worth(Corpus(["red car", "red fast"]))  # red, car, fast
    assert one == pytest.approx(0.2 * (weights[0] + weights[1]) / 2 / weights.sum())
    assert two == pytest.approx(1.0 * (weights[0] + weights[2]) / 2 / weights.sum())


def test_the_closest_occurrence_counts_once():
    texts = ["red big fast car red car red car", "red car"]
    found = added(Proximity(WORDS, 2.2), "red car", texts)
    assert found == pytest.approx([0.5, 0.5])


def test_words_beyond_the_window_and_in_different_texts_do_not_pair():
    texts = ["red big fast new car", "red", "car"]
    assert added(Proximity(WORDS, window=3), "red car", texts) == pytest.approx([0, 0, 0])
    assert added(Proximity(WORDS, window=4), "red car", texts)[0] > 0


def test_long_texts_hold_pairs_by_chance():
    words = BM25(k1=1, b=1, average=2.0, fields=("text",))
    short, long = added(Proximity(words, 1.0), "red car", ["red car", "red car big fast"])
    assert (short, long) == pytest.approx((0.5 / (1 + 1), 0.5 / (1 + 2)))


def test_only_what_was_found_is_read_and_one_word_changes_nothing():
    texts = ["red car", "red car"]
    assert added(Proximity(WORDS), "red car", texts, np.array([1.0, 0]))[1] == 0
    assert added(Proximity(WORDS), "red", texts) == pytest.approx([0, 0])


def test_of_a_pasted_page_the_weightiest_words_are_paired():
    page = " ".join(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400))
    texts = [page, f"{page[:7]} only", "other"]
    found = added(Proximity(WORDS), page, texts)
    assert found[0] > 0
    assert found[1:].tolist() == [0, 0]  # the first two words stand in two texts


def test_a_fixed_average_makes_texts_long_or_short_by_themselves():
    short, long = (BM25(average=10.0).pivot(Corpus([text]))[0] for text in ("red car", "red " * 20))
    assert (short, long) == pytest.approx((1.2 * (0.25 + 0.75 * 0.2), 1.2 * (0.25 + 0.75 * 2)))
    assert BM25().pivot(Corpus(["red " * 20]))[0] == pytest.approx(1.2)


def test_rare_words_may_weigh_more_framing_words_less_and_repeats_once():
    corpus = Corpus(["remind me of the budget", "the budget", "red car"])
    plain, keen = BM25(), BM25(rarity=2.0, framing=0.25, repeats=False)
    index, other = plain.index(corpus), keen.index(corpus)
    asked = plain.weights(index, "remind: budget, budget")
    remind, budget = (index.postings.terms[word] for word in ("remind", "budget"))
    again = keen.weights(other, "remind: budget, budget")
    assert again[budget] == pytest.approx((asked[budget] / 2) ** 2)
    assert again[remind] == pytest.approx(0.25 * asked[remind] ** 2)


def test_contract():
    words = BM25(average=20.0, rarity=1.5, framing=0.5, repeats=False)
    check_ranker(words)
    check_ranker(Proximity(words))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Proximity(TfIdf()), r"Write Proximity\(BM25\(\)\)"),
        (lambda: Proximity(BM25(), -1), "share must be a number, 0 or more"),
        (lambda: Proximity(BM25(), window=0), "window must be a whole number, 1 or more"),
        (lambda: Proximity(BM25(), loose=2), "loose must be a number, between 0 and 1"),
        (lambda: Proximity(BM25(), slope=-1), "slope must be a number, 0 or more"),
        (lambda: BM25(average=0), "average must be a number"),
        (lambda: BM25(rarity=0), "rarity must be a number"),
        (lambda: BM25(repeats=1), "repeats must be True or False"),
        (lambda: BM25(framing=1.5), "framing must be a number, between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(BadParameter, match=says):
        make()
