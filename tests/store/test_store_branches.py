"""What stands after going back, and what the model sees after compaction, as a store keeps both."""

import random
from dataclasses import replace

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store.lending import Lent
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from tests.store.made import MINUTE, START, dump, history, said


@pytest.fixture
def store():
    with Store(":memory:") as made:
        yield made


def tree(store, *edges):
    """Append messages, each a name, the one it follows, and maybe a role and a kind."""
    for at, (name, parent, *rest) in enumerate(edges):
        role, kind = (*rest, *("user", "text")[len(rest) :])
        part = Part(kind, f"word{name}")
        store.append(Message(name, "s1", role, (part,), START + at * MINUTE, parent=parent))


def settled(store):
    while store.indexing:
        store.reconcile()
    assert list(store.faults()) == []
    return [m.id for m in store.dag("s1").messages]


def found(store, word):
    return (lcm.FTS5() % 10).fit(store.corpus())(word)["docno"].tolist()


def test_going_back_leaves_a_branch_behind_that_is_found_only_on_request(store):
    """TP-13."""
    tree(store, ("m1", ""), ("m2", "m1", "assistant"), ("m3", "m2"))
    assert store.indexing == []
    tree(store, ("m1", ""), ("m2", "m1", "assistant"), ("m3", "m2"), ("m4", "m2"))
    assert store.indexing == ["s1"]
    assert store.conversations()["indexing"].tolist() == [True]
    assert found(store, "wordm4") == ["m4"]  # there at once, whatever is still to be found out
    assert settled(store) == ["m1", "m2", "m4"]
    assert found(store, "wordm3") == []
    assert set(store.corpus(abandoned=True)["docno"]) == {"m1", "m2", "m3", "m4"}


def test_a_branch_that_was_left_can_be_gone_on_with(store):
    tree(store, ("m1", ""), ("m2", "m1"), ("m3", "m2"), ("m4", "m2"))
    assert settled(store) == ["m1", "m2", "m4"]
    store.append(said("back", "m5", START + 9 * MINUTE, parent="m3"))
    assert settled(store) == ["m1", "m2", "m3", "m5"]


def test_tools_and_subagents_hang_side_by_side_and_stand(store):
    tree(
        store,
        ("u", ""),
        ("a1", "u", "assistant", "tool_call"),
        ("a2", "u", "assistant", "tool_call"),
        ("r1", "a1", "tool", "tool_result"),
        ("r2", "a2", "tool", "tool_result"),
        ("b", "r2", "assistant"),
    )
    store.append(said("sub", "s", START + 9 * MINUTE, parent="u", sidechain=True))
    assert settled(store) == ["u", "a1", "a2", "r1", "r2", "b"]


def test_reconciliation_works_in_bounded_batches(store):
    """CL-05."""
    tree(store, ("m0", ""), *((f"m{i}", f"m{i - 1}") for i in range(1, 8)))
    tree(store, ("n1", "m1"), ("n2", "n1"))
    assert store.reconcile(limit=4) == 4
    assert store.indexing == ["s1"]
    assert list(store.faults()) == []
    assert store.reconcile(limit=4) == 2
    assert store.indexing == []
    assert store.reconcile() == 0
    assert settled(store) == ["m0", "m1", "n1", "n2"]
    with pytest.raises(BadParameter, match=r"at least 1. Got 0"):
        store.reconcile(limit=0)


def test_messages_that_name_no_parent_follow_the_last_one_also_in_batches(store):
    parts = [Part("tool_result", "x"), Part("text", "y")]
    plain = [Message(f"p{i}", "s1", "tool", (parts[i % 2],), START + i) for i in range(6)]
    store.add(Transcripts((*history(2), *plain)))
    store.append(said("anew", "n", START + 99 * MINUTE, parent="u0", role="assistant"))
    while store.indexing:
        store.reconcile(limit=2)
    assert settled(store) == ["u0", "n"]
    store.append(said("no, there", "m", START + 100 * MINUTE, parent="p5"))
    while store.indexing:
        store.reconcile(limit=2)
    assert settled(store) == ["u0", "u1", *(f"p{i}" for i in range(6)), "m"]


def test_what_a_reader_marked_as_left_behind_stays_so(store):
    left = replace(said("gone", "x", START + MINUTE, parent="u0"), active=False)
    store.add(Transcripts((*history(1), left, *history(3)[1:])))
    tree(store, ("m4", "u1"))
    assert settled(store) == ["u0", "u1", "m4"]


