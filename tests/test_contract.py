"""Every public ranker keeps the contract, and the checks catch one that does not."""

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.testing import check_ranker, small_corpus

RANKERS = [
    lcm.BM25(),
    lcm.BM25(k1=0, b=0),
    lcm.BM25(fields=("text",), analyzer=lcm.Analyzer(language=None, stop=None)),
    lcm.TfIdf(),
    lcm.TfIdf(sublinear=False),
    lcm.RRF(lcm.BM25(), lcm.TfIdf()),
    lcm.QueryLikelihood(),
    lcm.CharGrams(),
    lcm.BestPassage(lcm.BM25(), 5),
    lcm.Prior("role", {"user": 1.0, "assistant": 0.4}),
    lcm.Dense(),
    lcm.Dense(lcm.LSA(3), chunk=2),
    lcm.BM25() % 5 + lcm.Dense(lazy=True),
    lcm.FTS5(),
    lcm.FTS5(match="any"),
    lcm.Regex(),
    lcm.Substring(),
    lcm.Phrase(),
    lcm.Newest(lcm.FTS5()),
    lcm.TiesByTime(),
    lcm.Fallback(lcm.FTS5(), lcm.FTS5(match="any")),
    lcm.Append(lcm.FTS5() % 2, lcm.BM25()),
    lcm.Decay("hyperbolic", "1000h"),
    lcm.Saturated(lcm.FTS5()),
    lcm.BM25(analyzer=lcm.Split()),
    lcm.LosslessClaw("recency"),
    lcm.LosslessClaw("relevance"),
    lcm.LosslessClaw("hybrid"),
    lcm.SessionsSearch(),
    lcm.NaiveBM25(),
    lcm.Fuse(lcm.BM25(), 0.3 * lcm.TfIdf(), norm="zscore"),
    lcm.Neighbours(lcm.BM25(), 0.3, window=2, after_question=1.0, fade=60),
    lcm.SessionPrior(lcm.BM25() + 0.3 * lcm.TfIdf(), 0.4),
    lcm.ByRole(lcm.BM25()),
    lcm.BySpeaker(lcm.BM25()),
    lcm.FirstPerson(lcm.BM25()),
    lcm.Questions(lcm.BM25()),
    lcm.AboveMean(lcm.BM25()),
    lcm.Feedback(lcm.BM25()),
    lcm.Proximity(lcm.BM25()),
    lcm.Recommended(),
    lcm.Learned(lcm.Neighbours(lcm.BM25()) % 9, (1.0, -0.5)),
    lcm.MMR(0.7),
    lcm.Dedupe("session"),
    lcm.Dedupe(alike=0.8),
    lcm.AtLeast(0.1),
    lcm.InView(),
    lcm.Expand(),
    lcm.Expand(1, 40),
    lcm.Ancestors(),
    lcm.Ancestors(1, keep=False),
    lcm.BM25() >> lcm.InView(),
    lcm.Recency("7D"),
    lcm.BM25() % 5 + 0.3 * lcm.TfIdf() >> lcm.Recency("7D") % 3,
    lcm.BM25().over(role="user") + lcm.TfIdf(),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_every_ranker_keeps_the_contract(ranker):
    check_ranker(ranker)


def test_a_fast_path_that_differs_from_the_definition_is_caught():
    @lcm.value
    class Off(lcm.BM25):
        def topk(self, index, queries, k, rows):
            return super().topk(index, queries, max(1, k - 1), rows)

    with pytest.raises(AssertionError, match="topk gives what score gives"):
        check_ranker(Off())


def test_a_scorer_that_gives_no_number_is_caught():
    @lcm.value
    class Broken(lcm.Scorer):
        def index(self, corpus):
            return len(corpus)

        def score(self, size, queries):
            return np.full((len(queries), size), np.nan)

    with pytest.raises(AssertionError, match="scores are finite"):
        check_ranker(Broken())


def test_scores_that_are_not_finite_are_no_hits_and_are_counted():  # RK-08
    @lcm.value
    class Odd(lcm.Scorer):
        def index(self, corpus):
            return None

        def score(self, index, queries):
            return np.array([[0.9, np.nan, 0.4, -np.inf, np.inf]] * len(queries))

    search = Odd().fit(lcm.Corpus(list("abcde")))
    with pytest.warns(RuntimeWarning, match="3 scores that are not finite"):
        hits = search("anything")
    assert hits["docno"].tolist() == ["m1", "m3"]


def test_the_small_corpus_holds_what_rankers_stumble_over():
    corpus = small_corpus()
    assert (corpus["text"] == "").any()
    assert corpus["time"].isna().any()
    assert corpus["text"].duplicated().any()


def test_a_ranker_without_what_makes_it_one_is_refused_when_it_is_made():
    @lcm.value
    class Forgetful(lcm.Scorer):
        def index(self, corpus):
            return None

    with pytest.raises(TypeError, match=r"abstract method '?score"):
        Forgetful()


def test_a_cut_list_that_is_asked_to_score_every_row_says_what_to_write():
    @lcm.value
    class Doubled(lcm.Contextual):
        inner: lcm.Ranker

        def score(self, inner, view):
            return 2 * inner

    search = Doubled(lcm.RRF(lcm.BM25(), lcm.TfIdf())).fit(lcm.Corpus(["use WAL"]))
    with pytest.raises(BadParameter, match=r"cannot score every row.*RRF\(a, b\)"):
        search("wal")
