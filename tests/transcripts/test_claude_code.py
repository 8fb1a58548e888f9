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
