"""pi and OpenClaw sessions: trees of entries, versions 1 to 3, archives and keys."""

import json
import lzma

import pytest

from lcm_lab.errors import BadInput
from lcm_lab.times import instant, show
from lcm_lab.transcripts.read import read

HEADER = {"type": "session", "version": 3, "id": "s1", "cwd": "/work/app"}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def says(name, parent, content, role="user", **more):
    message = {"role": role, "content": content} | more
    entry = {"type": "message", "id": name, "parentId": parent, "message": message}
    return entry | {"timestamp": "2026-01-01T10:00:00.000Z"}


def shown(found):
    return [(m.id, m.role, m.active, m.text) for m in found]


def test_a_tree_with_a_rewind_and_a_reset_shows_its_branch(tmp_path):
    """TP-13."""
    path = write(
        tmp_path / "a.jsonl",
        HEADER,
        says("m1", None, "one"),
        says("m2", "m1", "two", "assistant"),
        says("m3", "m2", "three, rewound"),
        says("m4", "m2", "four"),
        {"type": "reset", "id": "r1", "parentId": "m4", "reason": "manual"},
        says("m5", "r1", "five"),
    )
    found = read(path)
    assert [(m.id, m.active, m.segment) for m in found] == [
        ("m1", True, 0),
        ("m2", True, 0),
        ("m3", False, 0),
        ("m4", True, 0),
        ("r1", True, 0),
        ("m5", True, 1),
    ]
    assert found.corpus()["docno"].tolist() == ["m1", "m2", "m4", "m5"]
    assert found.corpus(abandoned=True)["docno"].tolist() == ["m1", "m2", "m3", "m4", "m5"]
    rows = found.summary().set_index(["what", "name"])["count"]
    assert (rows["branch", "abandoned"], rows["segment", "1"]) == (1, 1)
    assert found.messages[4].parent == "m4"


def test_every_type_of_entry_is_a_message_or_counted_by_type(tmp_path):
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py"}},
    ]
    path = write(
        tmp_path / "a.jsonl",
        HEADER,
        says("m1", None, [{"type": "text", "text": "see a.py"}]),
        says("m2", "m1", blocks, "assistant"),
        says("m3", "m2", "boom", "toolResult", toolCallId="c1", toolName="read", isError=True),
        says("m4", "m3", None, "bashExecution", command="make", output="done", exitCode=2),
        {"type": "compaction", "id": "e1", "parentId": "m4", "summary": "They read a.py."},
        {"type": "branch_summary", "id": "e2", "parentId": "e1", "summary": "Redis was left."},
        {"type": "custom_message", "id": "e3", "parentId": "e2", "customType": "x", "content": "n"},
        says("m5", "e3", "hooked", "hookMessage"),
        {"type": "custom", "id": "e4", "parentId": "m5", "data": {"text": "never in context"}},
        {"type": "label", "id": "e5", "parentId": "e4", "targetId": "m1", "label": "start"},
        {"type": "session_info", "id": "e6", "parentId": "e5", "name": "The a.py talk"},
        {"type": "model_change", "id": "e7", "parentId": "e6", "modelId": "m"},
        {"type": "thinking_level_change", "id": "e8", "parentId": "e7", "thinkingLevel": "low"},
        {"type": "novelty", "id": "e9", "parentId": "e8"},
        says("m6", "e9", [], "assistant", stopReason="error", errorMessage="overloaded"),
        says("m7", "m6", "end", "narrator"),
    )
    found = read(path)
    assert [
        (m.id, m.role, [(p.kind, p.text, p.call, p.error) for p in m.parts]) for m in found
    ] == [
        ("m1", "user", [("text", "see a.py", "", False)]),
        (
            "m2",
            "assistant",
            [
                ("reasoning", "hm", "", False),
                ("tool_call", "read\npath: a.py", "c1", False),
            ],
        ),
        ("m3", "tool", [("tool_result", "boom", "c1", True)]),
        ("m4", "user", [("text", "$ make", "", False), ("tool_result", "done", "", True)]),
        ("e1", "system", [("summary", "They read a.py.", "", False)]),
        ("e2", "system", [("summary", "Redis was left.", "", False)]),
        ("e3", "system", [("text", "n", "", False)]),
        ("m5", "system", [("text", "hooked", "", False)]),
        ("m7", "", [("text", "end", "", False)]),
    ]
    assert all(m.active for m in found)
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "not a message: session"),
        (10, "not a message: custom"),
        (11, "not a message: label"),
        (12, "not a message: session_info"),
        (13, "not a message: model_change"),
        (14, "not a message: thinking_level_change"),
        (15, "not a message: novelty"),
        (16, "no content"),
    ]
    assert found.messages[-1].parent == "m5"
    assert found.notes == {"unknown role: narrator": 1}
    told = found.sessions["s1"]
    assert (told.title, told.cwd, told.source) == ("The a.py talk", "/work/app", "a.jsonl")


