"""What the reference answered, as it was recorded; and where ours is meant to differ."""

import json
import lzma
import sqlite3
from contextlib import closing

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.describe.ids import described_id
from lcm_lab.agent.lcm.describe.manifest import fits
from lcm_lab.agent.lcm.describe.tool import file_piece, lines_asked
from lcm_lab.agent.lcm.grep.files import is_searchable, reference_places
from lcm_lab.agent.lcm.grep.reference import (
    fallback_snippet,
    like_args,
    line_snippet,
    refusal,
    regex_allowed,
    time_bound,
)
from lcm_lab.agent.lcm.text import iso
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import BadParameter, LcmError, NotFound
from lcm_lab.evaluation.bench.tools import ReferenceSQL, bench_tools, work_of, write_lcm
from lcm_lab.evaluation.bench.zipf import zipf
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store

CLOCK = "2026-11-30T09:22:46Z"


@pytest.fixture(scope="module")
def outputs(recorded):
    packed = (recorded / "lcm_reference_outputs.json.xz").read_bytes()
    return json.loads(lzma.decompress(packed))


@pytest.fixture(scope="module")
def database(recorded):
    with open_lcm(recorded / "lcm_reference.db") as held:
        yield held


def file_asked(given):
    """Give content and truncated as the reference's lcm_describe does."""
    lines = lines_asked(given.get("startLine"), given.get("endLine"), "reference")
    content, _, truncated = file_piece(given["content"], lines, 32_768, "reference")
    return {"content": content, "truncated": truncated}


def bytes_asked(given):
    """Give the bytes that are left of a content that is described as runs."""
    runs = [run.split("*") for run in given["runs"].split(" ")]
    text = "".join(run[0] * int(run[1] if len(run) > 1 else 1) for run in runs)
    limit = given["expandFileMaxBytes"]
    content, _, truncated = file_piece(text, None, 32_768 if limit is None else limit, "reference")
    return {"bytes": len(content.encode()), "truncated": truncated}


