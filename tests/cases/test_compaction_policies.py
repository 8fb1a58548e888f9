"""Compaction policies, group H of the bug reports: an id names the report."""

import json

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.messages import Message, Part
from lcm_lab.testing import check_dag

WORDS = "word " * 20
EVERY = [
    lcm.Window(40),
    lcm.HeadTail(20, 40),
    lcm.RandomLines(30, fresh=1),
    lcm.Rolling(30, fresh=1),
    lcm.Mask(fresh=1, least=1),
    lcm.Leaves(60, fresh=0) >> lcm.Condense(2),
    lcm.Clusters(40, size=2, fresh=1),
    lcm.Lossless(window=60, fresh=1, chunk=60),
]


def said(name, role="user", text=WORDS, **more):
    return Message(name, "s", role, (Part("text", text),), **more)


def called(name, *calls):
    return Message(
        name, "s", "assistant", tuple(Part("tool_call", "ls " * 9, "ls", c) for c in calls)
    )


def answered(name, call, text=WORDS):
    return Message(name, "s", "tool", (Part("tool_result", text, call=call),))


def sent(dag, budget=10_000):
    """The ids of calls and of results, as a provider is sent them."""
    blocks = [
        block
        for turn in lcm.assemble(dag, budget, fresh=1).messages
        for block in [turn, *(turn["content"] if isinstance(turn["content"], list) else [])]
    ]
    calls = [one["id"] for one in blocks if one.get("type") in ("toolCall", "tool_use")]
    return calls, [one["toolCallId"] for one in blocks if "toolCallId" in one]


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_a_call_and_its_result_are_kept_or_summarised_together_at_every_budget(strategy):
    """CP-01: in the frontier and in what a provider is sent."""
    few = "word " * 7
    dag = lcm.Dag.of(
        [
            said("u1", text=few),
            called("a1", "t1"),
            answered("r1", "t1", few),
            said("a2", "assistant", few),
            said("u2", text=few),
        ]
    )
    for budget in range(1, dag.tokens + 1):
        after = lcm.compact(dag, strategy, budget=budget)
        check_dag(after)
        for calls, results in (sent(after), sent(after, budget)):
            assert calls == results


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_calls_in_flight_are_left_alone_and_a_second_pass_adds_nothing(strategy):
    """CP-02: a1 calls three times and only the second is answered."""
    old = [said(f"m{i}", ("user", "assistant")[i % 2]) for i in range(6)]
    dag = lcm.Dag.of([*old, said("u1"), called("a1", "t1", "t2", "t3"), answered("r2", "t2")])
    after = lcm.compact(dag, strategy, budget=60)
    assert after.frontier[-2:] == ("a1", "r2")
    assert lcm.compact(after, strategy, budget=60) == after
    prompt = lcm.assemble(after, 10_000)
    calls, results = sent(after)
    assert sorted(calls) == sorted(results) == ["t1", "t2", "t3"]
    assert json.dumps(prompt.messages).count("no result of this call is recorded") == 2


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_with_nothing_new_the_summary_there_is_stays_word_for_word(strategy):
    """CP-03."""
    talk = [said(f"m{i}", text=f"decided X{i}. {WORDS}") for i in range(6)]
    once = lcm.compact(lcm.Dag.of(talk), strategy)
    calls = []
    again = lcm.compact(once, strategy, lambda *given: calls.append(given) or "No history yet.")
    assert (again, calls) == (once, [])
    assert [one.text for one in again.summaries] == [one.text for one in once.summaries]
    assert not again.outcome.changed
    assert again.outcome.reason


def test_one_summary_that_is_all_there_is_is_not_summarised_again():
    """CP-03, forced by a budget that cannot be met."""
    talk = [said("m0", text=f"decided X. {WORDS}"), said("m1")]
    once = lcm.compact(lcm.Dag.of(talk), lcm.Rolling(15, fresh=1), lambda *_: "decided X")
    again = lcm.compact(once, lcm.Rolling(15, fresh=1), lambda *_: "No prior history.", budget=1)
    assert [one.text for one in again.summaries] == ["decided X"]
    assert again.outcome.reason


SILENT = ["", "  \n", None, ValueError("no"), "<think>what was said?</think>\n", "<reasoning>hm"]
ASKING = [
    lcm.Rolling(30, fresh=1),
    lcm.Leaves(60, fresh=1),
    lcm.Clusters(40, size=2, fresh=1),
    lcm.Mask(fresh=1) >> lcm.Rolling(30, fresh=1),
]


def gives(answer):
    """A summariser that gives this, or raises it."""

    def summarise(texts, tokens):
        if isinstance(answer, Exception):
            raise answer
        return answer

    return summarise


