"""What every test shares: where real data lies, and settings that make runs repeatable."""

import json
import lzma
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Figures are drawn without a screen, and Hypothesis draws the same examples everywhere; a deadline
# would be an assertion about the clock of the machine.
os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fewer", settings.get_profile("repeatable"), max_examples=40)


def pytest_configure(config):
    """Try as many examples as Hypothesis does by itself where the slow tests run too."""
    quick = "not slow" in (config.option.markexpr or "")
    settings.load_profile("fewer" if quick else "repeatable")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what snippets print into the documents that show it, in place of comparing",
    )


@pytest.fixture(scope="session")
def root():
    """The folder of this checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared():
    """The folder of real transcripts and benchmark files that may lie beside this checkout."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside this checkout: real data is not tested")
    return folder


@pytest.fixture(scope="session")
def recorded(shared):
    """The folder of what the systems under study answered themselves."""
    folder = shared.parent / "conformance"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance beside this checkout: nothing recorded is compared")
    return folder


@pytest.fixture(scope="session")
def unpack():
    """A function that reads a packed JSON file."""
    return lambda path: json.loads(lzma.decompress(path.read_bytes()))


@pytest.fixture(scope="session")
def functions(recorded):
    """What functions of lossless-claw gave, by name."""
    return json.loads((recorded / "lcm_functions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def chromium():
    """The Chromium of the machine, driven by Playwright; skips where either is absent."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright here: nothing is opened in a browser"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
    if path is None:
        pytest.skip("no Chromium here: nothing is opened in a browser")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()
