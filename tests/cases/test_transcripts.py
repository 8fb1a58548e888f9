"""Transcripts, group J of the bug reports: an id names the report."""

import json

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.compaction.guarded import Cached
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.store.imports import import_files


def written(folder, name, *records):
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder / name


def claude(number, text=None, session="s1"):
    return {
        "type": "user",
        "uuid": f"{session}-u{number}",
        "sessionId": session,
        "timestamp": f"2026-03-01T10:00:{number:02}Z",
        "message": {"role": "user", "content": text or f"line {number} is said"},
    }


def plain(number):
    return {"role": "user", "content": f"line {number} is said"}


def codex(number):
    said = [{"type": "input_text", "text": f"line {number} is said"}]
    item = {"type": "message", "role": "user", "content": said}
    stamp = f"2026-03-01T10:00:{number:02}Z"
    return {"timestamp": stamp, "type": "response_item", "payload": item}


def openclaw(number):
    message = {"role": "user", "content": f"line {number} is said"}
    entry = {"type": "message", "id": f"m{number}", "message": message}
    return entry | {"parentId": f"m{number - 1}" if number else None}


SHAPES = [claude, plain, codex, openclaw]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_broken_line_costs_itself_and_is_told_with_its_number(shape, tmp_path):
    """TP-01: in every format, by the library and by an import."""
    path = written(tmp_path, "a.jsonl", shape(0), '{"role":"user","conte', "", shape(1))
    found = lcm.read(path)
    assert [one.text for one in found] == ["line 0 is said", "line 1 is said"]
    assert [(one.source, one.line) for one in found.skipped] == [("a.jsonl", 2)]
    with pytest.raises(BadInput, match=r"a\.jsonl:2 is cut short"):
        lcm.read(path, strict=True)
    with lcm.Store(":memory:") as store:
        done = import_files(store, path)
        assert done.added.messages == 2
        assert [one.line for one in done.skipped] == [2]


def test_the_commands_count_a_broken_line(lcm_lab, tmp_path):
    """TP-01."""
    written(tmp_path, "a.jsonl", claude(0), '{"role":"user","conte', claude(1))
    told = lcm_lab("read", "a.jsonl")
    assert "a.jsonl:2" in told.out + told.err
    done = lcm_lab("import", "a.jsonl", "--into", "memory.db", "--json").json
    assert (done["new"], done["skipped"]) == (2, {"cut short": 1})


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_that_is_still_written_is_taken_up_once_and_is_no_fault(shape, tmp_path):
    """TP-02."""
    path = written(tmp_path, "a.jsonl", shape(0), shape(1))
    whole = path.read_text()
    path.write_text(whole[:-9])
    found = lcm.read(path, strict=True)
    assert [one.text for one in found] == ["line 0 is said"]
    assert [(one.line, one.reason) for one in found.skipped] == [(2, "incomplete last line")]
    with lcm.Store(":memory:") as store:
        assert import_files(store, path).added.messages == 1
        path.write_text(whole)
        assert import_files(store, path).added.messages == 1
        assert store.corpus()["text"].tolist() == ["line 0 is said", "line 1 is said"]
    assert len(lcm.read(path)) == 2


@pytest.mark.parametrize("shape", SHAPES)
def test_two_records_on_one_line_are_both_there(shape, tmp_path):
    """TP-04."""
    both = json.dumps(shape(0)) + json.dumps(shape(1))
    found = lcm.read(written(tmp_path, "a.jsonl", both, shape(2)))
    assert [one.text for one in found] == [f"line {i} is said" for i in range(3)]
    assert list(found.skipped) == []


def test_fragments_of_one_message_are_one_turn_with_its_parts_in_order(tmp_path):
    """TP-05."""
    blocks = [
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": "Looking."},
    ]
    records = [
        {"type": "assistant", "uuid": f"a{i}", "sessionId": "s1"}
        | {"message": {"role": "assistant", "id": "msg_1", "content": [block]}}
        for i, block in enumerate(blocks)
    ]
    (turn,) = lcm.read(written(tmp_path, "a.jsonl", *records))
    assert [(part.kind, part.text) for part in turn.parts] == [
        ("text", "Looking."),
        ("tool_call", "Bash\ncommand: ls"),
        ("text", "Looking."),
    ]


def test_a_session_that_grew_is_read_on_and_one_that_shrank_loses_nothing(tmp_path):
    """TP-06."""
    records = [claude(i) for i in range(15)]
    with lcm.Store(tmp_path / "memory.db") as store:
        for size, kept in ((10, 10), (15, 15), (4, 15)):
            path = written(tmp_path, "a.jsonl", *records[:size])
            import_files(store, path)
            assert len(store.corpus()) == kept
            found = lcm.read(path)
            assert [one.line for one in found] == list(range(1, size + 1))
        tools = lcm.EpisodicTools(store, roots=[tmp_path])
        assert [one.line for one in tools.read("a.jsonl").entries] == [1, 2, 3, 4]
        with pytest.raises(BadParameter, match="startLine 10 lies past the end"):
            tools.read("a.jsonl", 10, 12)
        (hit,) = (lcm.FTS5() % 1).fit(store.corpus())("line 12")["text"]
        assert hit == "line 12 is said"


def everything_is_written(found, folder):
    """A collection, an index, a result and a report of a history."""
    asked = pd.DataFrame({"qid": ["q1"], "query": ["say"]})
    gold = pd.DataFrame({"qid": ["q1"], "docno": ["s1-u1"], "relevance": [1]})
    bench = lcm.Collection("own", found.corpus(), asked, gold)
    bench.save(folder / "deep" / "bench")
    lcm.BM25().fit(bench.corpus).save(folder / "index")
    result = lcm.evaluate([lcm.BM25() % 5], on=bench)
    result.save(folder / "result")
    lcm.ranking_report(result).save(folder / "report")


def test_what_the_toolkit_wrote_itself_is_no_session(tmp_path):
    """TP-07: summaries, collections, results, indexes and stores beside ten sessions."""
    for i in range(10):
        lines = [claude(n, f"say {n}. {'word ' * 30}", f"s{i}") for n in range(3)]
        written(tmp_path, f"{i}.jsonl", *lines)
    keeps = Cached(lcm.Lead(), str(tmp_path / "kept"))
    with lcm.Store(tmp_path / "memory.db") as store:
        for turn in range(3):
            found = lcm.read(tmp_path)
            import_files(store, tmp_path)
            assert len(found.sessions) == len({one.session for one in found}) == 10
            assert len(found) == len(store.corpus()) == 30
            first = lcm.Dag.of(found.messages[:3])
            lcm.compact(first, lcm.Leaves(fresh=0), keeps, budget=20)
            if not turn:
                everything_is_written(found, tmp_path)
    reasons = {one.source: one.reason for one in lcm.read(tmp_path).skipped}
    assert reasons["deep/bench"] == "saved collection"


def test_words_of_a_user_exclude_nothing(tmp_path):
    """TP-07: what a user quotes of a marker leaves no session out."""
    mark = "INSTRUCTIONS-TO-EPISODIC-MEMORY"
    quoted = f"<{mark}>DO NOT INDEX THIS CHAT</{mark}>"
    found = lcm.read(written(tmp_path, "a.jsonl", claude(1, f"It holds {quoted}: why?")))
    assert len(found) == 1
