"""A transcript that is still being written: what was read of its beginning stays what it is."""

import json
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.errors import BadInput
from lcm_lab.transcripts.read import read

#: What a session does next, and a number that says to what.
STEPS = st.lists(
    st.tuples(st.sampled_from(["ask", "call", "back", "reset", "noise"]), st.integers(0, 9)),
    min_size=1,
    max_size=12,
)


def claude(steps):
    parent, turns = "", []
    for number, (what, pick) in zip(count(), steps, strict=False):
        base = {"sessionId": "s1", "parentUuid": parent or None, "uuid": f"u{number}"}
        base["timestamp"] = f"2026-01-01T10:00:{number:02}Z"
        if what in ("ask", "back"):
            if what == "back" and turns:
                base["parentUuid"] = turns[pick % len(turns)] or None
            turns.append(base["parentUuid"] or "")
            yield base | {"type": "user", "message": {"role": "user", "content": f"ask {pick}"}}
        elif what == "call":
            for half in "ab":
                block = {"type": "text", "text": f"{half}{pick}"}
                inner = {"role": "assistant", "id": f"m{number}", "content": [block]}
                one = base | {"type": "assistant", "uuid": f"u{number}{half}", "message": inner}
                yield one
                base["parentUuid"] = one["uuid"]
            parent = base["parentUuid"]
            continue
        else:
            yield base | {"type": "progress"}
        parent = base["uuid"]


def openclaw(steps):
    yield {"type": "session", "version": 3, "id": "s1", "cwd": "/w"}
    for number, (what, pick) in zip(count(), steps, strict=False):
        entry = {"id": f"e{number}", "parentId": f"e{number - 1}" if number else None}
        if what == "back":
            yield entry | {"type": "leaf", "targetId": f"e{pick}"}
        elif what == "reset":
            yield entry | {"type": "reset"}
        elif what == "noise":
            yield entry | {"type": "label", "targetId": "e0"}
        else:
            role = "user" if what == "ask" else "toolResult"
            yield entry | {"type": "message", "message": {"role": role, "content": f"say {pick}"}}


def codex(steps):
    yield {"type": "session_meta", "payload": {"id": "s1", "timestamp": "2026-01-01T10:00:00Z"}}
    for number, (what, pick) in zip(count(), steps, strict=False):
        line = {"timestamp": f"2026-01-01T10:00:{number:02}Z", "type": "response_item"}
        event = line | {"type": "event_msg"}
        block = {"type": "input_text", "text": f"say {pick}"}
        message = {"type": "message", "role": "user", "content": [block]}
        spoken = {"type": "user_message", "message": f"say {pick}"}
        if what == "ask":
            yield line | {"payload": message}
            yield event | {"payload": spoken}
        elif what == "noise":
            yield event | {"payload": spoken}
            yield line | {"payload": message}
        elif what == "back":
            yield event | {"payload": {"type": "thread_rolled_back", "num_turns": pick % 3}}
        else:
            call = {"call_id": f"c{number}", "name": "sh", "arguments": "{}"}
            yield line | {"payload": {"type": "function_call", **call}}
            yield line | {"payload": {"type": "function_call_output", **call, "output": "ok"}}


def whole(path, text):
    path.write_text(text)
    try:
        return list(read(path))
    except BadInput:
        return []


@pytest.mark.parametrize("writer", [claude, openclaw, codex])
@settings(max_examples=40)
@given(steps=STEPS, cuts=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_a_file_cut_anywhere_is_a_beginning_of_itself(tmp_path_factory, writer, steps, cuts):
    path = tmp_path_factory.mktemp("cut") / "a.jsonl"
    text = "".join(json.dumps(record) + "\n" for record in writer(steps))
    full = whole(path, text)
    for cut in cuts:
        part = whole(path, text[: int(cut * len(text))])
        assert [m.id for m in part] == [m.id for m in full[: len(part)]]
        for before, after in zip(part, full, strict=False):
            assert after.parts[: len(before.parts)] == before.parts
            assert (after.parts == before.parts) or before is part[-1]
            assert (after.time, after.role, after.segment) == (
                before.time,
                before.role,
                before.segment,
            )


@settings(max_examples=40)
@given(steps=STEPS)
def test_nothing_that_was_said_is_lost_and_every_line_is_accounted_for(tmp_path_factory, steps):
    for writer in (openclaw, codex):
        path = tmp_path_factory.mktemp("all") / "a.jsonl"
        records = list(writer(steps))
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        found = read(path)
        lines = [one.line for one in found.skipped] + [m.line for m in found]
        assert sorted(lines) == list(range(1, len(records) + 1))
