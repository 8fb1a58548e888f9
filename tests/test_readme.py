"""README prints what it shows. ``./lab test tests/test_readme.py --rewrite`` writes what it prints.

A ``python`` block runs as a cell of a notebook would, and the ``text`` block after it, if there is
one, shows what it prints; of a figure, the picture after it is that figure, and tells it in words.
In a ``console`` block a command of lcm-lab that shows any output is run.
"""

import ast
import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from lcm_lab.reporting.svg import Chart

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[.*\]\(([\w./-]+\.svg)\)")
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
LAB = ("test", "notebooks", "jupyter", "harden")


def printed(source, namespace):
    """What a cell prints, then its last expression; a figure itself."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "README.md", "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "README.md", "eval"), namespace)
            if isinstance(value, Chart):
                return value
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


def pictured(between, chart, pictures):
    """What stands between two blocks, its picture told in words; ``pictures`` gets the drawing."""
    found = PICTURE.search(between)
    pictures[found[1]] = chart._repr_svg_()
    return PICTURE.sub(f"![{chart.alt}]({found[1]})", between, count=1)


def now(readme):
    """README with every output as it is now, and its pictures by their paths."""
    namespace, shows, made, end, pictures = {}, None, [], 0, {}
    for block in BLOCK.finditer(readme):
        kind, text = block.groups()
        between = readme[end : block.start()]
        if isinstance(shows, Chart):
            between, shows = pictured(between, shows, pictures), None
        if kind == "python":
            shows = printed(text, namespace)
        elif kind == "text" and shows is not None:
            text, shows = tidy(shows), None
        elif kind == "console":
            text = console(text)
        made += [between, f"```{kind}\n{text}```"]
        end = block.end()
    return "".join([*made, readme[end:]]), pictures


def test_readme_shows_what_its_snippets_print(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # snippets may write files
    with pd.option_context("display.width", 100, "display.max_columns", 20):
        fresh, pictures = now(README)
    if request.config.getoption("--rewrite"):
        (ROOT / "README.md").write_text(fresh, encoding="utf-8")
        for path, drawing in pictures.items():
            (ROOT / path).parent.mkdir(exist_ok=True)
            (ROOT / path).write_text(drawing, encoding="utf-8")
        return
    assert fresh == README
    kept = {path: (ROOT / path).read_text(encoding="utf-8") for path in pictures}
    assert {path: told(svg) for path, svg in kept.items()} == {
        path: told(svg) for path, svg in pictures.items()
    }


def told(svg):
    """What a drawing says and every label in it; where a line runs differs by the machine."""
    words = ElementTree.fromstring(svg).iter()
    return [node.text for node in words if node.tag.endswith(("}title", "}desc", "}text"))]


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
