import pickle

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.search import Search
from lcm_lab.ranking.steps.learned import Learned, columns, steps, strengths
from lcm_lab.testing import check_ranker, small_corpus
from lcm_lab.topics import Topics

NAMES = vars(lcm) | {name: getattr(lcm, name) for name in lcm.__all__} | {"Learned": Learned}

POLICIES = [
    Learned(lcm.BM25() % 5, (1.0,)),
    Learned(lcm.BM25(), (-3.0, 0.5, 2.0), features=(lcm.CharGrams(), lcm.Recency("7D"))),
    Learned(lcm.Recommended() % 20, (0.5, -1.0, 2.0, 0.0, 1.0, 1.0, -0.25, 3.0)),
    Learned(lcm.RRF(lcm.BM25(), lcm.TfIdf()) >> lcm.MMR(0.7), (1.0, 1.0)) % 3,
    lcm.BM25() % 9 >> Learned(lcm.TfIdf(), (1.0,)) >> lcm.Recency("7D"),
]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_contract(policy):
    check_ranker(policy)


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_it_is_a_value_that_prints_as_it_is_made(policy):
    assert eval(repr(policy), dict(NAMES)) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_the_score_is_the_exponential_of_the_weighed_shares():
    corpus = small_corpus()
    words, grams = lcm.BM25(), lcm.CharGrams()
    found = Learned(words % 10, (1.5, -0.5), features=(grams,)).fit(corpus).run("retry backoff")
    plain = {step: step.fit(corpus).run("retry backoff") for step in (words, grams)}
    share = {
        step: dict(zip(run.rows.tolist(), (run.scores / run.scores.max()).tolist(), strict=True))
        for step, run in plain.items()
    }
    wanted = [1.5 * share[words][row] - 0.5 * share[grams][row] for row in found.rows.tolist()]
    assert np.log(found.scores) == pytest.approx(wanted)
    assert set(found.rows.tolist()) == set(plain[words].rows[:10].tolist())


def test_equal_hits_stand_in_corpus_order():
    found = Learned(lcm.BM25(), (0.0,)).fit(small_corpus()).run("retry")
    assert (found.scores == 1).all()
    assert (np.diff(found.rows) > 0).all()


def test_a_step_says_the_same_however_the_policy_was_cut():
    corpus = small_corpus()
    weights = (1.0, -2.0, 0.7)
    deep, short = (
        Learned(lcm.Neighbours(lcm.BM25(), 0.3) % k >> lcm.Recency("7D"), weights)
        .fit(corpus)
        .run("which database did we pick")
        for k in (30, 4)
    )
    scores = dict(zip(deep.rows.tolist(), deep.scores.tolist(), strict=True))
    assert len(short) == 4
    assert short.scores.tolist() == [scores[row] for row in short.rows.tolist()]


def test_steps_are_listed_once_and_from_within():
    found = [type(step).__name__ for step in steps(lcm.Recommended() % 10)]
    assert found == [
        *("BM25", "Proximity", "BySpeaker", "Neighbours", "SessionPrior", "Feedback"),
        *("FirstPerson", "Questions"),
    ]
    users = lcm.BM25().over(role="user")
    assert steps(users + lcm.TfIdf()) == (users, lcm.TfIdf())


def test_a_step_that_sees_fewer_rows_says_nothing_of_the_others():
    corpus = lcm.Corpus([{"text": "WAL", "role": role} for role in ("user", "assistant")])
    policy = Learned(lcm.BM25() + lcm.BM25().over(role="user"), (1.0, 2.0))
    assert policy.fit(corpus).run("wal").scores == pytest.approx(np.exp([3.0, 1.0]))


def test_explain_shows_what_each_step_adds():
    policy = Learned(lcm.BM25() % 10, (1.5, -0.5), features=(lcm.CharGrams(),))
    table = policy.fit(small_corpus()).explain("retry")
    adds = table["1.5 * BM25()"] + table[f"-0.5 * {lcm.CharGrams()}"]
    assert np.log(table["score"]).tolist() == pytest.approx(adds.tolist())


def test_columns_of_a_batch_are_those_of_each_topic():
    corpus, asked = small_corpus(), ["retry", "which database did we pick"]
    searcher = lcm.Recommended().fit(corpus)
    tables = []
    for questions in (asked, asked[:1], asked[1:]):
        search = Search(searcher, Topics.of(questions, corpus))
        run = searcher.policy.retrieve(search, 9)
        tables.append(columns(steps(searcher.policy), search, run))
    assert tables[0].tolist() == [*tables[1].tolist(), *tables[2].tolist()]


def test_a_chain_looked_at_once_says_what_its_rankers_say_alone():
    corpus = small_corpus()
    searcher = lcm.Recommended().fit(corpus)
    topics = Topics.of(["retry", "zebra", "which database did we pick"], corpus)
    run = lcm.BM25().fit(corpus).run(topics)
    chain = steps(searcher.policy)
    table = columns(chain, Search(searcher, topics), run)
    alone = [step.weigh(Search(searcher, topics), run, np.ones(len(run))) for step in chain]
    assert table.T.tolist() == [each.tolist() for each in alone]


def test_huge_weights_stay_finite():
    assert np.isfinite(strengths(np.array([[1.0], [-1.0]]), np.array([1e9]))).all()
    assert (strengths(np.array([[-1.0]]), np.array([1e9])) > 0).all()


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: Learned(lcm.BM25(), (1.0, 2.0)), "weights must be 1 numbers, one each for BM25"),
        (lambda: Learned(lcm.BM25(), 1.0), "weights must be a tuple"),
        (lambda: Learned(lcm.BM25(), (float("nan"),)), "a weight must be a number"),
        (lambda: Learned(lcm.MMR(0.7), ()), "re-scores what a policy finds"),
        (lambda: Learned(lcm.BM25(), (1.0, 1.0), (lcm.MMR(0.7),)), "could be a term of a sum"),
        (lambda: Learned(lcm.BM25(), (1.0, 1.0), lcm.TfIdf()), "features must be a tuple"),
        (lambda: Learned(lcm.BM25(), (1.0,)) + lcm.TfIdf(), "Learned"),
    ],
)
def test_what_makes_no_sense_is_refused(made, says):
    with pytest.raises(BadParameter, match=says):
        made()


def test_a_grid_over_what_is_within_gives_plain_policies():
    family = Learned(lcm.BM25(b=lcm.vary(0.3, 0.6)) % 10, (1.0,))
    assert [one.policy for one in family.grid()] == [lcm.BM25(b=b) % 10 for b in (0.3, 0.6)]
