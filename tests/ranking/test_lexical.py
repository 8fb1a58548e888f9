import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from lcm_lab import BM25, Analyzer, Corpus, Phrase, QueryLikelihood, TfIdf
from lcm_lab.errors import BadParameter, EmptyQuery

PLAIN = Analyzer(language=None, stop=None, identifiers=False)
WORDS = ["wal", "retry", "backoff", "table", "lunch", "noon", "index", "query"]
texts = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=12
)


def ask(policy, rows, question, **filters):
    return policy.fit(Corpus(rows))(question, **filters)


def test_bm25_gives_the_worked_value_of_its_formula():
    hits = ask(BM25(analyzer=PLAIN), ["rain in bergen", "bread and butter today"], "rain")
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    weight = 1 / (1 + 1.2 * (1 - 0.75 + 0.75 * 3 / 3.5))
    assert hits["score"].tolist() == [pytest.approx(idf * weight, rel=1e-6)]


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_bm25_equals_bm25s(rows, query):
    bm25s = pytest.importorskip("bm25s")
    theirs = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    if not any(row.split() for row in rows):
        return
    theirs.index([row.split() for row in rows], show_progress=False)
    known = [word for word in query.split() if word in theirs.vocab_dict]
    wanted = theirs.get_scores(known) if known else np.zeros(len(rows))
    ours = BM25(analyzer=PLAIN, fields=("text",))
    assert ours.score(ours.index(Corpus(rows)), [query])[0] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("sublinear", [True, False])
@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join))
def test_tfidf_equals_scikit_learn(sublinear, rows, query):
    if not any(row.split() for row in rows):
        return
    theirs = TfidfVectorizer(sublinear_tf=sublinear, tokenizer=str.split, token_pattern=None)
    documents = theirs.fit_transform(rows)
    wanted = (theirs.transform([query]) @ documents.T).toarray()[0]
    ours = TfIdf(sublinear=sublinear, analyzer=PLAIN, fields=("text",))
    known = [word for word in query.split() if word in theirs.vocabulary_]
    if known == query.split():  # they keep unknown words out of the length of the question too
        found = ours.score(ours.index(Corpus(rows)), [query])[0]
        assert found == pytest.approx(wanted, abs=1e-6)


def test_a_tfidf_score_is_a_cosine():
    hits = ask(TfIdf(), ["use WAL", "retry the WAL write"], "use WAL")
    assert hits["score"].iloc[0] == pytest.approx(1.0, abs=1e-6)
    assert (hits["score"] <= 1 + 1e-6).all()


def test_a_word_that_every_document_holds_still_counts():  # RK-03, RK-04
    assert ask(BM25(), ["bread and butter", "rain in bergen"], "rain")["docno"].tolist() == ["m2"]
    rows = ["log log log error", "log ok", "log"]
    for policy in (BM25(), TfIdf()):
        hits = ask(policy, rows, "log error")
        assert hits["docno"].iloc[0] == "m1"
        assert (hits["score"] > 0).all()


@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
def test_an_empty_or_wordless_corpus_gives_no_hits(policy):  # RK-01, RK-02
    assert len(ask(policy, [], "x")) == 0
    assert len(ask(policy, ["", "  ", "!!!"], "cache")) == 0


@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
def test_more_hits_than_documents_cannot_be_had(policy):  # RK-05
    assert len(ask(policy % 10, ["one cache", "two cache"], "cache")) == 2


@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
@pytest.mark.parametrize("empty", ["", "   ", "???"])
def test_an_empty_question_is_the_same_error_from_every_ranker(policy, empty):  # QP-04
    with pytest.raises(EmptyQuery):
        ask(policy, ["a", "b", "c"], empty)


def test_single_characters_are_words():  # RK-12
    assert ask(BM25(), ["7 8", "9 5"], "9")["docno"].tolist() == ["m2"]
    assert ask(BM25(), ["I ran", "x y"], "I")["docno"].tolist() == ["m1"]


def test_a_short_text_that_says_it_beats_a_long_one_that_mentions_it():  # RK-17
    long = " ".join(f"word{i}" for i in range(397)) + " redis pool exhausted"
    hits = ask(BM25(), [long, "redis pool exhausted, raised the max"], "redis pool exhausted")
    assert hits["docno"].iloc[0] == "m2"


