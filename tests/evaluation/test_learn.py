import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import lcm_lab as lcm
from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.choosing.learn import learn
from lcm_lab.evaluation.choosing.pairs import Pairs, weigh
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import RR, Latency, R, nDCG
from lcm_lab.ranking.steps.learned import Learned
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics
from lcm_lab.transcripts.load import load


@lcm.value
class Says(lcm.Scorer):
    """Score each message by a number it holds: "3 1" says 3 to place 0 and 1 to place 1."""

    place: int = 0

    def index(self, corpus):
        return np.array([float(text.split()[self.place]) for text in corpus["text"]])

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))


def bench(talks, name="toy"):
    """Make a collection of conversations whose first message is the one to find."""
    rows = [
        {"docno": f"{c}-{i}", "text": text, "conversation": f"c{c}"}
        for c, talk in enumerate(talks)
        for i, text in enumerate(talk)
    ]
    asked = [{"qid": f"q{c}", "query": "x", "conversation": f"c{c}"} for c in range(len(talks))]
    gold = [{"qid": f"q{c}", "docno": f"{c}-0", "relevance": 1} for c in range(len(talks))]
    return Collection(name, Corpus(rows), pd.DataFrame(asked), pd.DataFrame(gold))


TALK = ("1 4", "2 1", "4 2")  # place 1 finds the first message, place 0 prefers the others
BOTH = Says(0) + Says(1)


def test_what_finds_weighs_more_than_what_misleads():
    found = learn(BOTH, on=bench([TALK] * 4), measure=RR, folds=2)
    assert found.weights["feature"].tolist() == ["Says()", "Says(place=1)"]
    misleads, finds = found.policy.weights
    assert misleads < 0 < finds
    row = found.frame.iloc[0]
    assert (row["collection"], row["n"], row["in_sample"], row["out_of_fold"]) == ("toy", 4, 1, 1)
    assert row["before"] == row["in_sample"] - row["gain"] == 0.5
    assert len(found.picks) == 2


def test_the_figures_are_those_that_evaluate_gives():
    toy = load("synth-chat-s")
    found = learn(lcm.Neighbours(lcm.BM25()) % 50, on=toy, folds=2, measure=nDCG @ 10)
    systems = {"before": found.policy.policy, "in_sample": found.policy}
    systems |= {f"pick {i}": pick for i, pick in enumerate(found.picks)}
    result = evaluate(systems, on=toy, measures=[nDCG @ 10])
    row, means = found.frame.iloc[0], result.summary().set_index("system")["mean"]
    assert row["before"] == pytest.approx(means["before"], abs=1e-12)
    assert row["in_sample"] == pytest.approx(means["in_sample"], abs=1e-12)
    folds = result.conversation % 2
    picked = [result.values(f"pick {fold}", nDCG @ 10)[i] for i, fold in enumerate(folds)]
    assert row["out_of_fold"] == pytest.approx(np.nanmean(picked), abs=1e-12)
    assert row["low"] < row["out_of_fold"] < row["high"]


def test_each_fold_is_ranked_by_what_the_others_taught():
    # In each half another place finds, so that what one teaches misleads in the other.
    turned = tuple(" ".join(reversed(text.split())) for text in TALK)
    found = learn(BOTH, on=bench([TALK, turned] * 2), measure=R @ 1, folds=2)
    assert found.frame["out_of_fold"].tolist() == [0]
    assert found.picks[0].weights == found.picks[1].weights[::-1]


def test_collections_weigh_the_same_however_many_topics_each_has():
    turned = [tuple(" ".join(reversed(text.split())) for text in TALK)] * 2
    found = learn(BOTH, on=[bench([TALK] * 20, "a"), bench(turned, "b")], folds=2)
    of_place_0, of_place_1 = found.policy.weights
    assert of_place_0 == of_place_1
    assert found.frame["collection"].tolist() == ["a", "b"]


