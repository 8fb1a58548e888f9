"""Gemini CLI sessions, ChatGPT and Claude.ai exports, and objects with a list of messages."""

import json
import lzma
from collections import Counter

import pytest

from lcm_lab.transcripts.read import read


def written(path, *values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return read(path)


def said(found):
    return [(m.role, p.kind, p.text) for m in found for p in m.parts]


def node(name, role, text, parent, *children, **more):
    content = {"content_type": "text", "parts": [text]}
    message = {
        "id": name,
        "author": {"role": role},
        "content": content,
        "create_time": 1767225600.5,
    }
    return {"id": name, "parent": parent, "children": list(children), "message": message | more}


TREE = {
    "root": {"id": "root", "message": None, "parent": None, "children": ["q"]},
    "q": node("q", "user", "Which?", "root", "a1", "a2"),
    "a1": node("a1", "assistant", "Postgres.", "q"),
    "a2": node("a2", "assistant", "SQLite.", "q", "c"),
    "c": node("c", "assistant", "print(1)", "a2", "t", recipient="python"),
    "t": node("t", "tool", "1", "c"),
}


def test_a_real_gemini_session_is_read_whole(shared):
    (path,) = (shared / "transcripts").glob("entire_ab_*")
    raw = json.loads(lzma.decompress(path.read_bytes()))
    found = read(path)
    assert found.files == {path.name: "Gemini session"}
    assert [(m.id, m.stamp) for m in found] == [(m["id"], m["timestamp"]) for m in raw["messages"]]
    calls = [call for m in raw["messages"] for call in m.get("toolCalls", ())]
    parts = [part for m in found for part in m.parts]
    assert Counter(part.kind for part in parts) == {
        "text": sum(bool(m["content"]) for m in raw["messages"]),
        "reasoning": sum(len(m.get("thoughts", ())) for m in raw["messages"]),
        "tool_call": len(calls),
        "tool_result": len(calls),
    }
    results = {p.call: p.text for p in parts if p.kind == "tool_result"}
    for call in calls:
        answer = call["result"][0]["functionResponse"]["response"]["output"]
        assert results[call["id"]] == answer
    assert [m.role for m in found if m.role == "system"] == ["system"]
    assert {m.session for m in found} == {raw["sessionId"]} == set(found.sessions)


def test_a_gemini_session_a_line_a_record_can_be_rewound(tmp_path):
    head = {"sessionId": "s1", "projectHash": "x", "startTime": "2026-01-01T10:00:00Z"}
    talk = [
        {"id": str(i), "timestamp": f"2026-01-01T10:0{i}:00Z", "type": kind, "content": text}
        for i, (kind, text) in enumerate([("user", "a"), ("gemini", "b"), ("user", "c")])
    ]
    found = written(tmp_path / "a.jsonl", head, *talk, {"$rewindTo": "1"}, talk[2] | {"id": "9"})
    assert [(m.session, m.text, m.active) for m in found] == [
        ("s1", "a", True),
        ("s1", "b", False),
        ("s1", "c", False),
        ("s1", "c", True),
    ]
    assert len(found.corpus()) == 2


def test_contents_of_the_gemini_api_are_read(tmp_path):
    contents = [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {"path": "."}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a"}}}],
        },
        {"role": "model", "parts": [{"thought": True, "text": "Hm."}, {"text": "One file."}]},
    ]
    assert said(written(tmp_path / "checkpoint.json", contents)) == [
        ("user", "text", "Look."),
        ("assistant", "tool_call", "ls\npath: ."),
        ("tool", "tool_result", "a"),
        ("assistant", "reasoning", "Hm."),
        ("assistant", "text", "One file."),
    ]


