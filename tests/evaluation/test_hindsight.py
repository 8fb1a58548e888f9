"""Both scores: as of the moment of a question, and with nothing hidden from it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.evaluation.hindsight import hindsight, told
from lcm_lab.measures import R, Tokens, nDCG
from lcm_lab.rows import count
from lcm_lab.run import Hits

TOLD = [
    "Hosting is at Hetzner in Falkenstein.",
    "Lunch is at noon.",
    "Where is hosting at, again?",
    "Hosting moved to Helsinki.",
]


def bench(asked_at="2026-01-03"):
    rows = [
        {"docno": f"m{day}", "text": text, "time": f"2026-01-0{day}"}
        for day, text in enumerate(TOLD, 1)
    ]
    topics = pd.DataFrame(
        {
            "qid": ["q1", "q2", "q3"],
            "query": ["where is hosting at, again?", "when is lunch?", "who is the cook?"],
            "asked_at": [asked_at, None, asked_at],
        }
    )
    qrels = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["m1", "m2"], "relevance": [1, 1]})
    return lcm.Collection("hosting", lcm.Corpus(rows), topics, qrels)


def test_a_question_that_may_find_itself_looks_worse_for_it():
    systems = {"bm25": lcm.BM25() % 5}
    result = lcm.evaluate(systems, on=bench(), measures=[R @ 1, nDCG @ 10])
    found = hindsight(result)
    assert found.to_dict("records") == [
        {"system": "bm25", "measure": "R@1", "as_of": 1.0, "nothing_hidden": 0.0, "n": 1}
    ]
    assert hindsight(result, nDCG @ 10)["nothing_hidden"].iloc[0] < 1
    assert told(found) == (
        "R@1 as of the moment of each question, and with nothing hidden, when a question can find "
        "itself and what came later (n = 1 topics that were asked at a moment): bm25 1.000 and "
        "0.000."
    )


def test_where_nothing_is_hidden_there_is_one_score():
    result = lcm.evaluate({"bm25": lcm.BM25() % 5}, on=bench(None), measures=[R @ 1])
    with pytest.raises(BadInput, match="No topic of 'hosting' hides anything"):
        hindsight(result)


def test_a_measure_that_was_not_evaluated_has_no_two_scores():
    result = lcm.evaluate({"bm25": lcm.BM25() % 5}, on=bench(), measures=[R @ 1])
    with pytest.raises(NotFound, match="No measure here 'nDCG@10'"):
        hindsight(result, nDCG @ 10)
    cost = lcm.evaluate({"bm25": lcm.BM25() % 5}, on=bench(), measures=[Tokens @ 5])
    with pytest.raises(BadInput, match="No measure of what is found was evaluated"):
        hindsight(cost)


class Forgets:
    """A system of somebody's own that raises where nothing is hidden."""

    def fit(self, corpus):
        return self

    def run(self, topics):
        if any(count(rows) > 3 for rows in topics.rows):
            raise RuntimeError("too many rows")
        return lcm.Run.of(topics, Hits.stack([(np.array([0]), np.array([1.0]))] * len(topics)))


def test_both_scores_of_a_system_are_over_the_topics_that_it_ranked_both_times():
    systems = {"bm25": lcm.BM25() % 5, "forgets": Forgets()}
    made = bench()
    kept = made.topics["qid"] != "q2", made.qrels["qid"] != "q2"
    made = replace(made, topics=made.topics[kept[0]], qrels=made.qrels[kept[1]])
    result = lcm.evaluate(systems, on=made, measures=[R @ 1])
    assert result.failures.empty
    found = hindsight(result)
    assert found["n"].tolist() == [1, 0]
    assert found["as_of"].isna().tolist() == [False, True]
    assert "n = 1 topics that were asked at a moment, down to 0 where a system failed" in told(
        found
    )
