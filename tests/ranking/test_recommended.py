import pickle

import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import AllR, AnyR, R, nDCG
from lcm_lab.ranking.dense.lsa import LSA
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.named.recommended import Recommended
from lcm_lab.testing import check_ranker
from lcm_lab.transcripts.load import load


def test_it_is_a_value_that_prints_whole():
    policy = Recommended()
    assert policy == Recommended()
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert "Proximity(BM25(b=0.6, average=70.0, rarity=1.6, framing=0.45, repeats=False))" in repr(
        policy
    )


def test_contract():
    check_ranker(Recommended())
    check_ranker(Recommended(LSA(8)))


def test_an_answer_without_a_word_of_the_question_is_found():
    rows = [
        {"text": "Which port does the proxy use?", "speaker": "Ann", "role": "user"},
        {"text": "8443, since May.", "speaker": "Bo", "role": "assistant"},
        {"text": "Lunch at noon.", "speaker": "Ann", "role": "user"},
    ]
    found = Recommended().fit(Corpus(rows))("which port has the proxy?")
    assert found["docno"].tolist()[:2] == ["m2", "m1"]


def test_an_encoder_is_one_more_way_to_be_found():
    policy = Recommended(LSA(8))
    assert f"0.3 * AboveMean({Dense(LSA(8), fields=('text',))!r})" in repr(policy)
    corpus = Corpus(["a cat purrs", "the cat sleeps", "stocks fell", "sell the stocks"])
    assert policy.fit(corpus)("purr")["docno"].tolist()[:2] == ["m1", "m2"]
    with pytest.raises(BadParameter):
        Recommended("MiniLM")


def means(bench, *measures):
    found = evaluate({"ours": Recommended() % 10}, on=bench, measures=list(measures)).frame
    return found.groupby("measure", sort=False)["value"].mean().tolist()


@pytest.mark.slow
def test_what_it_finds_on_the_development_sets(shared):
    """In sample; the docstring of `Recommended` has what it finds out of fold."""
    locomo = load(shared / "locomo" / "locomo_dev.json.xz").judged()
    assert means(locomo, R @ 10, nDCG @ 10) == pytest.approx([0.808, 0.648], abs=0.005)
    multi = locomo._with(locomo.topics[locomo.topics["type"] == "multi-hop"])
    assert means(multi, AllR @ 10) == pytest.approx([0.204], abs=0.015)
    beam = load(shared / "beam").judged()
    beam = beam._with(beam.topics[beam.topics["type"] != "summarization"])
    assert means(beam, nDCG @ 10, R @ 10) == pytest.approx([0.607, 0.722], abs=0.005)
    pool = load(shared / "longmemeval" / "lme_evidence_dev250.jsonl.xz").judged()
    found = means(pool, AnyR @ 5, AllR @ 5, nDCG @ 10)
    assert found == pytest.approx([0.889, 0.770, 0.801], abs=0.005)
