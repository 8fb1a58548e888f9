"""An import that is killed: nothing that was committed is lost, and the next one finishes it."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from tests.store.made import dump

IMPORT = """
import sys
from lcm_lab.store import incoming
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
incoming.BATCH = 100
with Store(sys.argv[1]) as store:
    print("ready", flush=True)
    import_files(store, sys.argv[2])
print("done", flush=True)
"""
FILES, EACH = 8, 250


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("transcripts")
    for number in range(FILES):
        records = [
            {
                "type": "user",
                "uuid": f"{number}-{i}",
                "sessionId": f"s{number // 2}",  # two files of each session
                "timestamp": f"2026-01-{1 + number:02}T{i // 60:02}:{i % 60:02}:00Z",
                "message": {"role": "user", "content": f"message {i} of file {number}"},
            }
            for i in range(EACH)
        ]
        (made / f"{number:02}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return made


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    with Store(tmp_path_factory.mktemp("whole") / "a.db") as store:
        import_files(store, folder)
        return dump(store)


def start(path, folder):
    child = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(path), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    return child


def kill(child, after):
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    child.communicate()


def counts(path):
    with Store(path, readonly=True) as store:
        assert list(store.faults()) == []
        (rows,) = store.connection.execute("select count(*) from messages").fetchone()
        return rows


def killed_until_done(path, folder, moments):
    """Import, killed at every moment given; what was there is never less. Then let it finish."""
    before = 0
    for after in moments:
        kill(start(path, folder), after)
        now = counts(path)
        assert now >= before
        before = now
    with Store(path) as store:
        import_files(store, folder)
        assert list(store.faults()) == []
        return dump(store)


def test_a_killed_import_goes_on_where_it_was(tmp_path, folder, whole):
    """CL-04."""
    rng = random.Random(1)
    moments = [rng.uniform(0, 0.3) for _ in range(2)]
    assert killed_until_done(tmp_path / "a.db", folder, moments) == whole


@pytest.mark.slow
@pytest.mark.parametrize("run", range(10))
def test_fifty_kills_at_random_points_lose_nothing(tmp_path, folder, whole, run):
    rng = random.Random(run)
    moments = [rng.uniform(0, 0.6) for _ in range(5)]
    assert killed_until_done(tmp_path / "a.db", folder, moments) == whole


def test_of_two_imports_at_once_one_may_be_killed(tmp_path, folder, whole):
    """CL-04."""
    path = tmp_path / "a.db"
    first, second = start(path, folder), start(path, folder)
    kill(first, 0.1)
    out, err = second.communicate(timeout=120)
    assert (out, second.returncode) == ("done\n", 0), err
    with Store(path) as store:
        import_files(store, folder)
        assert dump(store) == whole
        assert list(store.faults()) == []
