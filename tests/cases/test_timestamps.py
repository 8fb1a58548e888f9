"""Times and zones, group C of the bug reports: an id names the report."""

import itertools
import json
import time

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.times import days, instant, show
from tests.agent.conftest import SAID
from tests.cases.ways import POLICIES, Asked, command

DAY = {"since": "2026-03-10", "before": "2026-03-11"}
NO_TIMES = ("2026-02-30", "2026-13-01", "yesterday", "")
NAIVE = "2026-04-02 22:40:05"


def written(folder, *stamps):
    rows = [
        {"role": "user", "content": f"alpha {i}", "timestamp": at} for i, at in enumerate(stamps)
    ]
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "s.jsonl"


@pytest.fixture
def around(tmp_path):
    """A day's first moment and last millisecond, and the first moment of the next."""
    stamps = ("2026-03-10T00:00:00Z", "2026-03-10T23:59:59.999Z", "2026-03-11T00:00:00Z")
    rows = [{"text": f"alpha {i}", "time": instant(at)} for i, at in enumerate(stamps)]
    return Asked(tmp_path, *rows)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC"])
def test_a_time_without_a_zone_is_utc_whatever_the_zone_of_the_process(tmp_path, monkeypatch, zone):
    """TZ-01."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        told = lcm.read(written(tmp_path, NAIVE))
        corpus = lcm.Corpus([{"text": "alpha", "time": NAIVE}])
        assert (
            show(told.messages[0].time)
            == show(int(corpus.numpy("time")[0]))
            == "2026-04-02T22:40:05Z"
        )
        with lcm.Store(tmp_path / "memory.db") as store:
            store.add(told)
            grep = lcm.LcmTools(store).lcm_grep
            inside = {"since": "2026-04-02T22:40:05Z", "before": "2026-04-02T22:40:06Z"}
            for bounds, hits in ((inside, 1), ({"since": inside["before"]}, 0)):
                assert len(grep("alpha", **bounds).hits) == hits
                assert len(lcm.BM25().fit(store.corpus())("alpha", **bounds)) == hits
        words = ("--on", tmp_path / "memory.db", "--since", "2026-04-02", "--before", "2026-04-03")
        assert "2026-04-02 22:40" in command("search", "alpha", *words)[1]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_day_is_asked_for_without_fractions_of_a_second(around):
    """TZ-03: since and after are in it, before is not, and each says so."""
    for name, policy in POLICIES.items():
        assert set(policy.fit(around.corpus)("alpha", **DAY)["docno"]) == {"m1", "m2"}, name
    over = lcm.BM25().over(**DAY).fit(around.corpus)("alpha")
    assert set(over["docno"]) == {"m1", "m2"}
    for mode in ("regex", "full_text"):
        found = around.grep("alpha", mode=mode, allConversations=True, **DAY)
        assert [hit.id for hit in found.hits] == ["m2", "m1"]
    days_asked = {"after": "2026-03-10", "before": "2026-03-11"}
    for mode in ("vector", "text", "both"):
        found = around.episodic("alpha", mode=mode, **days_asked)
        assert {hit.found.exchange.user for hit in found.hits} == {"alpha 0", "alpha 1"}
    for words in (["search"], ["grep"], ["grep", "--words"]):
        bounds = ("--since", "2026-03-10", "--before", "2026-03-11")
        out = command(*words, "alpha", "--on", around.path, *bounds)[1]
        assert ("alpha 0" in out, "alpha 1" in out, "alpha 2" in out) == (True, True, False)
    assert "since is inclusive, before is not" in (lcm.Corpus.rows.__doc__ or "")


def test_filters_act_before_the_cut_in_every_mode(tmp_path):
    """TZ-04."""
    old, new = instant("2025-06-01"), instant("2026-02-01")
    rows = [{"text": f"cache retry cache retry {i}", "time": old + i} for i in range(100)]
    asked = Asked(tmp_path, *rows, {"text": "the cache may retry at lunch", "time": new})
    near = lcm.Named("table", lambda texts: [[1, 0] if "lunch" not in t else [1, 1] for t in texts])
    policies = {**POLICIES, "near": lcm.Dense(near), "alike": lcm.BM25() % 50 >> lcm.MMR(0.7)}
    for name, policy in policies.items():
        found = (policy % 5).fit(asked.corpus)("cache retry", since="2026-01-01")
        assert found["docno"].tolist() == ["m101"], name
    for mode in ("regex", "full_text"):
        pattern = "cache.*retry" if mode == "regex" else "cache retry"
        how = {"since": "2026-01-01", "limit": 5, "allConversations": True}
        assert [h.id for h in asked.grep(pattern, mode=mode, **how).hits] == ["m101"]
    search = lcm.EpisodicTools(asked.store, near).search
    for query, mode in itertools.product(("cache", ["cache", "retry"]), ("vector", "text", "both")):
        found = search(query, mode=mode, after="2026-01-01", limit=5)
        assert [hit.found.exchange.user for hit in found.hits] == ["the cache may retry at lunch"]
    words = ("cache", "--on", asked.path, "--since", "2026-01-01", "--json")
    assert [h["docno"] for h in json.loads(command("search", *words, "--k", 5)[1])["hits"]] == [
        "m101"
    ]


def test_aware_and_naive_times_stand_in_one_order(tmp_path):
    """TZ-05: and how many were naive is told."""
    told = lcm.read(written(tmp_path, "2026-01-01T02:00:00+01:00", "2026-01-01 00:30:00"))
    assert told.notes["time without a zone, read as UTC"] == 1
    corpus = told.corpus()
    assert (lcm.Newest(lcm.BM25()).fit(corpus)("alpha")["text"]).tolist() == ["alpha 0", "alpha 1"]
    faded = (lcm.BM25() >> lcm.Recency("1h", floor=0)).fit(corpus).explain("alpha")
    assert sorted(faded["Recency('1h', floor=0)"]) == pytest.approx([0.5**0.5, 1])
    assert corpus.rows(since="2026-01-01T00:45:00Z") == slice(0, 1)
    assert "read as UTC" in command("read", tmp_path / "s.jsonl")[1]


@pytest.mark.parametrize("bad", NO_TIMES)
@pytest.mark.parametrize("bound", ["since", "before"])
def test_what_is_no_date_is_refused(around, bad, bound):
    """TZ-07: it is neither a filter that is passed over nor one that nothing passes."""
    search, topics = lcm.BM25().fit(around.corpus), {"qid": ["q"], "query": ["alpha"]}
    recall = {"since": "after"}.get(bound, bound)
    for ask in (
        lambda: around.grep("alpha", allConversations=True, **{bound: bad}),
        lambda: around.episodic("alpha", **{recall: bad}),
        lambda: search("alpha", **{bound: bad}),
        lambda: search.run(pd.DataFrame({**topics, bound: [bad]})),
        lambda: lcm.BM25().over(**{bound: bad}),
        lambda: around.corpus.rows(**{bound: bad}),
    ):
        with pytest.raises(BadParameter):
            ask()
    for words, option in ((["search"], bound), (["grep"], bound), (["episodic", "search"], recall)):
        code, out, err = command(*words, "alpha", "--on", around.path, f"--{option}", bad)
        assert (code, out, repr(bad) in err or bad in err) == (2, "", True)


def test_a_window_that_ends_before_it_begins_is_refused(around):
    """TZ-07, its last input."""
    wrong = {"since": "2026-03-12", "before": "2026-03-11"}
    for ask in (
        lambda: around.grep("alpha", allConversations=True, **wrong),
        lambda: around.episodic("alpha", after=wrong["since"], before=wrong["before"]),
        lambda: lcm.BM25().fit(around.corpus)("alpha", **wrong),
        lambda: lcm.BM25().over(**wrong).fit(around.corpus)("alpha"),
    ):
        with pytest.raises(BadParameter):
            ask()
    for words in (["search"], ["grep"]):
        bounds = ("--since", wrong["since"], "--before", wrong["before"])
        assert command(*words, "alpha", "--on", around.path, *bounds)[:2] == (2, "")


def test_a_day_is_that_of_the_zone_that_is_named(tmp_path):
    """TZ-08: UTC unless another is asked for, which the answer then names."""
    moment = instant("2026-08-03T04:00:00Z")
    asked = Asked(tmp_path, {"text": "alpha", "time": moment})
    for zone, day in (("UTC", "2026-08-03"), ("America/Los_Angeles", "2026-08-02")):
        assert days(np.array([moment]), zone).astype(str).tolist() == [day]
        for words in (["grep", "alpha"], ["sessions", "search", "alpha"]):
            _, out, _ = command(*words, "--on", asked.path, "--zone", zone)
            assert day in out
            assert zone == "UTC" or f"zone={zone}" in out or "-07:00" in out
    assert "times are UTC" in command("search", "--help")[1]
    code, out, err = command("grep", "alpha", "--on", asked.path, "--zone", "Mars")
    assert (code, out, "No time zone 'Mars'" in err) == (2, "", True)


def test_a_summary_is_dated_in_the_zone_that_is_named(lcm_db):
    """TZ-08, of `lcm_describe`."""
    with lcm.open_lcm(lcm_db) as db:
        for zone, said in (("UTC", "2026-04-02 22:40"), ("Asia/Shanghai", "2026-04-03 06:40")):
            told = lcm.LcmTools(db, zone=zone).lcm_describe("sum_cccccccccccccccc").to_text()
            assert said in told
            assert ("(Asia/Shanghai)" in told) == (zone != "UTC")


def test_a_report_says_in_which_zone_its_times_are(tmp_path):
    """TZ-08, of a report."""
    corpus = lcm.Corpus([{"text": text, "time": "2026-08-03T04:00:00Z"} for *_, text in SAID])
    topics = pd.DataFrame({"qid": ["q1"], "query": ["which database for orders?"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m2"], "relevance": [1]})
    bench = lcm.Collection("orders", corpus, topics, qrels)
    result = lcm.evaluate([lcm.BM25() % 3], on=bench, measures=[lcm.measures.RR])
    lcm.ranking_report(result).save(tmp_path / "report")
    assert "times are UTC" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_numbers_are_seconds_or_finer_and_never_far_away(tmp_path):
    """TZ-09."""
    good, bad = (1767225600, 1767225600000, "1767225600"), (0, -5, 99999999999999)
    told = lcm.read(written(tmp_path, *good, *bad))
    year = instant("2026-01-01T00:00:00Z")
    assert [one.time for one in told] == [year] * 3 + [None] * 3
    assert told.notes["time that cannot be read, left unknown"] == 3
    for given in good:
        assert lcm.Corpus([{"text": "x", "time": given}]).numpy("time").tolist() == [year]
    for given in bad:
        with pytest.raises(BadInput, match="is not between 1990 and 2100"):
            lcm.Corpus([{"text": "x", "time": given}])


def test_what_is_imported_today_has_the_times_it_was_said_at(tmp_path):
    """TZ-10: and the inner order where envelopes are equal to the second."""
    rows = [
        {
            "timestamp": "2025-05-01T12:00:00.000Z",
            "type": "message",
            "id": f"m{i}",
            "parentId": f"m{i - 1}" if i else None,
            "message": {
                "role": ("user", "assistant")[i % 2],
                "content": [{"type": "text", "text": f"alpha {i}"}],
                "timestamp": 1_746_100_000_000 + i * 7_000,
            },
        }
        for i in range(4)
    ]
    head = {"type": "session", "version": 3, "id": "s1", "cwd": "/w"}
    lines = [json.dumps(one) for one in (head, *rows)]
    (tmp_path / "s1.jsonl").write_text("\n".join(lines) + "\n")
    assert command("import", tmp_path / "s1.jsonl", "--into", tmp_path / "memory.db")[0] == 0
    with lcm.Store(tmp_path / "memory.db") as store:
        corpus = store.corpus()
        times = corpus.numpy("time").tolist()
        assert [show(at)[:4] for at in times] == ["2025"] * 4
        assert times == sorted(set(times))
        assert corpus["text"].tolist() == [f"alpha {i}" for i in range(4)]
        (imported,) = store.connection.execute("select min(imported) from messages").fetchone()
        assert show(imported)[:4] != "2025"
        faded = (lcm.BM25() >> lcm.Recency("1h")).fit(corpus).explain("alpha")
        assert faded["Recency('1h')"].max() == 1
