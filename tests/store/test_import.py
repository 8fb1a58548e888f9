"""Files into a store: what is new, what was there, what could not be read; again, and further."""

import json
import lzma
from collections import Counter

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from tests.store.made import dump


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def claude(text, uuid, minute, session="s1", **more):
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": session,
        "timestamp": f"2026-01-01T10:{minute:02}:00Z",
        "message": {"role": "user", "content": text},
    } | more


def history(count, session="s1"):
    return [claude(f"message {i}", f"{session}u{i}", i, session) for i in range(count)]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store.db") as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    return made


def sound(store):
    return list(store.faults()) == []


def test_unchanged_files_are_not_read_again_and_grown_ones_add_what_is_new(store, folder):
    """TP-06."""
    path = folder / "a.jsonl"
    path.write_text(lines(*history(10)))
    assert import_files(store, folder).added.messages == 10
    again = import_files(store, folder)
    assert (again.added.messages, again.unchanged, again.formats) == (0, 1, {})
    path.write_text(lines(*history(15)))
    grown = import_files(store, folder)
    assert (grown.added.messages, grown.added.repeats, grown.unchanged) == (5, 10, 0)
    path.write_text(lines(*history(3)))  # rewritten, and shorter
    assert import_files(store, folder).added.messages == 0
    assert store.conversations()["messages"].tolist() == [15]
    assert sound(store)


def test_a_file_that_ends_within_a_line_is_taken_up_when_the_line_is_whole(store, folder):
    """TP-02."""
    whole = lines(*history(3))
    (folder / "a.jsonl").write_text(whole[:-20])
    done = import_files(store, folder)
    assert done.added.messages == 2
    assert [one.reason for one in done.skipped] == ["incomplete last line"]
    (folder / "a.jsonl").write_text(whole)
    assert import_files(store, folder).added.messages == 1


def test_of_a_line_it_is_said_once_why_it_is_skipped_and_of_a_file_each_time(store, folder):
    (folder / "a.jsonl").write_text(lines(*history(2)) + "{broken}\n")
    (folder / "b.jsonl").write_text('{"colour": "red"}\n')
    (folder / "c.jsonl").write_text("")
    done = import_files(store, folder, imported=5)
    assert Counter(one.source for one in done.skipped) == {"a.jsonl": 1, "b.jsonl": 1, "c.jsonl": 1}
    again = import_files(store, folder)
    reasons = [(one.source, one.reason) for one in again.skipped]
    assert again.unchanged == 1
    assert reasons == [("b.jsonl", "unknown format: JSON with colour"), ("c.jsonl", "empty file")]
    ask = "select name, format, skipped, imported from sources order by name"
    assert store.connection.execute(ask).fetchall() == [
        ("a.jsonl", "Claude Code JSONL", '{"not JSON": 1}', 5),
        ("b.jsonl", "", '{"unknown format: JSON with colour": 1}', 5),
        ("c.jsonl", "", '{"empty file": 1}', 5),
    ]
    with pytest.raises(NotFound):
        import_files(store, folder / "none.jsonl")
    only = folder / "deep"
    only.mkdir()
    (only / "x.json").write_text("[]")
    for _ in "12":
        with pytest.raises(BadInput, match="nothing to import"):
            import_files(store, only)


def test_a_store_opened_to_read_takes_no_import(store, folder):
    (folder / "a.jsonl").write_text(lines(*history(2)))
    with (
        Store(store.path, readonly=True) as reader,
        pytest.raises(BadParameter, match="was opened to read"),
    ):
        import_files(reader, folder)


def test_copies_under_other_names_add_nothing(store, folder):
    """DD-04."""
    again = [one | {"uuid": f"new{i}"} for i, one in enumerate(history(12)[2:5])]
    copies = {"a": history(10), "b": history(10), "c": history(12), "d": history(12) + again}
    for name, records in copies.items():
        (folder / f"{name}.jsonl").write_text(lines(*records))
    done = import_files(store, folder)
    assert (done.added.messages, done.added.repeats) == (12, 32)
    assert len(store.corpus()) == 12


