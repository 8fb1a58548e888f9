"""Codex rollouts: items and events, calls and outputs, rollbacks, and the older flat shape."""

import json

import pytest

from lcm_lab.transcripts.read import read

META = {"id": "t1", "timestamp": "2026-01-01T10:00:00Z", "cwd": "/w", "cli_version": "0.1"}


FAILED = {"content": "ok", "success": False}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def line(kind, second=0, **payload):
    return {"type": kind, "timestamp": f"2026-01-01T10:00:{second:02}Z", "payload": payload}


def item(kind, second=0, **payload):
    return line("response_item", second, type=kind, **payload)


def said(role, text, second=0):
    block = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return item("message", second, role=role, content=[block])


def event(kind, second=0, **payload):
    return line("event_msg", second, type=kind, **payload)


def shown(found):
    return [(m.role, m.text) for m in found]


def test_a_rollout_gives_messages_calls_and_what_is_said_of_its_session(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META, git={"branch": "main"}),
        said("developer", "<permissions instructions> no network"),
        said("user", "<environment_context>\n  <cwd>/w</cwd>"),
        line("turn_context", cwd="/w/sub", model="m"),
        said("user", "list it", 1),
        event("user_message", 1, message="list it"),
        item("reasoning", 2, summary=[{"type": "summary_text", "text": "ls"}], content=None),
        item("reasoning", 2, summary=[], encrypted_content="x"),
        item("function_call", 3, name="shell", arguments='{"cmd": "ls"}', call_id="c1"),
        event("token_count", 3, info=None),
        item("function_call_output", 4, call_id="c1", output="a.py"),
        item("custom_tool_call", 5, name="apply_patch", input="*** Begin", call_id="c2"),
        item(
            "custom_tool_call_output", 5, call_id="c2", output={"content": "ok", "success": False}
        ),
        item("web_search_call", 6, action={"type": "search", "query": "q"}, status="completed"),
        line("compacted", 7, message="They listed."),
        event("agent_message", 8, message="Done."),
        said("assistant", "Done.", 8),
        item("ghost_snapshot", 9),
        item("telepathy", 9, wave=1),
    )
    found = read(path)
    assert [(m.line, m.role, [(p.kind, p.text, p.call) for p in m.parts]) for m in found] == [
        (2, "system", [("text", "<permissions instructions> no network", "")]),
        (3, "system", [("text", "<environment_context>\n  <cwd>/w</cwd>", "")]),
        (5, "user", [("text", "list it", "")]),
        (7, "assistant", [("reasoning", "ls", "")]),
        (9, "assistant", [("tool_call", "shell\ncmd: ls", "c1")]),
        (11, "tool", [("tool_result", "a.py", "c1")]),
        (12, "assistant", [("tool_call", "apply_patch\n*** Begin", "c2")]),
        (13, "tool", [("tool_result", "ok", "c2")]),
        (14, "assistant", [("tool_call", "web_search\ntype: search\nquery: q", "")]),
        (15, "system", [("summary", "They listed.", "")]),
        (16, "assistant", [("text", "Done.", "")]),
        (19, "assistant", [("unknown", "", "")]),
    ]
    assert found.messages[7].parts[0].error
    assert json.loads(found.messages[-1].parts[0].raw) == {"type": "telepathy", "wave": 1}
    assert found.notes == {"unknown block: telepathy": 1}
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "not a message: session_meta"),
        (4, "not a message: turn_context"),
        (6, "repeated message"),
        (8, "reasoning that only its provider can read"),
        (10, "not a message: token_count in event_msg"),
        (17, "repeated message"),
        (18, "not a message: ghost_snapshot"),
    ]
    told = found.sessions["t1"]
    assert (told.cwd, told.branch, told.agent) == ("/w/sub", "main", "Codex 0.1")


def test_a_shell_call_and_its_output_pair_and_an_orphan_is_kept_and_noted(tmp_path):
    """TP-11."""
    action = {"type": "exec", "command": ["bash", "-lc", "ls"]}
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META),
        item("local_shell_call", 1, call_id="c1", action=action),
        said("assistant", "waiting", 2),
        item(
            "local_shell_call_output",
            3,
            call_id="c1",
            output=json.dumps({"output": "a.py", "metadata": {"exit_code": 2}}),
        ),
        item("function_call_output", 4, call_id="c9", output="whose?"),
    )
    found = read(path)
    call, _, result, orphan = (m.parts[0] for m in found)
    assert (call.kind, call.name, call.call) == ("tool_call", "local_shell", "c1")
    assert (result.kind, result.text, result.call, result.error) == (
        "tool_result",
        "a.py",
        "c1",
        True,
    )
    assert (orphan.kind, orphan.text, orphan.call) == ("tool_result", "whose?", "c9")
    assert found.notes == {"tool result without its call, kept": 1}


