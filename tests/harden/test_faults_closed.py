"""What may not be written to is read, and every write is refused."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import lcm_lab as lcm
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from tests.harden.scenes import SAID, bench, measured, records

pytestmark = pytest.mark.harden


@pytest.fixture
def anyones():
    """A folder that another user may enter, as pytest's may not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


CLOSED = """
import os, sys
from pathlib import Path
import lcm_lab as lcm
from lcm_lab.errors import LcmError
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from tests.harden.scenes import bench, measured, SAID
from tests.store.made import said

def read(folder):
    store = Store(folder / "m.db", readonly=True)
    assert len(store.corpus()) == 3 and list(store.faults()) == []
    assert len((lcm.BM25() % 5).fit(corpus, saved=folder / "index")("postgres")) == 2
    assert lcm.Evaluation.load(folder / "found", bench(4)).systems
    assert len(lcm.load(str(folder / "bench")).corpus) == 4

corpus = lcm.Corpus(SAID)
writes = lambda folder: {
    "append": lambda: Store(folder / "m.db").append(said("x", "m9")),
    "import": lambda: import_files(Store(folder / "m.db"), folder / "said"),
    "new": lambda: Store(folder / "other.db"),
    "index": lambda: (lcm.BM25() % 5).fit(corpus).save(folder / "index"),
    "collection": lambda: bench(2).save(folder / "bench"),
    "evaluation": lambda: measured(4).save(folder / "found"),
    "report": lambda: lcm.ranking_report(measured(4)).save(folder / "page"),
    "csv": lambda: measured(4).to_csv(folder / "a.csv"),
    "labels": lambda: lcm.label(corpus, ["postgres?"], folder / "l.csv").answer(1),
}
open_, closed = map(Path, sys.argv[1:])
read(open_)
for work in writes(open_).values():  # what this needs is imported as long as it may be
    work()
if os.getuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
read(closed)
for name, work in writes(closed).items():
    try:
        work()
    except (LcmError, OSError) as error:
        assert "Traceback" not in str(error)
        print(name, type(error).__name__, error, flush=True)
    else:
        raise SystemExit(f"{name} was not refused")
"""


def test_a_folder_that_is_closed_is_read_and_every_write_is_refused(anyones, record_property):
    folder = anyones / "kept"
    (folder / "said").mkdir(parents=True)
    (folder / "said" / "a.jsonl").write_text(records("a", 0, 3))
    with Store(folder / "m.db") as store:
        import_files(store, folder / "said")
    lcm.BM25().fit(lcm.Corpus(SAID)).save(folder / "index")
    bench(4).save(folder / "bench")
    measured(4).save(folder / "found")
    shutil.copytree(folder, anyones / "open")
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    done = subprocess.run(
        [sys.executable, "-c", CLOSED, str(anyones / "open"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert done.returncode == 0, done.stderr
    record_property("writes refused", len(done.stdout.splitlines()))
    after = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    assert after == before
