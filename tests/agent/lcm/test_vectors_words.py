"""The vectors of lossless-claw that are about words: what a question is read as, and what it finds.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import re
import sqlite3
from contextlib import closing

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.grep.reference import (
    fallback_snippet,
    like_args,
    line_snippet,
    refusal,
    regex_allowed,
    time_bound,
)
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import BadParameter, EmptyQuery, LcmError
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.match import like_terms, matching
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store
from tests.agent.lcm.held import BOTH, database, found, leaf, tools


@pytest.mark.parametrize(
    ("number", "query", "expression"),
    [
        (15, "hello world", '"hello" "world"'),
        (16, "sub-agent restrict", '"sub-agent" "restrict"'),
        (17, "lcm_expand OR crash", '"lcm_expand" "OR" "crash"'),
        (18, 'hello "world"', '"hello" "world"'),
        (19, "agent:foo bar", '"agent:foo" "bar"'),
        (20, "lcm*", '"lcm*"'),
        (20, "^start", '"^start"'),
        (20, "NOT agent", '"NOT" "agent"'),
        (21, "NEAR(a b)", '"NEAR(a" "b)"'),
        (22, '"error handling" debug', '"error handling" "debug"'),
        (22, 'find "database migration" in code', '"find" "database migration" "in" "code"'),
        (23, '""', '""'),
        (23, "", '""'),
        (23, "  ", '""'),
        (24, 'foo "bar', '"foo" "bar"'),
    ],
)
def test_the_expression_that_the_index_is_asked(number, query, expression):
    assert matching(query, "all", "lossless-claw") == expression


@pytest.mark.parametrize("query", ['""', "", "  ", "..."])
def test_23_the_empty_phrase_finds_nothing_there_and_is_refused_here(query):
    assert found(tools("alpha"), query) == []
    with pytest.raises(EmptyQuery):
        found(tools("alpha", compat=None), query)


@pytest.mark.parametrize(
    ("number", "query", "syntax"),
    [
        (25, "a|b", "alternation"),
        (25, '"a|b" c', None),
        (25, r"a\|b", None),
        (26, "foo.*", "wildcard"),
        *[(26, q, None) for q in ("foo.bar", "C++", "a*b", "(x)", "x^2", "$HOME", "what?", "[]")],
        *[(27, q, "character class") for q in ("[abc]", "arr[0]")],
        *[(27, q, "anchor") for q in ("^x", "cost$", "US$ 5")],
        *[(27, q, "regex character escape") for q in (r"\d+", r"C:\data")],
        (27, r"C:\temp", None),
    ],
)
def test_what_full_text_is_refused_for(number, query, syntax):
    assert refusal(query) == syntax
    held = tools("alpha")
    if syntax is None:
        held.lcm_grep(query, mode="full_text")
    else:
        with pytest.raises(BadParameter, match=f"holds {syntax}"):
            held.lcm_grep(query, mode="full_text")


@pytest.mark.parametrize("query", ["arr[0]", "US$ 5", r"C:\data"])
def test_27_what_is_no_pattern_to_people_is_asked_here(query):
    """A `[GAP]` mended: a path, a price and a place in a list are words."""
    assert found(tools(f"see {query} there", "lunch", compat=None), query)[0] == "m1"


@pytest.mark.parametrize("compat", BOTH)
def test_28_bounds_that_span_nothing_or_are_no_times_are_errors_that_name_them(compat):
    held = tools("alpha", compat=compat)
    for since, before in (("2026-01-01", "2026-01-01"), ("2026-01-02", "2026-01-01")):
        with pytest.raises(BadParameter, match="since must be earlier than before"):
            held.lcm_grep("alpha", since=since, before=before)
    for name in ("since", "before"):
        with pytest.raises(BadParameter, match=f"{name}"):
            held.lcm_grep("alpha", **{name: "nope"})


def test_28_a_blank_bound_is_none_there_and_an_error_here():
    assert found(tools("alpha"), "alpha", since="  ", before="") == ["m1"]
    assert time_bound("since", 5) is None
    for compat in BOTH:  # what is no text never reaches it: a schema stands before the tool
        with pytest.raises(BadParameter, match="since must be a text"):
            tools("alpha", compat=compat).lcm_grep("alpha", since=5)
    with pytest.raises(BadParameter, match="since"):
        tools("alpha", compat=None).lcm_grep("alpha", since="  ")


@pytest.mark.parametrize(
    ("number", "pattern", "tried"),
    [
        *[(29, p, False) for p in ("(a+)+", "(a|aa)+$", "(a{1,2})+$", "(?:a|b)+", r"(\d+)?")],
        *[(29, p, True) for p in ("a+", "(ab)+", "(error|warn):")],
        (30, "a" * 500, True),
        (30, "a" * 501, False),
        (30, "(", False),
    ],
)
def test_which_patterns_are_tried(number, pattern, tried):
    assert regex_allowed(pattern) == tried
    texts = ("a" * 600, "abab error: 12")
    assert bool(found(tools(*texts), pattern, mode="regex")) == tried
    # A `[GAP]` mended: what is sound is tried, in linear time, and all else is an error.
    if pattern in ("(", "a" * 501, r"(\d+)?"):  # no pattern, too long, true of any text
        with pytest.raises(BadParameter):
            found(tools(*texts, compat=None), pattern, mode="regex")
    else:
        assert found(tools(*texts, compat=None), pattern, mode="regex")


@pytest.mark.parametrize("compat", BOTH)
def test_31_a_pattern_minds_case(compat):
    assert found(tools("an error", compat=compat), "Error", mode="regex") == []


@pytest.mark.parametrize("compat", BOTH)
def test_32_a_pattern_lists_the_newest_first_and_says_so(compat):
    held = tools("alpha alpha", "alpha", compat=compat)
    answer = held.lcm_grep("alpha", sort="relevance")
    assert [hit.id for hit in answer.hits] == ["m2", "m1"]
    assert answer.to_dict()["sort"] == "recency"
    assert "sort=recency" in answer.to_text()


@pytest.mark.parametrize("compat", BOTH)
def test_33_without_a_place_to_look_both_ways_out_are_named(compat):
    held = tools({"text": "a", "conversation": "x"}, {"text": "b", "conversation": "y"})
    for words in ("conversationId", "allConversations"):
        with pytest.raises(BadParameter, match=words):
            LcmTools(held.store, compat=compat).lcm_grep("alpha")


DOCS = ("database migration plan", "migration of the database", "it was running", "all migrations")


@pytest.mark.parametrize(
    ("number", "query", "docs", "ids"),
    [
        (34, '"database migration"', DOCS, ["m1"]),
        (34, "database migration", DOCS, ["m1", "m2"]),
        (35, "runs", ("run", "running", "ran"), ["m1", "m2"]),
        (35, "migrate", DOCS, ["m1", "m2", "m4"]),
        (36, "lcm", ("see lcm_grep", "lunch"), ["m1"]),
        (36, "C++", ("plan c", "cc"), ["m1"]),
        (37, "...", ("run",), []),
        (37, "... run", ("run",), ["m1"]),
        (38, "\U0001f525", ("on \U0001f525", "out"), []),
        (39, "database zebra", DOCS, []),
    ],
)
def test_what_words_find_there(number, query, docs, ids):
    assert sorted(found(tools(*docs), query)) == ids


def test_38_emoji_are_found_here():
    """A `[GAP]` mended."""
    assert found(tools("on \U0001f525", "out", compat=None), "\U0001f525") == ["m1"]


def test_39_a_word_that_nothing_has_is_named_here_and_hides_nothing():
    """A `[GAP]` mended."""
    answer = tools(*DOCS, compat=None).lcm_grep("database zebra", mode="full_text")
    assert {hit.id for hit in answer.hits[:2]} == {"m1", "m2"}
    assert answer.unmatched == ("zebra",)


def test_40_an_index_that_is_gone_is_an_error_here(tmp_path):
    """There, LIKE answers in its place, in another order and of other hits, and nothing is said."""
    with Store(tmp_path / "store.db") as store:
        store.add(lcm.Corpus(["alpha"]))
        held = LcmTools(store, search=FTS5())
        assert found(held, "alpha") == ["m1"]
        store.connection.execute("drop table docs_porter_unicode61")
        with pytest.raises(LcmError, match="docs_porter_unicode61"):
            found(held, "alpha")


def test_41_the_line_on_how_to_open_a_file_is_text_like_any_other_here():
    """There it is left out of the index, and patterns find it all the same, as they do here."""
    said = "[LCM Tool Output: file_a1 | tool=web_fetch | 9 bytes]\n\nExploration: prices\n\n"
    said += "Call lcm_describe to read it."
    for compat in BOTH:
        held = tools(said, compat=compat)
        assert found(held, "lcm_describe to read", mode="regex") == ["m1"]
        assert found(held, "web_fetch") == found(held, "prices") == ["m1"]
        assert found(held, "describe") == ["m1"]


def test_42_terms_of_the_fallback_have_no_edges():
    assert like_terms('"foo bar", baz!') == ["foo bar", "baz"]


def test_43_a_per_cent_sign_is_kept_and_means_itself():
    assert like_terms("100%") == ["100%"]
    assert like_args("100%") == ["%100\\%%"]
    assert found(tools("the 100 best", "100% sure"), "100%") == ["m2", "m1"]


@pytest.mark.parametrize(
    ("number", "query", "matches", "not_"),
    [(43, "100%", "is 100% sure", "the 100 best"), (44, "a_b", "see a_b", "see axb")],
)
def test_like_finds_what_is_literally_there(number, query, matches, not_):
    with closing(sqlite3.connect(":memory:")) as connection:
        (argument,) = like_args(query)
        ask = "select ? like ? escape '\\'"
        assert connection.execute(ask, (matches, argument)).fetchone() == (1,)
        assert connection.execute(ask, (not_, argument)).fetchone() == (0,)


def test_45_a_snippet_of_the_fallback_stands_around_the_term():
    text = "a" * 50 + "needle" + "b" * 60
    assert fallback_snippet(text, ["needle"]) == "..." + "a" * 24 + "needle" + "b" * 40 + "..."


def test_46_without_a_term_it_is_the_beginning():
    assert fallback_snippet("x" * 75 + "  " + "y" * 13, ["z"]) == "x" * 75 + "..."
    assert fallback_snippet("x" * 90, ["z"]) == "x" * 77 + "..."
    assert fallback_snippet("x" * 80, ["z"]) == "x" * 80


def test_47_a_snippet_in_a_line_has_200_characters_and_no_line_break():
    assert line_snippet("x" * 201) == "x" * 197 + "..."
    assert line_snippet("x" * 200) == "x" * 200
    assert line_snippet(" a\nb ") == "a b"
    for compat in BOTH:
        held = tools("word\n" * 200, compat=compat)
        for line in held.lcm_grep(r"(word\n)+").to_text().splitlines():
            assert len(line) <= 210 or not line.startswith("  | ")


@pytest.mark.parametrize(
    ("number", "query", "ids"),
    [
        (48, "数据库", [2, 1]),
        (49, "迁移", [4, 1]),
        (52, "据", [2, 1]),
    ],
)
def test_stretches_of_cjk_find_summaries(tmp_path, number, query, ids):
    path = database(tmp_path / "lcm.db", ["lunch"])
    texts = ("数据库迁移已完成", "数据库备份", "OAuth", "迁移")
    named = [
        leaf(path, at, text, latest=f"'2026-01-0{at}T00:00:00.000Z'")
        for at, text in enumerate(texts, 1)
    ]
    with open_lcm(path) as held:
        there = found(LcmTools(held, compat="reference"), query, scope="summaries")
        here = found(LcmTools(held), query, scope="summaries", sort="relevance")
    wanted = [named[at - 1] for at in ids]
    assert there == wanted
    assert sorted(here[: len(ids)]) == sorted(wanted)


@pytest.mark.parametrize("compat", BOTH)
def test_51_and_53_cjk_and_latin_are_both_asked_for_in_either_order(compat):
    held = tools("数据库 and OAuth", "数据库", "OAuth", "lunch", compat=compat)
    for query in ("数据库 OAuth", "OAuth 数据库"):
        assert found(held, query)[0] == "m1"
        if compat:
            assert found(held, query) == ["m1"]
    if compat:
        assert found(held, "数据库 zebra") == []
    else:  # a `[GAP]` mended: an absent word is named
        assert held.lcm_grep("数据库 zebra", mode="full_text").unmatched == ("zebra",)


def test_53_messages_in_cjk_have_no_rank_there_and_stand_newest_first():
    answer = tools("数据库", "数据库数据库", "lunch").lcm_grep("数据库", mode="full_text")
    assert [(hit.id, abs(hit.score)) for hit in answer.hits] == [("m2", 0), ("m1", 0)]


def test_54_sorts_are_kept_for_cjk_here():
    held = tools("数据库迁移", "很多 其他 文字 " * 5 + "数据库迁移", compat=None)
    assert found(held, "数据库迁移") == ["m2", "m1"]
    assert found(held, "数据库迁移", sort="relevance")[0] == "m1"
    assert re.fullmatch("m[12]", found(held, "数据库迁移", sort="hybrid", limit=1)[0])
