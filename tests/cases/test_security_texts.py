"""Security, group L of the bug reports: secrets. An id names the report."""

import json
import lzma

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import LcmError
from lcm_lab.messages import Message, Part, Session
from lcm_lab.redact import redact
from tests.test_redact import BEARER, GITHUB, KEY_BODY, MIXED, PEM

START = 1_767_225_600_000_000
FAKE = "hunter2" + "-FAKE"
KEY = "agent:main:main"
RAW = (MIXED, KEY_BODY, FAKE, GITHUB)


def at(number):
    return START + number * 60_000_000


def text(name, said, number=0, role="user"):
    return Message(name, "s1", role, (Part("text", said),), at(number))


@pytest.fixture
def held(tmp_path):
    """A store in which secrets stand in texts, calls, results, titles, names and summaries."""
    secrets = f"token {BEARER}\n{PEM}\npassword={FAKE} {GITHUB}"
    arguments = json.dumps({"command": f"curl -H '{BEARER}' token", "password": FAKE, "k": PEM})
    parts = (
        Part("text", "I use the token."),
        Part("tool_call", f"Bash\n{arguments}", f"Bash {GITHUB}", "t1"),
    )
    talk = [
        text("m1", f"which token? {secrets}"),
        Message("m2", "s1", "assistant", parts, at(1)),
        Message("m3", "s1", "tool", (Part("tool_result", secrets, call="t1"),), at(2)),
        text("m4", f"the token is {GITHUB}, see above", 3, "assistant"),
        text("m5", "thanks", 4),
    ]
    told = Session("s1", key=KEY, title=f"Deploy with {GITHUB}", cwd="/work/app")
    with lcm.Store(tmp_path / "memory.db") as store:
        for message in talk:
            store.append(message, told)
        said = f"the token {BEARER} password={FAKE} {GITHUB} is in use"
        store.put(lcm.compact(store.dag("s1"), lcm.Rolling(40, fresh=2), lambda *_: said))
        yield store


def every(store, tmp_path):
    """All that the tools answer about the token, in words, as fields and as Python shows it."""
    (summary,) = [one.id for one in store.dag("s1").summaries]
    tools, sessions = lcm.LcmTools(store), lcm.SessionTools(store, KEY)
    episodic = lcm.EpisodicTools(store, roots=[tmp_path])
    for mode in ("full_text", "regex"):
        yield tools.lcm_grep("token", mode=mode)
    yield tools.lcm_describe(summary)
    yield tools.lcm_expand_query(query="token", prompt="which token is in use?")
    yield tools.lcm_expand_query(summaryIds=[summary], prompt="which token is in use?")
    for mode in ("exact", "substring", "semantic"):
        yield sessions.sessions_search("token", mode=mode)
    yield sessions.sessions_history(KEY, includeTools=True)
    for mode in ("vector", "text", "both"):
        for written in ("markdown", "json"):
            yield episodic.search("token", mode, response_format=written)


def test_no_tool_tells_a_secret(held, tmp_path):
    """SE-07."""
    seen = 0
    for answer in every(held, tmp_path):
        told = answer.to_text() + json.dumps(answer.to_dict())
        assert "token" in told
        for raw in RAW:
            assert raw not in told, (type(answer), raw)
        seen += "[redacted:" in told
    assert seen > 8


def test_no_error_tells_a_secret(held):
    """SE-07: an id, a name or a pattern that holds one."""
    calls = [
        lambda: lcm.LcmTools(held).lcm_describe(f"sum_{GITHUB}"),
        lambda: lcm.LcmTools(held).lcm_grep("token", conversationId=GITHUB),
        lambda: lcm.LcmTools(held).lcm_grep(f"{GITHUB}(", mode="regex"),
        lambda: lcm.SessionTools(held, KEY).sessions_history(GITHUB),
        lambda: lcm.EpisodicTools(held).search("token", after=GITHUB),
        lambda: lcm.EpisodicTools(held).read(f"{GITHUB}.jsonl"),
    ]
    for call in calls:
        with pytest.raises(LcmError) as refused:
            call()
        assert GITHUB not in redact(str(refused.value)).text


