"""What is said twice, group F of the bug reports: an id names the report."""

import json

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.measures import R
from lcm_lab.store.imports import import_files
from tests.cases.ways import Asked, command

NEAR = [f"oven timer: hold the knob for three seconds {w}" for w in ("", "now", "ok", "yes", "so")]
ODD = "oven door seal replaced in May"
MINUTE, START = 60_000_000, 1_772_355_600_000_000


def written(folder, name, *records):
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder / name


def say(uuid, content, at=0, role="user", **more):
    return {
        "type": role,
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": f"2026-03-01T10:{at:02}:00Z",
        "message": {"role": role, "content": content},
        **more,
    }


def test_one_hit_stands_for_equal_texts_and_tells_for_which(tmp_path):
    """DD-01: the one that was ranked higher."""
    rows = [
        {"text": "use WAL", "source": "A"},
        {"text": "lunch"},
        {"text": "use WAL", "source": "B"},
    ]
    fused, once = lcm.RRF(lcm.BM25() % 1, lcm.TfIdf()), lcm.Dedupe()
    corpus = lcm.Corpus(rows)
    search = (fused >> once).fit(corpus)
    (name,) = search("wal")["docno"]
    assert corpus["source"][0] == "A" and name == "m1"
    assert once.groups(fused.fit(corpus).run("wal")).tolist() == [0, 0]
    assert "dropped by Dedupe()" in str(search.miss("wal", "m3"))
    asked = Asked(
        tmp_path, *({"text": row["text"], "session": f"s{i}"} for i, row in enumerate(rows))
    )
    (hit,) = asked.grep("WAL", allConversations=True).hits
    assert {hit.id, *hit.also} == {"m1", "m3"}
    assert hit.to_dict()["alsoIn"] == list(hit.also)
    shown = json.loads(command("grep", "WAL", "--on", asked.path, "--json")[1])["matches"]
    assert shown[0]["alsoIn"] == list(hit.also)


def test_texts_that_only_begin_alike_are_both_kept(tmp_path):
    """DD-02."""
    head = "| id | name | " * 20
    rows = [head + "end one", head + "end two"]
    assert len(head) > 200
    for step in (lcm.Dedupe(), lcm.MMR(0.5)):
        assert len((lcm.BM25() >> step).fit(lcm.Corpus(rows))("name end")) == 2
    asked = Asked(tmp_path, *rows)
    for ask in (
        lambda: asked.grep("name", allConversations=True),
        lambda: asked.sessions("name end"),
        lambda: asked.episodic("name", mode="text"),
    ):
        assert len(ask().hits) == 2


def test_equal_text_at_another_time_or_place_is_another_message(tmp_path):
    """DD-03: read, imported, appended and found, however often."""
    said = [("ok", 0, "user"), ("done", 5, "assistant"), ("ok", 6, "user")]
    path = written(tmp_path, "a.jsonl", *(say("", text, at, role) for text, at, role in said))
    assert [one.text for one in lcm.read(path)] == ["ok", "done", "ok"]
    with lcm.Store(tmp_path / "memory.db") as store:
        for _ in range(2):
            import_files(store, path)
        assert store.corpus()["text"].tolist() == ["ok", "done", "ok"]
        assert len(lcm.SessionTools(store).sessions_search("ok").hits) == 2
        assert [one.text for one in store.dag("s1").messages] == ["ok", "done", "ok"]
    with lcm.Store(tmp_path / "live.db") as store:
        for at, (text, minute, role) in enumerate(said):
            parts = (lcm.Part("text", text),)
            time = START + minute * MINUTE
            store.append(lcm.Message(f"m{at}", "s1", role, parts, time))
        assert len(store.corpus()) == 3


def test_a_transcript_is_counted_once_however_often_it_comes(tmp_path):
    """DD-04: as one file that changes, as copies, and by the command."""
    whole = [say(f"u{i}", f"line {i} is said", i) for i in range(12)]
    again = [one | {"uuid": f"again{i}"} for i, one in enumerate(whole[2:5])]
    versions = (whole[:10], whole[:10], whole[:10], whole, whole + again)
    counts = {"one file": [], "copies": [], "command": []}
    with lcm.Store(tmp_path / "a.db") as one, lcm.Store(tmp_path / "b.db") as copies:
        for at, records in enumerate(versions):
            import_files(one, written(tmp_path, "a.jsonl", *records))
            counts["one file"].append(len(one.corpus()))
            path = written(tmp_path, f"copy{at}.jsonl", *records)
            import_files(copies, path)
            counts["copies"].append(len(copies.corpus()))
            assert command("import", path, "--into", tmp_path / "c.db")[0] == 0
            with lcm.Store(tmp_path / "c.db", readonly=True) as third:
                counts["command"].append(len(third.corpus()))
    assert counts == {name: [10, 10, 10, 12, 12] for name in counts}


