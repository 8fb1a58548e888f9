"""What users of such stores met: full disks, damage, locks, interrupts, and searches meanwhile."""

import hashlib
import json
import os
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.checking import database
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.agent.find import Question, answered
from lcm_lab.errors import BadInput, BadParameter, OverBudget
from lcm_lab.measures import nDCG
from lcm_lab.store.audit import audit
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from tests.store.made import dump, history, said


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "memory.db"
    with Store(made) as store:
        store.add(Transcripts(tuple(history(40))))
    return made


def record(number, text=None):
    return {
        "type": "user",
        "uuid": f"r{number}",
        "sessionId": "s9",
        "timestamp": f"2026-01-01T10:{number:02}:00Z",
        "message": {"role": "user", "content": text or f"line {number} is said"},
    }


def written(path, *records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def written_as(path):
    return path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()


def violated(store):
    found = audit(store)
    return set(found[found["violations"] > 0]["rule"])


def test_a_full_disk_is_said_and_what_was_committed_is_kept(path):
    with Store(path) as store:
        before = dump(store)
        (pages,) = store.connection.execute("pragma page_count").fetchone()
        store.connection.execute(f"pragma max_page_count = {pages + 2}")
        more = Transcripts(tuple(said(f"more {i}", f"x{i}", i, "s2") for i in range(400)))
        with pytest.raises(OverBudget, match=r"The disk is full: .*memory.db.* all that was"):
            store.add(more)
        assert dump(store) == before
        store.connection.execute("pragma max_page_count = 1073741823")
        assert store.add(more).messages == 400
        assert list(store.faults()) == []


@pytest.fixture
def damaged(path):
    with Store(path) as store:
        store.add(Transcripts(tuple(said(f"words {i} " * 50, f"d{i}", i, "d") for i in range(300))))
    content = bytearray(path.read_bytes())
    for start in range(4096 * 60, len(content), 3 * 4096):
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)
    return path


def test_a_damaged_store_is_said_to_be_and_audited_as_far_as_it_can_be_read(damaged):
    with Store(damaged, readonly=True) as store:
        assert "the file is whole" in violated(store)
        with pytest.raises(BadInput, match=r"memory.db' is damaged: .*malformed"):
            list(store.corpus()["text"])
    with Store(damaged) as store, pytest.raises(BadInput, match="is damaged"):
        store.add(Transcripts(tuple(said(f"new {i}", "", i, "d") for i in range(300))))


def test_an_index_that_is_gone_is_no_empty_answer(path):
    """QP-10 in a store."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("drop table docs_porter_unicode61")
        connection.commit()
    with Store(path) as store:
        search = (lcm.FTS5() % 3).fit(store.corpus())
        with pytest.raises(BadInput, match=r"index of the store cannot be asked: no such table"):
            search("message")
        with pytest.raises(BadInput, match=r"is damaged: no such table"):
            store.append(said("one more", "n1"))
        assert violated(store) == {"the index holds what its rows say"}
        assert len(store.corpus()) == 40


def test_a_writer_that_waits_in_vain_is_told_and_readers_go_on(path):
    """CL-01: the wait is cut short here."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other, Store(path) as store:
        store.connection.execute("pragma busy_timeout = 0")
        other.execute("begin immediate")
        with pytest.raises(OverBudget, match=r"Another process has kept .* for 30 seconds"):
            store.append(said("late", "n1"))
        assert len(store.corpus()) == 40
        other.execute("rollback")
        assert store.append(said("in time", "n2")) == "n2"


def test_an_interrupt_leaves_a_store_that_goes_on(path):
    with Store(path) as store:
        before = dump(store)
        with pytest.raises(KeyboardInterrupt), store.writing() as connection:
            connection.execute("delete from docs")
            raise KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt), store.reading():
            raise KeyboardInterrupt
        assert dump(store) == before
        assert store.append(said("after it", "n1")) == "n1"


def test_a_store_that_was_closed_says_so(path):
    store = Store(path)
    store.close()
    assert repr(store) == f"Store({str(path)!r}), closed"
    for use in (store.corpus, store.conversations, lambda: store.append(said("x", "n1"))):
        with pytest.raises(BadParameter, match=r"was closed\. Open it again"):
            use()


def test_a_store_beside_which_nothing_can_be_made_is_read_all_the_same(path, tmp_path):
    """As on a medium that is read-only; a folder stands where SQLite would make its index."""
    (tmp_path / "memory.db-shm").mkdir()
    with Store(path, readonly=True) as store:
        assert len(store.corpus()) == 40
        found = (lcm.FTS5() % 3).fit(store.corpus())("message 7")
        assert found["docno"].tolist() == ["u7"]
        assert violated(store) == set()
    with pytest.raises(BadInput, match=r"Cannot open .* or write to it"):
        Store(path).append(said("x", "n1"))


