"""The shipped collection, opened once, and what generates it."""

from functools import cache
from itertools import islice

import pytest

from lcm_lab.collection import Collection
from lcm_lab.synth.assemble import assemble
from lcm_lab.synth.folder import read_world
from lcm_lab.synth.generate import about, build, conversations, ready


@pytest.fixture(scope="session")
def folder(root):
    return root / "datasets" / "synth-chat-s"


@pytest.fixture(scope="session")
def shipped(folder):
    return Collection.open(folder)


@pytest.fixture(scope="session")
def world(folder):
    return read_world(folder)


@pytest.fixture(scope="session")
def built():
    return build("chat")


@pytest.fixture(scope="session")
def few():
    """The first two conversations of other chats, each made once: ``few(seed=1, tier=23)``."""

    @cache
    def made(count=2, **given):
        maker, setting = ready("chat", given)
        parts = list(islice(conversations(maker, setting), count))
        return assemble(setting.name, parts, about(maker), setting.parameters)

    return made
