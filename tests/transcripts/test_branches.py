"""Which entries stand: leaf controls, resets and circles; prompts that were taken back."""

from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.transcripts.branches import Tree, path
from lcm_lab.transcripts.rewinds import Entry, rewound


def tree(*entries):
    """Entries as (name, parent); a control as (name, parent, target, cursor)."""
    made = Tree()
    for entry in entries:
        if len(entry) == 4:
            made.move(*entry)
        elif entry[0].startswith("r"):
            made.reset(*entry)
        else:
            made.add(entry[0], entry[1], side=entry[0].startswith("s"))
    return made


def stands(*entries):
    return sorted(tree(*entries).branch())


def test_the_way_from_the_root_stops_at_what_is_missing_and_is_none_in_a_circle():
    assert path({"b": "a", "c": "b"}, "c") == ["b", "c"]
    assert path({"a": "b", "b": "a"}, "a") == []
    assert path({}, "a") == path({"a": ""}, "") == []


def test_the_last_entry_is_the_leaf_until_a_control_moves_it():
    abandoned = [("a", ""), ("b", "a"), ("c", "b")]
    assert stands(*abandoned) == ["a", "b", "c"]
    assert stands(*abandoned, ("x", "c", "a", "a")) == ["a"]
    assert stands(*abandoned, ("x", "c", "a", "a"), ("d", "x")) == ["a", "d"]
    assert stands(*abandoned, ("d", "a")) == ["a", "d"]


def test_what_names_no_parent_or_one_that_is_unknown_follows_the_leaf():
    assert tree(("a", ""), ("b", None)).parents == {"a": "", "b": "a"}
    assert stands(("a", ""), ("b", "nowhere")) == ["a", "b"]
    assert stands(("a", "nowhere"), ("b", "a")) == ["a", "b"]


def test_a_control_that_points_nowhere_changes_nothing_and_one_to_the_root_leaves_nothing():
    entries = [("a", ""), ("b", "a")]
    assert stands(*entries, ("x", "b", "later", "later")) == ["a", "b"]
    assert stands(*entries, ("x", "b", "a", "later")) == ["a", "b"]
    assert stands(*entries, ("x", "b", "later", "later"), ("y", "x", "x", "x")) == ["a", "b"]
    assert stands(*entries, ("x", "b", "", "")) == []
    assert stands(*entries, ("x", "b", "", ""), ("c", None)) == ["c"]


def test_a_side_append_is_on_no_branch_and_what_follows_it_follows_the_leaf():
    assert stands(("a", ""), ("side", "a"), ("b", "side")) == ["a", "b"]
    unknown = Tree()
    unknown.add("a", "")
    unknown.add("plugin", "a", known=False)
    unknown.add("b", "plugin")
    assert unknown.branch() == {"a", "b"}


def test_a_parent_that_is_the_cursor_of_a_control_is_the_leaf():
    moved = [("a", ""), ("b", "a"), ("c", "b"), ("x", "c", "a", "c")]
    assert stands(*moved, ("d", "c")) == ["a", "d"]


def test_a_circle_hides_nothing_unless_a_control_says_what_stands():
    assert stands(("a", "a"), ("b", "a")) == ["a", "b"]
    circle = tree(("a", ""), ("b", "a"), ("x", "b", "b", "b"))
    circle.parents["a"] = "b"
    assert circle.branch() == set()


def test_a_line_that_is_there_twice_goes_nowhere_the_second_time():
    talk = [("a", ""), ("b", "a"), ("r", "b"), ("c", "r")]
    assert stands(*talk, ("b", "a"), ("r", "b")) == ["a", "b", "c", "r"]
    assert tree(*talk, ("r", "b")).resets == 1


def test_nothing_goes_back_past_a_reset():
    """CL-07: what was accepted while the reset was written stands on its side."""
    reset = [("a", ""), ("b", "a"), ("r", "b")]
    assert stands(*reset, ("x", "r", "a", "a")) == ["a", "b", "r"]
    assert stands(*reset, ("c", "b")) == ["a", "b", "c", "r"]
    assert stands(*reset, ("c", "")) == ["a", "b", "c", "r"]
    assert stands(*reset, ("c", "r"), ("x", "c", "r", "r"), ("d", "r")) == ["a", "b", "d", "r"]


STEPS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=40)