def test_features_are_weighed_beside_the_steps():
    found = learn(Says(0) % 10, on=bench([TALK] * 4), features=Says(1), measure=RR, folds=2)
    assert found.policy.features == (Says(1),)
    assert found.frame["out_of_fold"].tolist() == [1]


@pytest.mark.parametrize("estimator", [Ridge(), LogisticRegression(C=0.01, fit_intercept=False)])
def test_any_linear_estimator_will_do_and_is_left_as_it_was(estimator):
    found = learn(BOTH, on=bench([TALK] * 4), estimator=estimator, measure=RR, folds=2)
    assert found.frame["out_of_fold"].tolist() == [1]
    assert not hasattr(estimator, "coef_")


def test_what_is_learned_is_short_and_the_same_every_time():
    first, second = (learn(BOTH, on=bench([TALK] * 4), folds=2) for _ in range(2))
    assert first.policy == second.policy
    assert first.policy.weights == tuple(float(f"{w:.4g}") for w in first.policy.weights)
    assert repr(first).startswith(repr(first.policy))


def test_a_feature_that_tells_nothing_weighs_nothing():
    pairs = Pairs(np.array([[1.0, 0.0], [2.0, 0.0], [-1.0, 0.0]]), np.full(3, 1 / 3))
    weights = weigh([pairs])
    assert weights[0] > 0
    assert weights[1] == 0


def test_all_pairs_of_a_topic_count_as_one():
    corpus = Corpus(["a", "b", "c", "d"])
    run = Run.of(Topics.of("x", corpus), Hits(np.array([0, 4]), np.arange(4), np.ones(4)))
    table, relevant = np.array([[4.0], [3.0], [2.0], [1.0]]), np.array([True, False, True, False])
    found = Pairs.of(run, table, relevant, np.array([True]))
    assert found.apart.ravel().tolist() == [1, 3, -1, 1]
    assert found.size.tolist() == [0.25] * 4
    assert len(Pairs.of(run, table, relevant, np.array([False])).size) == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"policy": Says}, "learn weighs the steps of a policy"),
        ({"policy": lcm.MMR(0.7)}, "re-scores what a policy finds"),
        ({"features": [lcm.MMR(0.7)]}, "could be a term of a sum"),
        ({"measure": Latency @ 95}, "learn reports a mean over topics"),
        ({"on": []}, "needs on= a Collection"),
        ({"on": [BOTH]}, "needs on= a Collection"),
        ({"policy": Says(lcm.vary(0, 1))}, "stands for 2 policies"),
        ({"folds": 1}, "folds must be a whole number, 2 or more"),
        ({"folds": 5}, "'toy' has 4 conversations, fewer than 5 folds"),
        ({"policy": BOTH % 1}, "nothing to learn from"),
        ({"estimator": DecisionTreeClassifier()}, "only a linear model fits into one"),
        ({"estimator": GradientBoostingClassifier(n_estimators=2)}, "only a linear model"),
        ({"estimator": make_pipeline(StandardScaler(), Ridge())}, "Features are scaled already"),
        ({"estimator": Ridge}, "must be a linear scikit-learn model"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, says):
    with pytest.raises(BadParameter, match=says):
        learn(**{"policy": BOTH, "on": bench([TALK] * 4), "folds": 2} | changes)


@pytest.mark.slow
def test_what_it_finds_on_the_development_sets(shared):
    """Out of fold; the docstring of `learn` has the table."""
    beam = load(shared / "beam").judged()
    found = learn(
        lcm.Recommended() % 100,
        on=[
            load(shared / "locomo" / "locomo_dev.json.xz").judged(),
            beam._with(beam.topics[beam.topics["type"] != "summarization"]),
            load(shared / "longmemeval" / "lme_evidence_dev250.jsonl.xz").judged(),
        ],
    )
    assert found.frame["n"].tolist() == [997, 96, 235]
    assert found.frame["out_of_fold"].tolist() == pytest.approx([0.647, 0.586, 0.807], abs=0.005)
    assert isinstance(found.policy, Learned)
