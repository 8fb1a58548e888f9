"""The algebra's laws, over generated policies."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.ranking.nodes import Weighted
from lcm_lab.rows import contains
from lcm_lab.testing import QUERIES, small_corpus

CORPUS = small_corpus()
NAMES = {name: getattr(lcm, name) for name in ("BM25", "TfIdf", "Recency", "RRF", "Analyzer")}

weights = st.sampled_from([0.1, 0.3, 0.5, 1, 2, 3.0])
cuts = st.sampled_from([1, 2, 3, 5, 100])
leaves = st.one_of(
    st.builds(lcm.BM25, k1=st.sampled_from([0.9, 1.2]), b=st.sampled_from([0, 0.4, 0.75])),
    st.builds(lcm.TfIdf, sublinear=st.booleans()),
    st.just(lcm.BM25(fields=("text",), analyzer=lcm.Analyzer(language=None, stop=None))),
)
modifiers = st.builds(lcm.Recency, st.sampled_from(["1D", "7D"]), floor=st.sampled_from([0.0, 0.5]))


def grown(parts):
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a + b, parts, modifiers),
        st.builds(lambda a, b: a >> b, parts, parts),
        st.builds(lambda a, b: a >> b, parts, modifiers),
        st.builds(lambda w, a: w * a, weights, parts),
        st.builds(lambda a, k: a % k, parts, cuts),
        st.builds(lambda a, r: a.over(role=r), parts, st.sampled_from(["user", "assistant"])),
    )


sums = st.recursive(leaves, grown, max_leaves=5)
lists = sums.filter(lambda ranker: not isinstance(ranker, Weighted))
policies = st.one_of(sums, st.builds(lambda a, b, k: lcm.RRF(a, b, k=k), lists, lists, cuts))
filters = st.sampled_from([{}, {"conversation": "c1"}, {"role": "user", "before": "2026-01-12"}])


def hits(policy, topics=QUERIES, **given):
    run = policy.fit(CORPUS).run(list(topics) if not isinstance(topics, str) else topics, **given)
    return [(rows.tolist(), scores.tolist()) for _, rows, scores in run]


def rows_only(found):
    return [rows for rows, _ in found]


@given(policies)
def test_a_policy_is_the_value_of_what_it_prints(policy):
    assert eval(repr(policy), NAMES) == policy
    assert repr(eval(repr(policy), NAMES)) == repr(policy)
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert hash(eval(repr(policy), NAMES)) == hash(policy)


@given(sums, sums, sums)
def test_then_and_plus_are_associative(a, b, c):
    assert (a >> b) >> c == a >> (b >> c)
    assert (a + b) + c == a + (b + c)


@given(policies)
def test_a_weight_of_one_vanishes(policy):
    assert 1 * policy == policy


@settings(max_examples=50)
@given(policies)
def test_twice_a_policy_ranks_as_the_policy(policy):
    assert rows_only(hits(2 * policy)) == rows_only(hits(policy))


@settings(max_examples=50)
@given(policies)
def test_a_cut_of_a_cut_ranks_as_the_smaller(policy):
    assert hits(policy % 20 % 10) == hits(policy % 10)


@settings(max_examples=50)
@given(policies, cuts)
def test_a_cut_keeps_the_head_of_the_ranking(policy, k):
    assert rows_only(hits(policy % k)) == [rows[:k] for rows in rows_only(hits(policy))]


@settings(max_examples=50)
@given(policies, filters)
def test_a_batch_gives_what_a_loop_gives(policy, narrowing):
    alone = [hits(policy, query, **narrowing)[0] for query in QUERIES]
    assert hits(policy, **narrowing) == alone


@settings(max_examples=50)
@given(policies, filters)
def test_every_hit_satisfies_its_filter_and_scores_never_rise(policy, narrowing):
    run = policy.fit(CORPUS).run(list(QUERIES), **narrowing)
    assert contains(CORPUS.rows(**narrowing), run.rows).all()
    for _, rows, scores in run:
        assert (np.diff(scores) <= 0).all()
        assert (scores > 0).all()
        assert len(set(rows.tolist())) == len(rows)
        assert (np.diff(rows)[np.diff(scores) == 0] > 0).all()


@settings(max_examples=50)
@given(st.lists(sums, min_size=2, max_size=3), cuts)
def test_a_fused_score_does_not_depend_on_how_deep_the_lists_were_cut(terms, k):
    fused = dict(zip(*hits(sum(terms), QUERIES[2])[0], strict=True))
    shallow = sum(term % k for term in terms)
    for row, score in zip(*hits(shallow, QUERIES[2])[0], strict=True):
        assert fused[row] == pytest.approx(score, rel=1e-12)


@settings(max_examples=50)
@given(sums, sums)
def test_fusion_gives_the_same_scores_in_either_order(a, b):
    one, other = hits(a + b, QUERIES[2])[0], hits(b + a, QUERIES[2])[0]
    assert dict(zip(*one, strict=True)) == pytest.approx(dict(zip(*other, strict=True)), rel=1e-9)


@settings(max_examples=50)
@given(policies)
def test_what_explain_shows_is_what_was_ranked(policy):
    search = policy.fit(CORPUS)
    shown = search.explain(QUERIES[2])
    assert shown["docno"].tolist() == search(QUERIES[2])["docno"].tolist()
    assert shown["score"].tolist() == search(QUERIES[2])["score"].tolist()


@settings(max_examples=50)
@given(st.lists(st.tuples(weights, leaves), min_size=2, max_size=3, unique_by=lambda t: t[1]))
def test_the_terms_that_explain_shows_add_up_to_the_score(weighed):
    terms = [weight * leaf for weight, leaf in weighed]
    shown = (sum(terms) >> lcm.Recency("7D")).fit(CORPUS).explain(QUERIES[2])
    assume(len(shown))
    total = sum(shown[repr(term)] for term in terms) * shown["Recency('7D')"]
    assert total.tolist() == pytest.approx(shown["score"].tolist(), rel=1e-12)
