"""The tests pass with other interpreters, the oldest packages allowed, and on an odd machine."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

pytestmark = pytest.mark.harden

#: A place, a zone, a language, an order of sets and an encoding that nobody here works with.
ODD = {
    "TZ": "Asia/Kathmandu",
    "LC_ALL": "C",
    "PYTHONHASHSEED": "4711",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}
LEAVE = (".*", "__pycache__", "*.egg-info", "reliability", "build", "dist")
#: What looks over the code and does not run it need not be old.
LOOKS = ("mypy", "ruff", "playwright", "jupyterlab", "pandas-stubs", "scipy-stubs", "types-tqdm")
#: Compares printed figures, of which releases of numpy round a tie otherwise.
ROUNDED = "test_readme_shows_what_its_snippets_print"
EXTRAS = ("test", "dask", "llm", "mcp")


def oldest(root):
    """Pins of the oldest release that each declared requirement allows."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for extra in EXTRAS for one in extras[extra])]
    found = {}
    for one in wanted:
        name, bound = re.match(r"([\w-]+)(?:\[.*?\])?>=([\w.]+)", one).groups()
        found[name] = bound
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found.keys() - {*LOOKS}))


def checkout(root, folder):
    """A copy of the checkout in a folder with a space and letters of no one encoding."""
    place = folder / "ein Büro 東京" / "lab"
    shutil.copytree(root, place, ignore=shutil.ignore_patterns(*LEAVE))
    if (root.parent / "shared").exists():
        (place.parent / "shared").symlink_to(root.parent / "shared")
    return place


def passed(python, place, pins, *options, **env):
    """Install the checkout with the pins, run its tests, and give how many passed."""
    home = place.parent / "venv"
    subprocess.run([python, "-m", "venv", home], check=True)
    inside = home / "bin" / "python"
    install = [inside, "-m", "pip", "install", "-q", "-c", pins, "-e", f".[{','.join(EXTRAS)}]"]
    subprocess.run(install, cwd=place, check=True, capture_output=True)
    tests = [inside, "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "2", *options]
    done = subprocess.run(
        tests, cwd=place, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return int(re.search(r"(\d+) passed", done.stdout)[1])


@pytest.mark.parametrize("minor", [11, 12, 13])
def test_an_interpreter_passes_with_the_pinned_packages(root, tmp_path, record_property, minor):
    python = shutil.which(f"python3.{minor}")
    if (
        not python
        or subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode
    ):
        pytest.skip(f"no python3.{minor} on the PATH")
    place = checkout(root, tmp_path)
    count = passed(python, place, place / "constraints.txt", **ODD)
    record_property(f"tests on 3.{minor}", count)


def test_the_oldest_packages_allowed_pass(root, tmp_path, record_property):
    """What they warn of is theirs: they did not know the packages they stand on today."""
    place = checkout(root, tmp_path)
    pins = tmp_path / "oldest.txt"
    pins.write_text(oldest(root), encoding="utf-8")
    options = ("-o", "filterwarnings=default", "--deselect", f"tests/test_readme.py::{ROUNDED}")
    count = passed(sys.executable, place, pins, *options)
    record_property("tests with the oldest", count)
