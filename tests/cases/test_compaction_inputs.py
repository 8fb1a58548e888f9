"""Compaction policies, group H: budgets, and what a summary is made of. An id names the report."""

import json
import re

import pytest

import lcm_lab as lcm
from lcm_lab.messages import Message, Part
from lcm_lab.testing import check_dag

WORDS = "word " * 20
FRESH = [
    lcm.RandomLines(30, fresh=2),
    lcm.Rolling(30, fresh=2),
    lcm.Mask(fresh=2, least=1),
    lcm.Leaves(60, fresh=2),
    lcm.Clusters(40, size=2, fresh=2),
    lcm.Lossless(window=100, fresh=2, chunk=60),
]


def said(name, role="user", text=WORDS, **more):
    return Message(name, "s", role, (Part("text", text),), **more)


@pytest.mark.parametrize("giant", [900, 5_000])
@pytest.mark.parametrize("strategy", [lcm.Mask(fresh=2), lcm.Lossless(fresh=64)], ids=repr)
def test_a_giant_result_becomes_a_stub_that_the_tools_lead_from(strategy, giant):
    """CP-06: it ends, the role and the id of the call stay, and the pointer is resolved."""
    small = [said(f"m{i}", text=f"turn {i} is short.") for i in range(10)]
    call = Message("c", "s", "assistant", (Part("tool_call", "Read\npath: x", "Read", "t1"),))
    result = Message("r", "s", "tool", (Part("tool_result", "line " * giant, call="t1"),))
    dag = lcm.Dag.of([*small[:5], call, result, *small[5:]])
    after = lcm.compact(dag, strategy, budget=600)
    assert after.outcome.over == 0
    check_dag(after)
    (over,) = [one for one in after.path("r") if one.id in after.frontier]
    sent = lcm.assemble(after, 10_000).messages
    assert over.id in json.dumps(sent)
    if over.level == "stub":
        (shown,) = [turn for turn in sent if "toolCallId" in turn]
        assert (shown["role"], shown["toolCallId"]) == ("toolResult", "t1")
    with lcm.Store(":memory:") as store:
        store.add(lcm.Transcripts(dag.messages))
        store.put(after)
        tools = lcm.LcmTools(store)
        assert "r" in tools.lcm_describe(over.id).messages
        told = tools.lcm_expand_query(summaryIds=[over.id], prompt="which line?")
        assert "line line line" in told.answer


def test_what_cannot_be_compacted_ends_with_its_share_in_as_many_passes_each_time():
    """CP-07."""
    fixed = said("f", text="word " * 950)
    turns = [said(f"m{i}", "assistant", "ok.") for i in range(10)]
    for talk in ([fixed, *turns], [*turns, fixed]):
        dag = lcm.Dag.of(talk)
        for strategy in (lcm.Lossless(), lcm.Leaves(), lcm.Rolling(fresh=64), lcm.Window()):
            outcomes = [lcm.compact(dag, strategy, budget=900).outcome for _ in range(2)]
            assert outcomes[0] == outcomes[1]
            assert outcomes[0].calls <= 40
            if outcomes[0].over:
                assert re.search(r"of 9[5-7]0 tokens stays? raw", outcomes[0].reason)


@pytest.mark.parametrize("strategy", FRESH, ids=repr)
def test_a_pass_that_changes_nothing_says_why_and_over_target_is_a_reason(strategy):
    """CP-09."""
    dag = lcm.Dag.of([said("m0")])
    for budget, reason in ((99, "it was within the budget"), (9, "nothing is left to compact: 1")):
        outcome = lcm.compact(dag, strategy, budget=budget).outcome
        assert (outcome.changed, outcome.before, outcome.after) == (False, 20, 20)
        assert outcome.reason.startswith(reason)
        assert outcome.over == max(0, 20 - budget)


@pytest.mark.parametrize("strategy", FRESH, ids=repr)
def test_the_newest_user_message_and_all_that_follows_it_stay_raw(strategy):
    """CP-10."""
    old = [said(f"m{i}", ("user", "assistant")[i % 2]) for i in range(8)]
    calls = [Part("tool_call", "ls", "ls", f"t{i}") for i in range(6)]
    call = Message("a", "s", "assistant", tuple(calls))
    results = [
        Message(f"r{i}", "s", "tool", (Part("tool_result", WORDS, call=f"t{i}"),)) for i in range(6)
    ]
    dag = lcm.Dag.of([*old, said("u"), call, *results])
    after = lcm.compact(dag, strategy, budget=260)
    assert after.frontier[-8:] == dag.frontier[-8:]
    if strategy != FRESH[2]:  # there are no older results to mask
        assert after.tokens < dag.tokens


def test_current_tokens_are_held_against_what_is_usable_of_a_window():
    """CP-15: a window of 1,000 of which 200 are reserved."""
    dag = lcm.Dag.of([said(f"m{i}", text="word " * 25) for i in range(34)])
    assert dag.tokens == 850
    for after in (
        lcm.compact(dag, lcm.Lossless(fresh=4, chunk=200), budget=1_000 - 200),
        lcm.compact(dag, lcm.Lossless(window=1_000, threshold=0.8, fresh=4, chunk=200)),
    ):
        assert after.tokens <= 800
        assert after.outcome.changed


@pytest.mark.parametrize(
    "strategy", [lcm.Lossless(fresh=1, chunk=200, leaf=20), lcm.Leaves(90, fresh=1, target=10)]
)
def test_it_ends_within_a_chunk_of_its_target_oldest_first_and_tells_both(strategy):
    """CP-18."""
    dag = lcm.Dag.of([said(f"m{i}", text="word " * 50) for i in range(40)])
    target = dag.tokens * 3 // 4
    after = lcm.compact(dag, strategy, budget=target)
    assert target - 200 < after.tokens <= target
    raw = [name.startswith("m") for name in after.frontier]
    assert raw == sorted(raw)
    assert (after.outcome.before, after.outcome.budget) == (2_000, 1_500)
    assert str(after.outcome).startswith(f"2,000 to {after.tokens:,} tokens (limit 1,500), ")
