"""Fuzzing: every law of the modules ``fuzz_*.py``, each in a process of its own."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.harden.fuzzing import bounded

pytestmark = pytest.mark.harden

#: A law as it is written: its module is only imported where it is tried.
LAW = re.compile(r"^@law\(.*?^def (\w+)", re.MULTILINE | re.DOTALL)
MODULES = sorted(Path(__file__).parent.glob("fuzz_*.py"))
EVERY = [(path.stem, name) for path in MODULES for name in LAW.findall(path.read_text("utf-8"))]


@pytest.fixture(scope="module")
def running(request):
    """Start the laws that were asked for, as many at once as there are cores."""
    asked = [
        item.callspec.params["law"]
        for item in request.session.items
        if getattr(item, "callspec", None) and "law" in item.callspec.params
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {one: pool.submit(bounded, *one) for one in asked}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("law", EVERY, ids=".".join)
def test_a_law_holds_whatever_comes(law, running, record_property):
    for name, figure in running[law].result().items():
        record_property(name, figure)
