"""Several processes at one store: writers wait for each other, readers for no one."""

import subprocess
import sys
import threading

import pytest

from lcm_lab.messages import Message, Part
from lcm_lab.store.store import Store

WRITER = """
import sys
from lcm_lab.messages import Message, Part
from lcm_lab.store.store import Store
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Store(path) as store:
    for at in range(count):
        said = Message(f"{name}{at}", name, "user", (Part("text", f"word{name}{at} said"),), at)
        store.append(said)
"""

READER = """
import sys
import lcm_lab as lcm
from lcm_lab.store.store import Store
path, fts = sys.argv[1], "docs_porter_unicode61"
with Store(path, readonly=True) as store:
    print("ready", flush=True)
    reads, most = 0, 0
    while True:
        with store.reading() as run:
            (rows,) = run("select count(*) from messages").fetchone()
            (found,) = run(f"select count(*) from {fts} where {fts} match 'said'").fetchone()
            ask = "select max(seq) + 1 as n from messages group by conversation"
            (seqs,) = run(f"select sum(n) from ({ask})").fetchone()
        assert rows == found == (seqs or 0), (rows, found, seqs)
        assert rows >= most, (rows, most)
        most, reads = rows, reads + 1
        if reads % 20 == 0:
            corpus = store.corpus()
            hits = (lcm.FTS5() % 3).fit(corpus)("said")
            assert len(hits) == min(3, len(corpus))
        if most >= int(sys.argv[2]):
            break
print("saw", most, "in", reads)
"""


def start(code, *words):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process, limit=120):
    out, err = process.communicate(timeout=limit)
    assert process.returncode == 0, err
    assert "locked" not in err
    return out


def sound(path, count):
    with Store(path, readonly=True) as store:
        assert len(store.corpus()) == count
        assert list(store.faults()) == []


def test_two_writers_and_readers_lose_nothing_and_are_never_refused(tmp_path):
    """CL-01: 400 messages of two processes, while three others search."""
    path = tmp_path / "a.db"
    Store(path).close()
    readers = [start(READER, path, 400) for _ in range(3)]
    for one in readers:
        assert one.stdout.readline() == "ready\n"
    writers = [start(WRITER, path, name, 200) for name in "ab"]
    for one in writers:
        finished(one)
    assert all(finished(one).startswith("saw 400 in") for one in readers)
    sound(path, 400)


@pytest.mark.slow
def test_eight_readers_and_a_writer_lose_nothing(tmp_path):
    path, count = tmp_path / "a.db", 4_000  # about ten seconds of appends beside the readers
    Store(path).close()
    readers = [start(READER, path, count) for _ in range(8)]
    for one in readers:
        one.stdout.readline()
    finished(start(WRITER, path, "a", count), limit=900)
    assert all(finished(one, limit=900).startswith(f"saw {count} in") for one in readers)
    sound(path, count)


def test_stores_that_are_made_at_once_are_one(tmp_path):
    path = tmp_path / "a.db"
    writers = [start(WRITER, path, name, 5) for name in "abc"]
    for one in writers:
        finished(one)
    sound(path, 15)


def test_threads_share_a_store(tmp_path):
    with Store(tmp_path / "a.db") as store:

        def write(name):
            for at in range(50):
                store.append(Message(f"{name}{at}", name, "user", (Part("text", "said"),), at))
                assert len(store.corpus()) > at

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert store.conversations()["messages"].tolist() == [50] * 4
        assert list(store.faults()) == []


def test_a_corpus_is_of_one_moment(tmp_path):
    """CL-06: what reads a live store sees one state of it, and leaves it as it is."""
    with Store(tmp_path / "a.db") as writer, Store(tmp_path / "a.db", readonly=True) as reader:
        writer.append(Message("m1", "s1", "user", (Part("text", "said"),), 1))
        with reader.reading() as run:
            before = run("select count(*) from messages").fetchone()
            writer.append(Message("m2", "s1", "user", (Part("text", "said"),), 2))
            assert run("select count(*) from messages").fetchone() == before == (1,)
            assert len(reader.corpus()) == 1
        assert len(reader.corpus()) == 2
