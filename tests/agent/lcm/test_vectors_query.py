"""The vectors of lossless-claw that are about lcm_expand_query.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import json

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.buckets import Candidate, bucketed
from lcm_lab.agent.lcm.expansion.budget import cap_split, work_until
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.expansion.reply import parse_reply
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.dag import Summary
from lcm_lab.errors import BadInput, BadParameter, EmptyQuery, NotFound
from lcm_lab.store.store import Store
from tests.agent.lcm.held import BOTH, REFERENCE


@pytest.mark.parametrize(
    ("number", "workers", "cap", "shares"),
    [
        (96, 3, 10, [4, 3, 3]),
        (96, 3, 2, [1, 1]),
        (96, 3, 4000, [1334, 1333, 1333]),
        (96, 3, 0, [1]),
    ],
)
def test_tokens_are_shared_among_workers(number, workers, cap, shares):
    assert cap_split(workers, cap) == shares


@pytest.mark.parametrize(
    ("number", "tool", "work"),
    [(97, 150_000, 120_000), (97, 60_000, 30_000), (97, 20_000, 0), (97, 30_000, 0), (97, 0, 0)],
)
def test_the_end_of_the_work(number, tool, work):
    assert work_until(tool, 120_000, 30_000, 0) == work


def filled(talks, depth=1, made="notes of {talk}"):
    """A store of conversations with a leaf over each, and so many levels above."""
    store = Store(":memory:")
    store.add(
        lcm.Corpus(
            {
                "docno": f"{talk}-{at}",
                "conversation": talk,
                "text": text,
                "time": f"2026-01-{at:02}",
            }
            for talk, said in talks.items()
            for at, text in enumerate(said, 1)
        )
    )
    for talk in talks:
        dag = store.dag(talk)
        top = Summary.of(made.format(talk=talk), dag.messages)
        dag = dag.replace(dag.messages[0].id, dag.messages[-1].id, top)
        for height in range(depth - 1):
            over = Summary.of(f"above {talk} {height}", [top])
            dag, top = dag.replace(top.id, top.id, over), over
        store.put(dag)
    return store


def ask(held, prompt="where is the needle?", **how):
    how = {"query": "needle", "allConversations": True, **how}
    return held.lcm_expand_query(prompt, **how)


def says(**reply):
    return lambda question, passages: json.dumps({"answer": "the needle is here", **reply})


@pytest.mark.parametrize("compat", BOTH)
def test_98_what_must_be_given(compat):
    held = LcmTools(filled({"7": ["a needle"]}), compat=compat)
    with pytest.raises(BadParameter, match="needs prompt"):
        held.lcm_expand_query(query="needle")
    with pytest.raises(EmptyQuery, match="prompt is the question"):
        held.lcm_expand_query(" ", query="needle")
    with pytest.raises(BadParameter, match="One of query and summaryIds"):
        held.lcm_expand_query("where?")
    with pytest.raises(NotFound, match="not in this scope"):
        held.lcm_expand_query("where?", summaryIds=["sum_00000000000000aa"])


@pytest.mark.parametrize("compat", BOTH)
def test_98_nothing_found_is_an_answer_of_one_conversation_and_an_error_of_several(compat):
    held = LcmTools(filled({"7": ["hay"], "8": ["straw"]}), compat=compat)
    one = ask(held, allConversations=False, conversationId="7").to_dict()
    assert one["answer"] == "No matching summaries found in this scope."
    assert (one["expandedSummaryCount"], one["totalSourceTokens"], one["citedIds"]) == (0, 0, [])
    several = ask(held).to_dict()
    assert several["error"] == "No matching summaries found."
    assert "answer" not in several


@pytest.mark.parametrize(
    ("number", "depth", "compat", "there"),
    [(99, 1, None, True), (99, 1, REFERENCE, True), (99, 3, None, True), (99, 3, REFERENCE, False)],
)
def test_a_fact_that_only_a_message_has(number, depth, compat, there):
    """Of deep trees a `[GAP]` mended."""
    held = LcmTools(filled({"7": ["a needle lies in the hay"]}, depth), compat=compat)
    answer = ask(held, allConversations=False)
    assert ("lies in the hay" in answer.answer) == there


@pytest.mark.parametrize(
    ("number", "candidates", "order"),
    [
        (
            100,
            [Candidate("1", "sum_a", explicit=True)]
            + [Candidate("2", f"sum_{at}") for at in range(5)],
            ["1", "2"],
        ),
        (100, [Candidate("1", "a"), Candidate("2", "b"), Candidate("2", "c")], ["2", "1"]),
        (100, [Candidate("1", "a", time=1), Candidate("2", "b", time=2)], ["2", "1"]),
        (100, [Candidate("1", "a"), Candidate("2", "b", message="m")], ["2", "1"]),
        (100, [Candidate("10", "a"), Candidate("9", "b")], ["9", "10"]),
    ],
)
def test_conversations_are_ordered(number, candidates, order):
    assert [bucket.conversation for bucket in bucketed(candidates)] == order


FIVE = {str(at): [f"a needle in {at}"] for at in range(1, 6)}


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize(
    ("cap", "run", "why"),
    [(4000, 3, ["not among the 3"] * 2), (2, 2, ["no tokens"] + ["not among the 3"] * 2)],
)
def test_101_three_of_five_conversations_are_read(compat, cap, run, why):
    held = LcmTools(filled(FIVE), answer=says(), compat=compat)
    told = ask(held, tokenCap=cap).to_dict()
    parts = told["conversationBreakdown"]
    assert [part["status"] for part in parts] == ["success"] * run + ["skipped"] * (5 - run)
    assert [word in part["reason"] for word, part in zip(why, parts[run:], strict=True)] == [
        True
    ] * (5 - run)
    assert told["truncated"]


@pytest.mark.parametrize(
    ("number", "reply", "code"),
    [
        (102, "the needle is in the hay", "INVALID"),
        (102, "```json\n{broken\n```", "INVALID"),
        (102, '{"citedIds": []}', "INVALID"),
        (102, " \n", "MISSING"),
    ],
)
def test_replies_that_are_none(number, reply, code):
    store = filled({"7": ["a needle"]})
    held = LcmTools(store, answer=lambda *_: reply, compat=REFERENCE)
    assert ask(held).code == f"DELEGATED_EXPANSION_REPLY_{code}"


def test_102_what_a_reply_leaves_out_and_names_twice():
    fenced = (
        'Here:\n```json\n{"answer": "x", "citedIds": [" sum_a ", "sum_a", "sum_zz"]}\n```\nDone.'
    )
    assert parse_reply(fenced, 4).to_dict() == {
        "answer": "x",
        "citedIds": ["sum_a", "sum_zz"],
        "expandedSummaryCount": 4,
        "totalSourceTokens": 0,
        "truncated": False,
    }
    assert parse_reply('{"answer": "x", "expandedSummaryCount": -1}', 4).summaries == 0
    for broken in ("prose", "[]", '{"answer": " "}'):
        with pytest.raises(BadInput):
            parse_reply(broken, 1)


@pytest.mark.parametrize(("compat", "cited"), [(None, []), (REFERENCE, ["sum_zz"])])
def test_102_ids_that_there_are_not_are_kept_there_and_refused_here(compat, cited):
    """A `[GAP]` mended."""
    store = filled({"7": ["a needle"]})
    told = ask(LcmTools(store, answer=says(citedIds=["sum_zz"]), compat=compat)).to_dict()
    assert told["citedIds"] == cited
    assert ("sum_zz" in str(told["notes"])) == (compat is None)


def failing(*good):
    """A reader that answers in some conversations, and fails in the others."""

    def read(question, passages):
        if passages and passages[0].conversation in good:
            return json.dumps({"answer": "the needle is here"})
        return " "

    return read


@pytest.mark.parametrize("compat", BOTH)
def test_103_one_success_is_an_answer_and_none_is_an_error(compat):
    three = {name: FIVE[name] for name in ("1", "2", "3")}
    held = LcmTools(
        filled(three, made="needle notes of {talk}"), answer=failing("2"), compat=compat
    )
    told = ask(held).to_dict()
    assert "From 1 of 3 conversations. The other 2 were left out or failed." in told["answer"]
    assert told["truncated"]
    assert told["sourceConversationId"] == 2
    held.answer = failing()
    none = ask(held).to_dict()
    assert none["errorCode"] == "DELEGATED_EXPANSION_REPLY_MISSING"
    assert [part["status"] for part in none["conversationBreakdown"]] == ["failed"] * 3


@pytest.mark.parametrize("compat", BOTH)
def test_104_one_at_a_time_and_never_from_within(compat):
    inner = []

    def again(question, passages):
        inner.append(ask(held))
        return json.dumps({"answer": "the needle is here"})

    held = LcmTools(filled({"7": ["a needle"]}), answer=again, compat=compat)
    assert not ask(held).error
    (blocked,) = inner
    assert (blocked.code, blocked.reason) == (
        "EXPANSION_CONCURRENCY_BLOCKED",
        "origin_session_in_flight",
    )
    assert not ask(held).error
    worker = LcmTools(held.store, grant=Grant(["7"]), compat=compat)
    refused = [ask(worker) for _ in range(2)]
    assert {one.code for one in refused} == {"EXPANSION_RECURSION_BLOCKED"}
    assert [one.reason for one in refused] == ["depth_cap", "idempotent_reentry"]
