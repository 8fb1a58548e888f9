"""What OpenClaw's session tools answered, as it was recorded, is answered here under compat.

Named in `SEARCHES`, `HISTORIES` and the tests is each way in which the answers differ, and why.
"""

import json
import lzma
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

import lcm_lab as lcm
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.agent.sessions.visibility import AgentToAgent, Forbidden
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.messages import Message, Part
from lcm_lab.redact import redact
from lcm_lab.store import branching
from lcm_lab.store.store import Store

OLD, NEW = "b0000000-0000-4000-8000-00000000000b", "REWOUND-B"

#: Searches that are answered otherwise.
SEARCHES = {"s144": "limit '3' is a text, and nothing is coerced"}
#: Histories that are.
HISTORIES = {
    "h07": "limit is at most 1,000, and says so, where the original takes 1,001 for 1,000",
    "h11": "limit '3' is a text, and nothing is coerced",
}


@pytest.fixture(scope="module")
def recorded(shared):
    folder = shared.parent / "conformance" / "openclaw"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance beside this checkout: nothing recorded is compared")
    inputs = json.loads((folder / "input.json").read_text(encoding="utf-8"))
    return inputs, json.loads(lzma.decompress((folder / "outputs.json.xz").read_bytes()))


def spelled(given):
    """Write out a text that the record abbreviates."""
    if not isinstance(given, dict):
        return given
    if "repeat" in given:
        return given["repeat"][0] * given["repeat"][1]
    return "".join(given["parts"]) if "parts" in given else given


def content(given):
    if isinstance(given, dict) and "text_blocks" in given:
        unit, times, cut = given["unit"], given["times"], given["cut"]
        texts = ((unit.replace("{i}", str(i)) * times)[:cut] for i in range(given["text_blocks"]))
        return [{"type": "text", "text": text} for text in texts]
    if isinstance(given, list):
        return [{name: spelled(item) for name, item in block.items()} for block in given]
    return spelled(given)


def entries(base, steps, stored, mark=""):
    """Give the entries of a transcript; ``mark`` tells copies of a message apart."""
    last = None
    for step in steps:
        at = base + timedelta(minutes=step["min"])
        name = step["id"] + mark
        made = {"id": name, "parentId": last, "timestamp": at.isoformat()}
        raw = step.get("raw")
        if raw is None:
            said = {**step["message"], "timestamp": int(at.timestamp() * 1000)}
            said["content"] = content(said["content"])
            if step["id"] in stored:
                said["content"] = [{"type": "text", "text": stored[step["id"]]}]
            yield {"type": "message", **made, "message": said}
        else:
            yield {**raw, **made}
        last = raw["targetId"] if raw and raw["type"] == "leaf" else name


def transcripts(inputs, outputs, folder):
    """Write the recorded sessions as OpenClaw keeps them, and read them.

    A store keeps a message once, whatever copies a rewind made of it; so that both are there as in
    the original, the ids of the copy end in ``~``.
    """
    base = datetime.fromisoformat(inputs["base"])
    # Secrets are masked before they are stored.
    indexed = {row["message_id"]: row["text"] for row in outputs["indexed"]["main"]["fts"]}
    masked = {"a15": indexed["a15"]}
    for session in inputs["sessions"].values():
        steps = session["steps"]
        if isinstance(steps, dict):
            roles = steps["roles"]
            steps = [
                {
                    "id": f"l{n:03}",
                    "min": 799 + n,
                    "message": {"role": roles[(n - 1) % 2], "content": f"many entry {n}"},
                }
                for n in range(1, steps["count"] + 1)
            ]
        place = folder / session["agent"]
        place.mkdir(exist_ok=True)
        files = {session["session_id"]: list(entries(base, steps, masked))}
        if "rewind_to" in session:
            copy = list(entries(base, steps, masked, "~"))
            copy.append({"type": "leaf", "id": "rw", "parentId": "b12~", "targetId": "b10~"})
            after = list(entries(base, session["after_rewind"], {}, "~"))
            after[0]["parentId"] = "b10~"
            files[NEW] = [*copy, *after]
        for name, lines in files.items():
            head = {"type": "session", "version": 3, "id": name, "cwd": "/w"}
            written = "\n".join(json.dumps(line) for line in [head, *lines])
            (place / f"{name}.jsonl").write_text(written + "\n", encoding="utf-8")
        index = place / "sessions.json"
        keys = json.loads(index.read_text()) if index.exists() else {}
        *earlier, now = files
        keys[session["key"]] = {"sessionId": now, "usageFamilySessionIds": earlier}
        index.write_text(json.dumps(keys))
    return with_reset(lcm.read(folder), inputs)


