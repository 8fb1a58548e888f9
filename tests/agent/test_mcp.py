"""The tools over MCP, asked by the client of the SDK."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

import pytest

from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.agent.mcp.families import FAMILIES, families
from lcm_lab.agent.mcp.server import _called, registered, serve, server
from lcm_lab.agent.schema import Between, tool, tools_of
from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadParameter, MissingExtra
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store.store import Store
from lcm_lab.times import instant

pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")

KEY = "agent:main:main"
SAID = [
    ("user", "Which database shall we take for the orders?"),
    ("assistant", "Postgres, since the orders need transactions."),
    ("user", "And the retry backoff?"),
    ("assistant", "Five seconds, doubling up to a minute."),
]


def fill(path):
    store = Store(path)
    for at, (role, text) in enumerate(SAID):
        store.append(
            Message(
                f"m{at}",
                "s1",
                role,
                (Part("text", text),),
                time=instant(f"2026-03-01T10:0{at}:00Z"),
                source="s1.jsonl",
                line=at + 1,
            ),
            Session("s1", key=KEY, cwd="/srv/dev/orders"),
        )
    said = store.dag("s1").messages
    leaf = Summary.of("Database: Postgres.", said[:2])
    store.put(Dag("s1", said, (leaf,), (leaf.id, "m2", "m3")))
    return store


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "memory.db"
    with fill(path) as store:
        (summary, *_) = store.summaries("s1")
    return path, summary.id


def ask(command, calls, **more):
    """Start a server, list its tools, and call some, one after the other."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    async def asking():
        asked = StdioServerParameters(
            command=sys.executable, args=[str(one) for one in command], env=dict(os.environ)
        )
        async with Client(asked, read_timeout_seconds=60, **more) as client:
            listed = await client.list_tools()
            return listed.tools, [await client.call_tool(*call) for call in calls]

    return asyncio.run(asking())


#: Every tool, asked for something that is there and for something that cannot be.
ASKED = {
    "lcm_grep": ({"pattern": "Postgres", "allConversations": True}, {"pattern": "(", "limit": 0}),
    "lcm_describe": ({"id": "SUMMARY", "allConversations": True}, {"id": "sum_none"}),
    "lcm_expand_query": (
        {"query": "database", "prompt": "Which database?", "allConversations": True},
        {"query": "database"},
    ),
    "sessions_search": ({"query": "postgres"}, {"query": "postgres", "limit": 26}),
    "sessions_history": ({"sessionKey": KEY}, {"sessionKey": "agent:none:none"}),
    "search": ({"query": "retry backoff"}, {"query": ["one"]}),
    "read": ({"path": "s1.jsonl", "startLine": 3}, {"path": "/etc/passwd"}),
}


@pytest.fixture(scope="module")
def answered(memory):
    path, summary = memory
    calls = []
    for name, (good, bad) in ASKED.items():
        filled = {key: summary if held == "SUMMARY" else held for key, held in good.items()}
        calls += [(name, filled), (name, bad)]
    calls += [("search", {"query": "ab", "self": 1}), ("search", {"query": '["ab", "cd"]'})]
    calls += [("lcm_expand", {}), ("serach", {"query": "ab"})]
    tools, answers = ask(["-m", "lcm_lab", "serve", "--store", path], calls)
    keys = [(name, "good" if at % 2 == 0 else "bad") for at, (name, _) in enumerate(calls[:14])]
    return tools, dict(zip(keys, answers, strict=False)), answers[14:]


@pytest.mark.parametrize("name", ASKED)
def test_every_tool_answers_over_stdio(answered, name):
    found = answered[1][name, "good"]
    assert not found.is_error
    assert found.content[0].type == "text"
    text = found.content[0].text + json.dumps(found.structured_content)
    assert any(word in text for word in ("Postgres", "Five seconds"))


@pytest.mark.parametrize("name", ASKED)
def test_every_tool_says_over_stdio_what_is_wrong(answered, name):
    found = answered[1][name, "bad"]
    assert found.is_error
    assert (
        found.structured_content["error"] in found.content[0].text
        or (found.structured_content["error"])
    )
    assert "Traceback" not in found.content[0].text


def test_what_is_no_argument_and_no_tool_is_said_too(answered):
    self, literal, expand, unknown = answered[2]
    assert "no parameter 'self'" in self.content[0].text
    assert not literal.is_error  # a text that looks like a list is a text
    assert "No tool 'lcm_expand'" in expand.content[0].text
    assert "Did you mean 'search'?" in unknown.content[0].text
    assert [one.is_error for one in (self, expand, unknown)] == [True] * 3


def test_the_schemas_arrive_as_they_are(answered):
    with Store(":memory:") as store:
        ours = {
            one.name: one.schema
            for family in families(store, ",".join(FAMILIES))
            for one in tools_of(family)
        }
    ours.pop("lcm_expand", None)
    assert {one.name: one.input_schema for one in answered[0]} == ours


