"""Laws of the command line: whatever is typed, it prints a result or one line of what is wrong."""

import asyncio
import io
import json
import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pandas as pd
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.agent import cli
from lcm_lab.store.store import Store
from lcm_lab.testing import small_corpus
from tests.harden.fuzz_tools import said, store
from tests.harden.fuzzing import PATIENCE, done, law
from tests.harden.given import PIECES, deep, json_values, numbers, texts

#: Commands that neither serve, time nor generate, and the options of each.
COMMANDS = {
    "search": "on policy conversation session since before role kind where k explain json",
    "read": "json",
    "grep": "on words scope file conversation since before limit sort policy zone reference json",
    "describe": "on conversation tokens lines limit zone reference json",
    "expand": "on query summary conversation tokens length timeout policy reference json",
    "sessions search": "on mode limit as visibility json",
    "sessions history": "on limit offset around tools as json",
    "episodic search": "on mode limit after before project json",
    "episodic read": "on root from to",
    "import": "into json",
    "check": "json",
    "diff": "threshold by across json",
    "evaluate": "on policy measure unit topics questions json",
    "datasets": "json",
}
FLAGS = {"explain", "json", "words", "reference", "across", "tools"}
#: What an option is given when all is well.
FIT = {
    **dict.fromkeys(("since", "before", "after"), ("2026-01-05", "1970-01-03T00:00:00Z")),
    **dict.fromkeys(
        ("k", "limit", "tokens", "length", "offset", "from", "to"), ("1", "5", "10", "2000")
    ),
    **{
        "policy": ("BM25() % 10", "x=TfIdf() % 3", "FTS5()"),
        "measure": ("nDCG@5", "R@5", "Latency@50"),
    },
    **{"conversation": ("c0", "s0"), "session": ("s0",), "role": ("user",), "kind": ("text",)},
    **{
        "where": ("speaker=Ada", "kind=text"),
        "scope": ("both", "messages", "files"),
        "sort": ("recency",),
    },
    **{
        "zone": ("UTC", "Asia/Tokyo"),
        "lines": ("1-3", "2"),
        "timeout": ("30001", "60000"),
        "by": ("topic",),
    },
    **{
        "query": ("retry",),
        "mode": ("exact", "text", "both"),
        "as": ("agent:main:main",),
        "project": ("x",),
    },
    **{
        "visibility": ("all", "self"),
        "around": ("s0-3",),
        "threshold": ("0.1",),
        "unit": ("turn", "exchange"),
    },
    **{"topics": ("known-item",), "questions": ("asked.csv",), "root": (".",), "into": ("new.db",)},
    **{"summary": ("sum_0123456789abcdef",), "file": ("file_0123456789abcdef",)},
}
#: What a command is asked without an option, and of which source.
ASKED = {
    **dict.fromkeys(
        ("search", "grep", "expand", "sessions search", "episodic search"), ("retry", "the")
    ),
    **{"describe": ("sum_0123456789abcdef",), "sessions history": ("s0", "agent:main:main")},
    **{
        "read": ("chat.jsonl",),
        "episodic read": ("chat.jsonl", "s0.jsonl"),
        "import": ("chat.jsonl",),
    },
    **{"check": ("memory.db", "orders"), "diff": ("orders",), "evaluate": (), "datasets": ()},
}
THERE = (
    "memory.db",
    "chat.jsonl",
    "orders",
    "none",
    ".",
    "*.jsonl",
    "[",
    "orders/qrels.tsv",
    "",
    " ",
)
VALUES = (
    *(
        "BM25() % 10",
        "BM25(",
        "x=TfIdf()",
        "nDCG@5",
        "R@",
        "user",
        "text",
        "speaker=Ada",
        "=",
        "5",
        "0",
    ),
    *(
        "-1",
        "1e9",
        "99999999999999999999",
        "2026-01-05",
        "yesterday",
        "UTC",
        "Mars/Phobos",
        "1-3",
        "3-1",
    ),
    *(
        "exact",
        "both",
        "turn",
        "topic",
        "recency",
        "all",
        "c0",
        "s0",
        "agent:main:main",
        "sum_0123456789abcdef",
    ),
)


