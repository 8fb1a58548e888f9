"""Security, group L of the bug reports: paths, patterns, scope. An id names the report."""

import json
import os
import threading

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.errors import BadParameter, LcmError, NotFound
from lcm_lab.messages import Message, Part
from lcm_lab.store.imports import import_files

LINE = json.dumps({"role": "user", "content": "hello there"}) + "\n"
START = 1_767_225_600_000_000


def said(name, text, session="1", at=0, role="user"):
    return Message(name, session, role, (Part("text", text),), START + at * 60_000_000)


@pytest.fixture
def archive(tmp_path):
    """A folder of transcripts, and a transcript outside of it."""
    inside, outside = tmp_path / "archive", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.jsonl").write_text(LINE)
    (outside / "s.jsonl").write_text(LINE.replace("hello", "secret"))
    return inside


ELSEWHERE = [
    "archive/../../outside/s.jsonl", "../outside/s.jsonl", "{outside}/s.jsonl", "archive/%2e%2e/x",
    "%2e%2e/outside/s.jsonl", "a.jsonl\0", "a.jsonl\0.md", "/dev/zero", "/dev/stdin", "~/s.jsonl",
    "/etc/passwd", "..\\outside\\s.jsonl", "link.jsonl", "linked/s.jsonl",
]  # fmt: skip


@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_path_out_of_the_archive_is_refused_whether_there_is_a_file_or_not(archive, path):
    """SE-01."""
    outside = archive.parent / "outside"
    (archive / "link.jsonl").symlink_to(outside / "s.jsonl")
    (archive / "linked").symlink_to(outside)
    asked = path.format(outside=outside)
    refusals = []
    with lcm.Store(":memory:") as store:
        import_files(store, archive / "a.jsonl")
        tools = lcm.EpisodicTools(store, roots=[archive])
        for one in (asked, asked.replace("s.jsonl", "t.jsonl")):
            with pytest.raises((NotFound, BadParameter)) as refused:
                tools.read(one)
            refusals.append(str(refused.value).replace(repr(one), "").replace("t.jsonl", "s.jsonl"))
    assert refusals[0] == refusals[1]
    assert "secret" not in refusals[0]


@pytest.mark.parametrize("path", ["../outside/s.jsonl", "/etc/passwd", "/dev/zero"])
def test_the_command_refuses_the_same_paths(archive, lcm_lab, path):
    """SE-01."""
    lcm_lab("import", archive, "--into", "memory.db")
    done = lcm_lab("episodic", "read", path, "--on", "memory.db", "--root", archive)
    assert done.code
    assert done.out == ""
    assert "No transcript" in done.err


@pytest.mark.parametrize("name", ["/../x/a\0b"])
def test_the_name_of_a_collection_leads_no_report_out_of_its_folder(tmp_path, name):
    """SE-01: for reports; no notebook is written by a name of the user's."""
    rows = [{"docno": "d1", "text": "use WAL", "conversation": "c"}]
    asked = [{"qid": "q1", "query": "wal"}]
    gold = [{"qid": "q1", "docno": "d1", "relevance": 1}]
    folder = tmp_path / "in"
    bench = lcm.Collection(name, lcm.Corpus(rows), pd.DataFrame(asked), pd.DataFrame(gold))
    lcm.ranking_report(lcm.evaluate([lcm.BM25()], on=bench)).save(folder / "report")
    made = [one.relative_to(tmp_path) for one in tmp_path.rglob("*") if one.is_file()]
    assert made
    assert all(one.parts[:2] == ("in", "report") for one in made)


def test_links_are_not_followed_not_indexed_and_counted(archive, lcm_lab):
    """SE-02."""
    (archive / "link.jsonl").symlink_to(archive.parent / "outside" / "s.jsonl")
    (archive / "loop").symlink_to(archive)
    (archive / "self.jsonl").symlink_to(archive / "self.jsonl")
    found = lcm.read(archive)
    assert [one.text for one in found] == ["hello there"]
    links = {"link.jsonl", "loop", "self.jsonl"}
    assert {(s.source, s.reason) for s in found.skipped} == {(n, "symbolic link") for n in links}
    done = lcm_lab("import", archive, "--into", "memory.db", "--json").json
    assert (done["new"], done["skipped"]) == (1, {"symbolic link": 3})
    with lcm.Store("memory.db") as store:
        assert lcm.LcmTools(store).lcm_grep("secret", allConversations=True).hits == ()
        assert len(lcm.EpisodicTools(store, roots=[archive]).search("secret", "text").hits) == 0


