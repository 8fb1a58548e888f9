"""Bounds of a measure: the best order, a random one, ties; and whom they leave out."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.views.bounds import luck, oracle
from lcm_lab.evaluation.views.chance import chance
from lcm_lab.evaluation.views.ties import uncut
from lcm_lab.measures import (
    AP,
    RR,
    AllR,
    AnyR,
    Evidence,
    Latency,
    Measure,
    R,
    Stale,
    Tokens,
    nDCG,
)
from lcm_lab.run import Hits, Run

FOUND = [
    *(nDCG, nDCG @ 2, nDCG(gain="linear") @ 3, R, R @ 2, AnyR @ 1, AnyR @ 3, AllR @ 2, AllR),
    *(RR, RR @ 2, AP, AP @ 3, Stale @ 2, Stale),
]


def mixed(toy, relevant_from=1):
    """Topics of five or two rows with grades, stale marks, hidden gold, and nothing to find."""
    docs = {
        "text": ["one", "two words", "three words here", "four", "five"],
        "conversation": ["c1", "c1", "c1", "c2", "c2"],
    }
    asked = {
        "query": [f"question {i}" for i in range(6)],
        "conversation": [None, None, "c2", "c1", "c1", None],
    }
    qrels = [
        *((0, 1, 2, False), (0, 3, 1, False), (0, 4, 1, True)),
        *((1, doc, 1, False) for doc in range(5)),
        *((2, 3, 1, False), (2, 0, 3, False)),  # the better one lies outside of c2
        (3, 4, 1, False),  # all of it does
        *((4, 0, 1, True), (4, 2, 2, False)),
    ]
    return toy.collection(docs, asked, qrels, relevant_from=relevant_from)


def orders(bench, measure):
    """The values of every order of what each topic may see: the whole truth, for few rows."""
    rows = [np.arange(len(bench.collection.corpus))[rows] for rows in bench.topics.rows]
    found = [[] for _ in rows]
    for topic, mine in enumerate(rows):
        for order in permutations(mine.tolist()):
            lists = [(np.empty(0, np.int64), np.empty(0))] * len(rows)
            lists[topic] = np.array(order), np.arange(len(order), 0.0, -1.0)
            run = Run.of(bench.topics, Hits.stack(lists))
            found[topic].append(measure.per_topic(bench.judge(run))[topic])
    return found


@pytest.mark.parametrize("relevant_from", [1, 2])
@pytest.mark.parametrize("measure", FOUND, ids=str)
def test_chance_and_the_best_order_are_those_of_all_orders(toy, measure, relevant_from):
    bench = Bench.of(mixed(toy, relevant_from))
    every = orders(bench, measure)
    expected = [np.mean(values) for values in every]
    luck, draws = chance(bench, measure)
    assert draws == 0
    assert luck == pytest.approx(expected, abs=1e-12, nan_ok=True)
    best = [max(one) if measure.higher_is_better else min(one) for one in every]
    found = measure.per_topic(bench.judge(oracle(bench, measure)))
    assert found == pytest.approx(best, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("budget", [1, 3, 4, 6, 9])
def test_the_best_order_for_a_budget_of_tokens_takes_the_shortest_first(toy, budget):
    bench = Bench.of(mixed(toy))
    every = orders(bench, Evidence @ budget)
    found = (Evidence @ budget).per_topic(bench.judge(oracle(bench, Evidence @ budget)))
    assert found == pytest.approx([max(values) for values in every], nan_ok=True)
    luck, draws = chance(bench, Evidence @ budget, seed=3)
    assert draws == 50
    assert luck == pytest.approx([np.mean(values) for values in every], abs=0.2, nan_ok=True)


class Thirds(Measure):
    """Somebody's own measure: a third for each relevant document in the first three."""

    name = "Thirds"
    meaning = "a third for each relevant document in the first three"

    def per_topic(self, judged):
        hits = judged.relevant & (judged.rank <= 3)
        return np.bincount(judged.topic[hits], minlength=len(judged.offsets) - 1) / 3


def test_a_measure_without_a_formula_is_drawn_and_says_how_often(toy):
    result = evaluate(toy.says(((1,) * 5,) * 6), on=mixed(toy), measures=[Thirds(), R @ 2])
    found = result.bounds().set_index("measure")
    assert found["draws"].tolist() == [50, 0]
    exact = np.mean([np.mean(one) for one in orders(result.bench, Thirds())])
    assert found.loc["Thirds", "random"] == pytest.approx(exact, abs=0.05)


