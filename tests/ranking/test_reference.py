"""Rankings of systems in use: what they are, their worked values, and what is mended."""

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.whole import Substring
from lcm_lab.ranking.lexical.split import Split
from lcm_lab.ranking.named.openclaw import Mix, Saturated, Strict, squeezed
from lcm_lab.ranking.named.reference import (
    EpisodicMemory,
    LosslessClaw,
    NaiveBM25,
    OpenClawMemory,
    SessionsSearch,
)
from lcm_lab.ranking.steps.decay import Decay
from lcm_lab.ranking.steps.order import Newest, TiesByTime
from lcm_lab.ranking.steps.turns import Append, Fallback
from lcm_lab.testing import check_ranker

SORTS = ("recency", "relevance", "hybrid")
COMPATS = (None, "reference")
POLICIES = [
    *[LosslessClaw(sort, compat) for sort in SORTS for compat in COMPATS],
    *[SessionsSearch(compat) for compat in COMPATS],
    *[OpenClawMemory(compat=compat) for compat in COMPATS],
    *[EpisodicMemory(mode, compat=compat) for mode in ("vector", "text") for compat in COMPATS],
    EpisodicMemory(),
    NaiveBM25(),
]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_every_named_policy_keeps_the_contract(policy):
    check_ranker(policy)


def test_a_named_policy_is_the_expression_it_prints():
    assert repr(LosslessClaw()) == "Fallback(Newest(FTS5()), FTS5(match='any') >> TiesByTime())"
    assert repr(NaiveBM25()) == "BM25(k1=1.5, fields=('text',), analyzer=Split())"
    kinds = (Append, Strict, Decay, Dense, FTS5, Fallback, Mix, Newest, Saturated, Split)
    names = {kind.__name__: kind for kind in (*kinds, Substring, TiesByTime, lcm.BM25, lcm.MMR)}
    for policy in POLICIES:
        assert eval(repr(policy), {"__builtins__": {}}, names) == policy


def test_unknown_choices_are_refused():
    for make in (LosslessClaw, EpisodicMemory):
        with pytest.raises(BadParameter, match="must be one of"):
            make("newest")
    with pytest.raises(BadParameter, match="compat must be one of None, 'reference'"):
        SessionsSearch("original")


def test_a_question_with_one_absent_word_finds_nothing_only_in_the_original():  # lcm 39
    corpus = lcm.Corpus(["we picked Postgres as the database", "lunch"])
    query = "which database did we pick in the end?"
    for sort in SORTS:
        assert LosslessClaw(sort).fit(corpus)(query)["docno"].iloc[0] == "m1"
        assert LosslessClaw(sort, "reference").fit(corpus)(query).empty
    assert SessionsSearch().fit(corpus)(query)["docno"].iloc[0] == "m1"
    assert SessionsSearch("reference").fit(corpus)(query).empty


def test_tool_text_is_searched_except_in_the_original():
    rows = [{"text": "cat src/app.py", "kind": "tool_call", "role": "assistant"}]
    rows += [{"text": "look at src/app.py", "role": "user"}]
    corpus = lcm.Corpus(rows)
    assert set(LosslessClaw().fit(corpus)("src/app.py")["docno"]) == {"m1", "m2"}
    original = LosslessClaw(compat="reference").fit(corpus)
    assert original("src/app.py")["docno"].tolist() == ["m2"]


def test_cjk_obeys_the_sort_except_in_the_original():  # CU-11
    rows = [{"text": "缓存缓存缓存", "time": "2026-01-01"}, {"text": "缓存", "time": "2026-03-01"}]
    corpus = lcm.Corpus([*rows, {"text": "其他"}, {"text": "午餐"}, {"text": "天气"}])
    found = {sort: LosslessClaw(sort).fit(corpus)("缓存")["docno"].tolist() for sort in SORTS}
    assert found["recency"] == ["m2", "m1"]
    assert found["relevance"] == ["m1", "m2"]
    latin = [{**row, "text": row["text"].replace("缓存", "cache ")} for row in rows]
    latin = lcm.Corpus([*latin, {"text": "else"}, {"text": "lunch"}, {"text": "rain"}])
    assert LosslessClaw("relevance").fit(latin)("cache")["docno"].tolist() == ["m1", "m2"]
    original = LosslessClaw("relevance", "reference").fit(corpus)("缓存")
    assert original["docno"].tolist() == ["m2", "m1"]


def test_openclaws_keyword_scores_and_weights_give_the_worked_values():  # MS 92, 93
    assert squeezed(np.array([4.2, 2.1, 0.5])).round(4).tolist() == [0.8077, 0.6774, 0.3333]
    assert squeezed(np.array([0.0])).tolist() == [0.0]
    weights = [term.weight for term in OpenClawMemory().steps[0].terms]
    assert weights == [0.7, 0.3]


def test_openclaws_diversity_gives_the_worked_orders():  # MS 99, 100, 101
    def order(balance, *hits):
        texts = [text for _, text in hits]
        corpus = lcm.Corpus(texts)
        scores = dict(zip(texts, [score for score, _ in hits], strict=True))

        @lcm.value
        class Given(lcm.Scorer):
            def index(self, corpus):
                return np.array([scores[text] for text in corpus["text"]])

            def score(self, given, queries):
                return np.tile(given, (len(queries), 1))

        ranked = (Given() >> lcm.MMR(balance)).fit(corpus)("x")
        return [scores[text] for text in ranked["text"]]

    shared_topic = (1.0, "shared semantic topic"), (0.9, "shared semantic topic ")
    assert order(0.2, *shared_topic, (0.3, "unrelated lexical topic")) == [1, 0.3, 0.9]
    hits = (0.9, "alpha beta gamma"), (0.8, "alpha beta gamma delta"), (0.75, "whiskey tango")
    assert order(0.7, *hits, (0.2, "alpha")) == [0.9, 0.75, 0.8, 0.2]
    assert order(1, *hits, (0.2, "alpha")) == [0.9, 0.8, 0.75, 0.2]


def test_episodic_memory_appends_unseen_text_hits():  # EM 19
    corpus = lcm.Corpus(["wal journal stall", "the sea", "a wal journal", "lunch"])
    vector = EpisodicMemory("vector").fit(corpus)("wal journal")["docno"].tolist()
    text = EpisodicMemory("text").fit(corpus)("wal journal")["docno"].tolist()
    both = EpisodicMemory("both", limit=2).fit(corpus)("wal journal")["docno"].tolist()
    assert both == vector[:2] + [docno for docno in text[:2] if docno not in vector[:2]]


def test_white_space_alone_makes_the_words_of_the_naive_baseline():
    corpus = lcm.Corpus(["Postgres it is", "postgres.", "we use postgres here"])
    assert NaiveBM25().fit(corpus)("postgres")["docno"].tolist() == ["m3"]


def test_a_text_search_needs_the_question_as_it_stands():
    corpus = lcm.Corpus(["we use the WAL here", "use WAL"])
    assert EpisodicMemory("text").fit(corpus)("use wal")["docno"].tolist() == ["m2"]
    assert EpisodicMemory("text") == Newest(Substring())
