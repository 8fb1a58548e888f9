"""A store under load for a minute, and a server that is asked a hundred things at once."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.store.store import Store
from tests.store.made import history

pytestmark = pytest.mark.harden

SECONDS = 60
CALLS = 100

#: Each role is a process that works until its time is up, and tells how long each turn took.
ROLE = """
import json, sys, time
import lcm_lab as lcm
from lcm_lab.store.store import Store
from tests.store.made import said

path, role, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
store = Store(path, readonly=role in ("reader", "searcher"))
tools = lcm.LcmTools(store) if role == "searcher" else None
most = 0
ASK = (
    "select count(*) n from docs_porter_unicode61 where docs_porter_unicode61 match 'message'",
    "select max(seq) + 1 n from messages group by conversation",
)


def reader(turn):
    global most
    with store.reading() as run:
        (rows,) = run("select count(*) from messages").fetchone()
        found, seqs = (run(f"select coalesce(sum(n), 0) from ({one})").fetchone()[0] for one in ASK)
    assert rows == found == seqs >= most, (rows, found, seqs, most)
    most = rows


def searcher(turn):
    global most
    with store.reading() as run:
        (rows,) = run("select count(*) from messages where id glob 'w*'").fetchone()
    asked = f"number{rows - 1}" if rows else "message"
    said = tools.lcm_grep(asked, mode="full_text", allConversations=True)
    assert asked in str(said), (rows, str(said)[:500])
    assert rows >= most
    most = rows


def writer(turn):
    time = 2_000_000_000_000_000 + turn
    store.append(said(f"message number{turn} was said", f"w{turn}", time, "w"))


def compactor(turn):
    dag = store.dag("s1")
    fresh = (20, 30, 40)[turn % 3]
    strategy = lcm.Leaves(60, fresh=fresh) >> lcm.Condense(3)
    store.put(lcm.compact(dag, strategy, summarise=lcm.Lead(), budget=150 + 10 * (turn % 5)))
    assert not len(store.dag("s1").check().query("violations > 0"))


print("ready", flush=True)
sys.stdin.readline()
times, until = [], time.perf_counter() + seconds
while time.perf_counter() < until or not times:
    started = time.perf_counter()
    globals()[role](len(times))
    times.append(1000 * (time.perf_counter() - started))
print(json.dumps(times))
"""


def figures(times):
    """Give p50 and p95 in milliseconds."""
    return f"{np.percentile(times, 50):.1f} / {np.percentile(times, 95):.1f}"


def test_readers_a_writer_a_searcher_and_a_compactor_do_not_disturb_each_other(
    tmp_path, root, record_property
):
    path = tmp_path / "m.db"
    with Store(path) as store:
        store.add(lcm.Transcripts(tuple(history(200))))
    roles = [*["reader"] * 8, "writer", "searcher", "compactor"]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", ROLE, str(path), role, str(SECONDS)],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for role in roles
    ]
    for one in children:
        assert one.stdout.readline() == "ready\n", one.stderr.read()
    for one in children:
        one.stdin.write("go\n")
        one.stdin.flush()
    times = {role: [] for role in roles}
    for role, one in zip(roles, children, strict=True):
        out, err = one.communicate(timeout=20 * SECONDS)
        assert one.returncode == 0, (role, err)
        times[role] += json.loads(out)
    with Store(path, readonly=True) as store:
        written = [one.id for one in store.messages("w")]
        assert written == [f"w{i}" for i in range(len(times["writer"]))]
        assert len(store.messages("s1")) == 200
        assert list(store.faults()) == []
    for role, took in times.items():
        record_property(f"{role} turns", len(took))
        record_property(f"{role} ms p50 / p95", figures(took))


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """A store in which every number was said once."""
    path = tmp_path_factory.mktemp("load") / "m.db"
    texts = [f"the code of item{i} is value{i * 7}" for i in range(CALLS)]
    with Store(path) as store:
        store.add(lcm.Corpus(texts))
    return path


async def ask_all(client, record_property):
    """Ask a hundred things at once; every answer is of its own question."""

    async def one(number):
        started = time.perf_counter()
        asked = {"pattern": f"item{number}", "mode": "full_text", "allConversations": True}
        found = await client.call_tool("lcm_grep", asked)
        return number, found, 1000 * (time.perf_counter() - started)

    answers = await asyncio.gather(*map(one, range(CALLS)))
    for number, found, _ in answers:
        text = found.content[0].text
        assert not found.is_error, text
        assert set(re.findall(r"value\d+", text)) == {f"value{number * 7}"}
    record_property("calls", len(answers))
    record_property("ms p50 / p95", figures([took for *_, took in answers]))


def test_a_hundred_calls_at_once_over_stdio_are_answered_each_by_its_own(memory, record_property):
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")
    from mcp.client.stdio import StdioServerParameters

    async def asking():
        words = ["-m", "lcm_lab", "serve", "--store", str(memory)]
        server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with mcp.Client(server, read_timeout_seconds=300) as client:
            await ask_all(client, record_property)

    asyncio.run(asking())


def test_a_hundred_calls_at_once_over_http_are_answered_each_by_its_own(
    memory, record_property, monkeypatch
):
    mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    words = ["-m", "lcm_lab", "serve", "--store", str(memory), "--http", "--port", "0"]
    with subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True) as process:
        try:
            address = process.stderr.readline().split(" at ")[1].split(";")[0]

            async def asking():
                async with mcp.Client(address, read_timeout_seconds=300) as client:
                    await ask_all(client, record_property)

            asyncio.run(asking())
        finally:
            process.send_signal(signal.SIGINT)
            told = process.stderr.read()
            process.wait(60)
    assert "Traceback" not in told