@cache
def home():
    """Make a folder with a store, a transcript and a collection, and stand in it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    os.chdir(folder)
    with Store("memory.db") as made:
        for at in range(12):
            made.append(said(f"s{at % 2}", at))
    lines = [
        json.dumps({"role": "user", "content": text}) for text in ("use WAL", "retry backoff", "")
    ]
    Path("chat.jsonl").write_text("\n".join([*lines, '{"role": "us']))
    topics = pd.DataFrame({"qid": ["q1"], "query": ["which database"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    lcm.Collection("orders", small_corpus(), topics, qrels).save("orders")
    return folder


def harmless(text):
    """Keep a word from leading out of the folder, and from what no command line can hold."""
    return text.replace("/", "|").replace("~", "-").replace("..", ".").replace("\0", " ")[:300]


words = st.sampled_from(VALUES) | st.sampled_from(THERE) | texts.map(harmless)


@st.composite
def lines(draw):
    """Draw a command with what it may be given, mostly."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    typed, options = command.split(), COMMANDS[command].split()
    if "on" in options:
        typed += ["--on", draw(st.sampled_from(THERE[:1] * 6 + THERE))]
    for option in draw(st.lists(st.sampled_from(options), max_size=3)):
        typed.append(f"--{option}")
        if option not in FLAGS:
            typed.append(
                draw(
                    st.sampled_from(
                        [st.sampled_from(FIT.get(option, THERE))] * 4 + [words]
                    ).flatmap(same)
                )
            )
    if draw(st.integers(0, 5)) == 0:
        typed.insert(
            draw(st.integers(0, len(typed))),
            draw(st.sampled_from(["--", "-", "--nope", "-w"]) | words),
        )
    asked = st.sampled_from(ASKED[command]) if ASKED[command] else st.nothing()
    typed += [draw(asked | words)] if draw(st.integers(0, 9)) and ASKED[command] else []
    return typed + (["--into", "new.db"] if command == "import" else [])


def same(drawn):
    return drawn


def typed(some):
    """Run a command; give its exit code, and what it printed."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            cli.app(some, prog_name="lcm-lab")
        except SystemExit as stop:
            code = stop.code or 0
    return code, out.getvalue(), err.getvalue()


@law(lines(), 1_500)
def a_command_prints_a_result_or_one_line(some):
    home()
    done["executions"] += 1
    code, out, err = typed(some)
    assert code in (0, 1, 2), f"{code}: {err}"
    assert "Traceback" not in err
    if code == 2:
        done["refused"] += 1
        assert err.startswith(("lcm-lab: ", "Usage: ")), err
        assert err.startswith("Usage: ") or err.count("\n") == 1, err
    elif "--json" in some[: some.index("--")] if "--" in some else "--json" in some:
        assert not out.strip() or isinstance(json.loads(out), dict | list)


@law(
    st.lists(
        st.sampled_from(["-h", "--help", "--version", *COMMANDS, *PIECES]) | texts, max_size=4
    ),
    1_500,
)
def any_words_are_a_command_or_one_line(some):
    home()
    some = [harmless(one) for one in some]
    if not {"report", "bench", "serve", "validate", "generate", "evaluate", "search"}.isdisjoint(
        some
    ):
        return
    done["executions"] += 1
    code, _, err = typed(some)
    assert code in (0, 1, 2), f"{code}: {err}"
    assert "Traceback" not in err


@cache
def listening():
    """Make the server, and what puts messages to it as a client would."""
    from lcm_lab.agent.mcp.families import FAMILIES, families
    from lcm_lab.agent.mcp.server import server

    return server(*families(store(), ",".join(FAMILIES)))


NAMES = ("lcm_grep", "lcm_describe", "search", "read", "sessions_search", "lcm_expand", "none")
calls = st.fixed_dictionaries(
    {
        "name": st.sampled_from(NAMES) | json_values,
        "arguments": st.dictionaries(texts, json_values | deep) | json_values,
    }
)
requests = st.fixed_dictionaries(
    {
        "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0", ""]),
        "id": st.integers(0, 99) | texts | numbers | st.none(),
        "method": st.sampled_from(
            ["tools/call", "tools/call", "tools/list", "ping", "initialize", "x/y"]
        )
        | texts,
        "params": calls | json_values | deep,
    }
)
CLIENT = {"name": "fuzz", "version": "0"}
FIRST = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
FOUND = {"name": "lcm_grep", "arguments": {"pattern": "retry", "allConversations": True}}
HELLO = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": FIRST}
LAST = {"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": FOUND}


@law(
    st.lists(
        requests.map(lambda one: json.dumps(one).encode())
        | st.binary(max_size=60).filter(lambda b: b"\n" not in b),
        min_size=1,
        max_size=12,
    ),
    250,
)
def a_server_that_was_sent_anything_still_answers(some):
    done["executions"] += len(some)
    answers = asyncio.run(_talk([json.dumps(HELLO).encode(), *some, json.dumps(LAST).encode()]))
    last = [one for one in answers if one.get("id") == "last"]
    assert last, answers[-2:]
    assert not last[0]["result"]["isError"], last
    assert not any("Traceback" in json.dumps(one) for one in answers)


async def _talk(sent):
    """Put lines to the server's standard input; give what it writes until it has read them all."""
    import anyio
    from mcp.server.stdio import stdio_server

    held = io.StringIO()

    async def lines():
        for line in sent:
            yield line.decode("utf-8", "replace") + "\n"
        with anyio.move_on_after(PATIENCE):
            while '"last"' not in held.getvalue():  # a client waits for its answer
                await anyio.sleep(0.001)

    made = listening()
    async with stdio_server(lines(), anyio.wrap_file(held)) as (incoming, outgoing):
        await made.run(incoming, outgoing, made.create_initialization_options())
    return [json.loads(line) for line in held.getvalue().splitlines()]
