"""What systems in use answered, recorded beside this checkout."""

import json
import lzma

import pytest


@pytest.fixture(scope="session")
def recorded(shared):
    """Give the folder of outputs that the systems themselves gave."""
    folder = shared.parent / "conformance"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance beside this checkout: nothing recorded is compared")
    return folder


@pytest.fixture(scope="session")
def unpack():
    """Give a function that reads a packed JSON file."""
    return lambda path: json.loads(lzma.decompress(path.read_bytes()))
