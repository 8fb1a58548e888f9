"""`read`: what is found, what is refused, and that nothing is there twice."""

import bz2
import gzip
import json
import lzma
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.errors import BadInput, NotFound
from lcm_lab.transcripts.read import read

GOOD = '{"role": "user", "content": "hello there"}\n'


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def claude(text, uuid, time, **more):
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": time,
        "message": {"role": "user", "content": text},
    } | more


def history(count):
    return [claude(f"message {i}", f"u{i}", f"2026-01-01T10:{i:02}:00Z") for i in range(count)]


def test_plain_lines_are_read_with_times_speakers_and_sessions(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_text(
        lines(
            {"role": "human", "content": "hi", "time": 1767225600, "id": "a"},
            {"role": "assistant", "content": "hello", "time": "1767225601000", "name": "Ann"},
            {"role": "user", "content": "bye", "session": "other"},
        )
    )
    found = read(path)
    assert [(m.session, m.role, m.speaker, m.time) for m in found] == [
        ("talk", "user", "", 1_767_225_600_000_000),
        ("talk", "assistant", "Ann", 1_767_225_601_000_000),
        ("other", "user", "", None),
    ]
    assert found.messages[0].id == "a"
    assert found.messages[1].id.startswith("msg_")
    assert repr(found) == "Transcripts of 3 messages in 2 sessions from 1 file, nothing skipped"


def test_chat_api_calls_and_answers_are_tool_parts(tmp_path):
    call = {"id": "c1", "function": {"name": "grep", "arguments": '{"pattern": "x"}'}}
    path = tmp_path / "talk.jsonl"
    path.write_text(
        lines(
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "3 hits", "tool_call_id": "c1"},
        )
    )
    rows = read(path).corpus().frame()
    assert rows[["role", "kind", "text"]].to_numpy().tolist() == [
        ["assistant", "tool_call", "grep\npattern: x"],
        ["tool", "tool_result", "3 hits"],
    ]


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress, bz2.compress, lambda data: data])
def test_compression_and_format_are_known_by_content_not_by_name(tmp_path, pack):
    path = tmp_path / "misleading.txt"
    path.write_bytes(pack(GOOD.encode()))
    assert [m.text for m in read(path)] == ["hello there"]


def test_a_compressed_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    text = lines(
        *({"role": "user", "content": f"message {i} {os.urandom(20).hex()}"} for i in range(200))
    )
    path.write_bytes(gzip.compress(text.encode())[:-2000])
    found = read(path)
    assert 50 < len(found) < 200
    assert found.messages[0].text.startswith("message 0 ")
    assert found.notes == {"compressed file that is cut short, read as far as it goes": 1}
    assert {one.reason for one in found.skipped} <= {"incomplete last line"}


def test_bad_lines_are_reported_with_their_numbers_and_refused_when_strict(tmp_path):
    """TP-01."""
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + '{"role":"user","conte\n\n' + GOOD.replace("there", "again"))
    found = read(path)
    assert [m.text for m in found] == ["hello there", "hello again"]
    assert [(s.source, s.line, s.reason, s.excerpt) for s in found.skipped] == [
        ("a.jsonl", 2, "cut short", '{"role":"user","conte')
    ]
    with pytest.raises(BadInput, match=r"a.jsonl:2 is cut short: "):
        read(path, strict=True)


def test_a_growing_file_yields_its_last_line_once_it_is_whole(tmp_path):
    """TP-02."""
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + '{"role": "user", "content": "sec')
    assert [(s.line, s.reason) for s in read(path).skipped] == [(2, "incomplete last line")]
    path.write_text(GOOD + '{"role": "user", "content": "second"}\n')
    assert [m.text for m in read(path)] == ["hello there", "second"]


def test_secrets_do_not_stand_in_excerpts(tmp_path):
    secret = "ghp_" + "a1B2" * 9
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + '{"role": "user", "content": "token ' + secret + "\n" + GOOD)
    assert secret not in read(path).skipped[0].excerpt


def test_copies_of_a_transcript_add_only_what_is_new(tmp_path):
    """DD-04."""
    whole = history(12)
    again = [one | {"uuid": f"new{i}"} for i, one in enumerate(whole[2:5])]
    for name, records in {"a": whole[:10], "b": whole[:10], "c": whole, "d": whole + again}.items():
        (tmp_path / f"{name}.jsonl").write_text(lines(*records))
    a, b, c, d = (tmp_path / f"{name}.jsonl" for name in "abcd")
    assert [len(read(paths)) for paths in ([a], [a, b], [a, b, c], [a, b, c, d], [d])] == [
        10,
        10,
        12,
        12,
        12,
    ]
    assert [m.id for m in read(d)] == [m.id for m in read([a, d])] == [f"u{i}" for i in range(12)]
    assert sum(s.reason == "repeated message" for s in read([a, b]).skipped) == 10


