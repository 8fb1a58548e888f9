"""Files that grow, are replaced or disappear while they are read; clocks; several at once."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from lcm_lab.errors import LcmError
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from tests.harden.scenes import records
from tests.store.made import dump

pytestmark = pytest.mark.harden


def test_a_transcript_that_grows_while_it_is_read_is_there_once_in_the_end(
    tmp_path, record_property
):
    folder, stop, rounds = tmp_path / "said", threading.Event(), 12
    folder.mkdir()
    path = folder / "a.jsonl"
    lines = records("a", 0, 3000).splitlines(keepends=True)
    path.write_text(lines[0])
    there = [lines[0]]

    def grow():
        with path.open("a") as file:
            for line in lines[1:]:
                if stop.is_set():
                    break
                for half in (line[:25], line[25:]):  # half a line is what a reader may see
                    file.write(half)
                    file.flush()
                    os.fsync(file.fileno())
                there.append(line)

    writer = threading.Thread(target=grow)
    with Store(tmp_path / "m.db") as store:
        writer.start()
        for _ in range(rounds):
            import_files(store, folder)
            names = [one.id for one in store.messages("a")]
            assert names == [f"a-{i}" for i in range(len(names))]
        stop.set()
        writer.join()
        import_files(store, folder)
        assert [one.id for one in store.messages("a")] == [f"a-{i}" for i in range(len(there))]
        assert list(store.faults()) == []
    record_property("imports meanwhile", rounds)
    record_property("lines", len(there))


def test_a_transcript_that_is_replaced_or_taken_away_costs_no_other_file(tmp_path, record_property):
    folder, done, rounds = tmp_path / "said", threading.Event(), 0
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.jsonl").write_text(records(name, 0, 60))

    def change():
        rng = random.Random(3)
        for _ in range(300):
            path = folder / "b.jsonl"
            what = rng.choice(("cut", "gone", "folder", "other", "whole"))
            with suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                if what == "folder":
                    path.mkdir()
                elif what != "gone":
                    text = {"cut": records("b", 0, 30)[:-40], "other": "no transcript\n"}
                    path.write_text(text.get(what, records("b", 0, 60)))
        done.set()

    writer = threading.Thread(target=change)
    writer.start()
    with Store(tmp_path / "m.db") as store:
        while not done.is_set():
            import_files(store, folder)
            rounds += 1
        writer.join()
        shutil.rmtree(folder / "b.jsonl", ignore_errors=True)
        (folder / "b.jsonl").unlink(missing_ok=True)
        (folder / "b.jsonl").write_text(records("b", 0, 61))
        import_files(store, folder)
        for name, count in (("a", 60), ("b", 61), ("c", 60)):
            held = [one.id for one in store.messages(name)]
            assert held == [f"{name}-{i}" for i in range(count)]
        assert list(store.faults()) == []
    record_property("imports meanwhile", rounds)


def test_a_folder_that_disappears_while_it_is_imported_leaves_what_came_in(tmp_path):
    folder = tmp_path / "said"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:02}.jsonl").write_text(records(f"s{number:02}", 0, 40))
    taken = threading.Thread(target=shutil.rmtree, args=(folder,), kwargs={"ignore_errors": True})
    with Store(tmp_path / "m.db") as store:
        taken.start()
        with suppress(LcmError):
            import_files(store, folder)
        taken.join()
        assert set(store.conversations()["messages"]) <= {40}
        assert list(store.faults()) == []


def test_a_clock_that_jumps_changes_no_order(tmp_path):
    """What a message says of its time counts; when it was imported is only noted."""
    (tmp_path / "a.jsonl").write_text(records("a", 0, 20))
    instants = (1_800_000_000_000_000, 0, -1, 4_000_000_000_000_000)
    dumps = []
    for imported in instants:
        with Store(":memory:") as store:
            import_files(store, tmp_path / "a.jsonl", imported=imported)
            import_files(store, tmp_path / "a.jsonl", imported=1)
            dumps.append(dump(store))
    assert all(one == dumps[0] for one in dumps)
    lines = [json.loads(line) for line in records("b", 0, 20).splitlines()]
    for at, line in enumerate(lines[10:], 10):  # a clock that was set back an hour in between
        line["timestamp"] = f"2026-01-01T{23 - at // 60:02}:{at % 60:02}:00Z"
    for line in lines[5:8]:
        line["timestamp"] = "1970-01-01T00:00:00Z"
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Store(":memory:") as store:
        import_files(store, tmp_path / "b.jsonl")
        again = import_files(store, tmp_path / "b.jsonl")
        assert (again.unchanged, len(store.messages("b"))) == (1, 20)
        assert list(store.faults()) == []


IMPORT = """
import sys
from lcm_lab.store import incoming
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
incoming.BATCH = 30
with Store(sys.argv[1]) as store:
    import_files(store, sys.argv[2])
"""


def test_imports_at_once_make_what_one_makes(tmp_path, record_property):
    folder = tmp_path / "said"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.jsonl").write_text(
            records(f"s{number // 2}", 20 * number, 20 * number + 50)
        )
    with Store(tmp_path / "whole.db") as store:
        import_files(store, folder)
        whole = dump(store)
    rounds = 10
    for number in range(rounds):
        path = tmp_path / f"{number}.db"
        words = [sys.executable, "-X", "faulthandler", "-c", IMPORT, str(path), str(folder)]
        children = [
            subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        for one in children:
            _, err = one.communicate(timeout=300)
            assert one.returncode == 0, (one.returncode, err)
        with Store(path, readonly=True) as store:
            assert dump(store) == whole
            assert list(store.faults()) == []
    record_property("imports", 3 * rounds)
