"""Claude Code records made into messages, and messages into rows."""

import json

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.text import count_tokens
from lcm_lab.transcripts.read import read


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def record(role, content, uuid="", message_id="", **more):
    message = {"role": role, "content": content} | ({"id": message_id} if message_id else {})
    return {"type": role, "uuid": uuid, "sessionId": "s1", "message": message} | more


def said(text):
    return {"type": "text", "text": text}


def test_fragments_of_a_turn_become_one_message_with_parts_in_order(tmp_path):
    """TP-05."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls -la"}}
    path = write(
        tmp_path / "a.jsonl",
        record("user", "list them", "u1"),
        record("assistant", [said("Looking.")], "u2", "m1", parentUuid="u1"),
        record("assistant", [call], "u3", "m1", parentUuid="u2"),
        record("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a b"}], "u4"),
        record("assistant", [said("Done.")], "u5", "m1", parentUuid="u4"),
        record("user", "thanks", "u6", parentUuid="u5"),
    )
    found = read(path)
    assert [(m.id, m.role, [p.kind for p in m.parts]) for m in found] == [
        ("u1", "user", ["text"]),
        ("u2", "assistant", ["text", "tool_call", "text"]),
        ("u4", "tool", ["tool_result"]),
        ("u6", "user", ["text"]),
    ]
    assert found.messages[3].parent == "u2"
    rows = found.corpus().frame()
    assert rows[["docno", "role", "kind", "text"]].to_numpy().tolist() == [
        ["u1", "user", "text", "list them"],
        ["u2", "assistant", "text", "Looking.\nDone."],
        ["u2#tool_call", "assistant", "tool_call", "Bash\ncommand: ls -la"],
        ["u4#tool_result", "tool", "tool_result", "a b"],
        ["u6", "user", "text", "thanks"],
    ]
    assert set(rows["conversation"]) == set(rows["session"]) == {"s1"}


def test_reasoning_is_a_row_only_when_asked_for(tmp_path):
    """CP-11."""
    thought = {"type": "thinking", "thinking": "maybe drop table users"}
    path = write(tmp_path / "a.jsonl", record("assistant", [thought, said("kept the table")], "u1"))
    found = read(path)
    assert found.corpus()["text"].tolist() == ["kept the table"]
    both = found.corpus(kinds=("text", "reasoning"))
    assert both["docno"].tolist() == ["u1#reasoning", "u1"]
    with pytest.raises(BadParameter, match=r"kinds are text.*Got 'resoning'. Did you mean"):
        found.corpus(kinds=("resoning",))


def test_an_image_is_a_short_placeholder_and_its_bytes_are_never_words(tmp_path):
    """CP-13."""
    data = "iVBORw0KGgo" * 200_000
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    inline = f"before data:image/gif;base64,{data[:4000]} after"
    nested = {"type": "tool_result", "tool_use_id": "t1", "content": [image, said("shot taken")]}
    path = write(
        tmp_path / "a.jsonl",
        record("user", [said("see the red arrow"), image], "u1"),
        record("user", inline, "u2"),
        record("user", [nested], "u3"),
    )
    assert read(path).corpus()["text"].tolist() == [
        "see the red arrow\n[image: image/png, 2 MB]",
        "before [data: image/gif, 3 KB] after",
        "[image: image/png, 2 MB]\nshot taken",
    ]


def test_content_of_any_shape_is_read_and_what_is_unknown_is_counted(tmp_path):
    """TP-10, TK-06."""
    path = write(
        tmp_path / "a.jsonl",
        record("user", None, "u1"),
        record("user", 7, "u2"),
        record("user", [], "u3"),
        record("user", {"a": 1}, "u4"),
        record("assistant", [{"type": "hologram", "data": "x"}], "u5"),
        record("assistant", [{"type": "text", "text": ""}], "u6", isApiErrorMessage=True),
        record(
            "assistant", [{"type": "tool_use", "name": "Edit", "input": {"path": "a.py"}}], "u7"
        ),
    )
    found = read(path)
    assert [(m.id, m.text) for m in found] == [("u2", "7"), ("u4", ""), ("u5", ""), ("u7", "")]
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "no content"),
        (3, "no content"),
        (6, "no content"),
    ]
    assert found.notes == {"unknown block: hologram": 1, "unknown block: no type": 1}
    raw = [part.raw for message in found for part in message.parts]
    assert raw == ["", '{"a": 1}', '{"type": "hologram", "data": "x"}', ""]
    corpus = found.corpus()
    assert corpus["text"].tolist() == ["7", "Edit\npath: a.py"]
    assert corpus["tokens"].tolist()[1] == count_tokens("Edit\npath: a.py") > 2


def test_lone_surrogates_are_cleaned_and_pairs_become_characters(tmp_path):
    """CU-08."""
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"type":"user","uuid":"u1","message":{"role":"user","content":"dump \\udc88 end"}}\n'
        '{"type":"user","uuid":"u2","message":{"role":"user","content":"\\ud83c\\udf78"}}\n'
    )
    corpus = read(path).corpus()
    assert corpus["text"].tolist() == ["dump \ufffd end", "\U0001f378"]
    assert len(corpus.fingerprint.encode()) == len(corpus.fingerprint)


def test_records_that_hold_no_message_are_counted_by_type(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        {"type": "summary", "summary": "A title", "leafUuid": "u1"},
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "system", "subtype": "turn_duration", "uuid": "x"},
        record("user", "hello", "u1"),
        {"type": "user", "uuid": "u2", "message": "error"},
        record("ghost", "boo", "u3") | {"type": "user"},
    )
    found = read(path)
    assert len(found) == 1
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "not a message: summary"),
        (2, "not a message: file-history-snapshot"),
        (3, "not a message: turn_duration in system"),
        (5, "not a message: nothing in user"),
        (6, "not a message: role 'ghost'"),
    ]


def test_a_compaction_summary_is_a_summary_and_not_the_user(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        record("user", "real", "u1"),
        record("user", "This session continues ...", "u2", isCompactSummary=True),
        record("user", "Caveat: generated", "u3", isMeta=True),
    )
    found = read(path)
    assert found.corpus()["role"].tolist() == ["user", "system"]
    kept = found.corpus(kinds=("summary",)).frame()
    assert kept[["docno", "scope", "kind"]].to_numpy().tolist() == [
        ["u2#summary", "summaries", "summary"]
    ]


def test_sidechains_are_kept_with_their_mark(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        record("user", "main", "u1"),
        record("user", "sub", "u2", isSidechain=True),
    )
    corpus = read(path).corpus()
    assert corpus["sidechain"].tolist() == ["no", "yes"]
    assert corpus.rows(sidechain="no") == slice(0, 1)


def test_parents_name_messages_past_records_that_hold_none(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        record("user", "hello", "u1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "u1"},
        {"type": "progress", "uuid": "p2", "parentUuid": "p1"},
        record("assistant", [said("hi")], "u2", parentUuid="p2"),
        record("user", "elsewhere", "u3", parentUuid="not-here"),
    )
    assert [m.parent for m in read(path)] == ["", "u1", "not-here"]


def test_times_keep_their_instant_and_what_was_written(tmp_path):
    """TZ-05, TZ-09, TZ-10."""
    path = write(
        tmp_path / "a.jsonl",
        record("user", "a", "u1", timestamp="2025-06-14T11:00:00+02:00"),
        record("user", "b", "u2", timestamp="2025-06-14 09:00:01"),
        record("user", "c", "u3", timestamp="yesterday"),
        record("user", "d", "u4"),
    )
    found = read(path)
    corpus = found.corpus()
    assert corpus["time"].dt.strftime("%H:%M:%S").tolist()[:2] == ["09:00:00", "09:00:01"]
    assert corpus["time"].isna().tolist() == [False, False, True, True]
    assert [m.stamp for m in found] == [
        "2025-06-14T11:00:00+02:00",
        "2025-06-14 09:00:01",
        "yesterday",
        "",
    ]
    assert found.notes == {
        "time without a zone, read as UTC": 1,
        "time that cannot be read, left unknown": 1,
    }


def test_the_time_of_the_message_counts_before_that_of_its_envelope(tmp_path):
    inner = {"role": "user", "content": "a", "timestamp": "2025-01-01T00:00:00Z"}
    path = write(
        tmp_path / "a.jsonl",
        {"type": "user", "uuid": "u1", "timestamp": "2026-11-30T00:00:00Z", "message": inner},
    )
    assert read(path).messages[0].stamp == "2025-01-01T00:00:00Z"


def test_a_prompt_that_was_rewound_is_left_behind_with_its_answer(tmp_path):
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    path = write(
        tmp_path / "a.jsonl",
        record("user", "start", "u1"),
        record("assistant", [call], "u2", "m1", parentUuid="u1"),
        record("assistant", [call | {"id": "t2"}], "u3", "m1", parentUuid="u2"),
        record("user", [result], "u4", parentUuid="u2"),
        record("user", [result | {"tool_use_id": "t2"}], "u5", parentUuid="u3"),
        record("assistant", [said("done")], "u6", "m2", parentUuid="u5"),
        {"type": "system", "subtype": "turn_duration", "uuid": "x1", "parentUuid": "u6"},
        record("user", "wrong way", "u7", parentUuid="x1"),
        record("assistant", [said("went wrong")], "u8", "m3", parentUuid="u7"),
        record("user", "sub", "u9", parentUuid="u6", isSidechain=True),
        record("user", "right way", "v1", parentUuid="u6"),
        record("assistant", [said("went right")], "v2", "m4", parentUuid="v1"),
    )
    found = read(path)
    assert [m.id for m in found if not m.active] == ["u7", "u8"]
    assert [m.id for m in found if m.active] == ["u1", "u2", "u4", "u5", "u6", "u9", "v1", "v2"]
    assert "wrong way" not in found.corpus()["text"].tolist()


def test_a_rewind_past_a_compaction_leaves_what_follows_the_boundary_behind(tmp_path):
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None}
    path = write(
        tmp_path / "a.jsonl",
        record("user", "start", "u1"),
        record("assistant", [said("yes")], "u2", "m1", parentUuid="u1"),
        record("user", "more", "u3", parentUuid="u2"),
        boundary | {"logicalParentUuid": "u3"},
        record("user", "So far ...", "u4", parentUuid="b1", isCompactSummary=True),
        record("user", "and on", "u5", parentUuid="u4"),
        record("user", "less", "v1", parentUuid="u2"),
    )
    found = read(path)
    assert [(m.id, m.role, m.active, m.parent) for m in found] == [
        ("u1", "user", True, ""),
        ("u2", "assistant", True, "u1"),
        ("u3", "user", False, "u2"),
        ("u4", "system", False, "u3"),
        ("u5", "user", False, "u4"),
        ("v1", "user", True, "u2"),
    ]


def test_a_copied_prompt_with_its_time_is_no_rewind(tmp_path):
    """DD-04, with parents: lines of a file repeated at its end under new ids."""
    lines = [
        record("user", "start", "u1", timestamp="2026-01-01T10:00:00Z"),
        record("user", "more", "u2", parentUuid="u1", timestamp="2026-01-01T10:01:00Z"),
        record("user", "end", "u3", parentUuid="u2", timestamp="2026-01-01T10:02:00Z"),
    ]
    again = lines[1] | {"uuid": "n2"}
    found = read(write(tmp_path / "a.jsonl", *lines, again))
    assert [(m.id, m.active) for m in found] == [("u1", True), ("u2", True), ("u3", True)]


def test_a_prompt_taken_from_the_queue_in_mid_turn_is_a_message(tmp_path):
    held = {"type": "queued_command", "prompt": "also the tests", "commandMode": "prompt"}
    note = held | {"prompt": "<task-notification>", "commandMode": "task-notification"}
    path = write(
        tmp_path / "a.jsonl",
        record("user", "start", "u1"),
        {"type": "queue-operation", "operation": "enqueue", "content": "also the tests"},
        {"type": "attachment", "uuid": "a1", "sessionId": "s1", "parentUuid": "u1"}
        | {"attachment": held},
        {"type": "attachment", "uuid": "a2", "sessionId": "s1", "attachment": note},
        {"type": "attachment", "uuid": "a3", "attachment": {"type": "todo", "content": []}},
    )
    found = read(path)
    assert [(m.id, m.role, m.text, m.parent) for m in found] == [
        ("u1", "user", "start", ""),
        ("a1", "user", "also the tests", "u1"),
        ("a2", "system", "<task-notification>", ""),
    ]
    assert [one.reason for one in found.skipped] == [
        "not a message: queue-operation",
        "not a message: attachment",
    ]


def test_errors_of_the_api_are_the_harness_and_without_text_they_are_counted(tmp_path):
    """TP-10."""
    path = write(
        tmp_path / "a.jsonl",
        record("user", "go", "u1"),
        record("assistant", [said("API Error: overloaded")], "u2", isApiErrorMessage=True),
        record("assistant", [said("")], "u3", isApiErrorMessage=True),
    )
    found = read(path)
    assert [(m.id, m.role) for m in found] == [("u1", "user"), ("u2", "system")]
    assert [one.reason for one in found.skipped] == ["no content"]


def test_records_say_what_their_session_is(tmp_path):
    where = {"cwd": "/w", "gitBranch": "main", "version": "2.1.0"}
    path = write(
        tmp_path / "a.jsonl",
        {"type": "summary", "summary": "of another session", "leafUuid": "elsewhere"},
        {"type": "summary", "summary": "summed up", "leafUuid": "u1"},
        record("user", "go", "u1", **where),
        record("user", "on", "u2", **(where | {"cwd": "/w/sub"})),
        {"type": "ai-title", "aiTitle": "Going", "sessionId": "s1"},
        record("user", "fork", "u3", sessionId="s2", forkedFrom={"sessionId": "s1"}),
        {"type": "custom-title", "customTitle": "The fork", "sessionId": "s2"},
        {"type": "ai-title", "aiTitle": "made later", "sessionId": "s2"},
    )
    told = {one.id: one for one in read(path).sessions.values()}
    assert set(told) == {"s1", "s2"}
    one, two = told["s1"], told["s2"]
    assert (one.title, one.cwd, one.branch, one.agent) == (
        "Going",
        "/w/sub",
        "main",
        "Claude Code 2.1.0",
    )
    assert (two.title, two.parent, two.source) == ("The fork", "s1", "a.jsonl")


def test_a_summary_of_a_record_elsewhere_titles_no_session_here(tmp_path):
    said_here = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "go"}}
    away = {"type": "summary", "summary": "of another", "leafUuid": "elsewhere"}
    here = {"type": "summary", "summary": "of this", "leafUuid": "u1"}
    assert read(write(tmp_path / "a.jsonl", away, said_here)).sessions["a"].title == ""
    assert read(write(tmp_path / "b.jsonl", here, said_here)).sessions["b"].title == "of this"


def test_files_of_subagents_are_sidechains_of_their_session(tmp_path):
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    write(tmp_path / "s1.jsonl", record("user", "main", "u1"))
    named = record("user", "goal", "u2", isSidechain=True, agentId="a1")
    unnamed = record("user", "another", "u3", isSidechain=True)
    del unnamed["sessionId"]
    write(folder / "agent-a1.jsonl", named)
    write(folder / "agent-a2.jsonl", unnamed)
    assert [(m.session, m.id, m.sidechain) for m in read(tmp_path)] == [
        ("s1", "u1", False),
        ("s1", "u2", True),
        ("s1", "u3", True),
    ]
