import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.choosing.tune import tune
from lcm_lab.measures import RR, Latency, R


@lcm.value
class Place(lcm.Scorer):
    """Ranks a conversation's message of a given place first."""

    place: int = 0

    def index(self, corpus):
        seen = {}
        places = [seen.setdefault(c, []) for c in corpus["conversation"]]
        for i, listed in enumerate(places):
            listed.append(i)
        return np.array([listed.index(i) == self.place for i, listed in enumerate(places)], float)

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))


def bench(name, golds):
    """A conversation of three messages for each gold place, asked one question."""
    rows = [
        {"docno": f"{name}{c}-{i}", "text": "x", "conversation": f"{name}{c}"}
        for c in range(len(golds))
        for i in range(3)
    ]
    topics = pd.DataFrame(
        [{"qid": f"q{c}", "query": "x", "conversation": f"{name}{c}"} for c in range(len(golds))]
    )
    qrels = pd.DataFrame(
        [{"qid": f"q{c}", "docno": f"{name}{c}-{g}", "relevance": 1} for c, g in enumerate(golds)]
    )
    return Collection(name, Corpus(rows), topics, qrels)


FAMILY = Place(lcm.vary(0, 1, 2))


def test_the_best_on_everything_is_chosen_and_measured_out_of_fold():
    found = tune(FAMILY, on=bench("a", [1, 1, 1, 2, 1, 0]), measure=R @ 1, folds=3)
    assert found.policy == Place(1)
    assert found.picks == (Place(1),) * 3
    row = found.frame.iloc[0]
    assert (row["collection"], row["n"]) == ("a", 6)
    assert row["in_sample"] == row["out_of_fold"] == pytest.approx(4 / 6)
    assert row["low"] < 4 / 6 < row["high"]
    assert found.grid["a"].tolist() == pytest.approx([1 / 6, 4 / 6, 1 / 6])


def test_a_lucky_choice_shows_its_optimism():
    # Each half prefers what the other lacks, so that what is chosen on one fails on the other.
    found = tune(FAMILY, on=bench("a", [0, 1, 0, 1]), measure=R @ 1, folds=2)
    assert found.policy == Place(0)
    assert found.picks == (Place(1), Place(0))
    assert found.frame[["in_sample", "out_of_fold", "optimism"]].iloc[0].tolist() == [0.5, 0, 0.5]
    assert "chosen without 1 of 2 folds too" in repr(found)


def test_collections_weigh_the_same_and_share_one_choice():
    many, few = bench("a", [0] * 6 + [1] * 2), bench("b", [1, 1])
    found = tune(FAMILY, on=[many, few], measure=R @ 1, folds=2)
    assert found.policy == Place(1)  # .25 and 1 beat .75 and 0
    assert found.grid["mean"].tolist() == pytest.approx([0.375, 0.625, 0])
    assert found.frame["collection"].tolist() == ["a", "b"]


def test_topics_without_judgements_say_nothing():
    one = bench("a", [1, 1, 1, 1])
    kept = one.qrels[one.qrels["qid"] != "q0"]
    found = tune(FAMILY, on=Collection("a", one.corpus, one.topics, kept), measure=RR, folds=2)
    assert found.frame["n"].tolist() == [3]


def test_several_policies_may_be_given_as_they_are():
    found = tune([Place(0), Place(1)], on=bench("a", [1, 1]), measure=R @ 1, folds=2)
    assert (found.policy, len(found.grid)) == (Place(1), 2)


@pytest.mark.parametrize(
    ("family", "changes", "says"),
    [
        (Place(0), {}, "stands for one policy"),
        (FAMILY, {"measure": Latency @ 95}, "tune goes by a mean over topics"),
        (FAMILY, {"folds": 1}, "folds must be a whole number, 2 or more"),
        (FAMILY, {"folds": 5}, "'a' has 2 conversations, fewer than 5 folds"),
    ],
)
def test_what_makes_no_sense_is_refused(family, changes, says):
    with pytest.raises(BadParameter, match=says):
        tune(family, bench("a", [1, 1]), **changes)


@lcm.value
class Breaks(lcm.Scorer):
    """Ranks well, and raises for some conversations."""

    on: tuple = ()

    def index(self, corpus):
        return corpus

    def score(self, index, queries):
        return np.ones((len(queries), len(index)))

    def topk(self, index, queries, k, rows):
        if any(index["conversation"].iloc[one.start] in self.on for one in rows):
            raise TimeoutError("too slow")
        return super().topk(index, queries, k, rows)


def test_a_policy_that_fails_counts_as_the_worst_where_it_does():
    asked = bench("a", [0, 0, 0, 0, 1, 1])
    policies = [Breaks(("a0", "a1", "a2")), Place(0), Breaks(tuple(f"a{i}" for i in range(6)))]
    found = tune(policies, on=asked, measure=R @ 1, folds=2)
    assert found.policy == Place(0)
    assert found.grid["a"].tolist() == pytest.approx([1 / 6, 4 / 6, 0])
    assert found.grid["failed"].tolist() == [3, 0, 6]
    assert "2 failed on some topic, which counts as the worst" in repr(found)


def test_folds_are_of_conversations_that_have_something_to_choose_by():
    made = bench("a", [1, 1, 1, 2, 1, 0])
    lost = pd.DataFrame([{"qid": f"none{i}", "query": "x", "conversation": None} for i in range(4)])
    asked = pd.concat([lost.iloc[:3], made.topics, lost.iloc[3:]], ignore_index=True)
    more = Collection("a", made.corpus, asked, made.qrels)
    for folds in (2, 3, 6):
        alone, beside = (tune(FAMILY, on=one, measure=R @ 1, folds=folds) for one in (made, more))
        assert beside.picks == alone.picks
        pd.testing.assert_frame_equal(beside.frame, alone.frame)
    with pytest.raises(BadParameter, match="has 6 conversations, fewer than 7 folds"):
        tune(FAMILY, on=more, measure=R @ 1, folds=7)
