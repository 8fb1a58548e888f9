"""What every test shares: where real data lies, and settings that make runs repeatable."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Figures are drawn without a screen, and Hypothesis draws the same examples everywhere; a deadline
# would be an assertion about the clock of the machine.
os.environ.setdefault("MPLBACKEND", "Agg")
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")


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