def test_a_session_and_its_summary_take_one_place(tmp_path):
    """DD-07: by step, and as one document of an evaluation."""
    rows = [
        {"docno": f"{session}-{kind}", "text": f"use WAL {session} {kind}", "session": session}
        | {"conversation": session, "kind": kind}
        for session in ("s1", "s2", "s3")
        for kind in ("text", "summary")
    ]
    corpus = lcm.Corpus(rows)
    each = (lcm.BM25() >> lcm.Dedupe("session") % 3).fit(corpus)("use WAL")
    assert sorted(name[:2] for name in each["docno"]) == ["s1", "s2", "s3"]
    topics = pd.DataFrame({"qid": ["q"], "query": ["use WAL"]})
    qrels = pd.DataFrame(
        {"qid": ["q"] * 2, "docno": ["s1-text", "s1-summary"], "relevance": [1, 1]}
    )
    bench = lcm.Collection("s", corpus, topics, qrels).units("session")
    assert len(bench.corpus) == 3
    result = lcm.evaluate([lcm.BM25() % 3], on=bench, measures=[R @ 3])
    assert (len(bench.qrels), result.frame["value"].tolist()) == (1, [1.0])


def test_diversity_lets_the_odd_one_in_and_without_it_nothing_is_moved(tmp_path):
    """DD-08."""
    corpus = lcm.Corpus([*NEAR, ODD])
    plain = lcm.BM25().fit(corpus)("oven timer")["docno"].tolist()
    off = (lcm.BM25() % 3).fit(corpus)("oven timer")["docno"].tolist()
    assert off == plain[:3] and "m6" not in off
    for step in (lcm.MMR(0.3), lcm.Dedupe(alike=0.7)):
        kept = (lcm.BM25() >> step % 3).fit(corpus)("oven timer")["docno"].tolist()
        assert "m6" in kept
        assert len(set(kept) - {"m6"}) <= 2


def test_a_compaction_record_repeats_no_instruction(tmp_path):
    """DD-09: in what is read, in what is found, and in what a model is shown."""
    path = written(
        tmp_path,
        "a.jsonl",
        say("u1", "delete the staging db"),
        say("u2", "The user asked: delete the staging db", 1, isCompactSummary=True),
        say("u3", "and then?", 2),
    )
    found = lcm.read(path)
    assert found.corpus(kinds=("text", "summary"))["kind"].tolist() == ["text", "summary", "text"]
    assert found.corpus()["docno"].tolist() == ["u1", "u3"]
    with lcm.Store(tmp_path / "memory.db") as store:
        import_files(store, path)
        assert [h.message for h in lcm.SessionTools(store).sessions_search("staging").hits] == [
            "u1"
        ]
        prompt = lcm.assemble(store.dag("s1"), 1_000)
        shown = [one for one in prompt.messages if "delete the staging db" in str(one)]
        assert [one["role"] for one in shown].count("user") == 1


@pytest.mark.parametrize("first", ["live", "file"])
def test_white_space_is_one_turn_under_one_id_and_two_turns_under_two(tmp_path, first):
    """DD-10: whichever of the live run and its transcript comes first."""
    code = ['x = "a  b"', 'x = "a b"']
    path = written(
        tmp_path,
        "a.jsonl",
        say("t1", "a  b\r\nc"),
        *(say(f"t{i}", t, i) for i, t in enumerate(code, 2)),
    )
    assert [one.text for one in lcm.read(path)] == ["a  b\r\nc", *code]
    live = lcm.Message("t1", "s1", "user", (lcm.Part("text", "a b\nc"),), START)
    with lcm.Store(tmp_path / "memory.db") as store:
        steps = [lambda: store.append(live), lambda: import_files(store, path)]
        for step in steps if first == "live" else steps[::-1]:
            step()
        texts = store.corpus()["text"].tolist()
        assert [" ".join(text.split()) for text in texts] == ["a b c", 'x = "a b"', 'x = "a b"']
        assert texts[1:] == code
