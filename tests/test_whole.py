"""Files and folders written whole or not at all."""

import os
import subprocess
import sys
import threading

import pytest

from lcm_lab import whole
from lcm_lab.errors import BadInput, BadParameter


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def saved(folder, text, *more):
    with whole.folder(folder) as work:
        for name in ("head", "runs/a", *more):
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_text(text)


def read(folder):
    paths = folder / "head", folder / "runs" / "a"
    texts = whole.read(folder, "head", lambda: [path.read_text() for path in paths])
    assert len(set(texts)) == 1
    return texts[0]


def test_a_file_is_replaced_when_all_went_well(tmp_path):
    path = tmp_path / "run"
    path.write_text("old")
    path.chmod(0o600)
    with pytest.raises(ZeroDivisionError), whole.file(path) as part:
        part.write_text("ne")
        raise ZeroDivisionError
    assert (path.read_text(), names(tmp_path)) == ("old", ["run"])
    with whole.file(path) as part:
        part.write_text("new")
    assert (path.read_text(), names(tmp_path)) == ("new", ["run"])
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_a_link_leads_to_is_replaced_and_a_device_is_written_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "far")
    with whole.file(tmp_path / "link") as part:
        part.write_text("there")
    assert (tmp_path / "far").read_text() == "there"
    assert (tmp_path / "link").is_symlink()
    with whole.file(tmp_path / os.devnull) as part:
        assert str(part) == os.devnull


def test_a_stream_is_written_to_though_its_name_leads_to_no_file(tmp_path):
    code = "from lcm_lab import whole; from pathlib import Path; import sys\n"
    code += "with whole.file(Path('/dev/stdout')) as part: part.open('a').write('one ')\n"
    code += "print('two')"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert piped.stdout.decode() == "one two\n"
    with (tmp_path / "out").open("a") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "one two\n"


@pytest.mark.parametrize("place", ["none/run", "file/run"])
def test_an_error_names_the_file_that_was_asked_for(place, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=f"{place}'$"), whole.file(tmp_path / place) as part:
        part.write_text("x")


@pytest.mark.parametrize("place", ["file", "file/run"])
def test_a_folder_is_not_made_of_a_file(place, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadParameter, match="a file stands there"), whole.folder(tmp_path / place):
        pass


def test_a_folder_is_replaced_whole_and_other_files_stay(tmp_path):
    saved(tmp_path / "a", "1")
    (tmp_path / "a" / "notes").write_text("mine")
    saved(tmp_path / "a", "2")
    assert read(tmp_path / "a") == "2"
    assert names(tmp_path) == ["a/head", "a/notes", "a/runs/a"]


def test_a_folder_that_fails_stays_as_it_was(tmp_path):
    saved(tmp_path / "a", "1")
    for place in ("a", "b"):
        with pytest.raises(ZeroDivisionError), whole.folder(tmp_path / place) as work:
            (work / "head").write_text("2")
            raise ZeroDivisionError
    assert read(tmp_path / "a") == "1"
    assert names(tmp_path) == ["a/head", "a/runs/a"]
    assert not (tmp_path / "b").exists()


def test_a_saving_that_was_whole_is_finished_by_whoever_comes_next(tmp_path):
    folder = tmp_path / "a"
    saved(folder, "1")
    saved(folder / whole.READY, "2")
    assert read(folder) == "2"
    saved(folder / whole.READY, "3")
    (folder / whole.READY / "head").replace(folder / "head")  # killed between the two
    saved(folder, "4", "more")
    assert (read(folder), names(folder)) == ("4", ["head", "more", "runs/a"])


def test_what_a_killed_process_left_is_cleared_up_and_what_a_live_one_writes_is_not(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE, check=True
    )
    for number in (int(ended.stdout), os.getpid(), 10**30):
        (tmp_path / f"{whole.PART}{number}-1").mkdir()
    saved(tmp_path, "1")
    assert [path.name for path in tmp_path.glob(".*")] == [f"{whole.PART}{os.getpid()}-1"]


def test_a_saving_from_elsewhere_writes_nowhere_else(tmp_path):
    folder, far = tmp_path / "a", tmp_path / "far"
    far.mkdir()
    (far / "mine").write_text("mine")
    saved(folder / whole.READY, "2")
    (folder / "runs").symlink_to(far)
    with pytest.raises(BadInput, match="leads out of"):
        whole.settle(folder)
    (folder / "runs").unlink()
    whole.settle(folder)
    (folder / whole.READY).symlink_to(far)
    assert read(folder) == "2"
    (folder / whole.READY).unlink()
    (folder / whole.READY).mkdir()
    (folder / whole.READY / "runs").symlink_to(far)
    with pytest.raises(BadInput, match="that cannot be finished: Not a directory"):
        whole.settle(folder)
    assert names(far) == ["mine"]


def test_what_is_read_while_others_save_is_of_one_moment(tmp_path):
    folder = tmp_path / "a"
    saved(folder, "0")
    seen, done = [], threading.Event()

    def write(name):
        for number in range(40):
            saved(folder, f"{name}{number}")

    def look():
        while not done.is_set():
            seen.append(read(folder))

    writers = [threading.Thread(target=write, args=(name,)) for name in "xy"]
    readers = [threading.Thread(target=look) for _ in range(2)]
    for one in (*writers, *readers):
        one.start()
    for one in writers:
        one.join()
    done.set()
    for one in readers:
        one.join()
    assert seen
    assert read(folder)[1:] == "39"
    assert names(folder) == ["head", "runs/a"]
