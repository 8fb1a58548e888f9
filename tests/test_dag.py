"""The Dag: nodes and edges, what lies under them, what is refused, and what a check finds."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import file_ids, text_of
from lcm_lab.dag.pairs import open_calls, pairs
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.messages import Message, Part
from lcm_lab.text import count_tokens
from lcm_lab.times import instant

START = instant("2026-03-01T09:00Z")


def said(name, text="word", role="user", at=None, **more):
    time = None if at is None else START + at * 60_000_000
    return Message(name, "s1", role, (Part("text", text),), time, **more)


def call(name, *ids):
    return Message(name, "s1", "assistant", tuple(Part("tool_call", "ls", "ls", i) for i in ids))


def result(name, of, text="x.py"):
    return Message(name, "s1", "tool", (Part("tool_result", text, call=of),))


def talk(n):
    return [said(f"m{i}", f"message number {i}", at=i) for i in range(n)]


def raw(n=6):
    return Dag.of(talk(n), "c1")


def grown(*spans, n=6):
    """A Dag of n messages with a leaf over each (first, last)."""
    dag = raw(n)
    for first, last in spans:
        leaf = Summary.of(f"messages {first} to {last}", dag.messages[first : last + 1])
        dag = dag.replace(f"m{first}", f"m{last}", leaf)
    return dag


def two_levels():
    """m0..m5: leaves over (0, 1) and (2, 3), condensed into one; m4 and m5 raw."""
    dag = grown((0, 1), (2, 3))
    top = Summary.of("all before", [dag.node(name) for name in dag.frontier[:2]])
    return dag.replace(dag.frontier[0], dag.frontier[1], top)


def broken(dag):
    found = dag.check()
    found = found[found["violations"] > 0]
    return dict(zip(found["rule"], found["examples"], strict=True))


def made(text, *sources, depth=0, **more):
    """A summary as a database may hold it, however wrong."""
    return Summary(f"s-{text}", text, sources, depth, count_tokens(text), **more)


def test_the_raw_conversation_is_the_dag_of_depth_zero():
    dag = raw(3)
    assert dag.frontier == ("m0", "m1", "m2")
    assert dag.tokens == sum(count_tokens(text_of(one)) for one in dag.messages)
    assert broken(dag) == {}


def test_a_dag_is_a_value():
    assert two_levels() == two_levels()
    assert hash(two_levels()) == hash(two_levels())
    assert pickle.loads(pickle.dumps(two_levels())) == two_levels()
    assert two_levels() != grown((0, 1), (2, 3))


def test_a_pickle_holds_the_fields_and_the_recorded_tokens_alone():
    dag = two_levels().recorded({"m0": 900})
    bare = len(pickle.dumps(dag))
    assert dag.path("m1")[-1].id == dag.frontier[0]
    assert dag.size("m0") == 900
    assert len(pickle.dumps(dag)) == bare
    assert pickle.loads(pickle.dumps(dag)).size("m0") == 900


def test_a_summary_and_an_expansion_print_on_one_line():
    dag = two_levels()
    top = dag.summaries[-1]
    assert repr(top).startswith(f"Summary {top.id} (d1 normal, 2 sources, ")
    hostile = Summary.of("\x1b[31m" + "long\n" * 4_000, dag.messages)
    assert len(repr(hostile)) < 160
    assert "\x1b" not in repr(hostile)
    assert repr(dag.expand(top.id)).startswith("Expansion of 6 nodes, ")


def test_what_takes_the_place_of_a_run_must_be_a_summary():
    with pytest.raises(BadParameter, match=r"Write Summary\.of\(text, nodes\)\. Got 'text'"):
        raw().replace("m0", "m1", "text")


def test_sources_derived_and_path_lead_down_and_up():
    dag = two_levels()
    one, two, top = dag.summaries
    assert [node.id for node in dag.sources(top.id)] == [one.id, two.id]
    assert [node.id for node in dag.sources(one.id)] == ["m0", "m1"]
    assert dag.derived("m1") == (one,)
    assert dag.derived(top.id) == ()
    assert [node.id for node in dag.path("m1")] == ["m1", one.id, top.id]
    assert [node.id for node in dag.path("m5")] == ["m5"]
    assert [node.id for node in dag.subtree(top.id)] == [
        *(top.id, one.id, "m0", "m1", two.id, "m2", "m3")
    ]
    assert dag.leaves(top.id) == dag.messages[:4]
    assert (one.depth, top.depth) == (0, 1)
    assert (top.first, top.last) == (dag.messages[0].time, dag.messages[3].time)


def test_an_unknown_id_says_what_there_is():
    with pytest.raises(NotFound, match=r"No node 'm55' .*6 messages and 0 summaries.*'m5'"):
        raw().node("m55")


def test_the_same_summary_of_the_same_sources_has_the_same_id():
    a, b = (Summary.of("x", talk(2)) for _ in range(2))
    assert a == b
    assert a.id.startswith("sum_")
    assert len(a.id) == 20
    assert Summary.of("x", talk(3)).id != a.id
    assert Summary.of("y", talk(2)).id != a.id


def test_tokens_of_a_message_count_tool_arguments_and_no_reasoning():
    """TK-06 and CP-11."""
    parts = (Part("reasoning", "maybe drop table users"), Part("tool_call", "Bash\ncommand: ls"))
    dag = Dag.of([Message("m1", "s1", "assistant", parts), Message("m2", "s1", "user", ())])
    assert dag.size("m1") == count_tokens("Bash\ncommand: ls")
    assert dag.size("m2") == 0
    assert "drop" not in dag.view().text


def test_full_expansion_gives_every_message_once_in_order():
    dag = two_levels()
    assert dag.expand(dag.frontier).messages == dag.messages
    assert not dag.expand(dag.frontier).truncated


def test_expansion_stops_at_a_depth_and_says_so():
    dag = two_levels()
    found = dag.expand(dag.summaries[2].id, depth=1)
    assert [node.id for node in found.nodes] == [one.id for one in dag.summaries[:2]]
    assert {cut.why for cut in found.cut} == {"depth"}
    assert found.truncated
    assert "4 nodes of 12 tokens too deep" in str(found)
    assert not dag.expand(dag.summaries[2].id, depth=1, messages=False).truncated


def test_expansion_passes_over_what_does_not_fit_and_says_so():
    dag = Dag.of([said("a", "x"), said("b", "long " * 50), said("c", "y")])
    dag = dag.replace("a", "c", Summary.of("all", dag.messages))
    found = dag.expand(dag.frontier, tokens=10)
    assert [node.id for node in found.nodes] == ["a", "c"]
    assert [(cut.id, cut.why, cut.tokens) for cut in found.cut] == [("b", "tokens", 50)]
    assert found.tokens <= 10


def test_limits_hold_in_sum_and_a_repeated_id_changes_nothing():
    """DG-06 and DG-08."""
    dag = grown((0, 1), (2, 3))
    one, two = dag.frontier[:2]
    each = dag.expand(one).tokens
    assert dag.expand([one, two], tokens=each).tokens <= each
    assert dag.expand([one, one]) == dag.expand(one)


def test_a_shared_source_is_given_once():
    dag = raw(3)
    a, b = Summary.of("a", dag.messages[:2]), Summary.of("b", dag.messages[1:])
    shared = Dag("c1", dag.messages, (a, b), (a.id, b.id))
    assert [node.id for node in shared.expand(shared.frontier).nodes] == ["m0", "m1", "m2"]
    assert broken(shared)["the frontier covers no message twice"] == ("m1",)


def test_a_node_reached_again_with_more_depth_is_entered():
    dag = raw(2)
    leaf = Summary.of("leaf", dag.messages)
    far = Summary.of("far", [leaf])
    root = Summary.of("root", [far, leaf])
    both = Dag("c1", dag.messages, (leaf, far, root), (root.id,))
    found = both.expand(root.id, depth=2)
    assert [node.id for node in found.nodes] == [far.id, leaf.id, "m0", "m1"]
    assert not found.truncated


@pytest.mark.parametrize(("name", "least"), [("depth", -1), ("tokens", -5), ("depth", True)])
def test_an_impossible_limit_is_refused(name, least):
    with pytest.raises(BadParameter, match=f"{name} must be 0 or more"):
        raw().expand("m1", **{name: least})


def test_a_replaced_range_must_be_contiguous_and_what_the_summary_is_of():
    dag = raw()
    ends = Summary.of("ends", [dag.messages[0], dag.messages[2]])
    with pytest.raises(BadParameter, match="The summary is of m0, m2, but the frontier"):
        dag.replace("m0", "m2", ends)
    with pytest.raises(BadParameter, match="Make it of that run"):
        dag.replace("m2", "m0", ends)
    with pytest.raises(BadParameter, match="'m1' is not in the frontier: it is under a summary"):
        grown((0, 1)).replace("m1", "m2", ends)


def test_appending_what_is_there_changes_nothing_and_a_grown_copy_adds_the_rest():
    dag = grown((0, 1))
    assert dag.append(talk(6)) == dag
    assert dag.append(talk(8)).frontier == (*dag.frontier, "m6", "m7")
    elsewhere = [replace(one, source="copy.jsonl", line=3) for one in talk(6)]
    assert dag.append(elsewhere) == dag


def test_another_message_of_the_same_id_is_refused():
    with pytest.raises(BadInput, match="Another node has the id 'm0'"):
        raw().append([said("m0", "something else")])
    with pytest.raises(BadInput, match="Another node"):
        Dag.of([said("m0", "a"), said("m0", "b")])


def test_a_branch_keeps_the_summaries_of_what_stays():
    dag = two_levels()
    one, _, _ = dag.summaries
    branch = [*talk(3), said("n3", "another way")]
    assert dag.follow(branch).frontier == (one.id, "m2", "n3")
    assert dag.follow(talk(4)).frontier == (dag.summaries[2].id,)
    assert dag.follow(talk(8)).frontier == (*dag.frontier, "m6", "m7")
    assert dag.follow([]) == Dag("c1")
    assert broken(dag.follow(branch)) == {}


def test_a_deleted_message_takes_the_summaries_over_it_along():
    """DG-11: what they were made from comes back."""
    dag = two_levels()
    after = dag.follow([one for one in dag.messages if one.id != "m1"])
    assert after.frontier == ("m0", dag.summaries[1].id, "m4", "m5")
    assert after.summaries == (dag.summaries[1],)
    assert broken(after) == {}


def test_a_changed_message_takes_the_summaries_over_it_along():
    dag = grown((0, 1), (2, 3))
    changed = [said("m0", "not what it was", at=0), *talk(6)[1:]]
    assert dag.follow(changed).frontier == ("m0", "m1", dag.frontier[1], "m4", "m5")


def test_a_dag_of_a_corpus_joins_the_rows_of_a_message():
    both = (Part("text", "look"), Part("tool_call", "ls", "ls", "t1"))
    there = [Message("a", "s1", "assistant", both, 5), result("r", "t1")]
    corpus = lcm.Transcripts(tuple(there)).corpus()
    again = Dag.of(corpus)
    assert [(one.id, one.role, text_of(one)) for one in again.messages] == [
        ("a", "assistant", "look\nls"),
        ("r", "tool", "x.py"),
    ]
    assert pairs(again.messages) == [(0, 1)]


def test_a_corpus_of_a_dag_has_its_summaries_and_leads_back_to_its_messages():
    dag = two_levels()
    corpus = dag.corpus()
    summaries = corpus.frame().iloc[corpus.rows(scope="summaries")]
    assert summaries["docno"].tolist() == [one.id for one in dag.summaries]
    assert summaries["depth"].tolist() == ["0", "0", "1"]
    assert set(summaries["kind"]) == {"summary"}
    assert corpus["docno"].tolist()[:3] == ["m0", "m1", dag.summaries[0].id]
    assert Dag.of(corpus).frontier == raw().frontier
    found = (lcm.BM25() % 3).fit(corpus)("messages before", scope="summaries")
    assert dag.leaves(found["docno"][0])


def test_a_conversation_must_be_named_among_several():
    two = lcm.Corpus([{"text": "a", "conversation": "x"}, {"text": "b", "conversation": "y"}])
    with pytest.raises(BadParameter, match=r"holds 2 conversations: 'x', 'y'. Name one"):
        Dag.of(two)
    assert Dag.of(two, "y").messages[0].text == "b"
    with pytest.raises(NotFound, match="No conversation 'z'"):
        Dag.of(two, "z")
    with pytest.raises(BadInput, match="A Dag is made of messages"):
        Dag.of(["text"])
    with pytest.raises(BadInput, match="made of messages, a Corpus or Transcripts"):
        Dag.of("sessions/")


def test_of_transcripts_the_active_branch_of_the_session_itself_is_taken():
    told = [said("a"), said("b", active=False), said("c", sidechain=True)]
    assert Dag.of(lcm.Transcripts(tuple(told))).frontier == ("a",)
    assert Dag.of(lcm.Transcripts(tuple(told[2:]))).frontier == ("c",)


def test_an_empty_conversation_is_a_dag():
    empty = Dag.of([])
    assert (empty.tokens, empty.view().text, len(empty.corpus())) == (0, "", 0)
    assert broken(empty) == {}
    assert str(empty) == "Dag: 0 messages of 0 tokens, 0 summaries; 0 nodes of 0 tokens in view"


def test_a_result_answers_the_last_call_of_its_id():
    talked = [call("a", "t1"), call("b", "t2"), result("r1", "t1"), result("r2", "t2")]
    assert pairs(talked) == [(0, 2), (1, 3)]
    assert pairs([result("r", "t9"), call("a", "t9")]) == []
    assert pairs([call("a", "t"), result("r", "t"), call("b", "t"), result("q", "t")]) == [
        (0, 1),
        (2, 3),
    ]


def test_calls_without_an_answer_are_open():
    """CP-02."""
    assert open_calls([call("a", "t1", "t2", "t3"), result("r", "t2")]) == {0}
    assert open_calls([call("a", "t1"), result("r", "t1")]) == set()
    assert open_calls([call("a", "")]) == {0}


def test_file_ids_are_found_in_any_case():
    text = "a file_0123456789ABCDEF b FiLe_0123456789abcdee c file_012 f\u0130le_0123456789abcdef"
    assert file_ids(text) == ("file_0123456789abcdef", "file_0123456789abcdee")


def test_file_ids_are_carried_up():
    a, b = "file_" + "a" * 16, "file_" + "b" * 16
    leaf = Summary.of("no mention", [said("m0", f"see {a.upper()}"), said("m1", f"{b} and {a}")])
    assert leaf.files == (a, b)
    assert Summary.of("top", [leaf]).files == (a, b)
    assert file_ids("file_short") == ()


def test_a_cycle_ends_every_walk_and_is_reported_once():
    """DG-01 and DG-02."""
    a, b = made("a", "s-b", "m0"), made("b", "s-a")
    dag = Dag("c1", tuple(talk(1)), (a, b, made("self", "s-self")), ("s-a", "s-self"))
    assert broken(dag)["no node lies under itself"] == ("s-a > s-b > s-a", "s-self > s-self")
    assert [node.id for node in dag.expand("s-a").nodes] == ["s-b", "s-a", "m0"]
    assert [(cut.id, cut.why) for cut in dag.expand("s-a").cut] == [
        ("s-a", "cycle"),
        ("s-b", "cycle"),
    ]
    assert str(dag.expand("s-self")).endswith("left out: 1 node in a cycle")
    assert dag.leaves(["s-a", "s-self"]) == dag.messages
    assert [node.id for node in dag.path("m0")] == ["m0", "s-a"]
    for shown in (str(dag), dag._repr_html_(), repr(dag), dag.view().text):
        assert len(shown) < 5_000
    assert len(dag.corpus()) == 4
    assert dag.expand("s-a", depth=50, compat="reference").nodes


def test_a_chain_of_five_thousand_summaries_is_walked():
    """DG-04."""
    dag = raw(1)
    node = dag.messages[0]
    for at in range(5_000):
        summary = Summary.of(f"{at}", [node])
        node = summary
        dag = replace(dag, summaries=(*dag.summaries, summary), frontier=(summary.id,))
    assert len(dag.expand(dag.frontier).nodes) == 5_000
    assert dag.expand(dag.frontier, depth=100).truncated
    assert len(dag.path("m0")) == 5_001
    assert broken(dag) == {}
    assert dag.follow(dag.messages) == dag
    assert "and more" in str(dag)
    assert dag._repr_html_().count("<details") == dag._repr_html_().count("</details>")


def test_what_is_missing_is_named_and_the_rest_is_given():
    """DG-05 and DG-10."""
    leaf, lost = made("leaf", "m0", "m7", "m8"), made("lost", "m1")
    dag = Dag("c1", tuple(talk(2)), (leaf, lost, made("none", depth=1)), ("s-leaf", "m1"))
    found = broken(dag)
    assert found["what a summary was made from is there"] == ("m7", "m8")
    assert found["every summary is under the frontier"] == ("s-lost", "s-none")
    assert found["a summary was made from something"] == ("s-none",)
    expanded = dag.expand("s-leaf")
    assert [node.id for node in expanded.nodes] == ["m0"]
    assert [(cut.id, cut.why) for cut in expanded.cut] == [("m7", "missing"), ("m8", "missing")]


def test_what_is_covered_twice_or_not_at_all_is_named():
    """DG-12."""
    dag = grown((1, 5), n=7)
    overlapping = replace(dag, frontier=(dag.frontier[1], "m4", "m5", "m6"))
    found = broken(overlapping)
    assert found["the frontier covers no message twice"] == ("m4", "m5")
    assert found["the frontier leaves no message out"] == ("m0",)
    assert broken(replace(raw(3), frontier=("m2", "m0", "m1")))["messages keep their order"] == (
        *("m0", "m1"),
    )
    assert broken(replace(raw(1), frontier=("zz", "m0"))) == {
        "what the frontier names is there": ("zz",)
    }


def test_wrong_records_are_named():
    a = made("a", "m0", "m1", depth=3, first=START, last=START)
    b = replace(made("b", "m2"), tokens=0, first=START + 120_000_000, last=START + 120_000_000)
    found = broken(Dag("c1", tuple(talk(3)), (a, b), ("s-a", "s-b")))
    assert found == {
        "depth is one above the deepest source": ("s-a",),
        "the time span is that of the sources": ("s-a",),
        "tokens are recorded": ("s-b",),
    }
    assert broken(Dag("c1", (said("a"), said("a")), (), ("a",)))["an id names one node"] == ("a",)


def test_a_call_parted_from_its_result_is_named_and_a_stub_is_not():
    talked = [said("u"), call("a", "t1"), result("r", "t1", "long " * 30)]
    dag = Dag.of(talked)
    cut = dag.replace("u", "a", Summary.of("asked", talked[:2]))
    assert broken(cut) == {"a tool call and its result stay together": ("r",)}
    assert broken(dag.replace("r", "r", Summary.of("[stub]", talked[2:], level="stub"))) == {}


def test_the_outline_names_node_depth_span_and_tokens():
    one = two_levels().summaries[0]
    lines = str(two_levels()).splitlines()
    assert lines[0].startswith("Dag 'c1': 6 messages of")
    assert lines[1].split("  ")[1:3] == ["d1 normal", "2026-03-01 09:00 to 09:03"]
    assert lines[2].startswith(f"  {one.id}  d0 normal  2026-03-01 09:00 to 09:01  2 sources, ")
    assert lines[3].startswith("    m0  user  2026-03-01 09:00  ")
    assert len(str(raw(10_000)).splitlines()) == 6
    assert "... 9,996 messages" in str(raw(10_000))


def test_an_outline_shows_all_that_is_in_view_before_what_lies_beneath():
    dag = raw(400)
    for at in range(0, 400, 8):
        run = dag.messages[at : at + 8]
        dag = dag.replace(run[0].id, run[-1].id, Summary.of(f"part {at}", run))
    for at in range(0, 50, 5):
        run = dag.summaries[at : at + 5]
        dag = dag.replace(run[0].id, run[-1].id, Summary.of(f"chapter {at}", run))
    lines = str(dag).splitlines()
    assert [line.split("  ")[0] for line in lines if line.startswith("sum_")] == [*dag.frontier]
    assert sum("  d0 normal  " in line for line in lines) == 50
    assert len(lines) <= 102
    assert lines[-1].startswith("... and more: ")
    assert "... and more: " in dag._repr_html_()
    long = raw().replace("m0", "m1", Summary.of("word " * 900, raw().messages[:2]))
    assert "word ..." in long._repr_html_()


def test_the_html_of_a_dag_shows_hostile_text_as_text():
    dag = Dag.of([said("<b>", "<script>alert(1)</script>"), said("y")])
    dag = dag.replace("<b>", "y", Summary.of("</pre><img src=x>", dag.messages))
    shown = dag._repr_html_()
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_lone_surrogates_are_kept_and_can_be_searched():
    dag = Dag.of([said("a", "dump \udc88 end")])
    dag = dag.replace("a", "a", Summary.of("dump \udc88", dag.messages))
    assert dag.expand(dag.frontier).messages[0].text == "dump \udc88 end"
    assert len(dag.corpus()) == 2


def reference_dag(shape):
    messages = [
        Message(f"m{i}", "s1", "user", (Part("text", "x " * tokens),))
        for i, tokens in enumerate(shape["messages"])
    ]
    summaries = [
        Summary(
            name, "", tuple(f"m{one}" if isinstance(one, int) else one for one in sources), 0, n
        )
        for name, (_, n, sources) in shape["summaries"].items()
    ]
    return Dag("c1", tuple(messages), tuple(summaries), ())


def test_the_walk_of_the_reference_is_reproduced(functions):
    cases = functions["expand_walk"]
    dag = reference_dag(cases[0]["in"]["dag"])
    assert [dag.size(one.id) for one in dag.messages] == [10, 20, 30]
    for case in cases:
        asked, wanted = case["in"], case["out"]
        found = dag.expand(
            asked["id"],
            asked["depth"],
            asked["tokenCap"],
            messages=asked["includeMessages"],
            compat="reference",
        )
        assert {
            "children": [node.id for node in found.nodes if isinstance(node, Summary)],
            "messages": [int(one.id[1:]) for one in found.messages],
            "estimatedTokens": found.tokens,
            "truncated": found.truncated,
        } == wanted, asked


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.data())
def test_whatever_is_summarised_expands_to_the_messages(runs, data):
    dag = raw(12)
    for size in runs:
        at = data.draw(st.integers(0, max(0, len(dag.frontier) - size)))
        names = dag.frontier[at : at + size]
        summary = Summary.of(f"of {len(names)}", [dag.node(name) for name in names])
        dag = dag.replace(names[0], names[-1], summary)
    assert broken(dag) == {}
    assert dag.expand(dag.frontier).messages == dag.messages
    for message in dag.messages:
        assert dag.path(message.id)[-1].id in dag.frontier


def test_every_real_transcript_is_a_sound_dag(shared):
    told = lcm.read(shared / "transcripts")
    for session in dict.fromkeys(one.session for one in told):
        dag = Dag.of(told, session)
        assert broken(dag) == {}
        assert dag.append(told.messages[:0]) == dag
        assert dag.expand(dag.frontier).messages == dag.messages