@pytest.mark.parametrize("first", ["item", "event"])
def test_a_message_that_is_item_and_event_is_there_once_and_two_alike_are_two(tmp_path, first):
    records = []
    for second, text in enumerate(("go on", "go on", "the other thing, please")):
        pair = [said("user", text, second), event("user_message", second, message=text)]
        records += pair if first == "item" else pair[::-1]
    path = write(tmp_path / "a.jsonl", line("session_meta", **META), *records)
    assert [m.text for m in read(path)] == ["go on", "go on", "the other thing, please"]


def test_events_without_their_items_are_messages(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META),
        event("user_message", 1, message="hello"),
        event("agent_message", 2, message="hi"),
    )
    assert shown(read(path)) == [("user", "hello"), ("assistant", "hi")]


def test_an_event_is_the_twin_of_one_item_only(tmp_path):
    words = "go on, please do"
    events = [event("user_message", second, message=words) for second in (1, 3)]
    path = write(tmp_path / "a.jsonl", line("session_meta", **META), said("user", words), *events)
    assert [m.line for m in read(path)] == [2, 4]


def test_an_item_with_more_around_the_words_of_its_event_is_its_twin(tmp_path):
    words = "please mend the failing test"
    image = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 4000}
    content = [{"type": "input_text", "text": f"# Files\n- a.py\n\n{words}"}, image]
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META),
        item("message", 1, role="user", content=content),
        event("user_message", 1, message=words),
    )
    (message,) = read(path)
    assert message.text == f"# Files\n- a.py\n\n{words}\n[image: image/png, 3 KB]"


def test_turns_that_were_rolled_back_stay_and_are_not_active(tmp_path):
    talk = [
        one
        for second in (1, 3, 5)
        for one in (said("user", f"ask {second}", second), said("assistant", "yes", second + 1))
    ]
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META),
        *talk,
        event("thread_rolled_back", 7, num_turns=2),
        said("user", "ask again", 8),
        event("thread_rolled_back", 9, num_turns=1),
        event("thread_rolled_back", 9, num_turns=-1),
        said("user", "ask last", 10),
    )
    found = read(path)
    assert [(m.text, m.active) for m in found] == [
        ("ask 1", True),
        ("yes", True),
        ("ask 3", False),
        ("yes", False),
        ("ask 5", False),
        ("yes", False),
        ("ask again", False),
        ("ask last", True),
    ]
    assert found.corpus()["text"].tolist() == ["ask 1", "yes", "ask last"]


def test_a_subagents_rollout_is_a_sidechain_with_its_parent(tmp_path):
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "t0", "depth": 1}}}
    meta = line("session_meta", **META, source=source)
    copied = line("session_meta", id="t0", cwd="/elsewhere")
    path = write(tmp_path / "a.jsonl", meta, copied, said("user", "goal", 1))
    found = read(path)
    assert [(m.session, m.sidechain) for m in found] == [("t1", True)]
    assert found.sessions["t1"].parent == "t0"


FLAT = [
    {"id": "t1", "timestamp": "2026-01-01T10:00:00Z", "instructions": None, "git": {"branch": "b"}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "bye"}]},
]


def test_the_older_flat_shape_is_read_with_the_time_of_its_start(tmp_path):
    found = read(write(tmp_path / "a.jsonl", *FLAT))
    assert [(m.session, m.role, m.parts[0].kind) for m in found] == [
        ("t1", "user", "text"),
        ("t1", "assistant", "tool_call"),
        ("t1", "tool", "tool_result"),
        ("t1", "assistant", "reasoning"),
        ("t1", "assistant", "text"),
    ]
    assert {m.stamp for m in found} == {"2026-01-01T10:00:00Z"}
    assert found.notes == {"time of the session's start, given to its messages": 5}
    assert [one.reason for one in found.skipped] == [
        "not a message: session",
        "not a message: state",
    ]
    assert (found.sessions["t1"].branch, found.sessions["t1"].agent) == ("b", "Codex")


def test_the_oldest_shape_is_one_object_and_reads_alike(tmp_path):
    whole = tmp_path / "a.json"
    whole.write_text(json.dumps({"session": FLAT[0], "items": FLAT[2:]}, indent=1))
    flat = read(write(tmp_path / "a.jsonl", *FLAT))
    assert [m.id for m in read(whole)] == [m.id for m in flat]


def test_what_is_none_of_these_is_listed(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        line("session_meta", **META),
        said("user", "hello"),
        7,
        {"type": "response_item", "payload": 3},
        {"payload": {}},
        item("message", role="assistant", content=[]),
        item("function_call", name=None, arguments="[" * 5000, call_id=None),
        event("user_message", message=None),
        line("compacted", message=""),
    )
    found = read(path)
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "not a message: session_meta"),
        (3, "not an object"),
        (5, "not a message: no type"),
        (6, "no content"),
        (8, "no content"),
        (9, "no content"),
    ]
    assert [m.parts[0].kind for m in found] == ["text", "unknown", "tool_call"]