def test_no_command_prints_a_secret(held, tmp_path, lcm_lab):
    """SE-07: on either stream, in either form."""
    (summary,) = [one.id for one in held.dag("s1").summaries]
    commands = [
        ("grep", "token"),
        ("grep", "token", "--words"),
        ("search", "token"),
        ("search", "token", "--explain"),
        ("describe", summary),
        ("expand", "which token is in use?"),
        ("sessions", "search", "token"),
        ("sessions", "history", KEY, "--tools"),
        ("episodic", "search", "token"),
    ]
    for words in commands:
        for form in ((), ("--json",)):
            done = lcm_lab(*words, "--on", "memory.db", *form)
            assert done.code == 0, done.err
            for raw in RAW:
                assert raw not in done.out + done.err, (words, form, raw)


def test_a_transcript_is_read_without_its_secrets(tmp_path, lcm_lab):
    """SE-07: the file itself, by the tool and by two commands."""
    said = {"role": "user", "content": f"token {BEARER} {PEM} password={FAKE} {GITHUB}"}
    lines = json.dumps(said) + "\n" + json.dumps(said)[:-9] + "\n"
    (tmp_path / "a.jsonl").write_text(lines)
    with lcm.Store(":memory:") as store:
        page = lcm.EpisodicTools(store, roots=[tmp_path]).read("a.jsonl")
    lcm_lab("import", "a.jsonl", "--into", "memory.db")
    read = ("episodic", "read", "a.jsonl", "--on", "memory.db", "--root", tmp_path)
    shown = [lcm_lab("read", "a.jsonl"), lcm_lab(*read), lcm_lab(*read, "--json")]
    told = page.to_text() + json.dumps(page.to_dict())
    told += "".join(done.out + done.err for done in shown)
    assert "[redacted:" in told
    for raw in RAW:
        assert raw not in told


PLAIN = [
    "0123456789abcdef0123456789abcdef01234567", "550e8400-e29b-41d4-a716-446655440000",
    "dG9rZW4xMjM0", "sum_abc123def456", "token",
]  # fmt: skip


def test_what_is_no_secret_stays_readable_in_every_tool_and_what_was_left_out_is_counted(tmp_path):
    """SE-09."""
    with lcm.Store(":memory:") as store:
        said = f"commit {PLAIN[0]} id {PLAIN[1]} word {PLAIN[2]} in {PLAIN[3]}, a token"
        told = Session("s1", key=KEY)
        store.append(text("m1", f"which token? {GITHUB}"), told)
        store.append(text("m2", said, 1, "assistant"), told)
        tools, sessions = lcm.LcmTools(store), lcm.SessionTools(store, KEY)
        page = sessions.sessions_history(KEY)
        assert page.to_dict()["redactions"] == 1
        answers = [
            tools.lcm_grep("commit", mode="full_text"),
            tools.lcm_expand_query(query="commit", prompt="which commit is it?"),
            page,
            lcm.EpisodicTools(store).search("commit", "text"),
        ]
        for answer in answers:
            for word in PLAIN:
                assert word in answer.to_text()
        hit = sessions.sessions_search("commit").hits[0]
        assert PLAIN[0] in hit.snippet


def test_no_file_of_a_run_holds_a_key(tmp_path, lcm_lab):
    """SE-14: results, reports, runs, qrels; a saved corpus and index say that they hold all."""
    rows = [
        {"docno": "m1", "text": f"deploy with {GITHUB}", "conversation": "c"},
        {"docno": "m2", "text": f"{BEARER} and password={FAKE}", "conversation": "c"},
    ]
    asked = pd.DataFrame({"qid": ["q1"], "query": [f"who uses {GITHUB}?"], "answer": [GITHUB]})
    gold = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    bench = lcm.Collection("keys", lcm.Corpus(rows), asked, gold)
    bench.save(tmp_path / "in" / "bench")
    result = lcm.evaluate({"words": lcm.BM25(), "grams": lcm.CharGrams()}, on=bench)
    result.save(tmp_path / "out" / "result")
    done = lcm_lab("report", "--on", "in/bench", "--policy", "BM25()", "--out", "out/report")
    assert done.code == 0, done.err
    files = [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    assert len(files) > 8
    for file in files:
        held = file.read_bytes()
        for raw in (GITHUB, MIXED, FAKE):
            assert raw.encode() not in held, file.name
    assert GITHUB.encode() in lzma.decompress((tmp_path / "in/bench/corpus.jsonl.xz").read_bytes())
    for save in (lcm.Collection.save, type(lcm.BM25().fit(bench.corpus)).save):
        assert "secrets included" in " ".join(save.__doc__.split())