def test_one_by_one_or_together_files_make_the_same_store(tmp_path, folder):
    (folder / "a.jsonl").write_text(lines(*history(6)[3:], *history(3, "s2")))
    (folder / "b.jsonl").write_text(lines(*history(6)[:3]))
    stores = []
    for number, paths in enumerate(("ab", "ba", ["ab"])):
        store = Store(tmp_path / f"{number}.db")
        for some in paths:
            import_files(store, [folder / f"{name}.jsonl" for name in some])
        stores.append(dump(store) | {"order": store.corpus().frame()["docno"].tolist()})
    assert stores[0]["messages"] == stores[1]["messages"] == stores[2]["messages"]
    assert stores[0]["order"] == stores[2]["order"]


def test_files_that_name_no_session_are_kept_apart_by_their_folders(store, folder):
    said = lines({"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"})
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "log.jsonl").write_text(said)
        import_files(store, folder / name / "log.jsonl")
    assert store.conversations()["name"].tolist() == ["log", "y/log"]
    (folder / "y" / "log.jsonl").write_text(said + lines({"role": "user", "content": "bye"}))
    import_files(store, folder)
    assert store.conversations()["messages"].tolist() == [2, 3]


def test_a_session_is_archived_when_no_live_file_of_it_is_left(store, folder):
    """TP-09."""
    said = lines({"role": "user", "content": "hello"})
    (folder / "a.jsonl").write_text(said)
    (folder / "a.jsonl.reset.2026-03-01").write_text(lines({"role": "user", "content": "old"}))
    (folder / "b.jsonl.deleted.2026-03-01").write_text(lines({"role": "user", "content": "gone"}))
    import_files(store, folder)
    frame = store.conversations().set_index("name")["archived"].to_dict()
    assert frame == {"a": "", "b": "deleted"}
    assert set(store.corpus(conversation="a")["text"]) == {"hello", "old"}
    (folder / "a.jsonl").unlink()
    import_files(store, folder)
    assert store.conversations().set_index("name")["archived"].to_dict()["a"] == "reset"


def test_long_blocks_are_put_aside_and_come_to_the_same_when_they_come_again(tmp_path, folder):
    log = "\n".join(f"step {n} ok" for n in range(3000))
    (folder / "a.jsonl").write_text(lines(claude(log, "u1", 1), claude("short", "u2", 2)))
    with Store(tmp_path / "s.db", large=2_000) as store:
        import_files(store, folder)
        assert "Exploration Summary" in store.corpus()["text"][0]
        first = dump(store)
        (kept,) = (tmp_path / "s.db.files").rglob("file_*")
        assert kept.read_text() == log
        store.add(lcm.read(folder))
        assert dump(store) == first
        assert sound(store)
        store.delete("s1")
        assert not kept.exists()


def test_the_command_says_what_was_new_repeated_and_skipped(tmp_path, folder, capsys):
    from lcm_lab.agent.importing import imported

    (folder / "a.jsonl").write_text(lines(*history(3)) + "{broken}\n")
    into = str(tmp_path / "s.db")
    told = json.loads(imported([str(folder)], into, json=True, now=7))
    assert (told["new"], told["repeated"], told["conversations"]) == (3, 0, 1)
    assert told["skipped"] == {"not JSON": 1}
    shown = imported([str(folder)], into, json=False, now=7)
    assert "files unchanged        1" in shown
    with Store(into) as store:
        assert store.connection.execute("select distinct imported from messages").fetchone() == (7,)


def test_real_files_are_there_once_however_often_they_come(shared, tmp_path):
    folder = shared / "transcripts"
    with Store(tmp_path / "a.db") as store, Store(tmp_path / "b.db") as twice:
        done = import_files(store, folder)
        read = lcm.read(folder)
        files = sum(one.is_file() for one in folder.iterdir())
        unread = {one.source for one in done.skipped if not one.line}
        assert sum(done.formats.values()) + len(unread) == files
        assert done.added.messages == len(read)
        assert set(store.corpus(abandoned=True)["docno"]) == set(
            read.corpus(abandoned=True)["docno"]
        )
        assert import_files(store, folder).unchanged == files
        size = (tmp_path / "a.db").stat().st_size
        twice.add(read)
        before = dump(twice)
        assert twice.add(read).messages == 0
        assert dump(twice) == before
        assert (tmp_path / "a.db").stat().st_size == size
        assert sound(store) and sound(twice)