@pytest.fixture
def tools():
    """Tools over a message on which other engines hang, and one that matches."""
    with lcm.Store(":memory:") as store:
        for number, text in enumerate(["a" * 40 + "b", "port 5433", "a" * 40]):
            store.append(said(f"m{number}", text, at=number))
        yield lcm.LcmTools(store)


def test_a_pattern_that_explodes_elsewhere_is_answered_and_leaves_no_thread(tools):
    """SE-03: the engine takes time linear in the text, so that there is nothing to break off."""
    before = threading.active_count()
    assert [hit.id for hit in tools.lcm_grep("(a+)+$", mode="regex").hits] == ["m2"]
    assert tools.lcm_grep("(x+x+)+y", mode="regex").hits == ()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("[unclosed", "at character 0"),
        ("*x", "at character 0"),
        ("(?P<n>a)(?P<n>b)", "group name 'n' again at character 8"),
        ("x" * 100_000, "at most 500 characters. Got 100000"),
    ],
    ids=["SE-05 unclosed", "SE-05 nothing to repeat", "SE-05 a name twice", "SE-05 too long"],
)
def test_a_pattern_that_is_none_is_refused_with_its_place(tools, pattern, told, lcm_lab):
    """SE-05: by the ranker, the tool and the command."""
    with pytest.raises(BadParameter, match=told):
        lcm.Regex().fit(lcm.Corpus(["abc"]))(pattern)
    with pytest.raises(BadParameter, match=told):
        tools.lcm_grep(pattern, mode="regex")
    with lcm.Store("memory.db") as store:
        store.append(said("m1", "abc"))
    done = lcm_lab("grep", "--on", "memory.db", "--", pattern)
    assert (done.code > 0, done.out, told in done.err) == (True, "", True)
    assert "Traceback" not in done.err


@pytest.fixture
def two():
    """Tools of a worker that may look at conversation 1, with a summary in each of two."""
    with lcm.Store(":memory:") as store:
        for number in range(5):
            store.append(said(f"m{number}", f"a longer line about the beacon {number}", "1"))
        for number in range(100):
            store.append(said(f"h{number}", "beacon beacon beacon", "2"))
        ids = []
        for name in "12":
            dag = lcm.compact(store.dag(name), lcm.Rolling(20, fresh=1))
            store.put(dag)
            ids.append(dag.summaries[0].id)
        yield lcm.LcmTools(store, conversation="1", grant=Grant(["1"])), *ids


def test_a_grant_is_left_by_no_parameter_and_filters_before_the_limit(two):
    """SE-10: the sessions tools are held to it in `test_sessions_search`, `test_visibility`."""
    tools, mine, foreign = two
    for mode in ("full_text", "regex"):
        for everywhere in (False, True):
            how = {"mode": mode, "allConversations": everywhere, "scope": "messages", "limit": 5}
            found = tools.lcm_grep("beacon", **how)
            assert {hit.id for hit in found.hits} == {f"m{i}" for i in range(5)}
    told = [refusal(tools.lcm_grep, "beacon", conversationId=name) for name in ("2", "9")]
    assert told[0].replace("'2'", "'9'") == told[1]
    assert tools.lcm_describe(mine).id == mine
    absent = "sum_" + "ab" * 8
    told = [refusal(tools.lcm_describe, name) for name in (foreign, absent)]
    assert told[0].replace(foreign, absent) == told[1]
    told = [refusal(tools.lcm_expand, summaryIds=[name]) for name in (foreign, absent)]
    assert told[0].replace(foreign, absent) == told[1]


def refusal(call, *args, **how):
    with pytest.raises(LcmError) as refused:
        call(*args, **how)
    return str(refused.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no pipes")
def test_a_pipe_in_an_archive_is_passed_over(archive):
    """SE-01."""
    os.mkfifo(archive / "pipe.jsonl")
    assert [(s.source, s.reason) for s in lcm.read(archive).skipped] == [
        ("pipe.jsonl", "not a regular file")
    ]
