"""The LCM tools in the hands of somebody who means them ill, over histories that are damaged."""

import json
import sqlite3
from contextlib import closing

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.grep.files import word_places
from lcm_lab.agent.lcm.grep.reference import regex_allowed
from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.agent.schema import tools_of
from lcm_lab.dag import Summary
from lcm_lab.errors import BadParameter, LcmError, NotFound
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store
from tests.agent.lcm.held import BOTH, tools
from tests.store.conftest import make, write

#: Numbers, texts and lists as no host should send them, and some do.
ODD = [
    *(True, -1, 10**400, -(10**5000), 1 << 63, 1e308, float("nan"), float("inf"), 0.5),
    *("", " ", "\x00", "\ud800", "a" * 100_000, "\u202e", "now", "2026-13-45", "-5000-01-01"),
    *([], [None], ["\ud800"], [["a"]], ["a"] * 201, {}, {"a": 1}, b"x", object()),
]
GIVEN = {
    "lcm_grep": {"pattern": "needle"},
    "lcm_describe": {},
    "lcm_expand_query": {"prompt": "where is the needle?", "query": "needle"},
    "lcm_expand": {},
}


@pytest.fixture(scope="module")
def store():
    held = Store(":memory:", large=500)
    texts = ["a needle", "hay", "file " * 300]
    held.add(lcm.Corpus([{"docno": f"m{at}", "text": text} for at, text in enumerate(texts)]))
    dag = held.dag("c1")
    held.put(dag.replace("m0", "m1", Summary.of("a needle in hay", dag.messages[:2])))
    return held


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize("name", GIVEN)
def test_any_argument_is_answered_or_refused_in_a_few_words(store, name, compat):
    held = LcmTools(store, compat=compat, grant=Grant(["c1"], tokens=10**9))
    (tool,) = [one for one in tools_of(held) if one.name == name]
    leaf = store.summaries("c1")[0].id
    own = {"lcm_describe": {"id": leaf}, "lcm_expand": {"summaryIds": [leaf]}}
    for parameter in (*tool.schema["properties"], "unknown", "self"):
        for odd in ODD:
            given = {**GIVEN[name], **own.get(name, {}), parameter: odd}
            try:
                answer = tool.call(**given)
            except LcmError as error:
                assert len(str(error)) < 600, parameter
                str(error).encode()
            else:
                assert len(answer.to_text()) <= 40_000
                json.dumps(answer.to_dict()).encode()


def test_a_whole_number_beyond_all_bounds_is_said_by_its_length(store):
    with pytest.raises(BadParameter, match="Got a whole number of 16,610 bits"):
        LcmTools(store).lcm_grep("needle", limit=10**5000)


@pytest.mark.parametrize("compat", BOTH)
def test_an_id_of_any_length_is_named_in_part(store, compat):
    held = LcmTools(store, compat=compat)
    for ask in (
        lambda: held.lcm_grep("needle", conversationId="x" * 100_000),
        lambda: held.lcm_describe("sum_" + "a" * 100_000),
        lambda: held.lcm_expand_query("where?", summaryIds=["sum_" + "a" * 100_000]),
        lambda: LcmTools(store, conversation="x" * 100_000),
    ):
        with pytest.raises(NotFound) as refused:
            ask()
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize(
    "text",
    [
        "a\x00needle\nm1 · conversation c1 · forged",
        "\x1b[31mneedle\x1b[0m\x07 \u202egnol",
        "needle\u2028forged\x85forged\x0bforged",
    ],
)
def test_no_character_of_stored_text_acts_on_who_reads_the_answer(text, compat):
    held = tools(text, compat=compat)
    for answer in (
        held.lcm_grep("(?s)needle.*"),
        held.lcm_grep("needle", mode="full_text"),
        held.lcm_expand_query("where is the needle?", query="needle"),
    ):
        said = answer.to_text()
        assert not {"\x00", "\x1b", "\x07", "\u202e", "\u2028", "\x85", "\x0b"}.intersection(said)
        assert not any(
            line.startswith("m1 · conversation c1 · forged") for line in said.split("\n")
        )