def test_bounds_count_whom_they_leave_out(toy):
    result = evaluate(
        toy.says(((5, 4, 3, 2, 1),) * 6), on=mixed(toy), measures=[R @ 2, Tokens @ 2, Latency @ 50]
    )
    found = result.bounds()
    assert found["measure"].tolist() == ["R@2"]
    row = found.iloc[0]
    # Five topics have gold; of two something lies outside, and one of these has two rows to rank.
    assert row[["n", "no_gold", "hidden", "beyond", "draws"]].tolist() == [5, 1, 2, 1, 0]
    assert row["ceiling"] == pytest.approx((2 / 3 + 2 / 5 + 1 / 2 + 0 + 2 / 2) / 5)


def test_the_random_and_the_best_order_stand_below_the_systems_where_they_matter(toy):
    small = evaluate({"s": toy.says(((5, 4, 3, 2, 1),) * 6)}, on=mixed(toy), measures=[R @ 50])
    assert [line.split()[:2] for line in repr(small).splitlines()[-2:]] == [
        ["(random", "order)"],
        ["(best", "order)"],
    ]
    assert "(random order)" in small._repr_html_()
    bench = toy.collection(3, 1, [(0, 0, 1)])
    plain = evaluate({"s": toy.says(((3, 2, 1),))}, on=bench, measures=[R @ 1])
    assert "random" not in repr(plain)


def test_a_measure_that_a_random_order_has_too_ranks_nothing():
    found = pd.DataFrame(
        {"measure": ["R@50", "RR", "Stale@5"], "random": [1.0, 0.4, 0.1], "ceiling": [1, 1, 0]}
    )
    assert luck(found) == ["R@50"]


def test_ties_at_the_cut_give_the_worst_and_the_best_of_all_their_orders(toy):
    bench = toy.collection(4, 2, [(0, 3, 1), (1, 0, 1)])
    scores = ((2, 1, 1, 1), (3, 2, 2, 1))
    result = evaluate({"s": toy.says(scores) % 2}, on=bench, measures=[R @ 2, RR, R @ 1])
    found = result.ties().drop(columns="system").set_index("measure")
    assert found.loc["R@2"].tolist() == [2, 2, 0.5, 0.5, 1.0, True]
    assert found.loc["RR"].tolist() == [2, 2, 0.5, 0.5, 0.75, True]
    assert found.loc["R@1"].tolist() == [2, 0, 0.5, 0.5, 0.5, True]


def test_ties_of_a_finished_run_are_those_of_its_hits(toy):
    bench = toy.collection(4, 1, [(0, 2, 1)])
    run = (toy.says(((2, 1, 1, 1),)) % 3).fit(bench.corpus).run(bench.topics)
    row = evaluate({"s": run}, on=bench, measures=[R @ 2]).ties().iloc[0]
    assert row[["tied", "mean", "worst", "best", "whole"]].tolist() == [1, 0, 0, 1, False]


def test_a_system_that_failed_has_no_ties_there(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    run = toy.says(((1, 1), (1, 1))).fit(bench.corpus).run(bench.topics)
    twice = Run(run.topics, run.corpus, run.offsets, np.array([0, 1, 1, 1]), run.scores)
    row = evaluate({"s": twice}, on=bench, measures=[RR]).ties().iloc[0]
    assert row[["n", "tied", "mean"]].tolist() == [1, 1, 1]


def test_many_ties_at_the_cut_are_said(toy):
    bench = toy.collection(4, 1, [(0, 3, 1)])
    result = evaluate({"s": toy.says(((1, 1, 1, 1),)) % 2}, on=bench, measures=[R @ 2])
    assert any("s 100%. What stands at the cut may be chance" in note for note in result.notes)


def test_only_the_last_cut_of_a_policy_is_taken_off():
    policy = lcm.BM25() % 100 + 0.3 * lcm.TfIdf() >> lcm.MMR(0.7) % 10
    assert uncut(policy) == (lcm.BM25() % 100 + 0.3 * lcm.TfIdf() >> lcm.MMR(0.7), 10)
    assert uncut(lcm.BM25()) == (lcm.BM25(), None)
    assert uncut(None) == (None, None)


def test_a_budget_that_holds_all_there_is_is_said(toy):
    bench = toy.collection(3, 2, [(0, 0, 1), (1, 1, 1)])
    result = evaluate({"s": toy.says(((3, 2, 1),) * 2)}, on=bench, measures=[Evidence @ 500])
    assert result.bounds()[["random", "ceiling", "beyond"]].to_numpy().tolist() == [[1, 1, 2]]
    assert any(
        note.startswith("Evidence@500: all rows to rank fit into it for 2 of 2 topics")
        for note in result.notes
    )
    assert not any("fit" in note for note in evaluate(toy.says(((3, 2, 1),) * 2), on=bench).notes)