def test_a_grown_copy_tells_which_branch_is_active(store):
    messages = history(3)
    store.add(Transcripts(tuple(messages)))
    gone = replace(messages[2], active=False)
    after = (*messages[:2], gone, said("instead", "m9", START + 9 * MINUTE, parent="u1"))
    assert repr(store.add(Transcripts(after))) == (
        "Added 1 message; 1 on another branch; 3 repeats"
    )
    assert settled(store) == ["u0", "u1", "m9"]
    store.add(Transcripts(tuple(messages)))  # a shorter copy, older, knows less
    assert settled(store) == ["u0", "u1", "m9"]


def compacted(store, count=8):
    store.add(Transcripts(tuple(history(count))))
    dag = store.dag("s1")
    dag = dag.replace("u0", "u1", Summary.of("first two 缓存", dag.messages[:2]))
    dag = dag.replace("u2", "u3", Summary.of("second two", dag.messages[2:4]))
    leaves = [dag.node(name) for name in dag.frontier[:2]]
    return dag.replace(leaves[0].id, leaves[1].id, Summary.of("the four", leaves, model="Lead()"))


def test_a_dag_comes_back_as_it_was_put(store):
    dag = compacted(store)
    store.put(dag)
    assert store.dag("s1") == dag
    before = dump(store)
    store.put(dag)
    assert dump(store) == before
    assert found(store, "the four") == [dag.frontier[0]]
    assert found(store, "缓存") == [dag.summaries[0].id]
    assert store.conversations()["summaries"].tolist() == [3]
    rows = store.corpus(scope="summaries").frame().set_index("docno").loc[dag.frontier[0]]
    assert (rows["scope"], rows["kind"], rows["depth"]) == ("summaries", "summary", "1")
    assert list(store.faults()) == []
    store.put(Dag.of(dag.messages))
    assert store.dag("s1") == Dag.of(dag.messages)
    assert found(store, "the four") == []


def test_summaries_are_lent_apart_from_messages_with_statistics_of_their_own(tmp_path):
    with Store(tmp_path / "a.db") as store:
        store.put(compacted(store))
        apart, together = lcm.FTS5(match="any", apart="scope"), lcm.FTS5(match="any")
        corpus = store.corpus()
        built = Corpus(corpus.frame())
        for scorer, some in ((apart, corpus), (together, store.corpus(scope="summaries"))):
            index = scorer.index(some)
            assert isinstance(index, Lent)
            own = scorer.index(Corpus(some.frame()))
            queries = ["two", "message", "four message 缓存"]
            assert np.array_equal(scorer.score(index, queries), scorer.score(own, queries))
        queries = ["two message"]
        assert not isinstance(together.index(corpus), Lent)
        one, other = (together.score(together.index(some), queries) for some in (corpus, built))
        assert np.array_equal(one, other)


def test_messages_that_come_later_stand_at_the_end_of_the_frontier(store):
    dag = compacted(store)
    store.put(dag)
    store.append(said("next", "m1", START + 99 * MINUTE))
    store.add(Transcripts((*history(8), said("then", "m2", START + 100 * MINUTE))))
    assert store.dag("s1").frontier == (*dag.frontier, "m1", "m2")
    assert list(store.faults()) == []
    store.put(dag)  # made before the two came
    assert store.dag("s1").frontier == (*dag.frontier, "m1", "m2")


def test_a_message_that_grew_stays_under_its_summary(store):
    dag = compacted(store)
    store.put(dag)
    first = history(1)[0]
    store.append(replace(first, parts=(*first.parts, Part("text", "and more"))))
    after = store.dag("s1")
    assert after.frontier == dag.frontier
    assert after.messages[0].text == "message 0\nand more"
    assert list(store.faults()) == []


def test_a_summary_over_what_was_left_behind_goes_out_of_use(store):
    dag = compacted(store)
    store.put(dag)
    store.append(said("again", "n", START + 99 * MINUTE, parent="u2"))
    assert settled(store) == ["u0", "u1", "u2", "n"]
    after = store.dag("s1")
    assert [one.text for one in after.summaries] == ["first two 缓存"]
    assert after.frontier == (dag.summaries[0].id, "u2", "n")
    assert found(store, "the four") == []
    assert after.check()["violations"].sum() == 0


