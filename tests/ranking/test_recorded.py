"""What lossless-claw and OpenClaw answered, as it was recorded, is answered here again."""

import json
import sqlite3

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import EmptyQuery
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.match import READERS, has_cjk, like_terms, matching
from lcm_lab.ranking.exact.whole import Regex
from lcm_lab.ranking.named.reference import LosslessClaw, SessionsSearch
from lcm_lab.ranking.steps.order import Newest

SORTS = ("recency", "relevance", "hybrid")


def test_lossless_claws_functions_are_reproduced(recorded):
    functions = json.loads((recorded / "lcm_functions.json").read_text(encoding="utf-8"))
    for case in functions["sanitize_fts5"]:
        quoted = " ".join(f'"{part}"' for part in READERS["lossless-claw"](case["in"]))
        assert quoted == case["out"], case
        if not has_cjk(case["in"]):
            assert matching(case["in"], "all", "lossless-claw") == case["out"]
    assert all(has_cjk(case["in"]) == case["out"] for case in functions["contains_cjk"])
    assert all(like_terms(case["in"]) == case["out"] for case in functions["like_terms"])


def test_lossless_claws_word_and_substring_searches_are_reproduced(recorded):
    functions = json.loads((recorded / "lcm_functions.json").read_text(encoding="utf-8"))
    compared = 0
    for case in functions["fts_messages"]:
        given, query = case["in"]["docs"], case["in"]["query"]
        # The index leaves the line out that tells an agent how to open a file.
        said = [text.split("\n\nCall lcm_describe")[0] for text in given]
        times = pd.date_range("2026-01-01", periods=len(said), freq="s", tz="UTC")
        rows = [{"text": t, "time": w} for t, w in zip(said, times, strict=True)]
        try:
            hits = LosslessClaw(compat="reference").fit(lcm.Corpus(rows))(query)["docno"]
        except EmptyQuery:
            assert case["out"] == []
            continue
        assert [int(docno[1:]) - 1 for docno in hits] == case["out"], query
        compared += 1
    assert compared == 14


def lossless_corpus(folder):
    path = folder / "lcm_reference.db"
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    messages = database.execute(
        "select 'm' || message_id, conversation_id, content, created_at, role from messages"
    ).fetchall()
    summaries = database.execute(
        "select summary_id, conversation_id, content, latest_at from summaries order by rowid"
    ).fetchall()
    database.close()
    names = ("docno", "conversation", "text", "time", "role")
    rows = [dict(zip(names, map(str, row), strict=True)) for row in messages]
    aside = {"scope": "summaries", "kind": "summary"}
    rows += [dict(zip(names[:4], map(str, row), strict=True)) | aside for row in summaries]
    return lcm.Corpus(rows)


@pytest.fixture(scope="module")
def lossless(recorded, unpack):
    calls = unpack(recorded / "lcm_reference_outputs.json.xz")["grep"]
    return lossless_corpus(recorded), calls


def topic(call):
    return pd.DataFrame({"query": [call["in"]["query"]], "asked_at": ["2026-11-30T09:22:46Z"]})


def wanted(call):
    """Give what a call listed: scope, docnos, ranks."""
    messages = [f"m{hit['messageId']}" for hit in call["messages"]]
    yield "messages", messages, [hit["rank"] for hit in call["messages"]]
    summaries = [hit["summaryId"] for hit in call["summaries"]]
    yield "summaries", summaries, [hit["rank"] for hit in call["summaries"]]


@pytest.mark.parametrize("sort", [*SORTS, None], ids=str)
def test_every_recorded_list_of_lossless_claw_is_reproduced(lossless, sort):
    corpus, calls = lossless
    policy = LosslessClaw(sort, "reference") if sort else Newest(Regex())
    search, compared = policy.fit(corpus), 0
    for call in calls:
        if call["in"].get("sort") == sort:
            for scope, docnos, _ in wanted(call):
                hits = search.run(topic(call), k=call["in"]["limit"], scope=scope).frame()
                assert hits["docno"].tolist() == docnos, call["in"]
                compared += 1
    assert compared == 80


