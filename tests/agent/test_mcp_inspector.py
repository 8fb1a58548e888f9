"""A client that others wrote, against the server: the MCP inspector in its command-line mode."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from lcm_lab.messages import Message, Part
from lcm_lab.store.store import Store

pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
#: How the inspector ends when an answer says that it is an error.
IS_ERROR = 5


@pytest.fixture(scope="module")
def inspect(tmp_path_factory):
    """Run the inspector against a server, or skip where there is no node or no registry."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("no npx: the MCP inspector is not run")
    path = tmp_path_factory.mktemp("inspector") / "memory.db"
    with Store(path) as store:
        store.append(Message("m1", "s1", "user", (Part("text", "Postgres it is."),)))

    def run(*words):
        command = [npx, "-y", INSPECTOR, "--cli", sys.executable, "-m", "lcm_lab", "serve"]
        command += ["--store", str(path), *map(str, words)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=240,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ),
        )

    try:
        probe = subprocess.run(
            [npx, "-y", INSPECTOR, "--help"], capture_output=True, timeout=240, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the npm registry did not answer: the MCP inspector is not run")
    if probe.returncode:
        pytest.skip("the MCP inspector cannot be had from npm: it is not run")
    return run


@pytest.mark.slow
def test_the_inspector_lists_the_tools_and_finds_no_fault_in_their_schemas(inspect):
    done = inspect("--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stderr
    names = [one["name"] for one in json.loads(done.stdout)["tools"]]
    assert {"lcm_grep", "lcm_describe", "sessions_search", "search", "read"} <= set(names)


@pytest.mark.slow
def test_the_inspector_calls_a_tool(inspect):
    asked = ("--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=postgres")
    done = inspect(*asked, "--tool-arg", "limit=9")
    assert done.returncode == 0, done.stderr
    assert "Postgres it is." in done.stdout


@pytest.mark.slow
def test_the_inspector_sees_that_an_answer_is_an_error(inspect):
    asked = ("--method", "tools/call", "--tool-name", "search")
    done = inspect(*asked, "--tool-args-json", '{"query": "postgres", "limit": 99}')
    assert done.returncode == IS_ERROR
    assert "limit must be a whole number from 1 to 50" in done.stdout + done.stderr
