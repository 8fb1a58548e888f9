"""Transcripts, group J: archives, calls, lines that are read, and trees. An id names the report."""

import json

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, LcmError
from lcm_lab.store.imports import import_files
from tests.cases.test_transcripts import claude, written


def test_side_files_are_listed_as_skipped_and_an_archive_belongs_to_its_session(tmp_path):
    """TP-09."""
    written(tmp_path, "a.jsonl", {"role": "user", "content": "new"})
    written(tmp_path, "a.jsonl.reset.2026-03-01", {"role": "user", "content": "old port 5433"})
    written(tmp_path, "a.jsonl.bak", {"role": "user", "content": "copy"})
    written(tmp_path, "a.trajectory.jsonl", {"step": 1})
    found = lcm.read(tmp_path)
    assert sorted((m.session, m.text) for m in found) == [("a", "new"), ("a", "old port 5433")]
    assert {(one.source, one.reason) for one in found.skipped} == {
        ("a.jsonl.bak", "backup or temporary file"),
        ("a.trajectory.jsonl", "trace beside a session's own file"),
    }
    with lcm.Store(":memory:") as store:
        done = import_files(store, tmp_path)
        assert {one.source for one in done.skipped} == {"a.jsonl.bak", "a.trajectory.jsonl"}
        (hit,) = lcm.SessionTools(store).sessions_search("port").hits
        assert "5433" in hit.snippet


def test_content_of_every_shape_is_read_and_what_is_unknown_is_kept_and_counted(tmp_path):
    """TP-10."""
    contents = ["text", [{"type": "text", "text": "block"}], None, [], [{"type": "hologram"}]]
    lines = [claude(i) for i in range(5)]
    for line, content in zip(lines, contents, strict=True):
        line["message"]["content"] = content
    error = claude(5) | {"type": "assistant", "isApiErrorMessage": True}
    error["message"] = {"role": "assistant", "content": [{"type": "text", "text": ""}]}
    found = lcm.read(written(tmp_path, "a.jsonl", *lines, error))
    assert found.corpus()["text"].tolist() == ["text", "block"]
    assert [one.line for one in found.skipped] == [3, 4, 6]
    assert found.notes == {"unknown block: hologram": 1}
    assert found.messages[2].parts[0].raw == '{"type": "hologram"}'


def test_a_call_is_paired_with_its_output_and_an_orphan_is_kept_and_flagged(tmp_path):
    """TP-11."""
    items = [
        {"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls"]}},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "."}]},
        {"type": "local_shell_call_output", "call_id": "c1", "output": "a.py"},
        {"type": "function_call_output", "call_id": "c9", "output": "whose?"},
    ]
    lines = [
        {"timestamp": f"2026-03-01T10:00:0{i}Z", "type": "response_item", "payload": item}
        for i, item in enumerate(items)
    ]
    found = lcm.read(written(tmp_path, "rollout.jsonl", *lines))
    parts = [(one.parts[0].kind, one.parts[0].call) for one in found]
    assert parts[0] == ("tool_call", "c1")
    assert parts[2:] == [("tool_result", "c1"), ("tool_result", "c9")]
    assert found.notes == {"tool result without its call, kept": 1}
    with lcm.Store(":memory:") as store:
        store.add(found)
        assert "whose?" in store.corpus()["text"].tolist()


@pytest.fixture
def long(tmp_path):
    """A session of twenty lines that was compacted after the twelfth."""
    mark = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s1"}
    short = claude(12, "They talked in lines.") | {"uuid": "c", "isCompactSummary": True}
    lines = [*map(claude, range(12)), mark, short, *map(claude, range(12, 18))]
    return written(tmp_path, "long.jsonl", *lines)


WRONG = {(0, 5): "whole number", (9, 3): "startLine 9 lies behind endLine 3", (99, None): "past"}


def test_the_original_lines_before_a_compaction_are_shown(long, tmp_path):
    """TP-12: what a reader is shown is not the context of the model."""
    with lcm.Store(tmp_path / "memory.db") as store:
        import_files(store, long)
        tools = lcm.EpisodicTools(store, roots=[tmp_path])
        page = tools.read("long.jsonl", 1, 5)
        said = [one.parts[0].text for one in page.entries]
        assert said == [f"line {i} is said" for i in range(5)]
        for window, told in WRONG.items():
            with pytest.raises(BadParameter, match=told):
                tools.read("long.jsonl", *window)


def test_the_command_shows_the_same_lines(long, tmp_path, lcm_lab):
    """TP-12."""
    lcm_lab("import", long, "--into", "memory.db")
    asked = ("episodic", "read", "long.jsonl", "--on", "memory.db", "--root", tmp_path)
    done = lcm_lab(*asked, "--lines", "1-5")
    assert done.code == 0, done.err
    assert [f"line {i} is said" in done.out for i in (0, 4, 5)] == [True, True, False]
    wrong = {
        "0-5": "startLine must be a whole number from 1",
        "9-3": "behind",
        "99": "past the end",
    }
    for lines, told in wrong.items():
        refused = lcm_lab(*asked, "--lines", lines)
        assert (refused.code, refused.out) == (2, ""), refused
        assert told in refused.err


def test_what_was_rewound_is_found_on_request_alone_and_reset_parts_nothing(tmp_path):
    """TP-13."""
    header = {"type": "session", "version": 3, "id": "s1", "cwd": "/work/app"}
    tree = (("m1", None), ("m2", "m1"), ("m3", "m2"), ("m4", "m2"))
    lines = [
        {"type": "message", "id": name, "parentId": parent}
        | {"message": {"role": "user", "content": f"beacon {name}"}}
        for name, parent in tree
    ]
    reset = {"type": "reset", "id": "r1", "parentId": "m4", "reason": "manual"}
    key = "agent:main:main"
    written(tmp_path, "s1.jsonl", header, *lines, reset)
    (tmp_path / "sessions.json").write_text(json.dumps({key: {"sessionId": "s1"}}))
    with lcm.Store(":memory:") as store:
        import_files(store, tmp_path)
        assert set(store.corpus()["docno"]) == {"m1", "m2", "m4"}
        assert set(store.corpus(abandoned=True)["docno"]) == {"m1", "m2", "m3", "m4"}
        tools = lcm.SessionTools(store, key)
        assert {one.message for one in tools.sessions_search("beacon").hits} == {"m1", "m2", "m4"}
        page = tools.sessions_history(key, messageId="m3")
        assert (page.messages, page.total) == ((), 0)
        with pytest.raises(LcmError):
            tools.sessions_history(key, sessionId="foreign", messageId="m1")
