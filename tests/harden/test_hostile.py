"""The tools and the server in the hands of a hostile caller: bounded, typed, alive."""

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

import lcm_lab as lcm
from lcm_lab.messages import Message, Part, Session

pytestmark = pytest.mark.harden


def nested(depth, made):
    return made if depth == 0 else [nested(depth - 1, made)]


#: What no host sends, for every parameter of every tool.
ARGUMENTS = (
    *("", "x" * 10_000_000, "\x00", "\ud800", "缓" * 100_000, "\u0301" * 100_000, '"' * 9_999),
    *("(" * 250 + ")" * 250, "(?:a{1000}){1000}", "(a{0,1000}){0,1000}", r"\p{L}{1000}", "[" * 500),
    *(
        "(.*)*" * 90,
        "a?" * 240 + "a" * 20,
        "(a+)+$",
        "(?=a)",
        r"(a)\1",
        "(?i)" + "é" * 480,
        "^" * 500,
    ),
    *(
        "NEAR(" * 1_000,
        "* " * 5_000,
        "AND OR NOT " * 2_000,
        "col:x " * 1_000,
        "%",
        "_",
        "x' OR '1'='1",
    ),
    *("'; attach database 'evil.db' as e; --", 'x"; drop table messages; --', "-1", "1e400"),
    *(
        "../../etc/passwd",
        "/etc/passwd",
        "/dev/zero",
        "sum_" + "a" * 100_000,
        "file_0123456789abcdef",
    ),
    *(-1, 10**400, float("nan"), float("inf"), 1e308, True, None, b"x", [], ["a"] * 100_000),
    *(nested(900, "x"), {"a": nested(900, {})}, ["a", ["b"]], {"a": 1}, [None], [10**400, "a"]),
)
GIVEN = {"pattern": "retry", "query": "retry", "prompt": "retry?", "timeoutMs": 150_000} | {
    "id": "sum_0123456789abcdef",
    "sessionKey": "agent:main:main",
    "path": "s1.jsonl",
}
#: Characters of an answer, as JSON.
MOST = 1_000_000


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of sixty messages, one of them long and made to be searched slowly."""
    path = tmp_path_factory.mktemp("store") / "memory.db"
    with lcm.Store(path) as held:
        for n in range(60):
            text = "retry aaaa " * 30_000 if n == 3 else f"retry {n} {'a' * 40}b"
            one = Message(
                f"m{n}", "s1", "user", (Part("text", text),), n, source="s1.jsonl", line=n
            )
            held.append(one, Session("s1", key="agent:main:main", cwd="/srv/app"))
    return path


def test_every_tool_answers_whatever_it_is_given(store, record_property, tmp_path, monkeypatch):
    server = pytest.importorskip("lcm_lab.agent.mcp.server")
    monkeypatch.chdir(tmp_path)
    tried = 0
    with lcm.Store(store, readonly=True) as held:
        tools = server.registered(
            (lcm.LcmTools(held), lcm.SessionTools(held), lcm.EpisodicTools(held))
        )
        for name, tool in tools.items():
            base = {one: GIVEN[one] for one in tool.schema["required"]}
            for parameter in tool.schema["properties"]:
                for given in ARGUMENTS:
                    call = {**base, parameter: given}
                    answer = server._called(lambda: nullcontext(tools), name, call)
                    assert f"{name} failed:" not in answer.content[0].text
                    assert 0 < len(answer.model_dump_json()) < MOST
                    tried += 1
        assert len(held.corpus()) == 60
    record_property("inputs", tried)
    assert list(tmp_path.iterdir()) == []


def test_a_server_outlives_what_a_client_should_not_send(store, record_property):
    pytest.importorskip("mcp")
    deep = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b"[" * 100_000
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}} | {
        "clientInfo": {"name": "evil", "version": "0"}
    }
    wild = [b"\xff\xfe\x00", b"not json", b"{}", b"[]", b"null", deep, deep + b"]" * 100_000 + b"}"]
    wild += [b'{"jsonrpc":"2.0","id":%s,"method":"tools/list"}' % (b"9" * 9_999), b'"' * 99_999]
    wild += [asking("no/such", {}), asking("tools/call", {"name": 7}), asking("tools/call", [])]
    wild += [asking("tools/call", {"name": "lcm_grep", "arguments": {"pattern": "x" * 30_000_000}})]
    last = asking("tools/call", {"name": "lcm_grep", "arguments": {"pattern": "retry 7"}}, 99)
    ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    lines = [asking("initialize", begin, 1), ready, *wild, last]
    command = [sys.executable, "-m", "lcm_lab", "serve", "--store", store, "--tools", "lcm"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b"\n".join(lines) + b"\n")
        process.stdin.flush()
        for line in process.stdout:
            told = json.loads(line)
            if told.get("id") == 99:
                break
        process.stdin.close()
        assert "retry 7" in told["result"]["content"][0]["text"]
    record_property("inputs", len(wild))


def asking(method, params, number=2):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def test_nothing_that_is_read_is_ever_run():
    """No pickle is loaded and no code evaluated: the words do not stand in the package."""
    source = Path(lcm.__file__).parent
    words = (
        "pickle.load(",
        "joblib.load",
        "allow_pickle=True",
        "yaml.",
        " eval(",
        "exec(",
        "os.system",
    )
    words += ("shell=True", "marshal.", "shelve.", "enable_load_extension", "verify=False")
    found = [
        (path.name, word)
        for path in source.rglob("*.py")
        for word in words
        if any(word in line and "#" not in line.split(word)[0] for line in code(path))
    ]
    assert found == []


def code(path):
    return [line for line in path.read_text("utf-8").splitlines() if ">>>" not in line]
