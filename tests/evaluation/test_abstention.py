"""Whether scores tell that there is nothing to find."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.views.abstention import (
    ALIKE,
    ALL_ANSWERABLE,
    BY_RANK,
    NONE_TO_FIND,
    SILENT,
    auroc,
)
from lcm_lab.measures import AnyR, Latency, R, Stale, Tokens
from lcm_lab.run import Run


def told(toy, tops, answerable, policy=lambda says: says, right=()):
    """Evaluate a system with these top scores; it finds the gold first but where ``right`` is 0."""
    n = len(tops)
    docs = {"text": ["a", "b"] * n, "conversation": [f"c{i // 2}" for i in range(2 * n)]}
    asked = {"query": [f"question {i}" for i in range(n)]}
    asked["conversation"] = [f"c{i}" for i in range(n)]
    wrong = [not one for one in right] or [False] * n
    qrels = [(i, 2 * i + wrong[i], 1) for i in range(n) if answerable[i]]
    table = [[0.0] * (2 * n) for _ in range(n)]
    for i, top in enumerate(tops):
        table[i][2 * i] = top
    bench = toy.collection(docs, asked, qrels)
    system = policy(toy.says(tuple(map(tuple, table))))
    measures = [AnyR @ 1 if any(answerable) else Tokens @ 1]
    return evaluate({"s": system}, on=bench, measures=measures)


def test_auroc_is_the_chance_that_an_answerable_topic_scores_higher(toy):
    result = told(toy, [4, 3, 2, 1, 2], [True, True, True, False, False])
    row = result.abstention(AnyR @ 1).iloc[0]
    assert row["auroc"] == pytest.approx(5.5 / 6)
    assert 0 <= row["low"] < row["auroc"] < row["high"] <= 1
    assert row[["answerable", "unanswerable", "units", "surfaced", "silent", "why"]].tolist() == [
        3, 2, 5, 1, 0, "",
    ]  # fmt: skip


def test_auroc_is_that_of_scikit_learn_for_any_scores_and_ties():
    rng = np.random.default_rng(5)
    for _ in range(50):
        n = int(rng.integers(4, 60))
        sure = rng.integers(0, 8, n).astype(float)
        positive = rng.random(n) < 0.7
        positive[:2] = True, False
        found, low, high = auroc(sure, positive, np.arange(n))
        assert found == pytest.approx(roc_auc_score(positive, sure), abs=1e-12)
        assert np.isnan(low) or low <= found <= high


def test_the_interval_of_auroc_holds_the_truth_as_often_as_it_says():
    """Normal scores, one unit apart; whole conversations move together. 300 trials, 40 units."""
    rng, held = np.random.default_rng(2), 0
    truth = float(norm.cdf(1 / np.sqrt(2 * 1.25)))
    for _ in range(300):
        units = np.repeat(np.arange(40), 8)
        positive = rng.random(320) < 0.75
        sure = positive + rng.normal(size=320) + 0.5 * rng.normal(size=40)[units]
        _, low, high = auroc(sure, positive, units)
        held += low <= truth <= high
    assert 0.92 <= held / 300 <= 0.98


def test_a_topic_without_a_hit_is_the_least_sure(toy):
    result = told(toy, [4, 0, 2, 0, 0], [True, True, True, False, False])
    row = result.abstention(AnyR @ 1).iloc[0]
    assert row[["surfaced", "silent"]].tolist() == [0, pytest.approx(1 / 3)]
    assert row["auroc"] == pytest.approx((2 * 2 + 2 * 0.5) / 6)


def test_ranks_alone_are_no_abstention_and_the_system_is_said_to_have_none(toy):
    answerable = [True, True, True, False, False]
    fused = told(toy, [4, 3, 2, 1, 2], answerable, lambda says: lcm.RRF(says, says % 2) % 5)
    row = fused.abstention().iloc[0]
    assert np.isnan(row[["auroc", "low", "recall_90", "aurc"]].to_numpy(float)).all()
    assert row[["why", "surfaced"]].tolist() == [BY_RANK, 1.0]
    assert fused.risk_coverage().empty


def test_fused_lists_that_may_be_empty_tell_by_being_empty(toy):
    answerable = [True, True, True, False, False]
    fused = told(toy, [4, 3, 2, 0, 2], answerable, lambda says: lcm.RRF(says, says % 2) % 5)
    row = fused.abstention(AnyR @ 1).iloc[0]
    assert row["auroc"] == pytest.approx((3 + 3 * 0.5) / 6)
    assert row["why"] == ""


def test_places_instead_of_scores_are_ranks_alone(toy):
    bench = toy.collection(3, 2, [(0, 0, 1)])
    run = toy.says(((3, 2, 1), (3, 2, 1))).fit(bench.corpus).run(bench.topics)
    assert evaluate({"s": run}, on=bench, measures=[R @ 1]).abstention()["why"].iloc[0] == BY_RANK


def test_shares_of_the_own_best_hit_are_one_for_every_topic(toy):
    result = told(
        toy, [4, 3, 2, 1, 2], [True, True, True, False, False], lambda says: says + 0.2 * says
    )
    assert result.abstention()["why"].iloc[0] == ALIKE


def test_without_unanswerable_topics_there_is_no_auroc_but_a_risk(toy):
    result = told(toy, [4, 3, 2, 1], [True] * 4, right=[1, 1, 0, 0])
    row = result.abstention(AnyR @ 1).iloc[0]
    assert row["why"] == ALL_ANSWERABLE
    assert np.isnan(row["auroc"])
    assert row["recall"] == 0.5
    assert row["aurc"] == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    curve = result.risk_coverage(AnyR @ 1)
    assert curve["threshold"].tolist() == [4, 3, 2, 1]
    assert curve["coverage"].tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve["risk"].tolist() == pytest.approx([0, 0, 1 / 3, 1 / 2])
    assert curve["n"].tolist() == [1, 2, 3, 4]


def test_an_answer_to_a_topic_with_nothing_to_find_is_a_risk(toy):
    result = told(toy, [4, 3, 3, 1], [True, False, True, True], right=[1, 1, 1, 0])
    curve = result.risk_coverage(AnyR @ 1)
    assert curve["risk"].tolist() == pytest.approx([0, 1 / 3, 1 / 2])
    assert curve["recall"].tolist() == pytest.approx([1, 1, 2 / 3])
    assert curve["refused"].tolist() == [1, 0, 0]


def test_recall_at_ninety_percent_lets_ties_in_evenly(toy):
    n = 20
    tops = [2.0] * 10 + [1.0] * 10
    result = told(toy, tops, [True] * 16 + [False] * 4, right=[1] * 10 + [0] * 10)
    row = result.abstention(AnyR @ 1).iloc[0]
    # 18 of 20 are answered: the first ten, and eight of ten that score alike, six of them
    # answerable of which none is right.
    assert n == 20
    assert row["recall_90"] == pytest.approx(10 / (10 + 0.8 * 6))
    assert row["refused_90"] == pytest.approx(1 - 0.8)
    assert row["recall"] == pytest.approx(10 / 16)


def test_topics_with_nothing_to_find_alone_have_a_rate_of_surfacing(toy):
    result = told(toy, [1] * 3 + [0], [False] * 4)
    row = result.abstention().iloc[0]
    assert row[["answerable", "unanswerable", "surfaced", "why"]].tolist() == [
        0, 4, 0.75, NONE_TO_FIND,
    ]  # fmt: skip
    assert any(
        "Hits are given for 4 topics with nothing to find by s (75%)" in note
        for note in result.notes
    )


def test_what_a_topic_may_not_see_does_not_make_it_answerable(toy):
    docs = {"text": ["a", "b"], "conversation": ["c1", "c2"]}
    asked = {"query": ["question 0", "question 1"], "conversation": ["c1", "c2"]}
    bench = toy.collection(docs, asked, [(0, 1, 1), (1, 1, 1)])
    row = evaluate(toy.says(((1, 1), (1, 2))), on=bench, measures=[R @ 1]).abstention().iloc[0]
    assert row[["answerable", "unanswerable", "auroc"]].tolist() == [1, 1, 1]


def test_a_topic_that_failed_counts_on_neither_side(toy):
    bench = toy.collection(2, 3, [(0, 0, 1), (1, 0, 1)])
    run = toy.says(((3, 1), (3, 1), (1, 0))).fit(bench.corpus).run(bench.topics)
    rows = run.rows.copy()
    rows[1] = rows[0]
    twice = Run(run.topics, run.corpus, run.offsets, rows, run.scores)
    row = evaluate({"s": twice}, on=bench, measures=[R @ 1]).abstention().iloc[0]
    assert row[["answerable", "unanswerable"]].tolist() == [1, 1]


@pytest.mark.parametrize("measure", [Tokens @ 5, Latency @ 50, Stale @ 5])
def test_abstention_is_told_by_what_is_found(toy, measure):
    with pytest.raises(BadParameter, match="a measure of what is found"):
        told(toy, [2, 1], [True, False]).abstention(measure)


def test_a_system_that_gives_hits_for_no_topic_has_no_score_to_tell_by(toy):
    result = told(toy, [0, 0, 0, 0], [True, True, False, False])
    row = result.abstention(AnyR @ 1).iloc[0]
    assert row[["why", "surfaced", "silent"]].tolist() == [SILENT, 0.0, 1.0]
    assert np.isnan(row["auroc"])
    assert np.isnan(row["recall_90"])
    assert result.risk_coverage(AnyR @ 1).empty


def test_topics_of_one_conversation_are_drawn_though_those_with_nothing_to_find_are_alone(toy):
    docs = {"text": [f"text {i}" for i in range(6)], "conversation": ["c"] * 6}
    table = np.zeros((12, 6))
    table[np.arange(12), np.arange(12) % 6] = [3, 5, 4, 6, 2, 5, 1, 3, 2, 4, 1, 2]
    bench = toy.collection(docs, 12, [(i, i, 1) for i in range(6)])
    result = evaluate({"s": toy.says(tuple(map(tuple, table)))}, on=bench, measures=[AnyR @ 1])
    row = result.abstention(AnyR @ 1).iloc[0]
    assert row["units"] == 12
    alone = auroc(table.max(axis=1), np.arange(12) < 6, np.arange(12))
    assert row[["auroc", "low", "high"]].tolist() == pytest.approx(list(alone))
