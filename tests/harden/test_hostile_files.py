"""Files that claim to be huge, never end, or lead elsewhere."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys

import pytest

import lcm_lab as lcm
from lcm_lab.errors import LcmError

pytestmark = pytest.mark.harden
LINE = b'{"role": "user", "content": "hello"}\n'

#: Reads a file with a bound on memory that is far below what the file claims to be; the bound on
#: files is made smaller, so that making them takes no minutes.
CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
import lcm_lab as lcm
from lcm_lab.collection import unpack
unpack.LARGEST = 1 << 28
try:
    lcm.read(sys.argv[1])
except lcm.errors.LcmError as error:
    print("refused", error)
"""


def bomb(path, pack, size):
    with pack(path, "wb") as file:
        file.write(LINE)
        for _ in range(size >> 24):
            file.write(bytes(1 << 24))


def bombs(folder):
    """Write small files that claim to be gigabytes, and give their paths."""
    for name, pack in (("a.gz", gzip.open), ("a.xz", lzma.open), ("a.bz2", bz2.open)):
        bomb(folder / f"{name}.jsonl", pack, 1 << 30)
        yield folder / f"{name}.jsonl"
    with (folder / "holes.jsonl").open("wb") as file:
        file.truncate(1 << 40)
    yield folder / "holes.jsonl"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
def test_a_bomb_is_refused_within_bounded_memory(tmp_path, record_property):
    tried = 0
    for path in bombs(tmp_path):
        done = subprocess.run([sys.executable, "-c", CHILD, path], capture_output=True, check=False)
        assert done.stdout.startswith(b"refused"), done.stderr[-500:]
        assert b"holds more than" in done.stdout
        path.unlink()
        tried += 1
    record_property("inputs", tried)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and devices here")
def test_what_never_ends_or_leads_out_of_a_folder_is_passed_over(tmp_path, record_property):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.jsonl").write_bytes(LINE)
    (inside / "good.jsonl").write_bytes(LINE)
    os.mkfifo(inside / "pipe.jsonl")
    links = {"file": outside / "secret.jsonl", "folder": outside, "loop": inside, "gone": "nowhere"}
    links |= {"device": "/dev/zero", "self": "/proc/self/environ", "me": inside / "me.jsonl"}
    for name, target in links.items():
        (inside / f"{name}.jsonl").symlink_to(target)
    found = lcm.read(inside)
    assert len(found.messages) == 1
    assert len(found.skipped) == len(links) + 1
    assert len(lcm.read(str(inside / "g*.jsonl")).messages) == 1
    with lcm.Store(":memory:") as store:
        store.add(found)
        tools = lcm.EpisodicTools(store, roots=[inside])
        ways = [f"{name}.jsonl" for name in links if name not in ("loop", "folder")]
        ways += ["../out/secret.jsonl", str(outside / "secret.jsonl"), "a\x00b", "/etc/passwd"]
        ways += ["%2e%2e/out/secret.jsonl", "in/../../out/secret.jsonl", "/proc/self/environ", "~"]
        ways += [
            "pipe.jsonl",
            "/dev/zero",
            "file:" + "///etc/passwd",
            "\\\\host\\share",
            "C:\\x",
            "." * 999,
        ]
        for way in ways:
            with pytest.raises(LcmError) as refused:
                tools.read(way)
            assert "No transcript" in str(refused.value)
    record_property("inputs", len(links) + len(ways) + 1)