def test_each_score_belongs_to_its_document():  # RK-20
    rows = ["cache miss", "cache cache hit", "lunch"]
    hits = ask(BM25() % 2, rows, "cache hit")
    assert hits["docno"].tolist() == ["m2", "m1"]
    scores = BM25().score(BM25().index(Corpus(rows)), ["cache hit"])[0]
    assert hits["score"].tolist() == [scores[1], scores[0]]


def test_the_first_hits_do_not_depend_on_how_many_are_asked_for():  # RK-10
    rows = [f"cache {'retry ' * (i % 4)} row {i}" for i in range(60)]
    for policy in (BM25(), BM25() + 0.3 * TfIdf()):
        search = policy.fit(Corpus(rows))
        full = search.run("cache retry").rows.tolist()
        for k in (1, 5, 50):
            assert (policy % k).fit(Corpus(rows)).run("cache retry").rows.tolist() == full[:k]


def test_equal_scores_stand_in_corpus_order():  # RK-09
    assert ask(BM25(), ["use WAL"] * 4, "wal")["docno"].tolist() == ["m1", "m2", "m3", "m4"]


@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
def test_a_filter_is_applied_before_the_cut(policy):
    rows = [{"text": "cache cache", "role": "user"}] * 100 + [{"text": "cache and", "role": "tool"}]
    assert len(ask(policy % 5, rows, "cache", role="tool")) == 1


def test_statistics_are_those_of_the_corpus_that_was_fitted():
    rows = [{"text": t, "conversation": c} for t, c in [("cache", "a"), ("cache", "b"), ("x", "b")]]
    whole = ask(BM25(), rows, "cache").set_index("docno")["score"]
    assert ask(BM25(), rows, "cache", conversation="a")["score"].iloc[0] == whole["m1"]


@pytest.mark.parametrize("query", ["缓存", "缓存方案", "上线"])
@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
def test_chinese_is_found_by_any_part(policy, query):  # CU-01
    rows = ["lunch", "今天上午讨论了缓存方案和上线时间"]
    assert ask(policy, rows, query)["docno"].tolist() == ["m2"]


@pytest.mark.parametrize("query", ["nginx", "配置", "nginx 配置"])
def test_scripts_are_parted_where_they_meet(query):  # CU-03
    assert ask(BM25(), ["lunch", "已更新nginx配置"], query)["docno"].tolist() == ["m2"]


@pytest.mark.parametrize("query", ["qwen2-7b", "v3.1.4", "64-128KB", "qwen2-7b v3.1.4"])
def test_identifiers_are_found_as_they_are_written(query):  # QP-02
    rows = ["moved to qwen2-7b in v3.1.4, batch 64-128KB", "lunch"]
    assert ask(BM25(), rows, query)["docno"].tolist() == ["m1"]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("OPS-417", ["close OPS-417 today", "417 lines of OPS notes"]),  # QP-01
        ("apollo-13 rota", ["apollo-13 rota", "apollo rota"]),  # QP-12
        ("C++", ["port it to C++", "vitamin C"]),  # QP-14
        ("node_modules/x", ["edit .env and node_modules/x", "x marks the node"]),
    ],
)
def test_the_identifier_itself_comes_before_its_parts(query, rows):
    assert ask(BM25(), rows, query)["docno"].iloc[0] == "m1"


@pytest.mark.parametrize(
    "query", ["AND", "NOT a", "foo AND", "NEAR(a b)", "*end", "(end", "-end", '"x"y"', "a:b"]
)
def test_no_question_is_a_syntax_error(query):  # QP-03, QP-06, QP-11
    ask(BM25(), ["to be or not to be, near the end"], query)


def test_a_question_of_stop_words_alone_is_still_asked():  # QP-06
    rows = ["to be or not to be, near the end", "lunch at noon"]
    assert ask(BM25(), rows, "to be or not to be")["docno"].tolist()[0] == "m1"


@pytest.mark.parametrize("ranker", [BM25, TfIdf, QueryLikelihood, Phrase])
@pytest.mark.parametrize("analyzer", [None, 3, "english", ("a",), Analyzer])
def test_what_is_no_analyzer_is_refused_when_the_value_is_made(ranker, analyzer):
    with pytest.raises(BadParameter, match="analyzer must be one, such as Analyzer"):
        ranker(analyzer=analyzer)