def test_version_one_has_no_ids_and_is_read_in_order(tmp_path):
    entry = {"type": "message", "timestamp": "2026-01-01T10:00:00Z"}
    turns = [
        {**entry, "message": {"role": "user", "content": "same", "timestamp": 1767225600000 + i}}
        for i in range(3)
    ]
    head = {"type": "session", "id": "s1", "cwd": "/w", "branchedFrom": "/x/2026_s0.jsonl"}
    path = write(tmp_path / "a.jsonl", head, *turns, {"type": "compaction", "summary": "all"})
    found = read(path)
    assert [m.time % 1_000_000 for m in found if m.role == "user"] == [0, 1000, 2000]
    assert all(m.active and m.id.startswith("msg_") for m in found)
    assert len({m.id for m in found}) == 4
    assert found.sessions["s1"].parent == "s0"
    joined = tmp_path / "b.jsonl"
    joined.write_text("".join(json.dumps(one) for one in (head, *turns)))
    assert [m.id for m in read(joined)] == [m.id for m in found][:3]


def test_a_message_accepted_while_a_reset_is_written_is_never_hidden(tmp_path):
    """CL-07."""
    entries = [HEADER, says("m1", None, "a"), {"type": "reset", "id": "r", "parentId": "m1"}]
    found = read(write(tmp_path / "a.jsonl", *entries, says("m2", "m1", "late")))
    wanted = [("m1", True, 0), ("r", True, 0), ("m2", True, 1)]
    assert [(m.id, m.active, m.segment) for m in found] == wanted


def test_a_rewound_copy_under_a_new_session_adds_only_what_is_new(tmp_path):
    old = [says("m1", None, "a"), says("m2", "m1", "b"), says("m3", "m2", "c")]
    write(tmp_path / "s1.jsonl", HEADER, *old)
    control = {"type": "leaf", "id": "x", "parentId": "m3", "targetId": "m1"}
    more = says("m4", "x", "d")
    write(tmp_path / "s2.jsonl", {**HEADER, "id": "s2"}, *old, control, more)
    found = read(tmp_path)
    assert [(m.session, m.id, m.active) for m in found] == [
        ("s1", "m1", True),
        ("s1", "m2", True),
        ("s1", "m3", True),
        ("s2", "m4", True),
    ]
    alone = read(tmp_path / "s2.jsonl")
    assert shown(alone) == [
        ("m1", "user", True, "a"),
        ("m2", "user", False, "b"),
        ("m3", "user", False, "c"),
        ("m4", "user", True, "d"),
    ]


def test_archives_belong_to_their_session_and_the_index_gives_its_key(tmp_path):
    """TP-09."""
    write(tmp_path / "s2.jsonl", {**HEADER, "id": "s2"}, says("n1", None, "new"))
    write(tmp_path / "s1.jsonl.reset.2026-03-01T10-00-00.000Z", HEADER, says("o1", None, "old"))
    write(tmp_path / "s0.jsonl.deleted.2026-02-01T10-00-00.000Z", says("d1", None, "gone"))
    write(tmp_path / "s2.jsonl.bak.2026-03-02", HEADER, says("n1", None, "new"))
    trace = {"traceSchema": "openclaw-trajectory", "type": "x", "sessionId": "s2"}
    write(tmp_path / "s2.trajectory.jsonl", trace)
    write(tmp_path / "other.jsonl", trace)
    index = {
        "agent:main:main": {
            "sessionId": "s2",
            "usageFamilySessionIds": ["s1", "s2"],
            "label": "Main talk",
            "spawnedBy": "agent:main:root",
        }
    }
    (tmp_path / "sessions.json").write_text(json.dumps(index))
    found = read(tmp_path)
    assert sorted((m.session, m.text) for m in found) == [
        ("s0", "gone"),
        ("s1", "old"),
        ("s2", "new"),
    ]
    told = {one.id: (one.key, one.title, one.archived) for one in found.sessions.values()}
    assert told == {
        "s0": ("", "", "deleted"),
        "s1": ("agent:main:main", "", "reset"),
        "s2": ("agent:main:main", "Main talk", ""),
    }
    assert found.sessions["s2"].parent == "agent:main:root"
    assert found.files["sessions.json"] == "OpenClaw session index"
    assert {(one.source, one.reason) for one in found.skipped if not one.line} == {
        ("s2.jsonl.bak.2026-03-02", "backup or temporary file"),
        ("s2.trajectory.jsonl", "trace beside a session's own file"),
        ("other.jsonl", "OpenClaw trace, which repeats what its session's own file holds"),
    }
    rows = found.summary().set_index(["what", "name"])["count"]
    assert (rows["family", "agent:main:main"], rows["archived", "reset"]) == (2, 1)
    alone = read(tmp_path / "s2.jsonl").sessions["s2"]
    assert alone.key == "agent:main:main"