def test_a_turn_that_grew_is_kept_at_its_longest(tmp_path):
    def part(text, uuid):
        record = claude("", uuid, None)
        return record | {
            "type": "assistant",
            "message": {"role": "assistant", "id": "m", "content": text},
        }

    (tmp_path / "a.jsonl").write_text(lines(part("one", "u1")))
    (tmp_path / "b.jsonl").write_text(lines(part("one", "u1"), part("two", "u2")))
    for order in ("ab", "ba"):
        found = read([tmp_path / f"{name}.jsonl" for name in order])
        assert [(m.id, m.text) for m in found] == [("u1", "one\ntwo")]


def test_equal_text_at_another_time_or_place_is_another_message(tmp_path):
    """DD-03."""
    path = tmp_path / "a.jsonl"
    path.write_text(
        lines(
            claude("ok", "", "2026-01-01T10:00:00Z"),
            claude("done", "", "2026-01-01T10:05:00Z"),
            claude("ok", "", "2026-01-01T10:06:00Z"),
        )
    )
    assert [m.text for m in read(path)] == ["ok", "done", "ok"]
    untimed = tmp_path / "b.jsonl"
    untimed.write_text(GOOD + GOOD)
    assert len({m.id for m in read(untimed)}) == 2
    assert [m.id for m in read([untimed, untimed])] == [m.id for m in read(untimed)]


def test_one_id_with_two_contents_gives_two_messages(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        lines(
            claude("mine", "u1", "2026-01-01T10:00:00Z"),
            claude("theirs", "u1", "2026-01-01T10:01:00Z"),
        )
    )
    first, second = read(path)
    assert (first.id, first.text, second.text) == ("u1", "mine", "theirs")
    assert second.id.startswith("u1~")
    assert [m.id for m in read(path)] == [first.id, second.id]


def test_a_session_over_several_files_is_in_order_of_time(tmp_path):
    early, late = history(4)[:2], history(4)[2:]
    (tmp_path / "a.jsonl").write_text(
        lines(late[0], early[0] | {"timestamp": "2026-01-01T10:02:30Z"})
    )
    (tmp_path / "b.jsonl").write_text(lines(early[1], late[1]))
    assert [m.text for m in read(tmp_path)] == ["message 1", "message 2", "message 0", "message 3"]


def test_a_folder_is_read_recursively_and_its_links_are_not_followed(tmp_path):
    """SE-02."""
    outside = tmp_path / "outside.jsonl"
    outside.write_text(GOOD)
    folder = tmp_path / "in" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.jsonl.reset.2026-03-01").write_text(GOOD)
    (folder / "a.jsonl.bak").write_text(GOOD)
    (folder / "notes.md").write_text("# notes")
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "loop").symlink_to(tmp_path / "in")
    os.mkfifo(folder / "pipe.jsonl")
    found = read(tmp_path / "in")
    assert list(found.files) == ["a.jsonl.reset.2026-03-01"]
    assert [(s.source, s.reason) for s in found.skipped] == [
        ("a.jsonl.bak", "backup or temporary file"),
        ("deep/link.jsonl", "symbolic link"),
        ("deep/loop", "symbolic link"),
        ("pipe.jsonl", "not a regular file"),
    ]
    assert found.notes == {"file of another kind, passed over": 1}


