"""What is damaged, closed to us, taken away, replaced or still growing: never taken for whole."""

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, LcmError, OverBudget
from lcm_lab.store import opening
from lcm_lab.store.store import Store
from tests.store.made import dump, history, said

pytestmark = pytest.mark.harden

NOBODY = 65534
PAGE = 4096


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A store that is closed, and one whose log was never written back; each with its content."""
    folder = tmp_path_factory.mktemp("kept")
    with Store(folder / "closed.db") as store:
        store.add(lcm.Transcripts(tuple(history(60))))
        dag = lcm.compact(store.dag("s1"), lcm.Leaves(30, fresh=4), summarise=lcm.Lead(), budget=60)
        store.put(dag)
        whole = dump(store)
    with Store(folder / "open.db") as store:
        for number in range(40):
            store.append(said(f"number {number} was said", f"n{number}", number))
        for name in ("open.db", "open.db-wal"):
            shutil.copy(folder / name, folder / f"copied.{name}")
    return folder, whole


def read_all(path):
    """Read all that a store gives."""
    with Store(path, readonly=True) as store:
        corpus = store.corpus()
        (lcm.FTS5() % 5).fit(corpus)("message number")
        for name in store.conversations()["name"]:
            store.messages(name)
            store.dag(name)
        return list(store.faults()), dump(store)


def test_a_store_with_bytes_changed_is_refused_or_its_faults_are_told(
    kept, tmp_path, record_property
):
    """A change that is neither refused, nor told, nor harmless would be silent damage."""
    folder, whole = kept
    clean = (folder / "closed.db").read_bytes()
    rng, counts = random.Random(5), {"refused": 0, "told": 0, "harmless": 0}
    for number in range(400):
        spoiled = bytearray(clean)
        start = rng.randrange(len(clean))
        for at in range(start, min(len(clean), start + rng.choice((1, 1, 8, 200, PAGE)))):
            spoiled[at] = rng.randrange(256)
        path = tmp_path / f"{number}.db"
        path.write_bytes(spoiled)
        try:
            faults, held = read_all(path)
        except LcmError:
            counts["refused"] += 1
        else:
            assert faults or held == whole, start
            counts["told" if faults else "harmless"] += 1
        path.unlink()
    for name, count in counts.items():
        record_property(name, count)
    assert counts["refused"] and counts["told"]


def test_a_store_that_is_cut_short_is_refused(kept, tmp_path, record_property):
    whole = kept[1]
    clean = (kept[0] / "closed.db").read_bytes()
    lengths = [*range(1, 200, 7), *range(PAGE, len(clean), PAGE), len(clean) - 1]
    for length in lengths:
        path = tmp_path / f"{length}.db"
        path.write_bytes(clean[:length])
        try:
            faults, held = read_all(path)
        except LcmError:
            continue
        assert faults or held == whole, length  # its last bytes stand for nothing
    record_property("lengths", len(lengths))


def test_of_a_log_that_is_cut_or_spoiled_the_commits_before_that_are_there(
    kept, tmp_path, record_property
):
    folder, _ = kept
    log, rng, seen = (folder / "copied.open.db-wal").read_bytes(), random.Random(7), set()
    for number in range(80):
        at = rng.randrange(len(log))
        path = tmp_path / f"{number}.db"
        shutil.copy(folder / "copied.open.db", path)
        cut = number % 2 == 0
        spoiled = log[:at] + (b"" if cut else bytes([log[at] ^ 0xFF]) + log[at + 1 :])
        (tmp_path / f"{number}.db-wal").write_bytes(spoiled)
        try:
            with Store(path) as store:
                assert list(store.faults()) == []
                names = store.corpus()["docno"].tolist()
        except BadInput:  # not even its tables had been written back
            names = []
        assert names == [f"n{i}" for i in range(len(names))]
        seen.add(len(names))
    record_property("logs", 80)
    assert len(seen) > 10


def test_a_newer_or_another_database_is_left_as_it_is(kept, tmp_path):
    for statement in ("pragma user_version = 2", "pragma application_id = 7", "drop table meta"):
        path = tmp_path / "a.db"
        shutil.copy(kept[0] / "closed.db", path)
        with closing(sqlite3.connect(path)) as base:
            base.execute(statement)
        before = path.read_bytes()
        for readonly in (True, False):
            with pytest.raises(LcmError), Store(path, readonly=readonly) as store:
                store.append(said("one", "m1"))
        assert path.read_bytes() == before


def test_a_store_that_another_process_keeps_is_waited_for_and_then_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "PATIENCE", 0.3)
    path = tmp_path / "a.db"
    with Store(path) as store:
        store.append(said("one", "m1"))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            with pytest.raises(OverBudget, match="Another process has kept"):
                store.append(said("two", "m2"))
            with Store(path, readonly=True) as reader:
                assert len(reader.corpus()) == 1
            other.execute("rollback")
        store.append(said("two", "m2"))
        assert len(store.corpus()) == 2
