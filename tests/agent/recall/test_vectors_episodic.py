"""The vectors of episodic-memory's ``search``: what is refused, filtered and ranked, and how shown.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import asyncio

import pytest

from lcm_lab.agent.episodic.asked import asked
from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.agent.episodic.recorded import RecordedAnswer
from lcm_lab.agent.episodic.reference import Reached
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.store.store import Store
from tests.agent.recall.held import Pointing, original, record, said, talk

NOTHING = dict.fromkeys(("after", "before", "project", "session_id", "git_branch"))


@pytest.fixture
def tools(tmp_path):
    return original(tmp_path, {"p/a.jsonl": talk("ok then")})


def users(answer):
    return [one.exchange.user for one in answer.found]


@pytest.mark.parametrize(
    ("number", "args", "told"),
    [
        (1, {}, "query"),
        (2, {"query": "a"}, "at least 2 characters"),
        (4, {"query": ["ab"]}, "2 to 5"),
        (5, {"query": ["ab"] * 6}, "2 to 5"),
        (6, {"query": ["a", "bc"]}, "at least 2 characters. Got 'a'"),
        (7, {"query": "ok", "limit": 0}, "limit"),
        (7, {"query": "ok", "limit": 51}, "limit"),
        (7, {"query": "ok", "limit": 2.5}, "limit"),
        (7, {"query": "ok", "limit": "5"}, "limit"),
        (9, {"query": "ok", "foo": 1}, "no parameter 'foo'"),
        (10, {"query": "ok", "after": "2025/01/01"}, "YYYY-MM-DD"),
        (10, {"query": "ok", "after": "2025-13-01"}, "no day 2025-13-01"),
        (11, {"query": "ok", "project": ""}, "project is empty"),
    ],
)
def test_what_the_program_refuses_is_refused(tools, number, args, told):
    with pytest.raises(BadParameter, match=told):
        tools.search(**args)


def test_3_two_spaces_are_accepted(tools):
    assert users(tools.search("  ", mode="text")) == []


def test_8_what_is_not_given_is_ten_of_both_as_markdown(tools):
    question = tools.search("ok").asked
    assert (question.limit, question.mode, question.written) == (10, "both", "markdown")


def test_10_a_day_past_the_end_of_its_month_passes_there_and_not_here(tools):
    assert users(tools.search("ok", mode="text", after="2025-02-30")) == ["ok then"]
    with pytest.raises(BadParameter, match="no day 2025-02-30"):
        EpisodicTools(Store(":memory:")).search("ok", after="2025-02-30")


def test_11_a_tool_that_there_is_not_is_an_error_of_its_answer():
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")
    from mcp import Client

    from lcm_lab.agent.mcp.server import server

    async def asking():
        async with Client(server(EpisodicTools(Store(":memory:")))) as client:
            return await client.call_tool("serach", {"query": "ok"})

    assert asyncio.run(asking()).is_error


@pytest.mark.parametrize(
    ("number", "at", "days", "found"),
    [
        (12, "2025-10-01T00:00:00.000Z", {"before": "2025-10-01"}, 0),
        (12, "2025-10-01T00:00:00.000Z", {"after": "2025-10-01"}, 1),
        (13, "2025-09-30T23:59:59Z", {"before": "2025-10-01"}, 1),
        (14, "2025-10-01T01:00:00+09:00", {"after": "2025-10-01"}, 1),
    ],
)
def test_days_are_compared_as_texts(tmp_path, number, at, days, found):
    tools = original(tmp_path, {"p/a.jsonl": talk("ok then", at=at)})
    assert len(tools.search("ok", mode="text", **days)) == found


def test_14_is_mended_since_that_moment_is_still_the_day_before_in_utc():
    store = Store(":memory:")
    # 2025-10-01T01:00+09:00 is 2025-09-30T16:00Z.
    store.append(said("m1", "ok then", -((1_772_355_600 - 1_759_248_000) // 60)))
    assert len(EpisodicTools(store).search("ok", mode="text", after="2025-10-01")) == 0
    assert len(EpisodicTools(store).search("ok", mode="text", before="2025-10-01")) == 1


def test_15_a_name_is_compared_and_never_run(tools):
    assert users(tools.search("ok", project="x' OR '1'='1")) == []


def test_15_is_mended_since_a_project_that_there_is_not_is_an_error():
    store = Store(":memory:")
    store.append(said("m1", "ok then"))
    with pytest.raises(NotFound, match="No project"):
        EpisodicTools(store).search("ok", project="x' OR '1'='1")


@pytest.mark.parametrize(
    ("number", "query", "text", "there", "here"),
    [
        (16, "100%", "it is at 1000 now", True, False),
        (16, "100%", "it is at 100% now", True, True),
        (16, "a_b", "call axb", True, False),
        (17, "ABC", "see abc there", True, True),
        (17, "\u00c9A", "see \u00e9a there", False, True),
    ],
)
def test_a_text_is_looked_for(tmp_path, number, query, text, there, here):
    tools = original(tmp_path, {"p/a.jsonl": talk(text)})
    assert bool(users(tools.search(query, mode="text"))) == there
    store = Store(":memory:")
    store.append(said("m1", text))
    assert bool(len(EpisodicTools(store).search(query, mode="text"))) == here


def test_18_hits_by_text_have_no_similarity(tools):
    (hit,) = tools.search("ok", mode="text", response_format="json").to_dict()["results"]
    assert "similarity" not in hit


def test_19_both_is_the_nearest_and_then_what_has_the_text_at_similarity_one(tmp_path):
    files = {
        "p/v1.jsonl": talk("v1 <1 0>", at="2025-01-01T00:00:00Z"),
        "p/v2.jsonl": talk("v2 <0.9 0>", at="2025-01-02T00:00:00Z"),
        "p/t1.jsonl": talk("t1 <-1 0> and <1 0>", at="2025-01-03T00:00:00Z"),
    }
    tools = original(tmp_path, files, Pointing())
    assert users(tools.search("<1 0>", mode="text")) == ["t1 <-1 0> and <1 0>", "v1 <1 0>"]
    found = tools.search("<1 0>", limit=2)
    assert [user[:2] for user in users(found)] == ["v1", "v2", "t1"]
    assert found.found[2].similarity == 1


def test_20_and_21_filters_after_the_cut_leave_fewer_than_there_are(tmp_path):
    others = {
        f"other/{n}.jsonl": talk(f"<0.{9 - n} 0> here", at="2025-01-01T00:00:00Z") for n in range(6)
    }
    wanted = {"wanted/a.jsonl": talk("<0.1 0> here", at="2025-06-01T00:00:00Z")}
    tools = original(tmp_path, {**others, **wanted}, Pointing())
    assert len(tools.search("<1 0>", mode="vector", limit=2, project="wanted")) == 0
    assert len(tools.search("<1 0>", mode="vector", limit=6, after="2025-06-01")) == 0
    assert len(tools.search("<1 0>", mode="vector", limit=7, after="2025-06-01")) == 1


def test_20_and_21_are_mended_since_filters_come_before_the_cut():
    store = Store(":memory:")
    for n in range(6):
        store.append(said(f"m{n}", f"<0.{9 - n} 0> here", n, f"s{n}"))
    store.append(said("m9", "<0.5 0> here", 9000, "s9"))
    tools = EpisodicTools(store, Pointing(), floor=0)
    found = tools.search("<1 0>", mode="vector", limit=2, session_id="s9")
    assert [hit.found.exchange.user for hit in found.hits] == ["<0.5 0> here"]
    assert len(tools.search("<1 0>", mode="vector", limit=1, after="2026-03-07")) == 1


@pytest.mark.parametrize("mode", ["vector", "text", "both"])
def test_22_what_was_said_to_a_subagent_is_in_no_answer(tmp_path, mode):
    tools = original(tmp_path, {"p/a.jsonl": talk("ok then", isSidechain=True)})
    assert users(tools.search("ok", mode=mode)) == []


@pytest.mark.parametrize(
    ("cosine", "similarity"), [(1, 1), (0.875, 0.875), (0.5, 0.5), (0, 0), (-1, -1)]
)
def test_23_similarity_is_one_less_half_the_squared_distance(tmp_path, cosine, similarity):
    """Distances 0, 0.5, 1, sqrt 2 and 2; no two vectors of length one are 2.1 apart."""
    tools = original(tmp_path, {"p/a.jsonl": talk(f"<{cosine} 0>")}, Pointing())
    (one,) = tools.search("<1 0>", mode="vector").found
    assert one.similarity == pytest.approx(similarity, abs=1e-6)


def about(*pairs):
    return [one for pair in pairs for one in talk(f"<{pair}>")]


def test_24_only_a_conversation_that_is_near_to_each_concept_is_found(tmp_path):
    """Ten nearest a concept: what is further fills up with conversations of one of them."""
    files = {
        "p/c1.jsonl": about("0.9 0", "0 0.5"),
        "p/c2.jsonl": about("0.8 0"),
        "p/c3.jsonl": about("0 0.7"),
        "p/c4.jsonl": about(*["0.4 0"] * 10),
        "p/c5.jsonl": about(*["0 0.4"] * 10),
    }
    tools = original(tmp_path, files, Pointing())
    (one,) = tools.search(["<1 0>", "<0 1>"], limit=2).found
    assert one.exchange.path.endswith("c1.jsonl")
    assert one.concepts == pytest.approx((0.9, 0.5), abs=1e-6)
    assert one.similarity == pytest.approx(0.7, abs=1e-6)


def test_25_the_best_hit_of_a_concept_counts_and_the_first_ones_is_shown(tmp_path):
    files = {"p/c1.jsonl": about("0.6 0", "0.9 0", "0 0.5")}
    (one,) = original(tmp_path, files, Pointing()).search(["<1 0>", "<0 1>"]).found
    assert one.concepts == pytest.approx((0.9, 0.5), abs=1e-6)
    assert one.exchange.user == "<0.9 0>"


def test_26_a_list_is_searched_by_vectors_whatever_the_mode(tmp_path):
    files = {"p/c1.jsonl": about(*["0.9 0"] * 5), "p/c2.jsonl": about(*["0 0.9"] * 5)}
    tools = original(tmp_path, files, Pointing())
    assert len(tools.search(["<1 0>", "<1 0>"], mode="text", limit=1)) == 1
    none = tools.search(["<1 0>", "<0 1>"], mode="text", limit=1)
    assert none.to_text() == "No conversations found matching all concepts: <1 0>, <0 1>"
    assert none.to_dict() == {"results": [], "count": 0, "concepts": ["<1 0>", "<0 1>"]}


@pytest.mark.parametrize(
    ("number", "user", "assistant", "snippet"),
    [
        (27, "x" * 250, "fine", "x" * 200 + "..."),
        (27, "a\n\n  b", "fine", "a b"),
        (27, "x" * 200, "fine", "x" * 200),
        (28, "the head", "what is looked for", "the head"),
    ],
)
def test_a_snippet_is_the_head_of_what_the_user_said(number, user, assistant, snippet):
    found = Reached(Exchange("e", "c", user, assistant))
    answer = RecordedAnswer((found,), asked("ab", "text", 1, "json", NOTHING, reference=True), None)
    assert answer.to_dict()["results"][0]["snippet"] == snippet


def test_28_is_mended_since_a_snippet_stands_around_the_match():
    store = Store(":memory:")
    store.append(said("m1", "the head " * 90))
    store.append(said("m2", "what is looked for", 1, role="assistant"))
    (hit,) = EpisodicTools(store).search("looked for", mode="text").hits
    assert "what is looked for" in hit.snippet


def test_29_a_summary_has_fewer_than_300_characters():
    """The program leaves longer ones out; here one is made that fits."""
    store = Store(":memory:")
    for n in range(20):
        store.append(said(f"m{n}", f"Which database number {n} shall we take, and why? " * 5, n))
    (hit, *_) = EpisodicTools(store).search("database", mode="text").hits
    assert 0 < len(hit.summary) < 300
    assert f"About: {hit.summary}" in EpisodicTools(store).search("database").to_text()


def test_30_the_size_of_a_transcript_counts_lines_that_are_not_blank(tmp_path):
    records = [*talk("ok then"), "", *talk("and more"), "", record("user", "last")]
    tools = original(tmp_path, {"p/a.jsonl": records})
    assert "KB, 5 lines)" in tools.search("ok then", mode="text").to_text()
    (tmp_path / "p" / "a.jsonl").unlink()
    assert "(0KB, 0 lines)" in tools.search("ok then", mode="text").to_text()


def test_31_a_hit_has_no_line_of_tools(tmp_path):
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {}} for n in range(3)]
    records = [
        record("user", "ok then"),
        record("assistant", [{"type": "text", "text": "fine"}, *calls]),
    ]
    assert "Tools" not in original(tmp_path, {"p/a.jsonl": records}).search("ok then").to_text()