@pytest.mark.parametrize("answer", SILENT, ids=repr)
@pytest.mark.parametrize("strategy", ASKING, ids=repr)
def test_a_summariser_that_says_nothing_cancels_the_compaction(strategy, answer):
    """CP-04."""
    dag = lcm.Dag.of([said(f"m{i}") for i in range(8)])
    after = lcm.compact(dag, strategy, gives(answer), budget=90)
    assert after == dag
    assert after.frontier == dag.frontier
    assert after.outcome.failed
    assert after.outcome.reason.startswith("cancelled, gives.<locals>.summarise ")


@pytest.mark.parametrize("answer", SILENT, ids=repr)
def test_lossless_needs_no_summariser_and_marks_what_it_cut(answer):
    """CP-04: lossless-claw's last level, which is declared, and is counted."""
    dag = lcm.Dag.of([said(f"m{i}") for i in range(8)])
    rules = lcm.Lossless(window=100, fresh=1, chunk=60)
    after = lcm.compact(dag, rules, gives(answer))
    assert {one.level for one in after.summaries} == {"cut"}
    assert "think" not in after.view().text
    assert not after.outcome.failed


@pytest.mark.parametrize("answer", SILENT, ids=repr)
def test_a_search_that_tells_what_a_conversation_is_about_does_not_end_with_its_summariser(answer):
    """CP-04: it says that there is no summary, and why."""
    with lcm.Store(":memory:") as store:
        store.add(lcm.Corpus([{"text": "which port?", "role": "user"}]))
        (hit,) = lcm.EpisodicTools(store, summarise=gives(answer)).search("port", "text").hits
    assert hit.summary.startswith("(no summary: gives.<locals>.summarise ")


@pytest.mark.parametrize("answer", ["", ConnectionError("no model")], ids=repr)
def test_a_run_counts_the_compactions_that_were_cancelled(answer):
    """CP-04: a replay, and an evaluation over a Memory."""
    texts = [f"service {i} has port {5000 + i}. {WORDS}" for i in range(12)]
    corpus = lcm.Corpus([{"text": text, "role": "user"} for text in texts])
    topics = pd.DataFrame({"qid": ["q1"], "query": ["port of service 3?"], "answer": ["5003"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m4"], "relevance": [1]})
    bench, strategy = lcm.Collection("c", corpus, topics, qrels), lcm.Rolling(30, fresh=1)
    kept = lcm.replay(bench, strategy, gives(answer), budgets=[0.5], cycles=3)
    assert kept.points["failed"].tolist() == [False, True, True]
    told = "2 of 3 compactions cancelled: gives.<locals>.summarise "
    assert any(note.startswith(told) for note in kept.notes)
    memory = lcm.Memory(strategy, rank=lcm.BM25(), summarise=gives(answer), every=100)
    notes = lcm.evaluate({"roll": memory, "words": lcm.BM25()}, on=bench).notes
    told = "roll: 3 of 3 compactions cancelled: gives.<locals>.summarise "
    assert any(note.startswith(told) for note in notes)


LONG = {
    "a summary of 900 tokens": lambda texts: "word " * 900,
    "900 tokens of Chinese": lambda texts: "字" * 1_100,
    "900 emoji": lambda texts: "\U0001f525" * 900,
    "the source itself": "\n".join,
}


@pytest.mark.parametrize("write", LONG.values(), ids=LONG)
@pytest.mark.parametrize("strategy", ASKING[:3], ids=repr)
def test_a_summary_that_is_no_shorter_than_its_source_is_not_committed(strategy, write):
    """CP-05."""
    dag = lcm.Dag.of([said("m0", text=WORDS), said("m1", text=WORDS), said("m2")])
    after = lcm.compact(dag, strategy, lambda texts, _: write(texts), budget=59)
    assert after == dag
    assert after.tokens == dag.tokens
    assert after.outcome.reason.startswith("no gain: 1 of 1 call gave a summary no shorter than")


@pytest.mark.parametrize("piece", ["word ", "字", "\U0001f525"])
def test_a_hard_cap_holds_in_every_script(piece):
    """CP-05."""
    dag = lcm.Dag.of([said(f"m{i}", text=piece * 900) for i in range(4)])
    rules = lcm.Lossless(window=2_000, fresh=1, chunk=2_000, leaf=192, overage=2)
    after = lcm.compact(dag, rules, lambda texts, _: piece * 900)
    made = [one for one in after.summaries if one.level == "capped"]
    assert made
    assert all(one.tokens <= 2 * 192 for one in made)
