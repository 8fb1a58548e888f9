"""What no summary may do, group G of the bug reports, its end: an id names the report."""

import lcm_lab as lcm
from lcm_lab.dag import Summary
from tests.cases.dags import broken, tower


def test_a_summary_of_nothing_is_a_fault_and_one_that_saves_nothing_is_listed():
    """DG-10: of one message it may be."""
    said = [
        lcm.Message(f"m{i}", "2", "user", (lcm.Part("text", text),))
        for i, text in enumerate(("ok then", "a longer text " * 20))
    ]
    store, dag = lcm.Store(":memory:"), lcm.Dag.of(said)
    same, short = (
        Summary.of(text, [one]) for text, one in zip(("ok then", "short"), said, strict=True)
    )
    store.add(lcm.Transcripts(tuple(said)))
    store.put(dag.replace("m0", "m0", same).replace("m1", "m1", short))
    found = lcm.audit(store)
    some = found[found["violations"] > 0].to_dict("records")
    assert [one["examples"] for one in some] == [(same.id,)]
    assert "It compresses nothing" in some[0]["meaning"]
    empty = Summary("sum_0123456789abcdef", "of nothing", (), 1, 3)
    checked = lcm.Dag("2", tuple(said), (empty,), ("m0", "m1")).check()
    assert checked[checked["violations"] > 0]["rule"].tolist() == [
        "a summary was made from something",
        "every summary is under the frontier",
    ]


def test_a_message_that_is_taken_away_takes_the_summaries_over_it_along():
    """DG-11: with its tool calls; what else they were made from comes back, and all is sound."""
    call = [lcm.Part("tool_call", f"look {i}", "look", f"t{i}") for i in (1, 2)]
    results = [lcm.Part("tool_result", f"seen {i}", call=f"t{i}") for i in (1, 2)]
    said = [
        lcm.Message("m1", "2", "user", (lcm.Part("text", "please look"),)),
        lcm.Message("m2", "2", "assistant", (lcm.Part("text", "I look"), *call), parent="m1"),
        lcm.Message("m3", "2", "tool", tuple(results), parent="m2"),
        lcm.Message("m4", "2", "assistant", (lcm.Part("text", "it is there"),), parent="m3"),
    ]
    dag = lcm.Dag.of(said)
    leaf = Summary.of("looked", dag.messages[:3])
    dag = dag.replace("m1", "m3", leaf)
    after = dag.follow([said[0], said[3]])
    assert (after.frontier, after.summaries) == (("m1", "m4"), ())
    assert after.check()["violations"].sum() == 0
    store = lcm.Store(":memory:")
    store.add(lcm.Transcripts(tuple(said)))
    store.put(store.dag("2").replace("m1", "m3", Summary.of("looked", store.dag("2").messages[:3])))
    store.delete("2")
    assert (len(store.corpus()), broken(store)) == (0, {})


def test_what_is_covered_twice_is_named_and_no_strategy_does_it(lcm_db, owner):
    """DG-12."""
    owner(
        "insert into context_items values (2, 5, 'message', 4, null, '')",
        "insert into context_items values (2, 6, 'message', 3, null, '')",
    )
    with lcm.open_lcm(lcm_db) as db:
        assert set(broken(db)["the frontier covers no message twice"]) == {"m3", "m4"}
        assert db.dag("2").view().text.count("Five seconds, doubling") <= 2
    dag = lcm.Dag.of(tower().messages)
    keeping = (lcm.Rolling(60), lcm.Lossless(120), lcm.Leaves(60, fresh=2) >> lcm.Condense(2))
    for strategy in (*keeping, lcm.Window(80), lcm.HeadTail(40, 40)):  # those two forget
        made = lcm.compact(dag, strategy, summarise=lcm.Lead(), budget=120)
        found = made.check().set_index("rule")["violations"]
        assert found["the frontier covers no message twice"] == 0
        assert found["the frontier leaves no message out"] == 0 or strategy not in keeping
