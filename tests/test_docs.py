"""Documentation that is true: every public name has an example that runs, every command help."""

import ast
import doctest
import importlib
import inspect
import io
import pkgutil
import re
from pathlib import Path

import pandas as pd
import pytest

import lcm_lab as lcm

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL

MODULES = ["lcm_lab"] + [
    info.name
    for info in pkgutil.walk_packages(lcm.__path__, "lcm_lab.")
    if info.name != "lcm_lab.__main__"
]
NAMESPACES = [name for name in lcm.__all__ if inspect.ismodule(getattr(lcm, name))]
PUBLIC = [name for name in lcm.__all__ if name not in NAMESPACES] + [
    f"{space}.{name}" for space in NAMESPACES for name in getattr(lcm, space).__all__
]


def named(path):
    found = lcm
    for part in path.split("."):
        found = getattr(found, part)
    return found


@pytest.fixture
def _quiet(tmp_path, monkeypatch):
    """Examples may write files, and tables print the same in every window."""
    monkeypatch.chdir(tmp_path)
    with pd.option_context("display.width", 100, "display.max_columns", 20):
        yield


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module_run(module):
    module = importlib.import_module(module)
    public = {name: named(name) for name in lcm.__all__}
    report = io.StringIO()
    for test in doctest.DocTestFinder().find(module, extraglobs={"lcm": lcm, **public}):
        # What a module defines stands before the public surface, as it does for its author.
        test.globs = {"lcm": lcm, **public, **test.globs}
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write, clear_globs=False)
    assert report.getvalue() == ""


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_documented(name):
    written = inspect.getdoc(named(name))
    assert written, f"{name} has no docstring"
    first, *rest = written.splitlines()
    assert first.endswith("."), f"{name} does not begin with a sentence of one line: {first!r}"
    assert not rest or not rest[0], f"{name} has no blank line after its first sentence"


@pytest.mark.parametrize("name", [name for name in lcm.__all__ if name not in NAMESPACES])
def test_public_name_has_an_example(name):
    assert doctest.DocTestParser().get_examples(inspect.getdoc(named(name)))


def test_the_homes_of_public_names_are_what_type_checkers_are_told():
    stub = ast.parse(Path(lcm.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    told = {
        alias.asname: alias.name if line.module == "lcm_lab" else line.module[len("lcm_lab.") :]
        for line in stub.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    assert told == lcm._HOME


def test_the_tour_names_everything_public():
    assert [n for n in lcm.__all__ if not re.search(rf"\b{n}\b", lcm.__doc__)] == []


def verbs():
    import typer

    from lcm_lab.agent.cli import app

    return typer.main.get_command(app).commands


def test_every_command_and_every_option_has_help():
    silent = [name for name, command in verbs().items() if not command.help]
    silent += [
        f"{name} {param.name}"
        for name, command in verbs().items()
        for param in command.params
        if not param.help and param.name != "help"
    ]
    assert silent == []
