"""The script that sets everything up, on a project of two files that installs without a network."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "lab"

PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "lcm-lab"
version = "0"
"""
BACKEND = """\
import pathlib, zipfile

META = "Metadata-Version: 2.1\\nName: lcm-lab\\nVersion: 0\\n"
META += "Provides-Extra: notebooks\\nProvides-Extra: test\\n"
WHEEL = "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"

def build_editable(folder, config_settings=None, metadata_directory=None):
    if pathlib.Path("broken").exists():
        raise SystemExit("broken on purpose")
    with open("builds", "a") as log:
        log.write("built\\n")
    name, info = "lcm_lab-0-py3-none-any.whl", "lcm_lab-0.dist-info/"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        wheel.writestr("lcm_lab.pth", str(pathlib.Path.cwd()))
        wheel.writestr(info + "METADATA", META)
        wheel.writestr(info + "WHEEL", WHEEL)
        wheel.writestr(info + "RECORD", "")
    return name

build_wheel = build_editable
"""
PROGRAM = """\
import os, sys
print(os.getcwd(), *sys.argv[1:], sep="|")
sys.exit(2 if "notebok" in sys.argv else 7 if "fail" in sys.argv else 0)
"""


def lab(folder, *words, cwd=None, **env):
    return subprocess.run(
        [sys.executable, str(folder / "lab"), *words],
        cwd=cwd or folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare(tmp_path):
    """The script alone."""
    shutil.copy(LAB, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A project with a space in its path, installed by its first command, and what that printed."""
    folder = tmp_path_factory.mktemp("a path") / "my project"
    (folder / "lcm_lab").mkdir(parents=True)
    shutil.copy(LAB, folder)
    for name, text in {
        "pyproject.toml": PROJECT,
        "constraints.txt": "",
        "backend.py": BACKEND,
        "lcm_lab/__main__.py": PROGRAM,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder, lab(folder, "hello", PIP_USER="1", PYTHONPATH="/nowhere")


def builds(folder):
    return len((folder / "builds").read_text().splitlines())


def test_help_names_every_verb_and_installs_nothing(bare):
    done = lab(bare)
    assert done.returncode == 0
    for verb in ("report", "test", "notebooks", "jupyter", "harden"):
        assert f"./lab {verb}" in done.stdout
    assert not (bare / ".venv").exists()


@pytest.mark.parametrize("verb", ["notebooks", "harden"])
def test_a_verb_with_nothing_behind_it_says_so(bare, verb):
    done = lab(bare, verb)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lab: '{verb}' has nothing to run yet: there is no tests")
    assert not (bare / ".venv").exists()


def test_an_old_interpreter_can_read_the_script():
    ast.parse(LAB.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_interpreter_with_no_newer_one_says_what_is_missing_in_one_line(bare):
    names = [shutil.which(f"python3.{minor}") for minor in range(6, 11)]
    old = [n for n in names if n and subprocess.run([n, "-c", ""], check=False).returncode == 0]
    if not old:
        pytest.skip("no Python older than 3.11 on the PATH")
    done = subprocess.run(
        [old[0], "lab", "report"],
        cwd=bare,
        env={"PATH": str(bare)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("lab: needs Python 3.11 or newer with its venv module")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_first_command_makes_the_environment_and_runs(checkout):
    folder, first = checkout
    assert (first.returncode, first.stdout) == (0, f"{folder}|hello\n")
    assert "lab: setting up .venv" in first.stderr


@pytest.mark.slow
def test_the_second_command_installs_nothing_and_runs_where_the_caller_stands(checkout, tmp_path):
    folder, _ = checkout
    before = builds(folder)
    again = lab(folder, "search", "a question", "fail", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (7, f"{tmp_path}|search|a question|fail\n")
    assert (again.stderr, builds(folder)) == ("", before)


@pytest.mark.slow
def test_a_verb_written_wrong_is_suggested(checkout):
    folder, _ = checkout
    done = lab(folder, "notebok")
    assert (done.returncode, done.stderr) == (2, "lab: of its own ./lab has 'notebooks'\n")
    assert lab(folder, "evaluate", "notebok").stderr == ""


@pytest.mark.slow
def test_the_report_of_the_shipped_collection_is_written_in_the_checkout(checkout, tmp_path):
    folder, _ = checkout
    own = lab(folder, "report", cwd=tmp_path)
    assert own.stdout == f"{folder}|report\n{folder}|report|--kind|compaction\n"
    assert own.stderr == (
        f"lab: ranking the shipped collection into {folder}/reports/ranking\n"
        f"lab: compacting the shipped sessions into {folder}/reports/compaction\n"
    )
    other = lab(folder, "report", "--on=x", cwd=tmp_path)
    assert other.stdout == f"{tmp_path}|report|--on=x\n"


@pytest.mark.slow
def test_changed_pins_install_again(checkout):
    folder, _ = checkout
    before = builds(folder)
    (folder / "constraints.txt").write_text("# other pins\n", encoding="utf-8")
    assert "lab: setting up .venv" in lab(folder, "hello").stderr
    assert lab(folder, "hello").stderr == ""
    assert builds(folder) == before + 1


@pytest.mark.slow
def test_a_failed_install_says_so_and_is_done_again(checkout):
    folder, _ = checkout
    (folder / "constraints.txt").write_text("# pins that cannot be met\n", encoding="utf-8")
    (folder / "broken").touch()
    failed = lab(folder, "hello")
    (folder / "broken").unlink()
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.splitlines()[-1] == "lab: the set-up failed (exit 1), see above"
    assert lab(folder, "hello").returncode == 0


def without_pip(venv):
    shutil.rmtree(next(venv.rglob("site-packages")) / "pip")


def killed_while_installing(venv):
    (venv / ".lab-unfinished").touch()


@pytest.mark.slow
@pytest.mark.parametrize("harm", [without_pip, killed_while_installing])
def test_an_environment_left_half_made_is_made_again(checkout, harm):
    folder, _ = checkout
    for stamp in (folder / ".venv").glob(".lab-*"):
        stamp.unlink()
    harm(folder / ".venv")
    left = folder / ".venv" / "left over"
    left.touch()
    done = lab(folder, "hello")
    assert (done.returncode, done.stdout, left.exists()) == (0, f"{folder}|hello\n", False)
