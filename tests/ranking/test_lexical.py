import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from lcm_lab import BM25, Analyzer, Corpus, Phrase, QueryLikelihood, TfIdf
from lcm_lab.errors import BadParameter

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


@pytest.mark.parametrize("policy", [BM25(), TfIdf()])
def test_a_filter_is_applied_before_the_cut(policy):
    rows = [{"text": "cache cache", "role": "user"}] * 100 + [{"text": "cache and", "role": "tool"}]
    assert len(ask(policy % 5, rows, "cache", role="tool")) == 1


def test_statistics_are_those_of_the_corpus_that_was_fitted():
    rows = [{"text": t, "conversation": c} for t, c in [("cache", "a"), ("cache", "b"), ("x", "b")]]
    whole = ask(BM25(), rows, "cache").set_index("docno")["score"]
    assert ask(BM25(), rows, "cache", conversation="a")["score"].iloc[0] == whole["m1"]


@pytest.mark.parametrize("ranker", [BM25, TfIdf, QueryLikelihood, Phrase])
@pytest.mark.parametrize("analyzer", [None, 3, "english", ("a",), Analyzer])
def test_what_is_no_analyzer_is_refused_when_the_value_is_made(ranker, analyzer):
    with pytest.raises(BadParameter, match="analyzer must be one, such as Analyzer"):
        ranker(analyzer=analyzer)
