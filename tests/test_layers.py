"""The import direction: a module imports rows below it and its own room, never upward or sideways.

A room is a module of the package or a folder of it. The rows are those of the design, cut finer
where one of its rows needs another of the same row.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lcm_lab

PACKAGE = Path(lcm_lab.__file__).parent

ROWS = [  # from the top
    ["agent", "testing"],
    ["reporting"],
    ["llm", "scale"],
    ["evaluation"],
    ["store"],
    ["transcripts"],
    ["compaction", "synth"],
    ["ranking"],
    ["collection"],
    ["run", "dag"],
    ["topics"],
    ["corpus", "messages"],
    ["columns", "listing"],
    ["query", "measures", "identifiers", "markup"],
    ["text", "times", "ids", "redact"],
    ["lexicon"],
    ["words", "instants"],
    ["values", "rows", "ordering", "private", "shown", "utf8", "whole"],
    ["errors"],
]
HEIGHT = {room: -row for row, rooms in enumerate(ROWS) for room in rooms}
HEAVY = ["sklearn", "matplotlib", "faiss", "mcp", "dask", "jinja2", "typer", "pandas", "pyarrow"]

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.name not in ("__init__.py", "__main__.py")
}


def room(module):
    return module.split(".")[1]


def imported(source, module, *, is_folder=False):
    """Yield (line, module of lcm_lab) for every import of the source, wherever it stands."""
    here = module.split(".") + (["__init__"] if is_folder else [])
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(here[: -node.level]) if node.level else ""
            base = ".".join(filter(None, [start, node.module]))
            names = (
                [f"{base}.{alias.name}" for alias in node.names] if base == "lcm_lab" else [base]
            )
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "lcm_lab")


def home(name):
    """The module an import reaches: a public name of the package stands for where it lives."""
    public = name.removeprefix("lcm_lab.")
    return f"lcm_lab.{lcm_lab._HOME[public]}" if public in lcm_lab._HOME else name


def faults(source, module, *, is_folder=False):
    mine = room(module)
    for line, name in imported(source, module, is_folder=is_folder):
        if name == "lcm_lab.__version__":  # loads nothing
            continue
        if name == "lcm_lab":  # everything public, which only the outermost row may hold
            allowed = HEIGHT[mine] == max(HEIGHT.values())
        else:
            theirs = room(home(name))
            allowed = theirs == mine or HEIGHT.get(theirs, 1) < HEIGHT[mine]
        if not allowed:
            yield f"{module}, line {line}: {mine} must not import {name}"


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_only_its_own_room_and_rows_below(module):
    path = MODULES[module]
    assert room(module) in HEIGHT, f"{module} stands in no row: give it one in ROWS"
    source = path.read_text(encoding="utf-8")
    assert list(faults(source, module, is_folder=path.name == "__init__.py")) == []


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import lcm_lab.ranking.base", "lcm_lab.corpus"),
        ("from lcm_lab.agent import cli", "lcm_lab.reporting.report"),
        ("def f():\n    from lcm_lab.evaluation.harness import evaluate", "lcm_lab.store.audit"),
        ("if TYPE_CHECKING:\n    from lcm_lab import synth", "lcm_lab.ranking.base"),
        ("from lcm_lab import BM25", "lcm_lab.collection.base"),
        ("from ..run import Run", "lcm_lab.measures.base"),
        ("from lcm_lab.dag import Dag", "lcm_lab.run"),
        ("import lcm_lab as lcm", "lcm_lab.evaluation.harness"),
        ("from lcm_lab.nowhere import thing", "lcm_lab.agent.cli"),
    ],
)
def test_an_upward_or_sideways_import_is_found_and_named(source, module):
    (fault,) = faults(source, module)
    line = source.count("\n") + 1
    assert fault.startswith(f"{module}, line {line}: {room(module)} must not import lcm_lab")


def test_imports_of_lower_rows_and_of_ones_own_room_are_allowed():
    source = "from lcm_lab import BM25, errors\nfrom .base import Ranker\nimport numpy"
    assert list(faults(source, "lcm_lab.ranking.steps.fuse")) == []


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, lcm_lab; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "lcm_lab" in loaded
    assert [name for name in HEAVY if name in loaded] == []
