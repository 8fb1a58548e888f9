import numpy as np
import pytest

from lcm_lab import BM25, BestPassage, Corpus, TfIdf
from lcm_lab.errors import BadParameter
from lcm_lab.testing import check_ranker, small_corpus

LONG = " ".join(["filler"] * 120 + ["rotate the staging certificate"] + ["filler"] * 80)


def test_best_passage_keeps_the_contract():
    check_ranker(BestPassage(BM25(), 3))
    check_ranker(BestPassage(TfIdf(), 1))


def test_a_text_scores_as_its_best_passage():
    corpus = Corpus([LONG, "certificate filler"])
    inner = BM25()
    policy = BestPassage(inner, 50)
    passages = [" ".join(LONG.split()[i : i + 50]) for i in range(0, 204, 50)]
    wanted = inner.score(inner.index(Corpus([*passages, "certificate filler"])), ["rotate"])[0]
    found = policy.score(policy.index(corpus), ["rotate"])[0]
    assert found.tolist() == [wanted[:5].max(), wanted[5]]


def test_short_texts_are_scored_whole():
    corpus, inner = small_corpus(), BM25()
    policy = BestPassage(inner, 1000)
    same = policy.score(policy.index(corpus), ["retry WAL"])
    assert np.allclose(same, inner.score(inner.index(corpus), ["retry WAL"]))


def test_what_scores_nothing_by_itself_is_refused():
    with pytest.raises(BadParameter, match="needs a scorer such as BM25"):
        BestPassage(BM25() + TfIdf())
    with pytest.raises(BadParameter, match="words must be a whole number"):
        BestPassage(BM25(), 0)