def test_the_active_branch_of_a_chatgpt_export_leads_to_its_current_node(tmp_path):
    """What was made anew is kept, and hidden; a tool answers the node above it."""
    talk = {"title": "Choice", "conversation_id": "k1", "mapping": TREE, "current_node": "t"}
    found = written(tmp_path / "conversations.json", [talk])
    assert [(m.id, m.role, m.text, m.parent, m.active) for m in found][:3] == [
        ("q", "user", "Which?", "root", True),
        ("a1", "assistant", "Postgres.", "q", False),
        ("a2", "assistant", "SQLite.", "q", True),
    ]
    call, result = (m.parts[0] for m in found.messages[3:])
    assert (call.kind, call.name, call.call) == ("tool_call", "python", "c")
    assert (result.kind, result.text, result.call) == ("tool_result", "1", "c")
    assert found.sessions["k1"].title == "Choice"
    assert found.messages[0].time == 1_767_225_600_500_000
    assert [one.reason for one in found.skipped] == ["not a message: empty node"]


def test_a_chatgpt_tree_that_turns_in_a_circle_or_names_no_leaf_loses_nothing(tmp_path):
    circle = {name: dict(one) for name, one in TREE.items()}
    circle["q"]["parent"] = "t"
    for mapping, leaf in ((circle, "t"), (TREE, None), (TREE, "gone")):
        found = written(tmp_path / "c.json", [{"mapping": mapping, "current_node": leaf}])
        assert {m.id for m in found} == set(TREE) - {"root"}
        assert all(m.active for m in found)


def test_attached_text_of_a_claude_ai_export_is_part_of_its_message(tmp_path):
    def message(name, sender, text, parent="", **more):
        return {
            "uuid": name,
            "sender": sender,
            "text": text,
            "content": [{"type": "text", "text": text}] if text else [],
            "created_at": "2026-01-01T10:00:00Z",
            "parent_message_uuid": parent,
        } | more

    paste = {"file_name": "paste.txt", "file_type": "txt", "extracted_content": "port = 5432"}
    talk = {
        "uuid": "k1",
        "name": "Ports",
        "chat_messages": [
            message("m1", "human", "Which port?", attachments=[paste]),
            message("m2", "assistant", "5433.", "m1"),
            message("m3", "assistant", "5432.", "m1"),
        ],
    }
    found = written(tmp_path / "conversations.json", [talk])
    assert found.messages[0].text == "Which port?\n[file: paste.txt, txt]\nport = 5432"
    assert [m.role for m in found] == ["user", "assistant", "assistant"]
    assert (found.messages[0].session, found.sessions["k1"].title) == ("k1", "Ports")
    assert all(m.active for m in found)
    led = written(tmp_path / "b.json", [talk | {"current_leaf_message_uuid": "m3"}])
    assert [m.active for m in led] == [True, False, True]


@pytest.mark.parametrize("name", ["messages", "conversation", "conversations", "turns"])
def test_an_object_with_a_list_of_messages_is_a_session(tmp_path, name):
    told = [{"role": "user", "content": "hi"}, {"from": "gpt", "value": "hello"}, {"odd": 1}]
    found = written(tmp_path / "a.json", {"sessionId": "s1", "title": "T", "cwd": "/x", name: told})
    assert [(m.session, m.role, m.text) for m in found] == [
        ("s1", "user", "hi"),
        ("s1", "assistant", "hello"),
    ]
    assert (found.sessions["s1"].title, found.sessions["s1"].cwd) == ("T", "/x")
    assert [one.reason for one in found.skipped] == ["not a message"]


def test_conversations_a_line_are_sessions_of_their_own(tmp_path):
    talk = {"messages": [{"role": "user", "content": "hi"}]}
    found = written(tmp_path / "a.jsonl", talk, talk | {"id": 7}, talk)
    assert [m.session for m in found] == ["a#1", "7", "a#3"]


def test_wrapped_messages_are_unwrapped_with_their_times(tmp_path):
    inner = {"role": "user", "content": "hi"}
    found = written(
        tmp_path / "a.json", {"messages": [{"timestamp": 1767225600, "message": inner}]}
    )
    assert [(m.text, m.time) for m in found] == [("hi", 1_767_225_600_000_000)]


def test_an_empty_session_is_read_and_known(shared):
    found = read(shared / "transcripts" / "cass_empty_session.jsonl.xz")
    assert (len(found), list(found.sessions), found.skipped) == (0, ["empty-001"], ())
