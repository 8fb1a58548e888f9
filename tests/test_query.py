"""Questions read. Case ids name public bug reports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.query import Query, looks_like_regex, parse, require_words
from lcm_lab.text import Analyzer


@pytest.mark.parametrize(
    ("text", "phrases", "rest"),
    [
        pytest.param('wrote "call', (), 'wrote "call', id="QP-03"),
        pytest.param('"call back"', ("call back",), "", id="QP-03b"),
        pytest.param('"x"y"', ("x",), 'y"', id="QP-03c"),
        pytest.param("AND", (), "AND", id="QP-06"),
        pytest.param("NOT a", (), "NOT a", id="QP-06b"),
        pytest.param("NEAR(a b)", (), "NEAR(a b)", id="QP-06c"),
        pytest.param("*end", (), "*end", id="QP-06d"),
        pytest.param("(end", (), "(end", id="QP-06e"),
        pytest.param("-end", (), "-end", id="QP-06f"),
        pytest.param('"error handling" retries', ("error handling",), "retries", id="QP-08"),
        ('a "b c"  d "e"', ("b c", "e"), "a d"),
        ('a "" "?!"', (), "a"),
        ("“call back” now", ("call back",), "now"),
    ],
)
def test_quotes_make_phrases_and_nothing_else_is_an_operator(text, phrases, rest):
    assert parse(text) == Query(text, phrases, rest)


@pytest.mark.parametrize("text", ["", "   ", "???", '"???"', '""', "\n", "...", "🚲"])
def test_a_question_without_words_is_an_empty_query(text):
    """QP-04."""
    for read in (parse, require_words):
        with pytest.raises(EmptyQuery, match=r"holds no word[.] Write what to look for"):
            read(text)


@pytest.mark.parametrize("text", [None, 7, b"x", ["x"]])
def test_a_question_is_text(text):
    with pytest.raises(BadParameter, match=r"A query is text[.] Got"):
        require_words(text)


@given(st.text(st.characters(), max_size=40))
def test_any_text_is_read_or_empty(text):
    """QP-02: any printable character is safe."""
    looks_like_regex(text)
    asked = Analyzer().query(text)
    try:
        query = parse(text)
    except EmptyQuery:
        assert asked == []
    else:
        assert asked != []
        assert all(phrase and phrase in query.text for phrase in query.phrases)
        query.text.encode()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("timeout|retry|backoff", id="QP-07"),
        r"\bretry\b",
        r"retry\s+again",
        "retry.*backoff",
        "[a-z]+_id",
        "(?i)error",
        "(?:a|b)c",
        "^error",
        "x{2,}",
        r"app\.py",
    ],
)
def test_a_plain_regex_is_known(text):
    assert looks_like_regex(text)


@pytest.mark.parametrize(
    "text",
    [
        *("C++", "C#?", ".env", "src/*.py", r"C:\downloads\x", "[OPS-417]", "a | b", "a || b"),
        *("what is it?", "who's new {in} rent/", "5$ (or 6$)", "*end", "NEAR(a b)", "arr[0]+1"),
        *('find "timeout|retry"', "x ^ y", "{}", "a.b.c", "(a) b?", "wait... what"),
    ],
)
def test_ordinary_questions_are_no_regex(text):
    assert not looks_like_regex(text)


def test_a_lone_surrogate_is_replaced():
    """CU-08."""
    assert parse("dump \udc88 end").text == "dump \ufffd end"


@pytest.mark.parametrize("unit", ["_", "[", "[a", '"', "a|", "\\", "(?", "“"])
def test_long_questions_take_no_more_than_linear_time(unit):
    """A quadratic rule would take minutes here, and no clock is asked."""
    text = "x " + unit * (60_000 // len(unit))
    assert parse(text).text == text
    assert looks_like_regex(text) in (True, False)
