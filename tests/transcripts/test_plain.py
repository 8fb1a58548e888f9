"""Plain messages, and what hostile values in place of fields do: nothing but a skipped record."""

import copy
import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.transcripts.lines import Record, records
from lcm_lab.transcripts.read import read
from lcm_lab.transcripts.recognise import FORMATS


def written(path, *values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return read(path)


def test_any_of_the_names_of_a_field_will_do(tmp_path):
    found = written(
        tmp_path / "a.jsonl",
        {"sender": "human", "text": "a", "createdAt": "2026-01-01T00:00Z", "conversation_id": 7},
        {"author": "bot", "message": "b", "ts": 1767225600, "message_id": "x"},
        {"from": "Ann", "body": "c"},
        {"speaker": "Bo", "text": "d"},
    )
    assert [(m.session, m.id[:4], m.role, m.speaker, m.text, m.time) for m in found] == [
        ("7", "msg_", "user", "", "a", 1_767_225_600_000_000),
        ("a", "x", "assistant", "", "b", 1_767_225_600_000_000),
        ("a", "msg_", "", "Ann", "c", None),
        ("a", "msg_", "", "Bo", "d", None),
    ]


def test_a_role_that_is_not_known_is_a_speaker_and_answers_of_tools_are_the_tools(tmp_path):
    result = {"type": "tool_result", "content": "ok", "tool_use_id": "c1"}
    found = written(
        tmp_path / "a.jsonl",
        {"role": "Narrator", "content": "Once."},
        {"role": "user", "content": [result]},
        {"role": "function", "content": "1", "tool_call_id": "c2"},
    )
    assert [(m.role, m.speaker, m.parts[0].kind, m.parts[0].call) for m in found] == [
        ("", "Narrator", "text", ""),
        ("tool", "", "tool_result", "c1"),
        ("tool", "", "tool_result", "c2"),
    ]


def test_unknown_blocks_and_damaged_text_are_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"role": "user", "content": [{"type": "hologram"}, {"type": "text", "text": "\xe9"}]}'
    )
    assert read(path).notes == {
        "unknown block: hologram": 1,
        "text with bytes that are not UTF-8, shown as U+FFFD": 1,
    }


def test_values_nested_too_deeply_very_long_lines_and_nul_bytes_cost_only_themselves(tmp_path):
    path = tmp_path / "a.jsonl"
    deep = '{"role": "user", "content": ' + "[" * 100_000 + "]" * 100_000 + "}"
    long = json.dumps({"role": "user", "content": "word " * 400_000})
    nul = '{"role": "user", "content": "a\\u0000b"}'
    path.write_text("\n".join([deep, long, nul, "\x00\x00", '{"role": "user", "content": "end"}']))
    found = read(path)
    assert [m.line for m in found] == [2, 3, 5]
    assert [one.line for one in found.skipped] == [1, 4]


def test_of_an_export_that_is_cut_short_the_whole_conversations_are_read(tmp_path):
    message = {"uuid": "m", "sender": "human", "text": "a, b", "content": []}
    talks = [{"uuid": f"k{i}", "chat_messages": [message | {"uuid": f"m{i}"}]} for i in range(5)]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(talks)[:-40])
    found = read(path)
    assert [m.session for m in found] == ["k0", "k1", "k2", "k3"]
    assert [(one.line, one.reason) for one in found.skipped] == [(1, "incomplete last line")]
    assert found.skipped[0].excerpt.startswith('[{"uuid": "k0"')


FLAT = st.dictionaries(st.text(max_size=3), st.text(max_size=4) | st.integers(), max_size=3)


@given(st.lists(FLAT, min_size=1, max_size=5), st.data())
def test_an_array_cut_anywhere_gives_a_prefix_of_its_objects(found, data):
    text = json.dumps(found, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    values = [one.value for one in records(cut) if isinstance(one, Record)]
    assert values == found[: len(values)]
    whole = sum(
        cut.startswith(json.dumps(found[:n], ensure_ascii=False)[:-1])
        for n in range(1, len(found) + 1)
    )
    assert len(values) == whole


#: What may stand where anything else is expected.
JUNK = [
    *(None, 0, -1, 1.5, True, "", "x", "\ud800", 10**30, float("nan")),
    *([], {}, [None], [[]], ["a"], {"a": 1}, [{"a": 1}], [{"type": "text"}], [{"type": []}]),
]
NODE = {"message": {"author": {"role": "tool"}, "content": {"parts": ["a", {"text": "b"}]}}}
SAMPLES = {
    "plain JSONL": {"role": "user", "content": [{"type": "text", "text": "a"}], "time": 1},
    "Gemini contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}],
    "OpenHands trajectory": [
        {"kind": "ActionEvent", "source": "agent", "thought": [], "tool_call": {"function": {}}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}},
        {"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": "a"},
    ],
    "ChatGPT export": [
        {
            "title": "t",
            "mapping": {"r": {"children": ["a"]}, "a": {**NODE, "parent": "r", "children": []}},
            "current_node": "a",
        }
    ],
    "Claude.ai export": [
        {
            "uuid": "u",
            "chat_messages": [
                {"uuid": "m", "sender": "human", "text": "t", "content": [], "files": [{"a": "b"}]}
            ],
            "current_leaf_message_uuid": "m",
        }
    ],
    "one object with a list of messages": {"id": 1, "messages": [{"role": "user", "content": "a"}]},
}
REAL = {
    "Gemini session": "entire_ab_2b9748b105_0.jsonl.xz",
    "OpenHands trajectory": "openhands_basic.json.xz",
    "SWE-agent trajectory": "sweagent_katy.traj.xz",
    "mini-SWE-agent trajectory": "mini_github_issue.traj.json.xz",
}


def places(value, at=()):
    yield at
    inside = {dict: dict.items, list: enumerate}.get(type(value), lambda _: ())
    for key, inner in inside(value):
        yield from places(inner, (*at, key))


def put(value, at, new):
    if not at:
        return new
    changed = copy.copy(value)
    changed[at[0]] = put(value[at[0]], at[1:], new)
    return changed


def holds_up(name, value):
    """Reads a value with each of its pieces replaced by junk."""
    (form,) = (one for one in FORMATS if one.name == name)
    assert form.is_one(value)
    for at in places(value):
        for junk in JUNK:
            changed = put(value, at, junk)
            for one in FORMATS:
                one.is_one(changed)
            for message in form.parse(iter([(1, changed)]), "a", "s").messages:
                assert message.parts
                assert message.role in ("user", "assistant", "system", "tool", "")


@pytest.mark.parametrize("name", SAMPLES)
def test_junk_in_place_of_any_piece_is_never_fatal(name):
    holds_up(name, SAMPLES[name])


@pytest.mark.parametrize("name", REAL)
def test_junk_in_place_of_any_piece_of_a_real_file_is_never_fatal(shared, name):
    value = json.loads(lzma.decompress((shared / "transcripts" / REAL[name]).read_bytes()))
    long = value if isinstance(value, list) else value.get("messages", value.get("history"))
    del long[6 if name == "mini-SWE-agent trajectory" else 3 :]
    holds_up(name, value)