def test_every_tool_is_described_and_hints_that_it_only_looks(answered):
    for one in answered[0]:
        assert one.description
        assert one.annotations.read_only_hint
        assert not one.annotations.destructive_hint
        assert all(held["description"] for held in one.input_schema["properties"].values())


def test_structured_answers_are_those_of_python(answered, memory):
    with Store(memory[0], readonly=True) as store:
        found = EpisodicTools(store).search("retry backoff").to_dict()
    assert answered[1]["search", "good"].structured_content == found


@dataclass(frozen=True)
class Said:
    text: str

    def to_text(self):
        return self.text

    def to_dict(self):
        return {"said": self.text}


class Odd:
    """Tools that wait, fail, print, and answer with what cannot be sent."""

    def __init__(self):
        self.gone = threading.Event()

    @tool
    def wait(self) -> Said:
        """Wait until the other tool was called."""
        return Said("done" if self.gone.wait(30) else "never")

    @tool
    def go(self, times: Annotated[int, Between(1, 3)] = 1) -> Said:
        """Let the other go on."""
        self.gone.set()
        return Said("went " * times)

    @tool
    def fail(self) -> Said:
        """Fail as no tool should."""
        raise ZeroDivisionError("by zero")

    @tool
    def mangle(self) -> Said:
        """Answer with half a character."""
        return Said("a\ud83d b")


def inside(*families, era="auto"):
    from mcp import Client

    return Client(server(*families), mode=era, read_timeout_seconds=30)


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_slow_call_does_not_block_another(era):
    async def asking():
        async with inside(Odd(), era=era) as client:
            slow = asyncio.ensure_future(client.call_tool("wait"))
            quick = await client.call_tool("go", {"times": 2})
            return quick, await slow

    quick, slow = asyncio.run(asking())
    assert (quick.content[0].text, slow.content[0].text) == ("went went ", "done")


def test_a_fault_of_a_tool_is_an_answer_and_the_server_goes_on(caplog):
    async def asking():
        async with inside(Odd()) as client:
            return [await client.call_tool(name) for name in ("fail", "mangle", "go")]

    failed, mangled, went = asyncio.run(asking())
    assert failed.is_error
    assert failed.content[0].text == "fail failed: ZeroDivisionError: by zero"
    assert "ZeroDivisionError" in caplog.text
    assert mangled.content[0].text == "a\ufffd b"
    assert went.structured_content == {"said": "went "}


def test_what_cannot_be_served_is_refused():
    with pytest.raises(BadParameter, match="has no tools"):
        server(object())
    with pytest.raises(BadParameter, match="Two tools are called 'wait'"):
        server(Odd(), Odd())
    with pytest.raises(BadParameter, match="Nothing to serve"):
        serve()
    with pytest.raises(BadParameter, match="from 0"):
        serve(Odd(), http=70_000)


def test_without_the_sdk_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(MissingExtra, match=r"pip install 'lcm-lab\[mcp\]'"):
        serve(Odd())


@pytest.mark.parametrize(("names", "told"), [("lmc", "Did you mean 'lcm'"), (" , ", "Name the")])
def test_families_are_known_by_name(names, told):
    with Store(":memory:") as store, pytest.raises(BadParameter, match=told):
        families(store, names)


NOISY = """
import os
from lcm_lab.agent.mcp.server import serve
from lcm_lab.agent.schema import tool

class Said:
    def to_text(self): return "said"
    def to_dict(self): return {}

class Noisy:
    @tool
    def shout(self) -> Said:
        '''Print where only the protocol may.'''
        print("printed")
        os.write(1, b"written\\n")
        return Said()

serve(Noisy())
"""


def talk(command, lines, waits=None):
    """Write lines to a server, close its input once they are answered, and wait for its end.

    Answers are waited for in order, of the ids alone that are given, if any are.
    """
    with subprocess.Popen(
        [sys.executable, *map(str, command)],
        env={name: set_ for name, set_ in os.environ.items() if name != "PYTHONUNBUFFERED"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        out = []
        for line in lines:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
            process.stdin.flush()
            if "id" in line and (waits is None or line["id"] in waits):
                out.append(process.stdout.readline())
        rest, errors = process.communicate(timeout=60)
        return process.returncode, [*out, *rest.splitlines()], errors


GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_nothing_but_the_protocol_is_written_to_standard_output(tmp_path):
    """IN-05: the tool server, whatever a tool prints."""
    (tmp_path / "noisy.py").write_text(NOISY)
    code, out, errors = talk(
        [tmp_path / "noisy.py"],
        [
            {"id": 1, "method": "initialize", "params": GREETING},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "shout", "arguments": {}}},
        ],
    )
    assert [json.loads(line)["id"] for line in out] == [1, 2]
    assert code == 0
    assert "written" in errors
    assert "printed" in errors