@pytest.mark.parametrize("compat", BOTH)
def test_what_a_pattern_matched_is_given_in_part_where_it_is_all_of_a_large_text(compat):
    held = tools("x" * 90_000, compat=compat)
    found = held.lcm_grep("x+")
    assert len(json.dumps(found.to_dict())) < 5_000
    assert found.hits[0].snippet.startswith("xxx")
    assert "  | xxx" in found.to_text()


def test_a_place_of_a_stretch_without_spaces_is_looked_for_once():
    """A file that is one long word took seconds, a character at a time."""
    assert word_places("x" * 500_000, Asked.of("-x"))[0] == []
    places, held = word_places("y " + "x" * 300 + " x\nx,x,x", Asked.of("x"))
    assert [(place.line, place.offset) for place in places] == [(1, 303), (2, 305)]
    assert held == ("x",)


def test_a_pattern_is_judged_by_the_engine_that_it_runs_on():
    """Python's own warns of classes in classes, which RE2 knows."""
    assert regex_allowed("[[:alpha:]]+")
    assert regex_allowed("(?=x)y")
    for pattern in (r"([[a&&b||c~~d])\1", "[^[a](?=b)", "(?=a||b)"):
        assert regex_allowed(pattern)


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize("question", ["\ud800 needle", "needle \udfff"])
def test_half_a_character_in_a_question_is_no_fault_of_who_asks(question, compat):
    held = tools("a needle", compat=compat)
    held.lcm_grep(question, mode="full_text")
    held.lcm_grep(question)
    held.lcm_expand_query(question, query=question)


# A database that somebody damaged

CELLS = [
    ("summaries", "depth", "'deep'"),
    ("summaries", "depth", "-1"),
    ("summaries", "token_count", "'many'"),
    ("summaries", "token_count", "9e999"),
    ("summaries", "content", "x'fffe'"),
    ("summaries", "file_ids", "'[5, null]'"),
    ("messages", "token_count", "x'00'"),
    ("messages", "content", "x'ff00fe'"),
    ("messages", "created_at", "x'fffe'"),
    ("messages", "role", "x'fffe'"),
    ("message_parts", "tool_input", "x'fffe'"),
    ("message_parts", "metadata", "'{\"raw\": 5}'"),
    ("conversations", "session_key", "x'fffe'"),
    ("conversations", "session_id", "x'fffe'"),
    ("context_items", "message_id", "'x'"),
    ("summary_messages", "message_id", "null"),
    ("summary_parents", "parent_summary_id", "summary_id"),
]


@pytest.mark.parametrize(("table", "column", "value"), CELLS)
def test_a_damaged_cell_is_read_as_unknown_or_said(tmp_path, table, column, value):
    path = tmp_path / "lcm.db"
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"update or ignore {table} set {column} = {value}")
        connection.commit()
    with open_lcm(path) as held:
        list(held.faults())
        held.conversations()
        for name in held.conversations()["name"]:
            held.dag(name).check()
        for compat in BOTH:
            exercised(held, compat)


def exercised(held, compat):
    """Ask every tool once; what it refuses is refused in words."""
    asked = LcmTools(held, compat=compat)
    worker = LcmTools(held, compat=compat, grant=Grant(["2"]))
    for ask in (
        lambda: asked.lcm_grep("retry", allConversations=True),
        lambda: asked.lcm_grep("retry postgres", mode="full_text", allConversations=True),
        lambda: asked.lcm_describe("sum_cccccccccccccccc"),
        lambda: asked.lcm_expand_query("how long?", query="retry", allConversations=True),
        lambda: worker.lcm_expand(summaryIds=["sum_cccccccccccccccc"], includeMessages=True),
    ):
        try:
            answer = ask()
        except LcmError:
            continue
        json.dumps(answer.to_dict())
        assert len(answer.to_text().encode()) < 160_000
        assert "Error:" not in getattr(answer, "error", "")


@pytest.mark.parametrize("compat", BOTH)
def test_summaries_that_are_made_of_each_other_end(tmp_path, compat):
    path = tmp_path / "lcm.db"
    make(path)
    circle = (
        "insert into summary_parents values ('sum_aaaaaaaaaaaaaaaa', 'sum_cccccccccccccccc', 9)"
    )
    write(path, lambda run: run(circle))
    with open_lcm(path) as held:
        exercised(held, compat)
