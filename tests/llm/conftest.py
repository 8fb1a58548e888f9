"""A server for each test that stands for a model's endpoint."""

import pytest

from lcm_lab.llm import ledger
from tests.llm.stand import Stand


@pytest.fixture
def stand():
    """A server of its own for a test, and a ledger in which nothing was spent."""
    ledger.clear()
    server = Stand()
    yield server
    server.close()
    ledger.clear()