SLOW = """
import sys, threading
from lcm_lab.agent.mcp.server import serve
from lcm_lab.agent.schema import tool

class Said:
    def to_text(self): return "said"
    def to_dict(self): return {}

class Slow:
    @tool
    def wait(self) -> Said:
        '''Wait longer than anybody.'''
        sys.stderr.write("waiting\\n")
        threading.Event().wait(3_000)
        return Said()

    @tool
    def go(self) -> Said:
        '''Answer at once.'''
        return Said()

serve(Slow())
"""


def test_a_call_that_still_runs_blocks_no_other_and_keeps_no_server_whose_input_is_closed(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    code, out, errors = talk(
        [tmp_path / "slow.py"],
        [
            {"id": 1, "method": "initialize", "params": GREETING},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "wait", "arguments": {}}},
            {"id": 3, "method": "tools/call", "params": {"name": "go", "arguments": {}}},
        ],
        waits=(1, 3),
    )
    first, second, *rest = map(json.loads, out)
    assert [first["id"], second["id"]] == [1, 3]
    assert all("error" in told for told in rest)  # the call that was given up
    assert (code, errors) == (0, "waiting\n")


def test_more_calls_than_run_at_once_wait_for_their_turn():
    async def asking():
        async with inside(Odd()) as client:
            waiting = [asyncio.ensure_future(client.call_tool("wait")) for _ in range(15)]
            going = [asyncio.ensure_future(client.call_tool("go")) for _ in range(40)]
            return await asyncio.gather(*waiting, *going)

    answers = asyncio.run(asking())
    assert [answer.content[0].text for answer in answers] == ["done"] * 15 + ["went "] * 40


def test_the_server_ends_cleanly_when_its_input_is_closed(memory):
    code, out, errors = talk(["-m", "lcm_lab", "serve", "--store", memory[0]], [])
    assert (code, out, errors) == (0, [], "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--store", "none.db"], "none.db"),
        (["--store", "notes.txt"], "notes.txt"),
        (["--tools", "all"], "No tools 'all'"),
        (["--root", "nowhere"], "roots are folders"),
        (["--policy", "BM25("], "BM25("),
    ],
)
def test_what_the_command_cannot_serve_is_said(lcm_lab, memory, tmp_path, words, told):
    (tmp_path / "notes.txt").write_text("no database")
    done = lcm_lab("serve", "--store", memory[0], *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_port_that_is_taken_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadParameter, match=f"Cannot serve on port {port}: "):
            serve(Odd(), http=port)


@contextmanager
def over_http(path, monkeypatch):
    """Serve a store by HTTP, and stop that as one does at a terminal."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    command = ["-m", "lcm_lab", "serve", "--store", str(path), "--http", "--port", "0"]
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process.stderr.readline().split(" at ")[1].split(";")[0], process
        finally:
            process.send_signal(signal.SIGINT)
            told = process.stderr.read()
            process.wait(60)
    assert "Traceback" not in told


@pytest.mark.slow
def test_the_tools_are_served_over_http_to_this_machine_alone(memory, monkeypatch):
    from mcp import Client

    with over_http(memory[0], monkeypatch) as (address, _):
        assert address.startswith("http://127.0.0.1:")

        async def asking():
            async with (
                Client(address, read_timeout_seconds=60) as one,
                Client(address, read_timeout_seconds=60) as other,
            ):
                return await asyncio.gather(
                    one.call_tool("search", {"query": "retry backoff"}),
                    other.call_tool("sessions_search", {"query": "postgres"}),
                    one.call_tool("search", {"query": ["one"]}),
                )

        found, session, wrong = asyncio.run(asking())
        plain = greeted(address, {})
        foreign = [greeted(address, {name: "evil.example"}) for name in ("Origin", "Host")]
    assert found.structured_content["count"] >= 1
    assert session.structured_content["results"][0]["sessionKey"] == KEY
    assert wrong.is_error
    assert plain == 200
    assert all(400 <= status < 500 for status in foreign)


def greeted(address, headers):
    """Send a greeting with these headers; gives the status of the answer."""
    place = urlsplit(address)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING})
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    told |= {"Content-Length": str(len(body))}
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    connection.putrequest("POST", place.path, skip_host="Host" in headers)
    for name, value in {**told, **headers}.items():
        connection.putheader(name, f"http://{value}" if name == "Origin" else value)
    connection.endheaders(body.encode())
    with closing(connection), connection.getresponse() as answer:
        return answer.status


def test_what_a_failing_tool_quotes_is_shown_without_its_secrets(caplog):
    class Leaking:
        @tool
        def leak(self, typed: bool = False) -> str:
            """Fail with what is stored."""
            kind = BadParameter if typed else RuntimeError
            raise kind("cannot read password=hunter2-FAKE")

    tools = registered([Leaking()])
    for typed in (True, False):
        answer = _called(lambda: nullcontext(tools), "leak", {"typed": typed})
        assert answer.is_error
        assert "password=[redacted:password]" in answer.content[0].text
    assert "leak failed" in caplog.text
    assert "hunter2" not in caplog.text
    with pytest.raises(BadParameter, match=r"password=\[redacted:password\]"):
        Leaking().leak(typed=True)
