import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, ByRole, Corpus, Neighbours, SessionPrior
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import search as search_module
from lcm_lab.testing import QUERIES, small_corpus
from tests.ranking.fixed import Fixed


def scored(policy, rows):
    hits = policy.fit(Corpus(rows))("any")
    return dict(zip(hits["docno"], hits["score"], strict=True))


def test_neighbours_lend_their_share_both_ways():
    found = scored(Neighbours(Fixed((0, 1.0, 0, 0)), 0.3), ["a", "b", "c", "d"])
    assert found == pytest.approx({"m2": 1.0, "m1": 0.3, "m3": 0.3})


def test_a_wider_window_lends_less_the_further_it_is():
    policy = Neighbours(Fixed((0, 0, 1.0, 0, 0)), 0.2, window=2, falloff=0.3)
    found = scored(policy, list("abcde"))
    assert found == pytest.approx({"m3": 1.0, "m2": 0.2, "m4": 0.2, "m1": 0.06, "m5": 0.06})


def test_neighbours_of_another_session_or_conversation_lend_nothing():
    rows = [{"text": "x", "session": s, "conversation": c} for s, c in ["1a", "2a", "2b", "2b"]]
    found = scored(Neighbours(Fixed((0, 1.0, 0, 0)), 0.3), rows)
    assert found == pytest.approx({"m2": 1.0})


def test_what_a_topic_may_not_see_lends_nothing():
    rows = [{"text": "x", "role": role} for role in ("user", "tool", "user")]
    hits = Neighbours(Fixed((0, 1.0, 0)), 0.3).fit(Corpus(rows))("any", role="user")
    assert len(hits) == 0


def test_an_answer_borrows_from_the_question_before_it():
    rows = ["which port?", "8443", "which host?", "hm"]
    found = scored(Neighbours(Fixed((1.0, 0, 0.5, 0)), 0, after_question=1.2), rows)
    assert found == pytest.approx({"m1": 1.0, "m2": 1.2, "m3": 0.5, "m4": 0.6})


def test_a_question_mark_of_any_script_asks():
    rows = ["哪个端口？", "8443", "أي منفذ؟", "443"]
    found = scored(Neighbours(Fixed((1.0, 0, 1.0, 0)), 0, after_question=1.0), rows)
    assert found == pytest.approx({"m1": 1, "m2": 1, "m3": 1, "m4": 1})


def test_long_messages_borrow_less():
    rows = [{"text": "x", "tokens": t} for t in (5, 30, 60)]
    found = scored(Neighbours(Fixed((0, 1.0, 0)), 1.0, fade=30), rows)
    assert found == pytest.approx({"m2": 1.0, "m1": np.exp(-5 / 30), "m3": np.exp(-2)})


def test_a_session_lends_the_mean_of_its_best():
    rows = [{"text": "x", "session": s} for s in "aaaabb"]
    policy = SessionPrior(Fixed((1.0, 0.5, 0.4, 0.3, 0.2, 0)), 0.5, best=2)
    found = scored(policy, rows)
    lent = {"a": 0.5 * (1.0 + 0.5) / 2, "b": 0.5 * 0.2 / 2}
    wanted = {"m1": 1 + lent["a"], "m2": 0.5 + lent["a"], "m3": 0.4 + lent["a"]}
    wanted |= {"m4": 0.3 + lent["a"], "m5": 0.2 + lent["b"], "m6": lent["b"]}
    assert found == pytest.approx(wanted)


def test_scores_are_standardised_within_a_role():
    rows = [{"text": "x", "role": r} for r in ("user", "user", "user", "tool", "tool", "tool")]
    found = scored(ByRole(Fixed((0, 0, 0.4, 0.6, 0.7, 1.0))), rows)
    assert next(iter(found)) == "m3"
    assert "m1" not in found
    assert found["m6"] > found["m5"] > found["m4"]


def test_contexts_nest_and_stand_in_sums():
    policy = SessionPrior(Neighbours(BM25(), 0.3), 0.4) % 20 + 0.2 * BM25()
    run = policy.fit(small_corpus()).run(list(QUERIES))
    assert len(run) > 0


def test_a_wide_scope_looks_at_the_best_and_what_touches_them(monkeypatch):
    rows = [f"filler {i}" for i in range(50)] + ["which port?", "8443"] + ["more"] * 50
    policy = Neighbours(BM25(), 0.3, after_question=1.0)
    whole = policy.fit(Corpus(rows))("which port")
    monkeypatch.setattr(search_module, "WIDE", 10)
    narrow = policy.fit(Corpus(rows))("which port")
    assert narrow["docno"].tolist() == whole["docno"].tolist()
    assert narrow["score"].tolist() == pytest.approx(whole["score"].tolist())


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Neighbours(0.3), "looks around the hits of a policy"),
        (lambda: Neighbours(lcm.Recency("7D")), "needs a ranker that brings candidates"),
        (lambda: SessionPrior(lcm.RRF(BM25(), BM25(b=0))), "can score any row"),
        (lambda: Neighbours(BM25(), -0.1), "share must be a number, 0 or more"),
        (lambda: Neighbours(BM25(), window=0), "window must be a whole number, 1 or more"),
        (lambda: Neighbours(BM25(), fade=0), "fade must be a number of tokens above 0"),
        (lambda: SessionPrior(BM25(), best=0), "best must be a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(BadParameter, match=says):
        make()