def test_a_stretch_that_comes_late_is_put_where_it_was_said(store):
    early, late = history(10)[:2], history(10)[2:]
    store.add(Transcripts(tuple(late)))
    dag = store.dag("s1")
    store.put(dag.replace("u2", "u4", Summary.of("three", dag.messages[:3])))
    store.add(Transcripts(tuple(early)))
    assert store.dag("s1").frontier[:2] == ("u0", "u1")
    assert store.dag("s1").frontier[3:] == tuple(f"u{i}" for i in range(5, 10))
    assert list(store.faults()) == []


def test_a_dag_that_is_not_sound_or_not_of_this_store_is_refused_whole(store):
    dag = compacted(store)
    before = dump(store)
    with pytest.raises(BadInput, match="rules of a Dag are broken, such as"):
        store.put(replace(dag, frontier=dag.frontier[1:]))
    other = Dag("s1", (*dag.messages, said("x", "zz")), dag.summaries, (*dag.frontier, "zz"))
    with pytest.raises(BadInput, match=r"1 messages of the Dag are not in the store, such as zz"):
        store.put(other)
    assert dump(store) == before


def test_deleting_a_compacted_conversation_leaves_nothing(store):
    store.append(said("keep", "k", 1, "other"))
    before = dump(store)
    store.put(compacted(store))
    store.delete("s1")
    assert dump(store) == before
    assert list(store.faults()) == []


def test_a_message_beside_a_reset_is_on_one_side_of_it_and_found(store):
    """CL-07."""
    key = "agent:main"
    store.append(said("before", "m1", 1, "old"), Session("old", key=key))
    store.archive("old", "reset")
    store.append(said("late", "m2", 2, "old"))
    store.append(said("after", "m3", 3, "new"), Session("new", key=key))
    assert store.family("old") == ["new", "old"]
    assert found(store, "late") == ["m2"]
    assert store.conversations().set_index("name")["messages"].to_dict() == {"old": 2, "new": 1}


def append_any(store, draw, step, name):
    said_before = [m.id for m in store.messages(name)] if name in names(store) else []
    follows = draw.choice([*said_before, ""]) if draw.random() < 0.4 else (said_before or [""])[-1]
    kind = draw.choice(["text", "tool_call", "tool_result"])
    role = draw.choice(["user", "assistant", "tool"])
    parts = (Part(kind, f"word{step}"),)
    at = START + step * MINUTE
    side = draw.random() < 0.1
    store.append(Message(f"n{step}", name, role, parts, at, parent=follows, sidechain=side))


def compact_any(store, draw, step, name):
    dag = store.dag(name)
    if len(dag.frontier) < 4:
        return
    start = draw.randrange(len(dag.frontier) - 2)
    run = dag.frontier[start : start + draw.randint(1, 3)]
    made = Summary.of(f"summary {step}", [dag.node(one) for one in run])
    after = dag.replace(run[0], run[-1], made)
    if after.check()["violations"].sum() == 0:
        store.put(after)
        assert store.dag(name) == after


def grow_any(store, draw, step, name):
    for message in store.messages(name)[-1:]:
        store.append(replace(message, parts=(*message.parts, Part("text", f"more {step}"))))


def names(store):
    return store.conversations()["name"].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_after_any_course_of_events_the_store_and_its_dags_are_sound(store, seed):
    draw = random.Random(seed)
    for step in range(25):
        there = names(store)
        event = draw.choice(["append", "append", "add", "compact", "grow", "settle", "delete"])
        name = draw.choice(there or ["s1"])
        if event == "append":
            append_any(store, draw, step, draw.choice(["s1", "s2"]))
        elif event == "add":
            store.add(Transcripts(tuple(history(draw.randint(1, 9), name))))
        elif event == "settle":
            store.reconcile(limit=draw.randint(1, 3))
        elif event == "compact" and there:
            compact_any(store, draw, step, name)
        elif event == "grow" and there:
            grow_any(store, draw, step, name)
        elif there and draw.random() < 0.3:
            store.delete(name)
        # What came apart by going back, a tool from its result, is not for the store to mend.
        broken = {rule for rule, _ in store.faults()} - {"a tool call and its result stay together"}
        assert broken == set()
