"""README prints what it shows. ``./lab test tests/test_readme.py --rewrite`` writes what it prints.

A ``python`` block runs as a cell of a notebook would, and the ``text`` block after it, if there is
one, shows what it prints. In a ``console`` block a command of lcm-lab that shows any output is run.
"""

import ast
import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
LAB = ("test", "notebooks", "jupyter", "harden")


def printed(source, namespace):
    """What a cell prints, then its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "README.md", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "README.md", "eval"), namespace)
            if value is not None:
                shown.write(f"{value}\n")
    return shown.getvalue()


def asked(line):
    """The words after ./lab or lcm-lab; none for a command of somebody else."""
    words = shlex.split(line, comments=True)
    return words[1:] if words[0] in ("./lab", "lcm-lab") else []


def ran(words):
    done = subprocess.run(
        [sys.executable, "-m", "lcm_lab", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tidy(text):
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def console(text):
    """A console block with what its commands print now, and a blank line after each output."""
    made = ""
    for line, output in COMMAND.findall(text):
        fresh = tidy(ran(asked(line)) if output.strip() and asked(line) else output)
        made += f"$ {line}\n{fresh}" + ("\n" if fresh else "")
    return made.rstrip("\n") + "\n"


def now(readme):
    """README with every output as it is now."""
    namespace, shows, made, end = {}, None, [], 0
    for block in BLOCK.finditer(readme):
        kind, text = block.groups()
        if kind == "python":
            shows = printed(text, namespace)
        elif kind == "text" and shows is not None:
            text, shows = tidy(shows), None
        elif kind == "console":
            text = console(text)
        made += [readme[end : block.start()], f"```{kind}\n{text}```"]
        end = block.end()
    return "".join([*made, readme[end:]])


def test_readme_shows_what_its_snippets_print(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # snippets may write files
    with pd.option_context("display.width", 100, "display.max_columns", 20):
        fresh = now(README)
    if request.config.getoption("--rewrite"):
        (ROOT / "README.md").write_text(fresh, encoding="utf-8")
    else:
        assert fresh == README


def verbs():
    import typer

    from lcm_lab.agent.cli import app

    return typer.main.get_command(app).commands


def shown():
    blocks = [text for kind, text in BLOCK.findall(README) if kind == "console"]
    return [line for text in blocks for line, _ in COMMAND.findall(text)]


@pytest.mark.parametrize("line", [line for line in shown() if asked(line)])
def test_readme_command_exists_and_has_the_options_it_shows(line):
    verb, *words = asked(line)
    if line.startswith("./lab") and verb in LAB:
        assert f"./lab {verb}" in (ROOT / "lab").read_text(encoding="utf-8")
        return
    command = verbs()[verb]
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    options = {option for param in command.params for option in param.opts}
    assert [w for w in words if w.startswith("--") and w.split("=")[0] not in options] == []


def test_readme_shows_every_command():
    assert set(verbs()) - {words[0] for line in shown() if (words := asked(line))} == set()