def test_files_of_one_name_keep_their_sessions_apart(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log.jsonl").write_text(GOOD)
    found = read(str(tmp_path / "*" / "*.jsonl"))
    assert [(m.session, m.source) for m in found] == [
        ("x/log", "x/log.jsonl"),
        ("y/log", "y/log.jsonl"),
    ]


def test_a_home_folder_and_a_name_with_brackets_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a[1].jsonl").write_text(GOOD)
    assert len(read("~/a[1].jsonl")) == len(read("~/*.jsonl")) == 1


def test_what_is_not_there_or_not_readable_is_a_typed_error(tmp_path):
    with pytest.raises(NotFound, match="No file or folder"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(NotFound, match="No file matches"):
        read(str(tmp_path / "*.jsonl"))
    with pytest.raises(BadInput, match="No source"):
        read([])
    with pytest.raises(BadInput, match=r"No transcripts there. read knows Claude Code JSONL"):
        read(tmp_path)
    (tmp_path / "a.jsonl").write_text("\n \n")
    with pytest.raises(BadInput, match=r"a.jsonl: empty file. read knows"):
        read(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"colour": "red", "size": 3}\n')
    with pytest.raises(BadInput, match=r"unknown format: JSON with colour, size"):
        read(tmp_path / "b.jsonl")
    (tmp_path / "c.json").write_bytes(b"\x00\x01 no text at all")
    with pytest.raises(BadInput, match=r"no JSON in it"):
        read(tmp_path / "c.json")
    with pytest.raises(BadInput, match=r"Of 3 files none can be read \(1 x empty file"):
        read(tmp_path)


def test_a_file_of_another_format_beside_a_good_one_is_skipped_with_what_it_is(tmp_path):
    (tmp_path / "a.jsonl").write_text(GOOD)
    (tmp_path / "b.jsonl").write_text('{"traceSchema": "openclaw-trajectory"}\n')
    found = read(tmp_path)
    assert [(s.source, s.line, s.reason) for s in found.skipped] == [
        ("b.jsonl", 0, "OpenClaw trace, which repeats what its session's own file holds")
    ]
    with pytest.raises(BadInput, match=r"b.jsonl: OpenClaw trace, which repeats"):
        read(tmp_path, strict=True)


def test_the_summary_counts_what_is_there_and_what_is_not(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(*history(3)) + "{bad}\n")
    rows = read(path).summary().set_index(["what", "name"])
    assert rows.loc[("session", "s1"), "count"] == 3
    assert rows.loc[("role", "user"), "characters"] == 27
    assert rows.loc[("kind", "text"), "first"].isoformat() == "2026-01-01T10:00:00+00:00"
    assert rows.loc[("skipped", "not JSON"), "count"] == 1
    assert rows.loc[("format", "Claude Code JSONL"), "count"] == 1


def test_two_alike_in_a_row_are_two_and_one_that_goes_back_in_time_is_a_copy(tmp_path):
    """DD-03, DD-04: logs may have times no finer than a day."""
    day = "2026-01-01"
    path = tmp_path / "a.jsonl"
    path.write_text(lines(claude("ok", "u1", day), claude("ok", "u2", day)))
    assert [m.id for m in read(path)] == ["u1", "u2"]
    copy = tmp_path / "b.jsonl"
    copy.write_text(
        lines(claude("ok", "x1", day), claude("ok", "x2", day), claude("ok", "x3", day))
    )
    assert [m.id for m in read([path, copy])] == ["u1", "u2", "x3"]
    path.write_text(lines(*history(3), claude("message 0", "again", "2026-01-01T10:00:00Z")))
    assert len(read(path)) == 3


def test_a_saved_collection_is_no_transcript(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"docno": "m1", "text": "x", "role": "user"}\n')
    (tmp_path / "topics.jsonl").write_text('{"qid": "q1", "query": "x"}\n')
    with pytest.raises(BadInput, match=r"is a saved collection. Open it with lcm_lab.load"):
        read(tmp_path)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "type",
        "role",
        "message",
        "content",
        "uuid",
        "id",
        "sessionId",
        "timestamp",
        "parentUuid",
        "isSidechain",
        "isMeta",
        "text",
        "name",
        "input",
        "tool_calls",
        "tool_name",
        "tool_output",
        "source",
        "data",
        "call",
        "function",
        "time",
        "session",
        "speaker",
        "parentId",
        "targetId",
        "appendParentId",
        "payload",
        "summary",
        "call_id",
        "output",
        "arguments",
        "attachment",
        "num_turns",
        "version",
    ]
)
VALUES = (
    st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result", "image"])
    | st.sampled_from(["message", "leaf", "reset", "session", "toolResult", "u1", "m1"])
    | st.sampled_from(["response_item", "event_msg", "function_call_output", "queued_command"])
    | ANYTHING
)
OBJECTS = st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=5), max_size=8)


@settings(max_examples=40)
@given(st.lists(OBJECTS | ANYTHING, max_size=5))
def test_records_of_any_shape_are_messages_or_skips_and_never_a_crash(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    inner = {"role": "user", "content": "hello"}
    good = [
        claude("first", "u1", None),
        {"role": "user", "content": "plain"},
        {"type": "message", "id": "m1", "parentId": None, "message": inner},
        {"type": "response_item", "payload": {"type": "message", **inner}},
    ]
    for one in good:
        path.write_text(lines(one, *records, one | {"uuid": "u2", "time": 1}))
        found = read(path)
        assert len(found.corpus()) >= 1
        assert one is not good[0] or len(found.summary()) > 0
        lost = {one.line for one in found.skipped} | {m.line for m in found}
        assert lost >= {1} and max(lost) <= len(records) + 2


def test_a_session_that_began_as_a_copy_of_another_adds_only_its_own(tmp_path):
    own = claude("mine", "v1", "2026-01-02T10:00:00Z", sessionId="s2")
    (tmp_path / "a.jsonl").write_text(lines(*history(3)))
    copied = [one | {"sessionId": "s2"} for one in history(3)]
    (tmp_path / "b.jsonl").write_text(lines(*copied, own))
    assert [(m.session, m.id) for m in read(tmp_path)] == [
        ("s1", "u0"),
        ("s1", "u1"),
        ("s1", "u2"),
        ("s2", "v1"),
    ]


def test_a_file_named_in_two_ways_is_read_once(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    found = read(["a.jsonl", tmp_path / "a.jsonl", "*.jsonl"])
    assert (len(found), list(found.files), found.skipped) == (1, ["a.jsonl"], ())
