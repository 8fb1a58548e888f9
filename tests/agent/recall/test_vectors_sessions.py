"""The vectors of OpenClaw's ``sessions_search``: words, excerpts, who sees what, and the index.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import threading

import pytest

from lcm_lab.agent.sessions.reference import excerpts, shortened
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.agent.sessions.visibility import AgentToAgent, Forbidden, Visibility
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.ranking.exact.match import matching
from lcm_lab.redact import redact
from lcm_lab.store import branching
from lcm_lab.store.store import Store
from tests.agent.recall.held import MAIN, asked, entry, filled, ids, said, stands, tree


def test_51_a_question_and_a_limit_have_their_bounds():
    tools = asked(*(said(f"m{n}", "alpha", n) for n in range(12)))
    with pytest.raises(EmptyQuery):
        tools.sessions_search("   ")
    with pytest.raises(BadParameter, match="4,096"):
        tools.sessions_search("x" * 4097)
    with pytest.raises(BadParameter, match="1 to 25"):
        tools.sessions_search("alpha", limit=26)
    assert len(tools.sessions_search("alpha").hits) == 10


def test_51_is_mended_since_a_number_in_a_text_is_a_text():
    with pytest.raises(BadParameter, match="Got '3'"):
        asked(said("m1", "alpha")).sessions_search("alpha", limit="3")


@pytest.mark.parametrize(
    ("number", "query", "expression"),
    [(52, "foo bar", '"foo" AND "bar"'), (54, 'say "hi"', '"say" AND """hi"""')],
)
def test_a_question_is_written_for_the_index(number, query, expression):
    assert matching(query, "all", "openclaw") == expression


LONG = "\u6771\u4eac\u30bf\u30ef\u30fc\u3078\u884c\u304f"


@pytest.mark.parametrize(
    ("number", "query", "text", "there", "here"),
    [
        (52, "foo bar", "bar, then foo", True, True),
        (53, "NOT deployment", "not the deployment", True, True),
        (53, "NOT deployment", "the deployment", False, True),
        (53, "OR", "this or that", True, True),
        (54, 'say "hi"', "hi, they say", True, True),
        (54, 'say "hi"', "they say", False, True),
        (55, "cafe resume", "caf\u00e9 r\u00e9sum\u00e9", True, True),
        (55, "DEPLOYMENT", "a deployment", True, True),
        (56, "foo_bar-baz.qux", "see foo_bar-baz.qux there", True, True),
        (56, "bar-baz", "see foo_bar-baz.qux there", True, True),
        (57, "alpha ***", "alpha", False, True),
        (58, LONG[3:5], LONG, False, True),
        (58, LONG, LONG, True, True),
        (59, "deploy", "the deployment", False, False),
    ],
)
def test_what_holds_a_question(number, query, text, there, here):
    """Ours also tells what holds some of it, an empty piece being passed over, and any CJK."""
    said_it = [said("m1", text), said("m2", "something else", 1)]
    assert bool(asked(*said_it).sessions_search(query).hits) == there
    assert bool(asked(*said_it, compat=None).sessions_search(query).hits) == here


def test_59_a_part_of_a_word_is_found_when_it_is_asked_for():
    tools = asked(said("m1", "the deployment"), compat=None)
    assert ids(tools.sessions_search("deploy", mode="substring")) == ["m1"]


def test_60_an_excerpt_has_48_words():
    words = [f"w{n}" for n in range(200)]
    (cut,) = excerpts("needle", [" ".join([*words, "needle", *words])])
    assert (cut.strip()[0], cut.strip()[-1]) == ("\u2026", "\u2026")
    assert len(cut.strip("\u2026 ").split()) == 48
    assert "needle" in cut


def test_61_what_is_hidden_takes_no_place():
    hidden = said("h1", "beacon beacon beacon", 1, "s2")
    seen = said("m1", "a longer line with one beacon in it")
    keys = [("s1", MAIN), ("s2", "agent:work:main")]
    found = asked(hidden, seen, keys=keys, visibility="agent").sessions_search("beacon", limit=1)
    assert ids(found) == ["m1"]
    assert "truncated" not in found.to_dict()


def test_62_a_key_is_masked():
    """The program leaves its ends; ours names its kind, and a name of eight letters stays."""
    held = redact("it is s" + "k-abcdefghijklmnop1234 there").text
    assert held == "it is [redacted:api-key] there"
    assert redact("s" + "k-abcdefgh").text == "s" + "k-abcdefgh"


def test_63_a_snippet_of_450_is_cut_at_300():
    assert shortened("x" * 450) == "x" * 300 + "\u2026"


def test_64_what_is_left_out_is_said():
    found = asked(*(said(f"m{n}", "alpha", n) for n in range(12))).sessions_search("alpha", limit=2)
    assert (len(found.hits), found.truncated) == (2, True)
    wide = asked(said("m1", "alpha"), keys=[("s1", "agent:main:" + "x" * 40_000)])
    found = wide.sessions_search("alpha")
    assert (found.hits, found.truncated) == ((), True)


def test_65_hits_of_one_score_stand_newest_first_then_by_key_and_id():
    tools = asked(
        said("b", "zebra", 1),
        said("a", "zebra", 1),
        said("c", "zebra", 1, "s2"),
        said("d", "zebra", 2),
        keys=[("s1", MAIN), ("s2", "agent:main:dashboard:x")],
    )
    assert ids(tools.sessions_search("zebra")) == ["d", "c", "a", "b"]


HIDDEN = "agent:main:dashboard:incognito-x"


def test_66_an_incognito_session_is_in_no_search_and_refused_by_name():
    keys = [("s1", MAIN), ("s2", HIDDEN)]
    tools = asked(said("m1", "beacon"), said("m2", "beacon", 1, "s2"), keys=keys)
    assert ids(tools.sessions_search("beacon")) == ["m1"]
    with pytest.raises(Forbidden, match="incognito"):
        tools.sessions_search("beacon", sessionKey=HIDDEN)


def test_67_a_sandbox_reaches_its_own_session_and_what_it_spawned():
    tools = asked(
        *(said(f"m{n}", "beacon", n, f"s{n}") for n in range(3)),
        keys=[("s0", MAIN), ("s1", "agent:main:subagent:1"), ("s2", "agent:main:dashboard:x")],
        parents=[("s1", MAIN)],
        sandboxed=True,
    )
    assert set(ids(tools.sessions_search("beacon"))) == {"m0", "m1"}


def test_68_an_archived_child_is_part_of_the_tree():
    caller, child = "agent:main:dashboard:x", "agent:main:subagent:1"
    keys = [("s0", caller), ("s1", child), ("s2", "agent:main:dashboard:y")]
    store = filled(
        *(said(f"m{n}", "beacon", n, f"s{n}") for n in range(3)),
        keys=keys,
        parents=[("s1", caller)],
    )
    store.archive("s1", "deleted")
    found = SessionTools(store, caller, "tree", compat="reference").sessions_search("beacon")
    assert set(ids(found)) == {"m0", "m1"}


@pytest.mark.parametrize(
    ("number", "mode", "between", "allowed"),
    [
        (69, "agent", AgentToAgent(), False),
        (69, "all", AgentToAgent(False), False),
        (69, "all", AgentToAgent(allow=("wo*",)), False),
        (69, "all", AgentToAgent(allow=("*",)), True),
    ],
)
def test_an_agent_asks_for_another_s_session(number, mode, between, allowed):
    assert Visibility(MAIN, mode, between).allows("agent:work:main") == allowed


def test_69_a_child_of_the_caller_is_reached_under_tree():
    assert Visibility(MAIN, "tree").allows("agent:work:acp:1", owned=True)


def test_70_many_sessions_are_searched_at_once():
    """450 of them; the program asks its index three times, for 200, 200 and 50."""
    many = [said(f"m{n}", "beacon", n, f"s{n}") for n in range(450)]
    keys = [(f"s{n}", f"agent:main:dashboard:{n}") for n in range(450)]
    found = asked(*many, keys=keys).sessions_search("beacon", limit=25)
    assert ids(found) == [f"m{n}" for n in range(449, 424, -1)]


def test_71_what_is_appended_is_found_at_once():
    store = filled(said("m1", "one"))
    tools = SessionTools(store, compat="reference")
    assert ids(tools.sessions_search("beacon")) == []
    store.append(said("m2", "beacon", 1))
    found = tools.sessions_search("beacon")
    assert ids(found) == ["m2"]
    assert "indexing" not in found.to_dict()


def test_72_only_what_was_said_is_found(tmp_path):
    found = tree(
        tmp_path,
        {"type": "model_change", "id": "c", "parentId": None, "modelId": "beacon"},
        entry("m1", "c", [{"type": "thinking", "thinking": "beacon"}], "assistant"),
        entry("m2", "m1", [{"type": "toolCall", "id": "t", "name": "x",
                            "arguments": {"a": "beacon"}}], "assistant"),
        entry("m3", "m2", [{"type": "text", "text": "beacon"}], "toolResult"),
        entry("m4", "m3", [{"type": "image", "data": "beacon"}]),
        entry("m5", "m4", "the beacon"),
    )  # fmt: skip
    for compat in ("reference", None):
        store = Store(":memory:")
        store.add(found)
        assert ids(SessionTools(store, compat=compat).sessions_search("beacon")) == ["m5"]


def test_73_what_a_leaf_left_behind_is_not_found(tmp_path):
    leaf = {"type": "leaf", "id": "l", "parentId": "m2", "targetId": "m1"}
    store = Store(":memory:")
    entries = entry("m1", None, "first beacon"), entry("m2", "m1", "second beacon"), leaf
    store.add(tree(tmp_path, *entries))
    found = SessionTools(store, compat="reference").sessions_search("beacon")
    assert ids(found) == ["m1"]
    assert "indexing" not in found.to_dict()


def test_74_a_session_that_is_to_be_indexed_anew_is_found_once_it_is():
    store = filled(said("m1", "beacon"))
    with store.writing() as connection:
        branching.mark(connection, 1)
    tools = SessionTools(store, compat="reference")
    first = tools.sessions_search("beacon")
    assert (ids(first), first.to_dict()["indexing"]) == ([], True)
    assert ids(tools.sessions_search("beacon")) == ["m1"]


def test_74_a_session_that_is_deleted_is_gone_with_its_rows():
    store = filled(said("m1", "beacon"))
    tools = SessionTools(store, compat="reference")
    assert ids(tools.sessions_search("beacon")) == ["m1"]
    store.delete("s1")
    assert ids(tools.sessions_search("beacon")) == []
    assert list(store.faults()) == []


def test_74a_a_rewind_leaves_nothing_to_be_found_twice():
    """The program finds m3 under the old session id, m1 under both, and opens m3 by the old one."""
    store = filled(
        said("m1", "beacon one"),
        said("m2", "beacon two", 1, role="assistant", parent="m1"),
        said("m3", "beacon three", 2, parent="m2"),
        said("m4", "beacon four", 3, role="assistant", parent="m3"),
        said("m5", "beacon five", 4, parent="m2"),
    )
    tools = SessionTools(store)
    assert set(ids(tools.sessions_search("beacon"))) == {"m1", "m2", "m5"}
    assert ids(tools.sessions_history(MAIN, messageId="m3")) == []
    assert ids(tools.sessions_history(MAIN, messageId="m1")) == ["m1", "m2", "m5"]


def test_75_two_that_index_at_once_leave_every_message_once(tmp_path):
    path = tmp_path / "memory.db"
    with Store(path) as store:
        for n in range(192):
            store.append(said(f"m{n}", f"beacon {n}", n))
        with store.writing() as connection:
            branching.mark(connection, 1)

    def index():
        with Store(path) as one:
            one.reconcile()

    both = [threading.Thread(target=index) for _ in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join()
    with Store(path, readonly=True) as store:
        assert len(store.corpus()) == 192
        assert (list(store.indexing), list(store.faults())) == ([], [])


def test_77_an_entry_without_a_known_parent_follows_the_leaf(tmp_path):
    assert stands(
        tmp_path, entry("a", None, "one"), entry("b", "a", "two"), entry("c", "nowhere", "three")
    ) == ["a", "b", "c"]


def leaf(target, **more):
    return {"type": "leaf", "id": "l", "parentId": "b", "targetId": target, **more}


@pytest.mark.parametrize(
    ("number", "control", "there"), [(78, leaf("nowhere"), ["a", "b"]), (78, leaf(None), [])]
)
def test_a_leaf_that_points_nowhere(tmp_path, number, control, there):
    assert stands(tmp_path, entry("a", None, "one"), entry("b", "a", "two"), control) == there


def test_79_what_is_appended_beside_is_on_no_path(tmp_path):
    assert stands(
        tmp_path,
        entry("a", None, "one"),
        entry("b", "a", "aside", appendMode="side"),
        entry("c", "b", "three"),
    ) == ["a", "c"]


def test_80_a_circle_of_parents_is_no_path(tmp_path):
    """As the program, which then shows all there is; with a control, nothing."""
    circle = entry("a", "b", "one"), entry("b", "a", "two")
    assert stands(tmp_path, *circle) == ["a", "b"]


def test_81_nothing_goes_back_past_a_reset(tmp_path):
    reset = {"type": "reset", "id": "r", "parentId": "a", "reason": "manual"}
    back = {"type": "leaf", "id": "l", "parentId": "r", "targetId": "a"}
    found = tree(tmp_path, entry("a", None, "one"), reset, back, entry("b", "a", "two"))
    assert [(one.id, one.segment) for one in found.messages if one.active] == [
        ("a", 0),
        ("r", 0),
        ("b", 1),
    ]