def test_an_evaluation_leaves_a_live_store_as_it_is(path):
    """CL-06."""
    topics = pd.DataFrame({"qid": ["q1"], "query": ["message 7"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["u7"], "relevance": [1]})
    with Store(path) as writer:  # it has the store open all the while
        before = written_as(path)
        with Store(path, readonly=True) as store:
            bench = lcm.Collection("live", store.corpus(), topics, qrels)
            found = lcm.evaluate([lcm.BM25(), lcm.FTS5()], on=bench, measures=[nDCG @ 10])
            assert found.frame["value"].tolist() == [1.0, 1.0]
        assert written_as(path) == before
        assert len(writer.corpus()) == 40


def test_what_is_deleted_during_a_search_is_gone_from_the_next_one(path):
    """CL-05."""
    with Store(path, readonly=True) as reader, Store(path) as writer:
        writer.append(said("a secret plan", "x1", session="other"))
        search = (lcm.FTS5() % 5).fit(reader.corpus())
        assert search("secret")["docno"].tolist() == ["x1"]
        writer.delete("other")
        assert (lcm.FTS5() % 5).fit(reader.corpus())("secret").empty
        assert "x1" not in set(reader.corpus()["docno"])


def test_a_search_while_it_is_found_out_what_stands_says_so(path):
    """CL-05: also with other hits present."""
    with Store(path) as store:
        for name, parent in (("m1", ""), ("m2", "m1"), ("m3", "m2"), ("m4", "m2")):
            store.append(said(f"alpha {name}", name, session="tree", parent=parent))
    asked = Question("alpha", str(path), "BM25() % 10", {}, (), 10)
    told = json.loads(answered(asked, explain=False, json=True))
    assert (told["indexing"], told["indexingSessions"]) == (True, ["tree"])
    assert "Still being indexed: 1 conversation" in answered(asked, explain=False, json=False)
    with Store(path) as store:
        store.reconcile()
    told = json.loads(answered(asked, explain=False, json=True))
    assert "indexing" not in told
    assert {hit["docno"] for hit in told["hits"]} == {"m1", "m2", "m4"}


def test_every_line_before_a_compaction_can_be_read(path, tmp_path):
    """TP-12: what a reader is shown is not the model's context."""
    mark = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s9"}
    short = record(12, "They talked in lines.") | {"uuid": "c", "isCompactSummary": True}
    lines = [*map(record, range(12)), mark, short, *map(record, range(12, 20))]
    written(tmp_path / "long.jsonl", *lines)
    with Store(path) as store:
        assert import_files(store, tmp_path / "long.jsonl").added.messages == 21
        held = store.messages("s9")
        assert [one.text for one in held[:5]] == [f"line {i} is said" for i in range(5)]
        found = (lcm.BM25() % 1).fit(store.corpus(conversation="s9"))("line 3 is said")
        assert found["docno"].tolist() == ["r3"]
        page = EpisodicTools(store, roots=[tmp_path]).read("long.jsonl", 1, 5)
        shown = [one.parts[0].text for one in page.entries]
        assert shown == [f"line {i} is said" for i in range(5)]


def test_the_copy_with_repeats_at_its_end_counts_as_the_transcript_that_it_grew_from(
    path, tmp_path
):
    """DD-04, one file that changes in place."""
    whole = [record(i) for i in range(12)]
    again = [one | {"uuid": f"again{i}"} for i, one in enumerate(whole[2:5])]
    counts = []
    with Store(path) as store:
        for records in (whole[:10], whole[:10], whole[:10], whole, whole + again):
            import_files(store, written(tmp_path / "a.jsonl", *records))
            counts.append(len(store.corpus(conversation="s9")))
        assert counts == [10, 10, 10, 12, 12]


def test_a_pipe_that_a_glob_matches_is_passed_over(path, tmp_path):
    written(tmp_path / "a.jsonl", record(1))
    os.mkfifo(tmp_path / "b.jsonl")
    with Store(path) as store:
        done = import_files(store, str(tmp_path / "*.jsonl"))
    assert [(one.source, one.reason) for one in done.skipped] == [("b.jsonl", "not a regular file")]
    assert done.added.messages == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_could_not_be_read_is_taken_up_when_it_can_be(path, tmp_path):
    file = written(tmp_path / "a.jsonl", record(1))
    written(tmp_path / "b.jsonl", record(2))
    file.chmod(0)
    with Store(path) as store:
        done = import_files(store, str(tmp_path / "*.jsonl"))
        assert [one.reason for one in done.skipped] == ["cannot be read: Permission denied"]
        file.chmod(0o600)
        assert import_files(store, str(tmp_path / "*.jsonl")).added.messages == 1


def test_a_database_is_no_transcript_and_is_told_where_it_belongs(path):
    with pytest.raises(BadInput, match=r"SQLite database. A store is opened with lcm_lab.Store"):
        lcm.read(path)
    with Store(path) as store, pytest.raises(BadInput, match="SQLite database"):
        import_files(store, path)


def test_a_young_store_that_is_open_elsewhere_is_known_as_a_store(tmp_path):
    """CL-01: its header lies in its log as long as nothing was moved from there."""
    young = tmp_path / "young.db"
    with Store(young) as writer:
        writer.append(said("alpha and beta", "m1"))
        with database(str(young)) as held:
            assert isinstance(held, Store)
        asked = Question("alpha", str(young), "BM25() % 10", {}, (), 10)
        assert "m1" in answered(asked, explain=False, json=False)
