"""Killed at every step, or out of room: what was committed is there, and the next run finishes."""

import json
import os
import subprocess
import sys

import pytest

from tests.harden.scenes import SCENES

pytestmark = [
    pytest.mark.harden,
    pytest.mark.skipif(os.name != "posix", reason="forks and kills"),
]

#: About how many points of each scene, and what of them: most where most is at stake.
POINTS = {"steps": 24, "bytes": 12, "time": 10, "short": 6, "full": 6}
SHARE = {"import": 2, "append": 2, "compaction": 2, "delete": 2, "report": 1 / 6}


def stopped(scene, how, folder, root):
    """Run a scene by itself; gives how often it was stopped."""
    points = max(2, int(POINTS[how] * SHARE.get(scene, 1)))
    done = subprocess.run(
        [sys.executable, "-m", "tests.harden.killing", scene, how, str(points), str(folder / "k")],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["problems"] == []
    return told["stopped"]


@pytest.mark.parametrize("how", ["steps", "bytes", "time"])
@pytest.mark.parametrize("scene", SCENES)
def test_killed_at_any_point_nothing_is_lost_or_half(scene, how, tmp_path, root, record_property):
    count = stopped(scene, how, tmp_path, root)
    record_property("kill points survived", count)
    assert count or how == "time"


@pytest.mark.parametrize("scene", SCENES)
def test_where_a_file_cannot_grow_nothing_is_lost_or_half(scene, tmp_path, root, record_property):
    record_property("refusals survived", stopped(scene, "short", tmp_path, root))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root mounts a disk to fill"
)
@pytest.mark.parametrize("scene", SCENES)
def test_on_a_full_disk_nothing_is_lost_or_half(scene, tmp_path, root, record_property):
    record_property("full disks survived", stopped(scene, "full", tmp_path, root))
