"""The shipped collection, opened once, and what generates it."""

import json

import pytest

from lcm_lab.collection import Collection
from lcm_lab.synth.generate import build


@pytest.fixture(scope="session")
def folder(root):
    return root / "datasets" / "synth-chat-s"


@pytest.fixture(scope="session")
def shipped(folder):
    return Collection.open(folder)


@pytest.fixture(scope="session")
def world(folder):
    return json.loads((folder / "world.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def built():
    return build("chat", size="S", seed=0)
