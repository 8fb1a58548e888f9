"""What holds for every file of the repository: no hosts, no machine paths, no overgrown files."""

import ast
import lzma
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import lcm_lab

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def joined(*parts):
    """Drop the strokes that keep this file from holding what it looks for."""
    return [part.replace("~", "") for part in parts]


HOSTS = joined(
    "py~pi.", "python~hosted", "npm~js.", "conda.ana~conda", "crates~.io", "arti~factory/"
)
SETTINGS = joined("extra-index~-url", "--index~-url", "--find~-links", "trusted~-host", "file~://")
PEOPLE = "ada|alice|bob|grace|me|someone|user|x|you"  # who may have a home, in an example
MACHINES = joined(rf"/(ho~me|Us~ers)/(?!({PEOPLE})\b)\w+", "/ro~ot/", "/wo~rk/(main|shared)")
NOTES = joined(
    "co-~authored-by", r"(generated|written|made) (by|~with) (an? )?(ai|llm|claude|gpt)\b"
)
FORBIDDEN = [re.escape(word) for word in HOSTS + SETTINGS] + MACHINES + NOTES


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        pytest.skip("not a git checkout: which files belong to it is not known")
    return done.stdout


@pytest.fixture(scope="module")
def files():
    """Every file of the checkout that is tracked or would be."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in sorted(set(listed)) if name and (ROOT / name).is_file()]


def text_of(path):
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8", "replace")


def found(text):
    """Lines that hold a forbidden word, with their numbers."""
    pattern = re.compile("|".join(FORBIDDEN), re.IGNORECASE)
    return [(n, line[:80]) for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def test_no_file_holds_an_index_host_a_machine_path_or_a_note_of_who_wrote_it(files):
    assert {str(p.relative_to(ROOT)): hits for p in files if (hits := found(text_of(p)))} == {}


@pytest.mark.parametrize(
    "line",
    joined(
        "https://py~pi.org/simple",
        "numpy @ file~:///opt/wheels/numpy.whl",
        "--extra-index~-url https://example.org",
        "# see /ho~me/linus/notes.txt",
        "Co-~Authored-By: A. Model",
        "Generated ~with Claude",
    ),
)
def test_what_must_not_stand_in_a_file_is_found(line):
    assert found(f"first\n{line}\nlast") == [(2, line)]


def sources():
    return sorted((ROOT / "lcm_lab").rglob("*.py"))


def test_no_module_is_longer_than_250_lines():
    lengths = {str(p.relative_to(ROOT)): len(p.read_text("utf-8").splitlines()) for p in sources()}
    assert {name: lines for name, lines in lengths.items() if lines > 250} == {}


def code_lines(function):
    """How long a function is, its docstring left out."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    return lines - (first.end_lineno - first.lineno + 1 if documented else 0)


def test_no_function_is_longer_than_40_lines():
    long = {
        f"{path.relative_to(ROOT)}:{node.name}": code_lines(node)
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and code_lines(node) > 40
    }
    assert long == {}


def test_versions_agree():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert PROJECT["project"]["version"] == lcm_lab.__version__ == newest[1]


def test_python_versions_agree():
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    named = [c.split(" :: ")[-1] for c in PROJECT["project"]["classifiers"] if ":: 3." in c]
    tool = PROJECT["tool"]
    assert named[0] == least == tool["mypy"]["python_version"]
    assert tool["ruff"]["target-version"] == "py" + least.replace(".", "")


def dependencies():
    extras = PROJECT["project"]["optional-dependencies"].values()
    listed = sum(extras, PROJECT["project"]["dependencies"])
    return {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in listed}


def test_every_dependency_is_pinned_and_every_pin_is_exact():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    exact = re.compile(r"([a-z0-9-]+)==[\w.]+(?: ; .+)?")
    assert [line for line in lines if not exact.fullmatch(line)] == []
    assert dependencies() - {exact.fullmatch(line)[1] for line in lines} == set()


def test_scripts_can_be_executed():
    for name in ("lab", ".ci/run"):
        assert os.access(ROOT / name, os.X_OK)
        assert git("ls-files", "--stage", name)[:6] in ("100755", "")


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.xz", "qrels.tsv", "topics.csv"])
def test_shipped_data_is_never_ignored(name):
    assert git("check-ignore", f"datasets/some/{name}") == ""