@pytest.mark.parametrize("name", ["entire_0cf3db51_04", "obra_medium-conversation"])
def test_a_real_session_that_grows_is_what_it_is_when_it_comes_whole(shared, tmp_path, name):
    whole = lzma.decompress((shared / "transcripts" / f"{name}.jsonl.xz").read_bytes())
    records = whole.splitlines(keepends=True)
    path = tmp_path / "a.jsonl"
    with Store(":memory:") as grown, Store(":memory:") as alone:
        for part in (0.2, 0.5, 0.8, 1):
            path.write_bytes(b"".join(records[: round(len(records) * part)]))
            grown.add(lcm.read(path))
        alone.add(lcm.read(path))
        assert dump(grown) == dump(alone)
        assert grown.corpus().fingerprint == alone.corpus().fingerprint


def test_two_stretches_of_a_real_session_are_one_whichever_comes_first(shared):
    paths = [shared / "transcripts" / f"entire_0cf3db51_{n}.jsonl.xz" for n in ("00", "04")]
    stores = [Store(":memory:"), Store(":memory:"), Store(":memory:")]
    for some, store in zip((paths, paths[::-1], [paths]), stores, strict=True):
        for one in some:
            store.add(lcm.read(one))
    prints = {store.corpus().fingerprint for store in stores}
    assert len(prints) == 1
    assert stores[0].conversations()["messages"].tolist() == [107]


def test_what_the_store_itself_wrote_is_no_transcript(tmp_path, folder):
    """TP-07."""
    log = json.dumps([{"role": "user", "content": f"step {n}"} for n in range(900)])
    said = f'<file name="log.json">{log}</file>'
    (folder / "a.jsonl").write_text(lines(claude(said, "u1", 1)))
    with Store(folder / "s.db", large=2_000) as store:
        for _ in range(3):
            done = import_files(store, folder)
            assert store.conversations()["name"].tolist() == ["s1"]
        assert [one.reason for one in done.skipped] == ["written by the store"]


def test_a_session_that_began_as_a_copy_of_another_adds_only_its_own(store, folder):
    (folder / "a.jsonl").write_text(lines(*history(3)))
    copied = [one | {"sessionId": "s2"} for one in history(3)]
    (folder / "b.jsonl").write_text(lines(*copied, claude("mine", "v1", 30, "s2")))
    (folder / "c.jsonl").write_text(lines(*[one | {"sessionId": "s3"} for one in history(2)]))
    import_files(store, folder)
    counts = store.conversations().set_index("name")["messages"].to_dict()
    assert counts == {"s1": 3, "s2": 1}


def counts(store):
    return store.conversations().set_index("name")["messages"].to_dict()


def test_a_deleted_conversation_stays_away_when_its_file_grows(store, folder):
    path = folder / "a.jsonl"
    path.write_text(lines(*history(3), *history(2, "s2")))
    import_files(store, folder)
    store.delete("s1")
    path.write_text(lines(*history(5), *history(4, "s2")))
    done = import_files(store, folder)
    assert counts(store) == {"s2": 4}
    (why,) = [one.reason for one in done.skipped]
    assert why == "deleted from the store. store.restore('s1') lets an import bring it back"
    store.restore("s1")
    assert import_files(store, folder).added.messages == 5
    assert counts(store) == {"s1": 5, "s2": 4}
    with pytest.raises(NotFound, match="No deleted conversation 's1'"):
        store.restore("s1")
    assert sound(store)


def test_what_is_said_in_a_deleted_conversation_is_there_and_so_is_its_file_again(store, folder):
    (folder / "a.jsonl").write_text(lines(*history(3)))
    import_files(store, folder)
    store.delete("s1")
    store.append(lcm.Message("new", "s1", "user", (lcm.Part("text", "and now?"),)))
    (folder / "a.jsonl").write_text(lines(*history(4)))
    assert import_files(store, folder).added.messages == 4
    assert sound(store)
