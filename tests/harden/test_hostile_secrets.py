"""Secrets of every kind, planted wherever a history can hold one, and looked for in all there is.

The store and the transcripts hold them on purpose. Nothing that is printed, answered, logged or
written from them may.
"""

import gzip
import logging
import lzma
from contextlib import nullcontext
from io import StringIO

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.schema import Tool
from tests.agent.conftest import lcm_lab as lcm_lab
from tests.harden import planted

pytestmark = pytest.mark.harden
KEYS = ("a1B2c3D4", "hunter2", "password", "token", "deploy")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The transcript with the secrets, a store made of it, and the ids of its summary and file."""
    path, store = planted.plant(tmp_path_factory.mktemp("secrets"))
    with lcm.Store(store, readonly=True) as held:
        (summary,) = [one.id for one in held.dag("s1").summaries]
        (file,) = held.files()["id"]
    return path, store, summary, file


def commands(path, store, summary, file):
    """Every command that shows something of a history, and some that end in an error."""
    on, secret = ("--on", store), next(iter(planted.SECRETS))
    yield from (("grep", "deploy", *on, *more) for more in ((), ("--words",), ("--reference",)))
    yield from (("grep", word, *on, "--scope", "files") for word in KEYS)
    yield from (("grep", f"\\S*{word}\\S*", *on) for word in KEYS)
    yield from (("describe", one, *on) for one in (summary, file, "sum_nothing", secret))
    yield from (("describe", file, *on, "--lines", f"{n}-{n + 40}") for n in (1, 60, 2_000))
    yield ("describe", summary, *on, "--reference")
    yield ("expand", "is the deploy of the billing service done?", *on)
    yield ("expand", "what is the token?", *on, "--summary", summary, "--query", "token password")
    yield from (
        ("search", "deploy token", *one) for one in (on, ("--on", path), (*on, "--explain"))
    )
    yield ("search", secret, *on)
    yield ("search", "deploy", *on, "--conversation", secret)
    yield ("search", "deploy", *on, "--policy", f"BM25('{secret}')")
    yield ("grep", f"({secret}", *on)
    yield from (("read", one) for one in (path, path.parent, f"{path}/{secret}"))
    yield ("check", store)
    yield ("sessions", "search", "deploy token", *on)
    yield from (("sessions", "search", "deploy", *on, "--mode", mode) for mode in ("substring",))
    yield from (("sessions", "history", key, *on, "--tools") for key in (planted.KEY, "s1", secret))
    yield from (("episodic", "search", "deploy token", *on, "--mode", m) for m in ("text", "both"))
    yield ("episodic", "search", "deploy", *on, "--project", secret)
    yield from (("episodic", "read", one, *on) for one in ("s1.jsonl", secret))
    yield ("episodic", "read", path, *on, "--root", path.parent)
    yield ("episodic", "read", path, *on, "--root", path.parent, "--reference")
    yield ("evaluate", "--on", path)
    yield ("import", path, "--into", "again.db")
    yield ("evaluate", "--on", path, "--measure", secret)


def test_no_command_prints_a_secret(lcm_lab, history, record_property):
    tried, leaks = 0, []
    for words in commands(*history):
        for more in ((), ("--json",)):
            done = lcm_lab(*words, *more)
            tried += 1
            leaks += [(words, more, one) for one in planted.found_in(done.out + done.err)]
    record_property("inputs", tried)
    record_property("secrets", len(planted.SECRETS))
    record_property("findings", len(leaks))
    assert leaks == []


def calls(path, _store, summary, file):
    """Every tool, with what finds much, and with what is refused; the secret is asked for too."""
    secret, every = next(iter(planted.SECRETS)), {"allConversations": True}
    for pattern in (*KEYS, ".", secret, f"({secret}"):
        for scope in ("both", "files", "messages", "summaries"):
            yield "lcm_grep", {"pattern": pattern, "scope": scope, "limit": 200, **every}
        yield "lcm_grep", {"pattern": pattern, "mode": "full_text", **every}
        yield "lcm_grep", {"pattern": pattern, "since": secret, **every}
        yield "sessions_search", {"query": pattern, "limit": 20}
        yield "search", {"query": pattern, "mode": "text", "response_format": "json"}
        yield "search", {"query": [pattern, "deploy"], "mode": "text"}
        yield "search", {"query": pattern, "mode": "text", "project": secret}
    for one in (summary, file, secret, f"see {summary} and {secret}"):
        yield (
            "lcm_describe",
            {"id": one, "expandFile": True, "expandFileMaxBytes": 500_000, **every},
        )
        yield (
            "lcm_expand_query",
            {"prompt": "what is the token?", "timeoutMs": 150_000}
            | {
                "summaryIds": [one],
                **every,
            },
        )
    yield "lcm_expand_query", {"prompt": secret, "query": "token", "timeoutMs": 150_000, **every}
    for one in (planted.KEY, "s1", secret):
        yield "sessions_history", {"sessionKey": one, "includeTools": True, "limit": 100}
        yield "read", {"path": one}
    for first in (1, 5, 30):
        yield "read", {"path": str(path), "startLine": first, "endLine": first + 30}
    yield from (
        (secret, {}),
        ("lcm_grep", {secret: 1}),
        ("lcm_grep", {"pattern": "x", "sort": secret}),
    )


def test_no_tool_answers_with_a_secret_over_mcp(history, record_property, caplog):
    server = pytest.importorskip("lcm_lab.agent.mcp.server")
    path, store, *_ = history
    tried, leaks = 0, []
    with lcm.Store(store, readonly=True) as held, caplog.at_level(logging.DEBUG):
        families = (
            lcm.LcmTools(held),
            lcm.SessionTools(held),
            lcm.EpisodicTools(held, roots=[path.parent]),
        )
        tools = server.registered(families)
        for name, given in calls(*history):
            answer = server._called(lambda: nullcontext(tools), name, given)
            tried += 1
            shown = answer.model_dump_json()
            leaks += [(name, given, one) for one in planted.found_in(shown)]
        tools |= {"broken": Tool("broken", "", {}, broken)}
        answer = server._called(lambda: nullcontext(tools), "broken", {})
    leaks += [("log", one) for one in planted.found_in(caplog.text + answer.model_dump_json())]
    record_property("inputs", tried)
    record_property("findings", len(leaks))
    assert leaks == []


def broken():
    """Fail as no tool should, with what is stored in the message."""
    raise RuntimeError(f"cannot read {' '.join(planted.SAID.values())}")


def test_no_file_that_is_written_from_a_history_holds_a_secret(
    lcm_lab, history, tmp_path, record_property
):
    path = history[0]
    words = ("report", "--on", path, "--policy", "BM25() % 10", "--out", "out/ranking")
    done = lcm_lab(*words)
    assert done.code == 0, done.err
    corpus = lcm.read(path).corpus()
    bench = lcm.mine(lcm.read(path))
    kept = lcm.replay(about(corpus), lcm.Rolling(400, fresh=4), budgets=[0.3])
    lcm.compaction_report({"rolling": kept}).save(tmp_path / "out" / "compaction")
    result = lcm.evaluate([lcm.BM25() % 5, lcm.Regex() % 5], on=bench)
    result.save(tmp_path / "out" / "saved")
    for write, name in ((result.to_csv, "a.csv"), (result.to_latex, "a.tex")):
        write(tmp_path / "out" / name)
    shown = [repr(one) for one in (result, bench, corpus, lcm.read(path), lcm.Store(history[1]))]
    shown += [html(one) for one in (result, lcm.BM25().fit(corpus)("deploy token"), corpus)]
    with lcm.Store(history[1], readonly=True) as held:
        shown += [str(held.dag("s1")), html(held.dag("s1"))]
    files = [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    leaks = [(one.name, secret) for one in files for secret in planted.found_in(text(one))]
    leaks += [(one[:60], secret) for one in shown for secret in planted.found_in(one)]
    record_property("files", len(files))
    record_property("findings", len(leaks))
    assert leaks == []


def about(corpus):
    """Ask for one fact of a history."""
    topics = pd.DataFrame({"qid": ["q1"], "query": ["port of billing?"], "answer": ["5003"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": corpus["docno"][:1], "relevance": [1]})
    return lcm.Collection("secrets", corpus, topics, qrels)


def html(thing):
    return getattr(thing, "_repr_html_", str)() or ""


def text(file):
    """Give what a file holds, whatever it is packed with."""
    data = file.read_bytes()
    if file.suffix == ".parquet":
        return lcm_table(file)
    for magic, unpacked in ((b"\x1f\x8b", gzip.decompress), (b"\xfd7zXZ", lzma.decompress)):
        data = unpacked(data) if data.startswith(magic) else data
    return data.decode("utf-8", "replace")


def lcm_table(file):
    out = StringIO()
    pd.read_parquet(file).to_csv(out)
    return out.getvalue()
