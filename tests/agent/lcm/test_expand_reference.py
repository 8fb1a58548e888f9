"""Expansion as the reference does it, function by function and call by call."""

import json
import lzma

import pytest

from lcm_lab.agent.lcm.expansion.buckets import Candidate, bucketed
from lcm_lab.agent.lcm.expansion.budget import cap_split, work_until
from lcm_lab.agent.lcm.expansion.reply import parse_reply
from lcm_lab.agent.lcm.expansion.routing import broad_time_range, route, token_risk
from lcm_lab.agent.lcm.expansion.walked import walk
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import BadInput
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.times import instant


def routed(given):
    return route(
        given.get("query") or "",
        given["candidateSummaryCount"],
        given["tokenCap"],
        given.get("requestedMaxDepth", 3),
        given["intent"],
        messages=given.get("includeMessages", False),
    ).to_dict()


def risk(given):
    ratio, level = token_risk(given["estimatedTokens"], given["tokenCap"])
    return {"ratio": ratio, "level": level}


def deadline(given):
    asked = (given[name] for name in ("toolMs", "delegationMs", "headroomMs", "nowMs"))
    return {"total": given["nowMs"] + max(given["toolMs"], 1), "work": work_until(*asked)}


def order(given):
    return [
        int(bucket.conversation)
        for bucket in bucketed(
            Candidate(
                str(one["conversationId"]),
                one["summaryId"],
                one["isExplicit"],
                "m1" if one["requiresMessageExpansion"] else "",
                instant(one["matchedAt"]),
            )
            for one in given
        )
    ]


def reply(given):
    try:
        return {"ok": True, "value": parse_reply(given["reply"], given["fallbackCount"]).to_dict()}
    except BadInput:
        return {"ok": False}


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("routing", routed),
        ("broad_time_range", broad_time_range),
        ("token_risk", risk),
        ("expansion_deadline", deadline),
        ("cap_split", lambda given: cap_split(given["bucketCount"], given["tokenCap"])),
        ("bucket_order", order),
        ("delegated_reply", reply),
    ],
)
def test_a_function_of_the_reference_gives_what_was_recorded(functions, name, ours):
    assert functions[name]
    for case in functions[name]:
        assert ours(case["in"]) == case["out"], case


def test_all_expansions_of_the_reference_database_are_reproduced(recorded):
    packed = (recorded / "lcm_reference_outputs.json.xz").read_bytes()
    cases = json.loads(lzma.decompress(packed))["expand"]
    assert len(cases) == 108
    with open_lcm(recorded / "lcm_reference.db") as held:
        dag = LcmTools(held, compat="reference").dag("1")
        for case in cases:
            asked = case["in"]
            found = walk(
                dag,
                [asked["summaryId"]],
                asked["depth"],
                asked.get("tokenCap"),
                messages=asked["includeMessages"],
                compat="reference",
            ).expansion
            for one in found["messages"]:
                one["messageId"] = int(one["messageId"].removeprefix("m"))
            assert found == case["out"], asked


def test_at_the_default_depth_no_question_is_answered_at_once():
    assert route("what changed", 1, 1e9).action == "expand_shallow"
    assert route("what changed", 1, 1e9, float("nan")) == route("what changed", 1, 1e9, 3)
    assert route("what changed", 1, float("inf"), 1).cap == 2**53 - 1


def test_the_rules_of_routing_as_they_are_written_down():
    probe = route("x", 1, 4000, 2)
    assert (probe.tokens, round(probe.ratio, 2), probe.action) == (363, 0.09, "answer_directly")
    assert (route("x", 1, 4000).tokens, route("x", 1, 4000).hops) == (633, True)
    four, five = route("x", 4, 4000), route("x", 5, 4000)
    assert (four.tokens, four.risk, four.action) == (2530, "moderate", "expand_shallow")
    assert (five.tokens, five.risk, five.action) == (3163, "high", "delegate_traversal")
    both = route("the timeline of the root cause", 1, 1e9, 1)
    assert (both.tokens, both.action) == (372, "delegate_traversal")
    assert route("the timeline", 1, 1e9, 1).action == "expand_shallow"
    assert [route("x", 1, 9, depth).depth for depth in (0, 99, 2.9, -5)] == [1, 10, 2, 1]
    assert route("timeline root cause", 0, 1).action == "answer_directly"
    assert route("x", 1, 4000, 2, "explicit_expand").action == "expand_shallow"
