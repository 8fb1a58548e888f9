"""Notebook 01 in JupyterLab as a person opens it: it runs, and what it shows can be read.

Playwright drives the Chromium of the machine; where either is absent these tests are skipped and
say so. What they saw is kept in the folder of the test.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.slow
BOOK = Path(__file__).resolve().parent.parent / "notebooks" / "01_quickstart.ipynb"
MS = 240_000
#: What would fetch news, ask about it, or leave cells out of the page that are not in view.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
#: Whether what stands in an output differs from what is behind it, as light and dark do.
CONTRAST = """output => {
  const light = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return a === 0 ? null : (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  };
  let behind = output;
  while (behind && light(getComputedStyle(behind).backgroundColor) === null)
    behind = behind.parentElement;
  return Math.abs(
    light(getComputedStyle(output).color) - light(getComputedStyle(behind).backgroundColor)
  );
}"""


def settings(folder, theme):
    """Write the settings of somebody who chose this theme."""
    chosen = {**SETTINGS, "apputils-extension/themes": {"theme": theme}}
    for name, held in chosen.items():
        path = folder / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(held), encoding="utf-8")


def without_outputs(target):
    """Copy the notebook as if it had never run."""
    book = nbformat.read(BOOK, 4)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(book, target)


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@pytest.fixture(params=["JupyterLab Light", "JupyterLab Dark"])
def lab(request, tmp_path):
    """Start JupyterLab on a folder with the notebook, at home nowhere; give its address."""
    root = tmp_path / "books"
    root.mkdir()
    without_outputs(root / BOOK.name)
    settings(tmp_path / "settings", request.param)
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    env = {name: held for name, held in os.environ.items() if name != "MPLBACKEND"}
    env |= {name: str(tmp_path / name) for name in homes}
    env |= {"JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings")}
    env |= {"JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces")}
    port = free_port()
    given = [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", *given]
    with subprocess.Popen(command, cwd=root, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = []
            for line in server.stderr:
                said.append(line)
                if f"http://127.0.0.1:{port}" in line:
                    break
            assert server.poll() is None, "".join(said)
            reader = threading.Thread(target=server.stderr.read, daemon=True)
            reader.start()
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
        reader.join(30)


def test_notebook_01_runs_in_jupyterlab_and_its_tables_can_be_read(lab, chromium, tmp_path):
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.set_default_timeout(MS)
    page.goto(f"{lab}/lab/tree/{BOOK.name}")
    page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    outputs = page.locator(".jp-CodeCell .jp-OutputArea-output")
    page.locator(".jp-CodeCell .lcm mark").first.wait_for()
    page.locator(".jp-CodeCell >> text=surfaced").last.wait_for()
    page.locator(".jp-InputPrompt >> text=[5]:").wait_for()
    for n, name in enumerate(("hits", "leaderboard")):
        (outputs.nth(1 + 2 * n)).scroll_into_view_if_needed()
        page.screenshot(path=tmp_path / f"{name}.png")
    assert page.locator(".jp-CodeCell .lcm mark").first.inner_text().lower() == "zine"
    assert "0 hits for" in outputs.nth(2).inner_text()
    assert "recommended" in outputs.nth(3).locator("table").inner_text()
    assert not page.locator(".jp-RenderedText[data-mime-type*='stderr']").count()
    assert min(outputs.nth(n).evaluate(CONTRAST) for n in range(5)) > 0.5
    page.close()