def test_every_recorded_rank_of_lossless_claw_is_reproduced_to_the_bit(lossless):
    corpus, calls = lossless
    search, compared = FTS5(apart="scope", compat="lossless-claw").fit(corpus), 0
    for call in calls:
        if call["in"]["mode"] == "full_text":
            hits = search.run(topic(call)).frame()
            scores = dict(zip(hits["docno"], hits["score"], strict=True))
            for _, docnos, ranks in wanted(call):
                assert [-scores[docno] for docno in docnos] == ranks
                compared += len(ranks)
    assert compared == 438


def spelled(given):
    """Write out a text that the record abbreviates."""
    if isinstance(given, str):
        return given
    if "repeat" in given:
        return given["repeat"][0] * given["repeat"][1]
    if "parts" in given:
        return "".join(given["parts"])
    unit, times, cut = given["unit"], given["times"], given["cut"]
    blocks = range(given["text_blocks"])
    return "\n".join((unit.replace("{i}", str(i)) * times)[:cut] for i in blocks)


def openclaw_corpora(inputs, outputs):
    """Give the rows that OpenClaw indexed, a corpus an agent."""
    listed = [s["steps"] for s in inputs["sessions"].values() if isinstance(s["steps"], list)]
    said = {s["id"]: s["message"]["content"] for steps in listed for s in steps if "message" in s}
    keys = {s["session_id"]: s["key"] for s in inputs["sessions"].values()}
    keys["REWOUND-B"] = inputs["sessions"]["B"]["key"]
    for agent, index in outputs["indexed"].items():
        rows = index["fts"]
        if agent == "lab":  # its 230 rows are described, not listed
            first = rows[0]
            rows = [
                {
                    **first,
                    "message_id": f"l{n:03}",
                    "timestamp": first["timestamp"] + (n - 1) * 60_000,
                    "text": f"many entry {n}",
                }
                for n in range(1, index["rows"] + 1)
            ]
        assert len(rows) == index["rows"]
        cut = [row["message_id"] for row in rows if not isinstance(row["text"], str)]
        longer = {message: spelled(said[message]) for message in cut}
        whole = [longer.get(row["message_id"], row["text"]) for row in rows]
        yield lcm.Corpus(
            [
                {
                    "docno": f"{row['session_id']}/{row['message_id']}",
                    "text": text,
                    "conversation": row["session_id"],
                    "role": row["role"],
                    "key": keys[row["session_id"]],
                    "time": pd.Timestamp(row["timestamp"], unit="ms", tz="UTC"),
                }
                for row, text in zip(rows, whole, strict=True)
            ]
        )


def test_every_recorded_search_of_openclaw_is_reproduced(recorded, unpack):
    inputs = json.loads((recorded / "openclaw/input.json").read_text(encoding="utf-8"))
    outputs = unpack(recorded / "openclaw/outputs.json.xz")
    agents = [SessionsSearch("reference").fit(c) for c in openclaw_corpora(inputs, outputs)]
    keys = {session["key"] for session in inputs["sessions"].values()}
    compared = 0
    for given, got in zip(inputs["search"], outputs["search"], strict=True):
        key = given["args"].get("sessionKey")
        if "results" not in got.get("out", {}) or "as" in given or key not in {None, *keys}:
            continue  # refused, or about who may see what
        filters = {"key": key} if key else {}
        hits = merged(agents, spelled(given["args"]["query"]), **filters)
        hits = hits[: int(given["args"].get("limit", 10))]
        expected = [
            (f"{r['sessionId']}/{r['messageId']}", r["score"]) for r in got["out"]["results"]
        ]
        assert [docno for docno, _ in hits] == [docno for docno, _ in expected], given
        assert [s for _, s in hits] == pytest.approx([s for _, s in expected], abs=1e-9)
        compared += 1
    assert compared == 140


def merged(agents, query, **filters):
    """Join the lists of several agents as the tool does: by score, time, key and message."""
    hits = []
    for search in agents:
        try:
            run = search.run(query, k=25, **filters)
        except EmptyQuery:
            return []
        frame = run.frame()
        key = search.corpus["key"].iloc[run.rows]
        message = frame["docno"].str.split("/").str[1]
        order = zip(-frame["score"], -run.corpus.numpy("time")[run.rows], key, message, strict=True)
        hits += zip(order, frame["docno"], frame["score"], strict=True)
    return [(docno, score) for _, docno, score in sorted(hits, key=lambda hit: hit[0])]
