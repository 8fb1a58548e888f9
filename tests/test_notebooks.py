"""The notebooks run top to bottom and print what they show. ``./lab notebooks`` runs them all.

``./lab notebooks --rewrite`` writes them as they run now, in place of comparing. What is compared
is text: what a cell prints, and its value as text, numbers to three decimals; and whether there is
a figure. What a page or a figure looks like is not, nor is a cell tagged ``varies``.
"""

import asyncio
import getpass
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lcm_lab.reporting.svg import Chart, Drawing

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))
NAMES = [path.stem for path in BOOKS]
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
SECONDS, BYTES, CELLS = 300, 300_000, 15
NUMBER = re.compile(r"(?<![\w.])-?(?:\d[\d,]*)?\.?\d+(?:e[+-]?\d+)?(?!\w)")
#: What a notebook of this project has no use for: a shell, a magic, an install, a path of its own.
FOREIGN = re.compile(r"^\s*[!%]|sys\.path|\bpip\b|get_ipython|os\.system|subprocess", re.MULTILINE)


class Failed(Exception):
    """A notebook that did not run to its end."""


def execute(book, folder, seconds=SECONDS):
    """Run a notebook in a folder; how far it came stays in ``book``, whatever happens."""
    begun = []
    client = NotebookClient(
        book,
        timeout=seconds,
        startup_timeout=120,
        resources={"metadata": {"path": str(folder)}},
        on_cell_execute=lambda cell, cell_index: begun.append(cell_index),
    )
    try:
        asyncio.run(client.async_execute(env=environment()))
    except CellExecutionError as error:
        raise Failed(f"{where(book, begun)} raised {error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise Failed(f"{where(book, begun)} was not done after {seconds} s") from error
    except DeadKernelError as error:
        raise Failed(f"the kernel died in {where(book, begun)}") from error
    except NoSuchKernel as error:
        raise Failed(f"there is no kernel {error.name!r}; ./lab installs python3") from error


def environment():
    """The environment without what would keep a figure from being drawn in a notebook."""
    return {name: held for name, held in os.environ.items() if name != "MPLBACKEND"}


def where(book, begun):
    """The cell that ran last, by its place among the cells of code."""
    code = [n for n, cell in enumerate(book.cells) if cell.cell_type == "code"]
    last = begun[-1] if begun else code[0]
    line = book.cells[last].source.strip().splitlines()[0][:60]
    return f"cell {code.index(last) + 1} of {len(code)} ({line!r})"


def cleaned(book):
    """A notebook as it is kept: no times, no machine, cells named by their place."""
    for n, cell in enumerate(book.cells):
        cell.id = f"cell-{n:02d}"
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    book.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    return book


def joined(outputs):
    """Outputs without what went to stderr, printed text in one piece, no two runs cut alike."""
    kept = []
    for output in outputs:
        if output.output_type == "stream" and output.name == "stderr":
            continue
        if kept and output.output_type == "stream" == kept[-1].output_type:
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def shown(cell):
    """What a cell prints, and its value, as text; of a figure, that there is one."""
    parts = []
    for output in joined(cell.outputs):
        if output.output_type == "stream":
            parts.append(output.text)
        elif "image/png" in output.data or "image/svg+xml" in output.data:
            parts.append("(a figure)")
        else:
            parts.append(output.data.get("text/plain", ""))
    return "\n".join(parts)


def differs(kept, fresh):
    """Tell where two texts differ: words exactly, numbers at the third decimal; "" if nowhere."""
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (kept, fresh)]
    if words[0] != words[1]:
        return f"it shows\n{fresh}\nand is kept as\n{kept}"
    pairs = zip(NUMBER.findall(kept), NUMBER.findall(fresh), strict=True)
    far = [(a, b) for a, b in pairs if abs(value(a) - value(b)) > 0.00051]
    return f"{far[0][1]} was {far[0][0]}, in\n{fresh}" if far else ""


def value(number):
    return float(number.replace(",", ""))


def counts(book):
    return [cell.execution_count for cell in book.cells if cell.cell_type == "code"]


def made(*sources, kernel="python3"):
    cells = [new_code_cell(source) for source in sources]
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL | {"name": kernel}})


def unsound(book):
    """Say why a notebook is not to be kept; "" where it is clean."""
    if counts(book) != list(range(1, len(counts(book)) + 1)):
        return f"cells ran as {counts(book)}, not top to bottom"
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    if [output for output in outputs if output.output_type == "error"]:
        return "a cell failed"
    if [o for o in outputs if o.output_type == "stream" and o.name == "stderr"]:
        return "a cell wrote to stderr"
    before = nbformat.writes(book)
    return "" if before == nbformat.writes(cleaned(book)) else "it tells of the run it is from"


def test_there_are_eight_and_they_are_numbered():
    assert [name[:3] for name in NAMES] == [f"{n:02d}_" for n in range(1, 9)]


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_a_kept_notebook_ran_top_to_bottom_without_an_error(path):
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    assert unsound(book) == ""
    assert path.read_text(encoding="utf-8") == nbformat.writes(book) + "\n"


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_a_kept_notebook_is_short_and_begins_with_its_point_and_ends_with_what_it_shows(path):
    book = nbformat.read(path, 4)
    assert path.stat().st_size <= BYTES
    assert len(book.cells) < CELLS
    assert book.cells[0].source.startswith("# ")
    assert [cell for cell in book.cells if cell.cell_type == "code"][-1].outputs


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_a_kept_notebook_names_no_machine_and_no_user_and_calls_no_shell(path):
    text = path.read_text(encoding="utf-8")
    for name in (str(FOLDER.parent), str(Path.home()), socket.gethostname(), getpass.getuser()):
        assert len(name) < 5 or name not in text, name
    assert "widget" not in json.dumps(json.loads(text)["metadata"])
    for cell in nbformat.read(path, 4).cells:
        assert cell.cell_type != "code" or not FOREIGN.search(cell.source), cell.source


