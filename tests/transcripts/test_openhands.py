"""OpenHands: events as messages, observations as results of the actions that caused them."""

import json
import lzma

from lcm_lab.transcripts.read import read


def event(number, **more):
    return {"id": number, "timestamp": f"2026-01-01T10:00:{number:02}", "source": "agent"} | more


def written(path, value):
    path.write_text(json.dumps(value))
    return read(path)


def said(found):
    return [(m.role, p.kind, p.name, p.call, p.text) for m in found for p in m.parts]


STREAM = [
    event(0, source="user", action="message", args={"content": "Run it."}),
    event(1, action="run", args={"command": "ls", "thought": "Look first.", "hidden": False}),
    event(2, source="environment", observation="agent_state_changed", content="", extras={}),
    event(3, observation="run", cause=1, content="a.py", extras={"metadata": {"exit_code": 2}}),
    event(4, action="finish", args={"final_thought": "Done."}, message="ok"),
]


def test_a_real_stream_gives_every_event_and_pairs_the_call_with_its_result(shared):
    path = shared / "transcripts" / "openhands_basic.json.xz"
    raw = json.loads(lzma.decompress(path.read_bytes()))
    found = read(path)
    assert found.files == {path.name: "OpenHands trajectory"}
    assert [m.stamp for m in found] == [one["timestamp"] for one in raw]
    assert [m.role for m in found] == ["user", "assistant", "tool", "assistant"]
    parts = [part for message in found for part in message.parts]
    assert [part.kind for part in parts] == ["text", "text", "tool_call", "tool_result", "text"]
    called = raw[1]["tool_call_metadata"]["model_response"]["choices"][0]["message"]["tool_calls"][
        0
    ]
    assert (parts[2].name, parts[2].call) == (called["function"]["name"], called["id"])
    assert json.loads(called["function"]["arguments"])["file_text"] in parts[2].text
    assert (parts[3].call, parts[3].text) == (called["id"], raw[2]["content"])
    assert found.notes == {"time without a zone, read as UTC": 4}


def test_without_the_models_answer_an_observation_goes_to_its_cause(tmp_path):
    found = written(tmp_path / "a.json", STREAM)
    assert said(found) == [
        ("user", "text", "", "", "Run it."),
        ("assistant", "text", "", "", "Look first."),
        ("assistant", "tool_call", "run", "event 1", "run\ncommand: ls"),
        ("tool", "tool_result", "", "event 1", "a.py"),
        ("assistant", "text", "", "", "Done."),
    ]
    assert [p.error for m in found for p in m.parts if p.kind == "tool_result"] == [True]
    assert [one.reason for one in found.skipped] == ["not a message: agent_state_changed"]
    assert [(m.id, m.parent) for m in found][2] == ("a/3", "a/1")


def test_an_evaluations_history_events_a_line_and_pairs_read_the_same(tmp_path):
    alone = said(written(tmp_path / "a.json", STREAM))
    assert said(written(tmp_path / "b.json", {"instance_id": "x", "history": STREAM})) == alone
    pairs = [STREAM[:1], STREAM[1:3], STREAM[3:]]
    assert said(written(tmp_path / "c.json", {"history": [[*pair] for pair in pairs]})) == alone
    lines = tmp_path / "d.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in STREAM))
    assert said(read(lines)) == alone


def test_numbers_of_two_streams_stay_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(STREAM))
    found = read(tmp_path)
    assert len(found) == 8
    assert {m.id for m in found} == {f"{name}/{n}" for name in "ab" for n in (0, 1, 3, 4)}


def test_events_of_the_sdk_are_read(tmp_path):
    text = [{"type": "text", "text": "Look."}]
    call = {"id": "c1", "name": "terminal", "arguments": '{"command": "ls"}'}
    events = [
        {
            "kind": "SystemPromptEvent",
            "source": "agent",
            "system_prompt": {"type": "text", "text": "Rules."},
        },
        {
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"role": "user", "content": text},
        },
        {
            "kind": "ActionEvent",
            "id": "e3",
            "source": "agent",
            "thought": text,
            "reasoning_content": "Hm.",
            "action": {"kind": "Run", "command": "ls"},
            "tool_name": "terminal",
            "tool_call_id": "c1",
            "tool_call": call,
        },
        {
            "kind": "ObservationEvent",
            "source": "environment",
            "observation": {"kind": "Ran", "content": [{"type": "text", "text": "a.py"}]},
            "tool_call_id": "c1",
            "action_id": "e3",
        },
        {
            "kind": "AgentErrorEvent",
            "source": "agent",
            "error": "No such tool.",
            "tool_call_id": "c2",
        },
        {"kind": "Condensation", "source": "environment", "summary": "They looked."},
    ]
    found = written(tmp_path / "a.json", events)
    assert said(found) == [
        ("system", "text", "", "", "Rules."),
        ("user", "text", "", "", "Look."),
        ("assistant", "reasoning", "", "", "Hm."),
        ("assistant", "text", "", "", "Look."),
        ("assistant", "tool_call", "terminal", "c1", "terminal\ncommand: ls"),
        ("tool", "tool_result", "", "c1", "a.py"),
        ("tool", "tool_result", "", "c2", "No such tool."),
        ("assistant", "summary", "", "", "They looked."),
    ]
    assert [p.error for m in found for p in m.parts if p.kind == "tool_result"] == [False, True]
    assert found.messages[3].parent == "e3"