@given(STEPS)
def test_any_tree_of_entries_stands_as_the_way_to_its_leaf(steps):
    made, now, ways, since = Tree(), (), {}, 0
    for number, (what, pick) in enumerate(steps):
        name = f"n{number}"
        chosen = sorted(ways)[pick % len(ways)] if ways else ""
        back = ways.get(chosen, ())
        back = back if since <= len(back) and back[:since] == now[:since] else now
        if what == 0 and chosen:
            made.move(name, "", chosen, chosen)
            now = back
            continue
        if what == 1 and chosen:
            made.add(name, chosen)
            now = (*back, name)
        elif what == 2:
            made.reset(name, now[-1] if now else "")
            now = (*now, name)
            since = len(now)
        else:
            made.add(name, now[-1] if now else "")
            now = (*now, name)
        ways[name] = now
    assert made.branch() == set(now)


def left(*entries):
    found = rewound(entries)
    return [entry.id for entry, gone in zip(entries, found, strict=True) if gone]


def asked(name, parent, **more):
    return Entry(name, parent, prompt=True, **more)


def test_a_prompt_asked_anew_leaves_the_earlier_one_behind_with_what_followed():
    first = [Entry("a"), asked("b", "a"), Entry("c", "b"), asked("d", "c"), Entry("e", "d")]
    assert left(*first, asked("f", "c"), Entry("g", "f")) == ["d", "e"]
    assert left(*first, asked("f", "a"), Entry("g", "f")) == ["b", "c", "d", "e"]
    assert left(*first, asked("f", "c"), Entry("g", "f"), asked("h", "c")) == ["d", "e", "f", "g"]


def test_forks_of_one_turn_are_no_rewinds():
    calls = [Entry("q", "p"), Entry("r1", "p"), Entry("r2", "q"), Entry("hook", "p", says=False)]
    assert left(Entry("p"), *calls, asked("n", "r1"), Entry("m", "n")) == []
    assert left(Entry("p"), Entry("q", "p"), asked("n", "q"), asked("m", "p")) == []


def test_records_that_say_nothing_are_passed_over_on_the_way_to_what_was_answered():
    noise = [Entry("h1", "a", says=False), Entry("h2", "a", says=False)]
    assert left(Entry("a"), *noise, asked("b", "h1"), asked("c", "h2")) == ["b"]
    assert left(Entry("h", says=False), asked("b", "h"), Entry("c", "b"), asked("d", "h")) == [
        "b",
        "c",
    ]


def test_in_doubt_a_prompt_stands():
    assert left(asked("a", ""), Entry("b", "a"), asked("c", "")) == []
    sides = [asked("b", "a"), asked("c", "a"), Entry("d", "b"), Entry("e", "c")]
    assert left(Entry("a"), *sides) == []
    assert (
        left(Entry("a"), asked("b", "a", same="x"), Entry("c", "b"), asked("d", "a", same="x"))
        == []
    )


def test_two_prompts_after_a_message_that_a_cut_off_file_lacks_are_asked_at_one_place():
    assert left(asked("b", "gone"), Entry("c", "b"), asked("d", "gone")) == ["b", "c"]


TALK = st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 3)), max_size=25)


@given(TALK)
def test_any_talk_with_rewinds_stands_as_its_stack_of_turns(talk):
    entries, turns = [Entry("root")], [["root"]]
    for number, (back, pick, tools) in enumerate(talk):
        if back and len(turns) > 1:
            del turns[1 + pick % (len(turns) - 1) :]
        made = [asked(f"p{number}", turns[-1][-1])]
        for tool in range(tools):
            call, last = f"p{number}c{tool}", made[-1].id
            made += [Entry(call, last), Entry(f"{call}h", call, says=False)]
            made += [Entry(f"{call}r", call), Entry(f"{call}s", call)]
        entries += made
        turns.append([entry.id for entry in made])
    active = {name for turn in turns for name in turn}
    kept = {entry.id for entry, gone in zip(entries, rewound(entries), strict=True) if not gone}
    assert kept == active


def test_a_long_chain_and_many_rewinds_take_one_pass():
    chain = [Entry("n0"), *(Entry(f"n{i}", f"n{i - 1}") for i in range(1, 50_000))]
    assert not any(rewound(chain))
    again = [Entry("a"), *(asked(f"p{i}", "a") for i in range(50_000))]
    assert sum(rewound(again)) == 49_999