def with_reset(found, inputs):
    """Put the mark of the reset in, which carries what the reset kept."""
    steps = inputs["sessions"]["C"]["steps"]
    raw = next(step["raw"] for step in steps if step["id"] == "c07")
    at = next(i for i, message in enumerate(found.messages) if message.id == "c08")
    part = Part("unknown", "", name="reset", raw=json.dumps(raw))
    mark = Message("c07", found.messages[at].session, "system", (part,), segment=0)
    return replace(found, messages=[*found.messages[:at], mark, *found.messages[at:]])


@pytest.fixture(scope="module")
def store(recorded, tmp_path_factory):
    made = Store(":memory:", large=10**9)
    made.add(transcripts(*recorded, tmp_path_factory.mktemp("openclaw")))
    return made


def tools(store, given=None):
    given = given or {}
    between = given.get("a2a", {})
    return SessionTools(
        store,
        given.get("requester", "agent:main:main"),
        given.get("visibility", "all"),
        AgentToAgent(between.get("enabled", True), tuple(between.get("allow", ()))),
        given.get("sandboxed", False),
        compat="reference",
    )


def outcome(call):
    """Give what a call answered, or the kind of its refusal, as the record has it."""
    try:
        return call().to_dict()
    except Forbidden:
        return {"status": "forbidden"}
    except NotFound:
        return {"status": "error"}
    except BadParameter:
        return {"thrown": True}


def plain(name):
    return name.removesuffix("~")


def kind(out):
    return next((name for name in ("thrown", "status") if name in out), "answer")


@pytest.fixture(scope="module")
def searched(recorded, store):
    inputs, outputs = recorded
    made = {}

    def ask(case):
        key = json.dumps(case.get("as"))
        if key not in made:
            made[key] = tools(store, case.get("as"))
        args = {name: spelled(item) for name, item in case["args"].items()}
        if str(args.get("sessionKey", "")).startswith("@"):
            args["sessionKey"] = args["sessionKey"][1:]
        return outcome(partial(made[key].sessions_search, **args))

    cases = zip(inputs["search"], outputs["search"], strict=True)
    return [(case, ask(case), want["out"]) for case, want in cases]


def test_every_recorded_search_has_the_recorded_hits(searched):
    compared = 0
    for case, got, want in searched:
        if case["n"] in SEARCHES:
            assert kind(got) != kind(want), "this difference is gone"
            continue
        assert kind(got) == kind(want), case
        if "status" in want:
            assert got["status"] == want["status"], case
        if "results" not in want:
            continue
        hits = [(h["sessionId"], plain(h["messageId"])) for h in got["results"]]
        assert hits == [(h["sessionId"], h["messageId"]) for h in want["results"]], case
        assert [h["score"] for h in got["results"]] == pytest.approx(
            [h["score"] for h in want["results"]], abs=1e-9
        )
        for one, other in zip(got["results"], want["results"], strict=True):
            assert (one["timestamp"], one["role"]) == (other["timestamp"], other["role"])
            # Hits have the whole key, so that they can be passed on; the original says "main".
            assert one["sessionKey"] == {"main": "agent:main:main"}.get(
                other["sessionKey"], other["sessionKey"]
            )
        assert got.get("truncated") == want.get("truncated"), case
        compared += 1
    assert (len(searched), compared) == (177, 158)


def test_every_recorded_excerpt_is_cut_alike_but_where_it_held_a_secret(searched):
    """A mask of the original is a secret to ours, which names its kind: row a15."""
    compared = 0
    for case, got, want in searched:
        if case["n"] in SEARCHES:
            continue
        for one, other in zip(got.get("results", []), want.get("results", []), strict=True):
            if plain(one["messageId"]) == "a15":
                assert "token=[redacted:secret]" in one["snippet"]
            else:
                assert one["snippet"] == other["snippet"], case
                compared += 1
    assert compared == 315


def test_every_recorded_history_has_the_recorded_messages(recorded, store):
    inputs, outputs = recorded
    compared = 0
    for case, record in zip(inputs["history"], outputs["history"], strict=True):
        want = record["out"]
        args = dict(case["args"])
        if str(args.get("sessionId", "")).startswith("@"):
            args["sessionId"] = args["sessionId"][1:]
        if args.get("messageId", "").startswith("b") and args.get("sessionId") != OLD:
            args["messageId"] += "~"
        history = tools(store, case.get("as")).sessions_history
        got = outcome(partial(history, **args))
        if case["n"] in HISTORIES:
            assert kind(got) != kind(want), "this difference is gone"
            continue
        assert kind(got) == kind(want), case
        if "status" in want:
            assert got["status"] == want["status"], case
        if "ids" in want:
            matches(got, want, case)
            compared += 1
    assert (len(inputs["history"]), compared) == (100, 82)


