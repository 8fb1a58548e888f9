"""What may be a system, what it is called, and what systems share."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.lending import lent, settled
from lcm_lab.measures import (
    RR,
    R,
)
from lcm_lab.ranking.lexical.words import BM25, TfIdf
from lcm_lab.ranking.steps.fuse import RRF
from lcm_lab.ranking.steps.recency import Recency
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.values import vary


def test_leaves_that_policies_share_are_indexed_and_scored_once(toy):
    bench = toy.collection(3, 2, [(0, 0, 1), (1, 1, 1)])
    leaf = toy.says(((3, 2, 1), (1, 2, 3)), "shared")
    policies = [leaf, leaf >> Recency("7D"), RRF(leaf, leaf), leaf >> Recency("30D") % 2]
    evaluate(leaf, on=bench, measures=[R @ 1])
    once = dict(toy.calls)
    toy.calls.clear()
    evaluate(policies, on=bench, measures=[R @ 1])
    assert dict(toy.calls) == once


def test_two_processes_give_what_one_gives(toy):
    bench, family = toy.chat(), (BM25(k1=vary(0.5, 1.2, 2.0)) % vary(5, 20)).grid()
    one, two = evaluate(family, on=bench), evaluate(family, on=bench, n_jobs=2)
    pd.testing.assert_frame_equal(one.frame, two.frame)
    assert one.notes == two.notes


def test_workers_map_the_corpus_and_are_not_sent_it(toy):
    topics = Topics.of(["use WAL", "lunch"], Corpus(["use WAL " * 5_000, "lunch"]))
    with joblib.parallel_config("loky"), lent(topics) as (bare, path):
        sent = pickle.loads(pickle.dumps(bare))
        assert len(pickle.dumps(bare)) < 5_000
        settled(sent.corpus, path)
        assert sent.corpus.fingerprint == topics.corpus.fingerprint
        assert topics.corpus["text"].tolist()[1] == "lunch"
    with joblib.parallel_config("threading"), lent(topics) as (bare, path):
        assert path is None
        assert bare.corpus is topics.corpus


def test_systems_are_called_by_their_key_or_their_expression(toy):
    bench = toy.chat()
    assert evaluate({"a": BM25() % 5}, on=bench).systems == {"a": "BM25() % 5"}
    assert evaluate(BM25() % 5, on=bench).systems == {"BM25() % 5": "BM25() % 5"}
    assert list(evaluate([TfIdf(), BM25()], on=bench).systems) == ["TfIdf()", "BM25()"]


def test_a_run_that_lists_a_judged_document_twice_is_refused(toy):
    bench = toy.collection(2, 1, [(0, 1, 1)])
    topics = Topics.of(bench.topics, bench.corpus)
    run = Run(topics, bench.corpus, np.array([0, 2]), np.array([1, 1]), np.array([2.0, 1.0]))
    with pytest.raises(BadInput, match="lists 'd1' more than once for topic 'q0'"):
        evaluate({"theirs": run}, on=bench)


class Backwards:
    """Somebody's own system: every row of the topic, last first."""

    def fit(self, corpus):
        return self

    def run(self, topics):
        rows = [np.arange(len(topics.corpus))[rows][::-1] for rows in topics.rows]
        offsets = np.cumsum([0, *map(len, rows)])
        flat = np.concatenate(rows)
        return Run(topics, topics.corpus, offsets, flat, np.arange(len(flat), 0.0, -1.0))


def test_an_object_that_fits_is_a_system(toy):
    bench = toy.collection(3, 1, [(0, 2, 1)])
    assert evaluate({"mine": Backwards()}, on=bench, measures=[RR]).frame["value"].tolist() == [1.0]


def test_a_system_that_gives_no_run_is_refused_by_name(toy):
    class Wrong(Backwards):
        def run(self, topics):
            return {"q0": {"d1": 1.0}}

    with pytest.raises(BadParameter, match="System 'mine' must give a Run for topics"):
        evaluate({"mine": Wrong()}, on=toy.collection(3, 1, [(0, 2, 1)]))


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({}, "no systems"),
        ([], "no systems"),
        ("BM25()", "Cannot evaluate 'BM25"),
        (7, "Cannot evaluate 7"),
        ({"a": "BM25()"}, "System 'a' cannot be fitted"),
        ({"a": BM25}, "System 'a' cannot be fitted"),
        (BM25, "Cannot evaluate"),
        ({"": BM25()}, "not blank"),
        ({1: BM25()}, "not blank"),
        ([BM25(), BM25()], r"Two systems are called 'BM25\(\)'"),
        ({"a": BM25(k1=vary(1, 2))}, "grid"),
    ],
)
def test_what_cannot_be_a_system_is_refused(toy, systems, message):
    with pytest.raises(BadParameter, match=message):
        evaluate(systems, on=toy.chat())


def test_topics_that_a_run_lacks_count_zero_and_those_not_asked_are_ignored(toy):
    bench = toy.collection(1, 3, [(0, 0, 1), (1, 0, 1), (2, 0, 1)])
    more = pd.DataFrame({"qid": ["q9", "q0"], "query": ["question 9", "question 0"]})
    topics = Topics.of(more, bench.corpus)
    run = Run(topics, bench.corpus, np.array([0, 1, 2]), np.array([0, 0]), np.array([1.0, 1.0]))
    result = evaluate({"theirs": run}, on=bench, measures=[RR])
    assert result.frame["value"].tolist() == [1.0, 0.0, 0.0]
    assert "theirs finds nothing at all for 2 of 3 topics (q1, q2)." in result.notes


def test_a_run_over_another_corpus_is_refused(toy):
    bench, other = toy.collection(2, 1, [(0, 0, 1)]), toy.collection(3, 1, [(0, 0, 1)])
    run = toy.says(((1, 2, 3),)).fit(other.corpus).run(other.topics)
    with pytest.raises(BadInput, match="another corpus"):
        evaluate({"theirs": run}, on=bench)
