import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab import BM25, Analyzer, Corpus
from lcm_lab.ranking.lexical import topk
from lcm_lab.ranking.lexical.postings import dense
from lcm_lab.rows import rows_of
from lcm_lab.run import best_first

PLAIN = Analyzer(language=None, stop=None, identifiers=False)


def corpus_of(seed, size=400, vocabulary=12):
    rng = np.random.default_rng(seed)
    share = 1 / (1 + np.arange(vocabulary)) ** 1.1
    words = [f"w{i}" for i in range(vocabulary)]
    lengths = rng.integers(1, 20, size)
    drawn = [rng.choice(words, n, p=share / share.sum()) for n in lengths]
    return Corpus([" ".join(row) for row in drawn])


CORPORA = [corpus_of(seed) for seed in range(4)]
queries = st.lists(st.integers(0, 11), min_size=1, max_size=6).map(
    lambda terms: " ".join(f"w{t}" for t in terms)
)
allowed = st.one_of(
    st.just(slice(0, 400)),
    st.tuples(st.integers(0, 400), st.integers(0, 400)).map(lambda t: slice(min(t), max(t))),
    st.sets(st.integers(0, 399)).map(lambda rows: np.array(sorted(rows), np.int64)),
)


@pytest.mark.parametrize(("span", "short"), [(10**9, 0), (0, 0), (0, 50), (0, 10**9)])
@given(st.sampled_from(CORPORA), queries, st.sampled_from([1, 3, 10, 1000]), allowed)
def test_every_way_gives_the_floats_of_the_definition(span, short, corpus, query, k, rows):
    scorer = BM25(analyzer=PLAIN, fields=("text",))
    index = scorer.index(corpus)
    weights = scorer.weights(index, query)
    scores = dense(index.postings, [weights])[0]
    some = rows_of(rows)
    hit = some[scores[some] > 0]
    wanted = best_first(hit, scores[hit], k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topk, "SPAN", span)
        patch.setattr(topk, "SHORT", short)
        found = topk.best(index.postings, weights, k, rows)
    assert found[0].tolist() == wanted[0].tolist()
    assert found[1].tolist() == wanted[1].tolist()


def test_the_array_of_zeros_is_given_back_as_such(monkeypatch):
    monkeypatch.setattr(topk, "SPAN", 0)
    monkeypatch.setattr(topk, "SHORT", 0)
    corpus, scorer = CORPORA[0], BM25(analyzer=PLAIN, fields=("text",))
    index = scorer.index(corpus)
    topk.best(index.postings, scorer.weights(index, "w0 w1 w7"), 3, slice(0, 400))
    assert not topk._local.sums.any()