#: What both say of a page. `bytes` counts other fields; what `contentRedacted` counts is ours.
SAID = (
    *("truncated", "droppedMessages", "contentTruncated", "contentRedacted"),
    *("offset", "nextOffset", "hasMore", "totalMessages"),
)


def matches(got, want, case):
    assert [plain(message["id"]) for message in got["messages"]] == want["ids"], case
    assert {n: got.get(n) for n in SAID} == {n: want.get(n) for n in SAID}, case
    for one, other in zip(got["messages"], want.get("messages", ()), strict=False):
        assert (one["role"], one["seq"]) == (other["role"], other["seq"]), case
        if "omitted" in str(other["blocks"]) or other["role"] == "system":
            continue  # placeholders, images and marks are worded by us
        for block, its in zip(one["content"], other["blocks"], strict=True):
            same_block(block, its, case)


def same_block(block, its, case):
    if its["type"] == "thinking":
        assert (block["type"], block["text"]) == ("thinking", its["thinking"])
    elif its["type"] == "toolCall":
        assert (block["type"], block["name"]) == ("toolCall", its["name"])
    elif its["n"] > 4_000:
        assert len(block["text"]) > 4_000
    elif "[redacted" not in block["text"]:
        assert len(block["text"].encode("utf-16-le")) // 2 == its["n"], case
        assert block["text"].startswith(its["head"]), case


def ids(answer):
    return [hit["messageId"] for hit in answer["results"]]


def test_a_search_before_the_index_is_ready_says_so_and_the_next_one_has_all(recorded, tmp_path):
    """Recorded index states i1 and i2. i3 to i5, an index that lags behind rows or has lost some,
    cannot be: rows and index change in one transaction, and `Store.faults` looks for it.
    """
    ten = recorded[0]["sessions"]["G"]
    store = Store(":memory:")
    store.add(transcripts(*recorded, tmp_path))
    with store.writing() as connection:
        ask = "select number from conversations where name = ?"
        (number,) = connection.execute(ask, (ten["session_id"],)).fetchone()
        branching.mark(connection, number)
    asked = tools(store)
    first = asked.sessions_search("ten message").to_dict()
    assert (ids(first), first["indexing"]) == ([], True)
    assert first["indexingSessions"] == [ten["key"]]
    assert "warning" in first
    second = asked.sessions_search("ten message").to_dict()
    states = {state["n"]: state for state in recorded[1]["index_states"]}
    assert ids(second) == states["i1"]["second"]["ids"] == states["i2"]["second"]["ids"]
    assert "indexing" not in second


def test_a_deleted_session_is_gone_from_the_next_answer_and_from_the_index(recorded, tmp_path):
    """Recorded index states i6 to i8; the original leaves the rows unless it archives (i7)."""
    branch = recorded[0]["sessions"]["F"]
    store = Store(":memory:")
    store.add(transcripts(*recorded, tmp_path))
    asked = tools(store)
    assert ids(asked.sessions_search("basalt").to_dict()) == ["f06", "f05"]
    store.delete(branch["session_id"])
    assert ids(asked.sessions_search("basalt").to_dict()) == []
    with pytest.raises(NotFound):
        asked.sessions_history(branch["key"])
    assert list(store.faults()) == []


#: Recorded redactions of which ours leaves something readable that the original masks, and why.
READABLE = {
    "r02": "sk- and letters alone are names of classes: sk-container, sk-estimator",
    "r15": "code=1 in a URL is no secret; one of letters and digits, 16 of them, is",
}


def test_every_recorded_secret_is_taken_out_whole_or_named_here(recorded):
    """Ours names the kind of a secret; the original leaves its ends, a part of ten characters."""
    inputs, outputs = recorded
    readable = set()
    for case, want in zip(inputs["redaction"], outputs["redaction"], strict=True):
        given = spelled(case["in"])
        told = want["tool"].replace("\u2026redacted\u2026", "***")
        masked = told.count("\u2026") + told.count("***")
        if masked > redact(given).found.total():
            readable.add(case["n"])
        if not masked:
            assert redact(given).text == given, case
    assert readable == set(READABLE)