def test_a_session_that_is_there_active_and_archived_is_active(tmp_path):
    write(tmp_path / "s1.jsonl", HEADER, says("n1", None, "new"))
    write(tmp_path / "s1.jsonl.reset.2026-03-01", HEADER, says("o1", None, "old"))
    found = read(tmp_path)
    assert [(m.session, m.text) for m in found] == [("s1", "new"), ("s1", "old")]
    assert found.sessions["s1"].archived == ""


def test_a_broken_index_gives_no_keys_and_costs_nothing(tmp_path):
    path = write(tmp_path / "s1.jsonl", HEADER, says("n1", None, "new"))
    for text in (
        "{",
        "[" * 100_000,
        '{"a": 1}',
        '{"k": {"sessionId": 7, "usageFamilySessionIds": 3}}',
    ):
        (tmp_path / "sessions.json").write_text(text)
        assert read(path).sessions["s1"].key == ""
    (tmp_path / "sessions.json").rename(tmp_path / "else.json")
    (tmp_path / "else.json").write_text('{"k": {"sessionId": "s1"}}')
    (tmp_path / "sessions.json").symlink_to(tmp_path / "else.json")
    assert read(path).sessions["s1"].key == ""


def test_a_trace_alone_says_what_it_is(tmp_path):
    path = write(tmp_path / "a.jsonl", {"traceSchema": "openclaw-trajectory", "type": "x"})
    with pytest.raises(BadInput, match=r"a.jsonl: OpenClaw trace, which repeats what"):
        read(path)


def recorded(shared):
    """Sessions that OpenClaw 2026.9.6 was given, and the rows that it then held searchable."""
    folder = shared.parent / "conformance" / "openclaw"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance beside this checkout")
    given = json.loads((folder / "input.json").read_text())
    outputs = json.loads(lzma.decompress((folder / "outputs.json.xz").read_bytes()))
    return given, outputs


def entries(given, name, parents):
    base, last = instant(given["base"]), None
    session = given["sessions"][name]
    for step in [*session["steps"], *session.get("after_rewind", ())]:
        entry = step.get("raw") or {"type": "message", "message": step["message"]}
        parent = parents.get(step["id"], last)
        stamp = show(base + step["min"] * 60_000_000)
        if step["id"] == "b13":
            yield {"type": "leaf", "id": "x", "parentId": last, "targetId": session["rewind_to"]}
        yield {**entry, "id": step["id"], "parentId": parent, "timestamp": stamp}
        last = step["id"]


@pytest.mark.parametrize("name", ["A", "B", "C", "F", "G"])
def test_what_stands_is_what_openclaw_held_searchable(shared, tmp_path, name):
    given, outputs = recorded(shared)
    session = given["sessions"][name]
    session["rewind_to"] = "b10"
    made = entries(given, name, outputs["parents"][name])
    found = read(write(tmp_path / "a.jsonl", {**HEADER, "id": session["session_id"]}, *made))
    wanted = "REWOUND-B" if name == "B" else session["session_id"]
    rows = [one for one in outputs["indexed"]["main"]["fts"] if one["session_id"] == wanted]
    spoken = [
        (m.id, m.role, m.time)
        for m in found
        if m.active and m.role in ("user", "assistant") and m.text
    ]
    assert spoken == [(r["message_id"], r["role"], r["timestamp"] * 1000) for r in rows]
    if name in "CFG":
        texts = {m.id: m.text for m in found}
        assert all(texts[row["message_id"]] == row["text"] for row in rows)
    assert [m.id for m in found if not m.active] == {"B": ["b11", "b12"], "F": ["f03"]}.get(
        name, []
    )
    assert {m.segment for m in found} == ({0, 1} if name == "C" else {0})
