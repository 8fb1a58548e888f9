import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from lcm_lab import CharGrams, Corpus, Grams
from lcm_lab.errors import BadParameter
from lcm_lab.testing import check_ranker

words = st.text("abcdé12", min_size=1, max_size=9)
texts = st.lists(st.lists(words, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=8)


@given(texts, st.lists(words, min_size=1, max_size=3).map(" ".join))
def test_char_grams_equal_scikit_learn(rows, query):
    theirs = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    documents = theirs.fit_transform(rows)
    if not set(theirs.build_analyzer()(query)) <= set(theirs.vocabulary_):
        return  # they count unknown n-grams out of the question too, after the fact
    wanted = (theirs.transform([query]) @ documents.T).toarray()[0]
    ours = CharGrams(fields=("text",))
    assert ours.score(ours.index(Corpus(rows)), [query])[0] == pytest.approx(wanted, abs=1e-6)


def test_a_misspelt_word_is_found():
    search = CharGrams().fit(Corpus(["lunch at noon", "rotate the certificates"]))
    assert search("certifcate")["docno"].iloc[0] == "m2"


@pytest.mark.parametrize("query", ["缓存", "缓存方案", "上线"])
def test_text_without_spaces_is_found_by_its_parts(query):  # CU-01
    search = CharGrams(2, 4).fit(Corpus(["lunch", "今天上午讨论了缓存方案和上线时间"]))
    assert search(query)["docno"].tolist() == ["m2"]


def test_char_grams_keep_the_contract():
    check_ranker(CharGrams())


def test_lengths_in_the_wrong_order_are_refused():
    with pytest.raises(BadParameter, match="low is at most high"):
        Grams(5, 3)