#: Two of them in every run of the tests, the others in the slow ones.
RUNS = [pytest.param(path, marks=[pytest.mark.slow] * (n > 0)) for n, path in enumerate(BOOKS)]


@pytest.mark.parametrize("path", RUNS, ids=NAMES)
def test_a_notebook_prints_what_it_shows(path, tmp_path, request):
    folder = tmp_path / "client-secret-project"
    folder.mkdir()
    kept, book = nbformat.read(path, 4), nbformat.read(path, 4)
    try:
        execute(book, folder)
    finally:
        nbformat.write(book, tmp_path / path.name)
    book = cleaned(book)
    assert "client-secret-project" not in nbformat.writes(book)
    if request.config.getoption("--rewrite"):
        path.write_text(nbformat.writes(book) + "\n", encoding="utf-8", newline="\n")
        return
    for old, new in zip(kept.cells, book.cells, strict=True):
        if old.cell_type == "code" and "varies" not in old.metadata.get("tags", []):
            wrong = differs(shown(old), shown(new))
            assert not wrong, f"{path.name}, cell {new.execution_count}: {wrong}"


def test_a_cell_that_fails_is_named_and_what_ran_before_it_is_kept(tmp_path):
    """NB-01: the tests end with an error that names the cell."""
    book = made("print(1)", "1 / 0", "print(3)")
    with pytest.raises(Failed, match=r"cell 2 of 3 \('1 / 0'\) raised ZeroDivisionError"):
        execute(book, tmp_path)
    assert counts(book) == [1, 2, None]
    assert shown(book.cells[0]) == "1\n"


def test_a_shell_escape_that_fails_would_fail_nothing_so_none_is_kept():
    """NB-01: a cell with one is refused, and shown, before anything runs."""
    assert FOREIGN.search("import os\n!false")
    assert FOREIGN.search("%pip install x")
    assert not FOREIGN.search("a = b % 10\nc = 5 != 6")


@pytest.mark.slow
def test_no_kernel_a_dead_kernel_and_a_cell_without_end_are_three_messages(tmp_path):
    """NB-05: each within a bound, and what ran before stays in the notebook."""
    with pytest.raises(Failed, match="no kernel 'nowhere'"):
        execute(made("1", kernel="nowhere"), tmp_path)
    with pytest.raises(Failed, match=r"the kernel died in cell 2 of 2"):
        execute(
            made("print(1)", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), tmp_path
        )
    book = made("print(1)", "import threading\nthreading.Event().wait()")
    with pytest.raises(Failed, match=r"cell 2 of 2 .* was not done after 2 s"):
        execute(book, tmp_path, seconds=2)
    assert shown(book.cells[0]) == "1\n"


def test_a_changed_number_and_a_changed_word_are_seen_and_the_fourth_decimal_is_not():
    assert differs("R@10  0.654 of 637", "R@10 0.6542 of 637") == ""
    assert "0.656" in differs("R@10  0.654", "R@10  0.656")
    assert "638" in differs("n 1,637", "n 1,638")
    assert differs("bm25 0.5", "tfidf 0.5")


def ran(*numbers):
    """A notebook, as it is kept, of which the cells ran in this order."""
    book = cleaned(made(*map(str, numbers)))
    for cell, number in zip(book.cells, numbers, strict=True):
        cell.execution_count = number
        cell.outputs = [new_output("execute_result", {"text/plain": "1"}, execution_count=number)]
    return book


def test_a_notebook_that_ran_out_of_order_without_counts_or_to_a_failure_is_not_kept():
    """NB-03."""
    assert unsound(ran(1, 2, 3)) == ""
    assert unsound(ran(1, 4, 3)) == "cells ran as [1, 4, 3], not top to bottom"
    assert unsound(ran(None, None)).startswith("cells ran as [None, None]")
    marked = ran(1, 2)
    marked.metadata["papermill"] = {"exception": True}
    assert unsound(marked) == "it tells of the run it is from"
    failed = ran(1, 2)
    failed.cells[1].outputs = [new_output("error", ename="ValueError", evalue="no", traceback=[])]
    assert unsound(failed) == "a cell failed"


def test_a_word_that_no_notebook_takes_is_refused_and_none_runs(root):
    """NB-02: notebooks here have no parameters; what looks like one is an error that names it."""
    words = ["-m", "pytest", "-p", "no:cacheprovider", "tests/test_notebooks.py", "alpha=0.1"]
    done = subprocess.run(
        [sys.executable, *words], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "file or directory not found: alpha=0.1" in done.stderr


def test_times_and_ids_of_a_run_are_not_kept():
    book = made("1")
    book.cells[0].metadata = {"execution": {"iopub.status.busy": "now"}, "tags": ["varies"]}
    book.cells.append(new_markdown_cell("# x"))
    assert cleaned(book).cells[0].metadata == {"tags": ["varies"]}
    assert [cell.id for cell in book.cells] == ["cell-00", "cell-01"]


def test_a_chart_stands_on_white_in_a_notebook_and_prints_as_what_it_shows():
    drawing = Drawing('<svg xmlns="http://www.w3.org/2000/svg">\n<g/>\n</svg>\n', bytes)
    chart = Chart("x", "Recall", "By depth.", "A line from 0 to 1.", drawing)
    assert repr(chart) == "Recall. A line from 0 to 1."
    head, white, tail = chart._repr_svg_().partition('<rect width="100%"')
    assert white and "<desc>" in head and "<g/>" in tail
