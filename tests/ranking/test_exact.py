"""Patterns, phrases and stretches of text: what is literally there is found, and nothing else."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.ranking.exact.phrase import Phrase
from lcm_lab.ranking.exact.regex import LONGEST, Pattern
from lcm_lab.ranking.exact.whole import Regex, Substring
from lcm_lab.testing import check_ranker
from lcm_lab.text import Analyzer


def found(said, query, policy=None):
    return (policy or Regex()).fit(lcm.Corpus(said))(query)["docno"].tolist()


@pytest.mark.parametrize(
    "ranker",
    [
        Regex(),
        Regex(ignore_case=True, fields=("date", "text")),
        Substring(),
        Substring(compat="episodic-memory"),
        Substring(compat="lossless-claw"),
        Phrase(),
        Phrase(fields=("text",), analyzer=Analyzer(language=None, stop=None)),
    ],
    ids=repr,
)
def test_every_exact_scorer_keeps_the_contract(ranker):
    check_ranker(ranker)


def test_the_question_is_the_pattern():  # QP-07
    said = ["added retry with backoff", "Retry later", "lunch"]
    assert found(said, "timeout|retry|backoff") == ["m1"]
    assert found(said, "retry", Regex(ignore_case=True)) == ["m1", "m2"]
    assert found(said, "^lunch$") == ["m3"]


def test_lines_are_within_a_text_unless_the_pattern_says_otherwise():
    said = ["first\nsecond", "second"]
    assert found(said, "^second") == ["m2"]
    assert found(said, "(?m)^second") == ["m1", "m2"]
    assert found(said, "first.second") == []
    assert found(said, "(?s)first.second") == ["m1"]


def test_patterns_that_explode_elsewhere_are_answered():  # SE-03
    said = ["a" * 40 + "b", "a" * 40]
    assert found(said, "(a+)+$") == ["m2"]
    assert found(["x" * 100_000], "(x+x+)+y") == []
    assert found(["a" * 100_000], "a*a*a*a*b|a{3}$") == ["m1"]


@pytest.mark.parametrize(
    ("pattern", "where"),
    [
        ("[unclosed", "missing ] at character 0"),
        ("*x", "no argument for repetition operator at character 0"),
        ("a*b(*c)", "no argument for repetition operator at character 4"),
        ("(?P<n>a)(?P<n>b)", "group name 'n' again at character 8"),
        ("abc)", "unexpected ) at character 3"),
        (r"x\w{1000}", "pattern too large"),
        ("ab(?=c)", "at character 2. Look-around and back references"),
        (r"(a)\1", "at character 3. Look-around and back references"),
    ],
)
def test_a_pattern_that_is_none_says_where(pattern, where):  # SE-05
    with pytest.raises(BadParameter, match=re.escape(where)):
        found(["abc"], pattern)


def test_a_pattern_has_a_greatest_length():  # SE-05
    assert found(["x" * LONGEST], "x" * LONGEST) == ["m1"]
    with pytest.raises(BadParameter, match=r"at most 500 characters. Got 100000"):
        found(["x"], "x" * 100_000)


@pytest.mark.parametrize("pattern", ["x*", "(error|warn)?", "a|", "(x?y?)+"])
def test_a_pattern_that_nothing_satisfies_is_an_empty_query(pattern):  # QP-04
    with pytest.raises(EmptyQuery, match="satisfied by nothing at all"):
        found(["anything"], pattern)


def test_composed_and_decomposed_forms_match_each_other():  # CU-05
    said = ["fore\u0302t", "for\u00eat", "\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"]
    assert found(said, "for\u00eat") == found(said, "fore\u0302t") == ["m1", "m2"]
    assert found(said, said[2]) == found(said, said[3]) == ["m3", "m4"]
    assert lcm.Corpus(said)["text"].tolist() == said


def test_classes_and_boundaries_mean_what_they_mean_in_unicode():
    said = ["la forêt dense", "deforêts", "дом 5", "x٣y", "naïve-test", "a\u00a0b"]
    assert found(said, r"\bforêt\b") == ["m1"]
    assert found(said, r"forêt") == ["m1", "m2"]
    assert found(said, r"^\w+ \d$") == ["m3"]
    assert found(said, r"x\dy") == ["m4"]
    assert found(said, r"\bnaïve\b.\btest\b") == ["m5"]
    assert found(said, r"[\W_]test") == ["m5"]
    assert found(said, r"^[^\W_]+$") == ["m2", "m4"]
    assert found(said, r"a\sb") == ["m6"]
    assert found(said, r"é\b") == []


PIECES = st.sampled_from(
    ["a", "é", "b", " ", "-", ".", r"\b", r"\w", r"\W", r"\d", "[ab]", "[^a]", "(a|é)", "é+", "1"]
)
TEXTS = st.text("aéb -1ß", max_size=8)


@given(st.lists(PIECES, min_size=1, max_size=5), TEXTS)
def test_patterns_match_what_python_matches(parts, text):
    pattern = "".join(parts).replace(r"\b\b", r"\b")
    if re.search(pattern, "") or not any(c.isalnum() for c in pattern):
        return
    try:
        Pattern.of(pattern)
    except EmptyQuery:
        return
    scores = Regex().score(Regex().index(lcm.Corpus([text])), [pattern])
    assert bool(scores[0, 0]) == bool(re.search(pattern, text))


def test_half_a_character_is_no_crash():  # CU-08
    said = ["dump \ufffd end", "other"]
    for policy in (Regex(), Substring(), Phrase(), lcm.BM25()):
        assert found(said, "dump \udc88 end", policy)[0] == "m1"


def test_a_substring_is_found_whatever_its_case():
    said = ["100% sure", "1000 sure", "ÉCOLE fermée", "a_b", "axb"]
    assert found(said, "100% S", Substring()) == ["m1"]
    assert found(said, "école", Substring()) == ["m3"]
    assert found(said, "a_b", Substring()) == ["m4"]


def test_a_substring_looks_as_other_systems_do_when_asked():
    episodic = Substring(compat="episodic-memory")
    assert found(["100% x", "1000"], "100%", episodic) == ["m1", "m2"]
    assert found(["a_b", "axb", "ab"], "a_b", episodic) == ["m1", "m2"]
    assert found(["école", "ABC"], "abc", episodic) == ["m2"]
    assert found(["É", "é"], "é", episodic) == ["m2"]
    lossless = Substring(compat="lossless-claw")
    assert found(["数据库 English", "数据库", "English"], "数据库 English", lossless) == ["m1"]
    assert found(["English"], "English", lossless) == []


def test_words_of_a_phrase_stand_one_after_the_other():  # QP-08
    said = ["error handling for retries", "handling retries after the error", "error, handled"]
    assert found(said, '"error handling" retries', Phrase()) == ["m3", "m1"]
    assert found(said, "handling retries", Phrase()) == ["m2"]


def test_every_quoted_phrase_must_occur():
    said = ["use WAL; retry twice", "use WAL", "retry twice"]
    assert found(said, '"use WAL" and "retry twice"', Phrase()) == ["m1"]


def test_stop_words_count_in_a_phrase():
    said = ["to be or not to be", "be not, or to be to"]
    assert found(said, '"to be or not"', Phrase()) == ["m1"]


def test_the_score_of_a_phrase_is_the_share_of_words_it_covers():
    said = ["use WAL now", "use WAL use WAL", "use it, WAL"]
    hits = Phrase(fields=("text",)).fit(lcm.Corpus(said))("use WAL")
    assert hits["docno"].tolist() == ["m2", "m1"]
    assert hits["score"].tolist() == pytest.approx([1, 2 / 3])


def test_phrases_know_identifiers_and_scripts_without_spaces():  # CU-05
    said = ["close OPS-417 today", "417 OPS", "今天讨论了缓存方案", "存缓", "fore\u0302t dense"]
    assert found(said, '"OPS-417"', Phrase()) == ["m1"]
    assert found(said, '"ops 417"', Phrase()) == ["m1"]
    assert found(said, "缓存方案", Phrase()) == ["m3"]
    assert found(said, "for\u00eat dense", Phrase()) == ["m5"]


WORDS = st.lists(st.sampled_from(["use", "the", "wal", "retry"]), min_size=1, max_size=7)


@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_phrases_are_found_exactly_where_they_occur(texts, phrase):
    corpus = lcm.Corpus([" ".join(words) for words in texts])
    scores = Phrase(fields=("text",)).score(
        Phrase(fields=("text",)).index(corpus), [" ".join(phrase)]
    )[0]
    for words, score in zip(texts, scores, strict=True):
        size = len(phrase)
        covered = np.zeros(len(words), bool)
        for i in range(len(words) - size + 1):
            if words[i : i + size] == phrase:
                covered[i : i + size] = True
        assert score == pytest.approx(covered.mean())