FUNCTIONS = {
    "regex_allowed": regex_allowed,
    "fallback_snippet": lambda given: fallback_snippet(*given),
    "describe_id": lambda given: {"ok": True, "id": described_id(given)},
    "full_text_refusal": refusal,
    "time_filter": lambda given: iso(time_bound("since", given)),
    "result_line_snippet": line_snippet,
    "like_args": like_args,
    "file_search": lambda given: [
        [place.line, place.offset, place.found, place.snippet]
        for place in reference_places(given["content"], given["query"], given["mode"])
    ],
    "file_mime_searchable": lambda given: is_searchable(given, unknown=False),
    "describe_file": file_asked,
    "describe_file_bytes": bytes_asked,
    "manifest_fit": lambda given: fits(
        given["tokens"], given["descendants"], given["sources"], given["cap"]
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_recorded_function_of_the_tools_is_reproduced(functions, name):
    for case in functions[name]:
        try:
            got = FUNCTIONS[name](case["in"])
        except LcmError:
            got = {"ok": False} if name == "describe_id" else {"error": True}
        assert got == case["out"], case


#: Recorded functions of the two tools that are tested elsewhere, or that this product does without.
ELSEWHERE = {
    **dict.fromkeys(
        ("sanitize_fts5", "contains_cjk", "like_terms", "fts_messages"),
        "reproduced in tests/ranking/test_recorded.py",
    ),
    "like_messages": "a search without its index; where an index is broken, that is an error here",
    "fts_index_text": "the line that tells how to open a file is indexed like any other",
    "cjk_summaries": "CJK is found by the index of words here, and ranked as any text is",
}


def test_every_function_of_the_tools_is_reproduced_or_left_out_for_a_reason(functions):
    after = list(functions)
    grep = after[after.index("full_text_refusal") : after.index("describe_file")]
    describe = after[after.index("describe_file") : after.index("expand_walk")]
    for name in (*grep, *describe, "describe_id", "regex_allowed", "fallback_snippet"):
        assert (name in FUNCTIONS) != (name in ELSEWHERE), name


def test_every_recorded_search_is_reproduced(outputs, database):
    tools, compared = LcmTools(database, clock=CLOCK, compat="reference"), 0
    for call in outputs["grep"]:
        asked = dict(call["in"])
        found = tools.lcm_grep(asked.pop("query"), **asked).to_dict()
        given = [
            (hit["id"], hit["conversationId"], hit["createdAt"], hit.get("role"), hit.get("kind"))
            for hit in found["matches"]
        ]
        wanted = [
            (f"m{hit['messageId']}", hit["conversationId"], hit["createdAt"], hit["role"], None)
            for hit in call["messages"]
        ] + [
            (hit["summaryId"], hit["conversationId"], hit["createdAt"], None, hit["kind"])
            for hit in call["summaries"]
        ]
        assert given == wanted, call["in"]
        hits = call["messages"] + call["summaries"]
        ranks = [hit["rank"] for hit in hits]
        assert [hit["score"] for hit in found["matches"]] == pytest.approx(ranks, abs=1e-6)
        if asked["mode"] == "regex":
            assert [h["snippet"] for h in found["matches"]] == [h["snippet"] for h in hits]
        assert found["totalMatches"] == call["totalMatches"]
        compared += 1
    assert compared == 160


def test_every_recorded_description_is_reproduced(outputs, database):
    tools = LcmTools(database, compat="reference")
    for call in outputs["describe"]:
        assert described(tools, call) == call["summary"]
    assert len(outputs["describe"]) == 15


def described(tools, call):
    told = tools.lcm_describe(call["id"]).to_dict()
    told["messageIds"] = [int(name[1:]) for name in told["messageIds"]]
    columns = call["summary"]["subtree"][0]
    told["subtree"] = [{name: row[name] for name in columns} for row in told["subtree"]]
    return {name: told[name] for name in call["summary"]}


def test_by_default_a_description_differs_in_its_manifest_alone(outputs, database):
    """The reference walks to what was made from a summary; ours to what it was made from."""
    tools = LcmTools(database)
    edges = {call["id"]: call["summary"]["parentIds"] for call in outputs["describe"]}
    for call in outputs["describe"]:
        told, wanted = described(tools, call), dict(call["summary"])
        rows = [row["summaryId"] for row in told.pop("subtree")]
        wanted.pop("subtree")
        assert told == wanted
        assert rows == walked(edges, call["id"])


def walked(edges, name):
    return [name, *(found for below in edges[name] for found in walked(edges, below))]


# What the reference does with scopes and limits, on a database of its schema


@pytest.fixture
def made(tmp_path):
    """A database: two segments of one session, and another conversation."""
    rows = [
        {"text": f"alpha {name} {i}", "conversation": name, "time": f"2026-01-{i:02}"}
        for name in ("old", "new", "else")
        for i in range(1, 10)
    ]
    path = tmp_path / "lcm.db"
    write_lcm(lcm.Corpus(rows), path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "update conversations set session_key = 'agent:main', active = (session_id = 'new') "
            "where session_id <> 'else'"
        )
        for number in range(9):
            row = (f"sum_{number:016x}", "leaf", 0, f"alpha summary {number}", 3)
            times = (f"2025-01-0{number + 1}T00:00:00.000Z", "2026-06-01 00:00:00")
            connection.execute(
                "insert into summaries (summary_id, conversation_id, kind, depth, content, "
                "token_count, latest_at, created_at) values (?, 2, ?, ?, ?, ?, ?, ?)",
                (*row, *times),
            )
        connection.commit()
    with open_lcm(path) as held:
        yield held


@pytest.mark.parametrize("compat", [None, "reference"])
def test_the_session_family_is_where_a_tool_looks_first(made, compat):
    tools = LcmTools(made, conversation=2, compat=compat)
    found = tools.lcm_grep("alpha", scope="messages")
    assert {hit.conversation for hit in found.hits} == {"1", "2"}
    assert found.asked["conversationScope"] == "session 2 and its family (2 segments)"
    alone = tools.lcm_grep("alpha", conversationId=3, allConversations=True)
    assert {hit.conversation for hit in alone.hits} == {"3"}
    every = tools.lcm_grep("alpha", allConversations=True, limit=200)
    assert {hit.conversation for hit in every.hits} == {"1", "2", "3"}
    assert every.to_dict()["matches"][0]["conversationId"] in (1, 2, 3)


@pytest.mark.parametrize("compat", [None, "reference"])
def test_without_a_session_nothing_is_searched_and_both_ways_out_are_named(made, compat):
    with pytest.raises(BadParameter, match="conversationId, or allConversations"):
        LcmTools(made, compat=compat).lcm_grep("alpha")


def test_there_the_limit_is_of_each_table_and_here_of_the_list(made):
    counts = {}
    for compat in (None, "reference"):
        found = LcmTools(made, conversation=2, compat=compat).lcm_grep("alpha", limit=5)
        counts[compat] = (found.count("message"), found.count("summary"))
    assert counts == {None: (5, 0), "reference": (5, 5)}


@pytest.mark.parametrize("compat", [None, "reference"])
def test_the_time_of_a_summary_is_that_of_its_content(made, compat):
    tools = LcmTools(made, conversation=2, compat=compat)
    found = tools.lcm_grep("alpha", scope="summaries", before="2025-01-03")
    assert [hit.id for hit in found.hits] == [f"sum_{1:016x}", f"sum_{0:016x}"]


def test_a_clause_of_the_reference_is_a_fault_that_ours_mends(made):
    ours, theirs = (LcmTools(made, conversation=2, compat=compat) for compat in (None, "reference"))
    # a rejected pattern finds nothing, without a word
    assert theirs.lcm_grep("(a|al)+").hits == ()
    assert theirs.lcm_grep("(").hits == ()
    assert ours.lcm_grep("(a|al)+").hits
    with pytest.raises(BadParameter):
        ours.lcm_grep("(")
    # every word must occur
    assert theirs.lcm_grep("alpha zebra", mode="full_text").hits == ()
    assert ours.lcm_grep("alpha zebra", mode="full_text").hits
    # a path of Windows and a price are taken for patterns
    for literal in (r"C:\data", "US$ 5", "arr[0]"):
        with pytest.raises(BadParameter, match="full_text mode"):
            theirs.lcm_grep(literal, mode="full_text")
        ours.lcm_grep(literal, mode="full_text")
    # what holds no word finds nothing, a blank bound is none, an empty pattern matches all
    assert theirs.lcm_grep("...", mode="full_text").hits == ()
    assert theirs.lcm_grep("alpha", since="  ").hits
    assert len(theirs.lcm_grep("", scope="messages").hits) == 18
    for bad in ({"pattern": "...", "mode": "full_text"}, {"pattern": "alpha", "since": "  "}):
        with pytest.raises(BadParameter):
            ours.lcm_grep(**bad)


def test_a_worker_stays_in_its_grant(made):
    class Grant:
        conversations = ("1",)
        remaining = 10

    for compat in (None, "reference"):
        worker = LcmTools(made, grant=Grant(), compat=compat)
        found = worker.lcm_grep("alpha", allConversations=True, scope="messages")
        assert {hit.conversation for hit in found.hits} == {"1"}
        with pytest.raises(BadParameter, match="not in this grant"):
            worker.lcm_grep("alpha", conversationId=2)


def test_a_broken_index_is_an_error_and_no_empty_list(tmp_path):
    with Store(tmp_path / "store.db") as store:
        store.add(lcm.Corpus(["alpha"]))
        tools = LcmTools(store, search=lcm.FTS5())
        assert tools.lcm_grep("alpha", mode="full_text").hits
        store.connection.execute("drop table docs_porter_unicode61")
        with pytest.raises(LcmError, match="docs_porter_unicode61"):
            tools.lcm_grep("alpha", mode="full_text")


def test_a_tool_is_timed_beside_the_statements_of_the_reference(tmp_path):
    made = zipf(400, questions=6)
    path = tmp_path / "lcm.db"
    write_lcm(made.corpus, path)
    with open_lcm(path) as held, closing(ReferenceSQL(path)) as reference:
        tools = LcmTools(held)
        same = LcmTools(held, compat="reference")
        for question in made.content:
            rows = reference("full_text", question)
            theirs = same.lcm_grep(
                question, mode="full_text", sort="relevance", allConversations=True
            )
            assert [f"m{row[0]}" for row in rows] == [hit.id for hit in theirs.hits]

        def ask(mode, text):
            return tools.lcm_grep(text, mode=mode, allConversations=True)

        frame = bench_tools({"ours": ask, "theirs": reference}, work_of(made))
    assert frame["tool"].tolist() == ["ours", "theirs"] * 4
    assert (frame["p50"] <= frame["p95"]).all()
    assert frame.loc[:3, "answered"].tolist() == [1.0] * 4


def test_a_store_without_the_conversation_says_so(made):
    with pytest.raises(NotFound, match="No conversation '9'"):
        LcmTools(made, conversation=9)


# The command line


def test_grep_and_describe_on_the_command_line(lcm_lab, tmp_path):
    with Store(tmp_path / "memory.db") as store:
        rows = [{"docno": "m1", "text": "postgres it is"}, {"docno": "m2", "text": "lunch"}]
        store.add(lcm.Corpus(rows))
        dag = store.dag("c1")
        leaf = lcm.Summary.of("They took postgres.", dag.messages)
        store.put(dag.replace("m1", "m2", leaf))
    found = lcm_lab("grep", "postgres", "--words", "--on", "memory.db", "--json")
    assert (found.code, found.err) == (0, "")
    assert [hit["id"] for hit in found.json["matches"]] == ["m1"]
    assert "  | postgres it is" in lcm_lab("grep", "post(gres)?", "--on", "memory.db").out
    cut = lcm_lab("grep", "postgres", "-w", "--policy", "BM25() % 1", "--on", "memory.db", "--json")
    assert len(cut.json["matches"]) == 1
    told = lcm_lab("describe", leaf.id, "--on", "memory.db")
    assert told.out.splitlines()[-1] == "| They took postgres."
    assert lcm_lab("describe", leaf.id, "--on", "memory.db", "--json").json["messageIds"] == [
        "m1",
        "m2",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("grep", "[", "--on", "memory.db"), "is no pattern"),
        (("grep", "a|b", "-w", "--on", "memory.db"), "regular expression"),
        (("grep", "a", "--limit", "0", "--on", "memory.db"), "limit must be a whole number"),
        (("grep", "a", "--conversation", "x", "--on", "memory.db"), "No conversation 'x'"),
        (("grep", "a", "--on", "nowhere.db"), "nowhere.db"),
        (("describe", "sum_", "--on", "memory.db"), "nothing behind its prefix"),
        (("describe", "file_a1", "--lines", "4-2", "--on", "memory.db"), "endLine"),
        (("describe", "file_a1", "--lines", "x", "--on", "memory.db"), "--lines is FIRST"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_said_on_one_line(lcm_lab, tmp_path, words, said):
    with Store(tmp_path / "memory.db") as store:
        store.add(lcm.Corpus(["alpha"]))
    done = lcm_lab(*words)
    assert done.code == 2
    assert done.out == ""
    assert said in done.err
