"""What each strategy keeps, replaces and leaves alone."""

from functools import partial

import pytest

from lcm_lab.compaction.base import compact
from lcm_lab.compaction.clusters import Clusters
from lcm_lab.compaction.escalating import Escalating
from lcm_lab.compaction.guarded import Timed
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.mask import Mask
from lcm_lab.compaction.session import NewSession
from lcm_lab.compaction.strategies import HeadTail, RandomLines, Rolling, Window
from lcm_lab.compaction.summarise import Lead
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.messages import Message, Part
from lcm_lab.testing import check_compactor, check_dag
from lcm_lab.text import count_tokens
from lcm_lab.values import Named

EVERY = [
    Window(500),
    HeadTail(300, 800),
    RandomLines(300, fresh=4),
    Rolling(300, fresh=4),
    Mask(),
    Mask(fresh=2),
    Leaves(1_000, fresh=4),
    Leaves(300, fresh=0) >> Condense(3),
    Mask(4) >> Leaves(500, fresh=8) >> Condense(2),
    Clusters(100, size=2, fresh=3),
    Lossless(),
    Lossless(window=1_000, fresh=4, chunk=400, fanout=(3, 2, 2)),
    Lossless(window=1_000, fresh=2, depth=0),
    NewSession(),
    Window(800) >> Rolling(200, fresh=3),
]


def kinds(dag):
    """What stands in the frontier: m for a message, the level of a summary."""
    nodes = (dag.node(name) for name in dag.frontier)
    return [node.level if isinstance(node, Summary) else "m" for node in nodes]


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_every_strategy_keeps_the_contract(strategy):
    check_compactor(strategy)


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_a_call_and_its_result_are_on_one_side_at_every_budget(strategy, talk):
    """CP-01."""
    dag = talk("uctau", words=8)
    for budget in (*range(1, dag.tokens, 3), dag.tokens):
        check_dag(compact(dag, strategy, budget=budget))


@pytest.mark.parametrize(
    "strategy", [Rolling(50, fresh=2), Leaves(100, fresh=2), Mask(fresh=2), Lossless(fresh=2)]
)
def test_the_newest_user_message_and_all_that_follow_stay_raw(strategy, talk):
    """CP-10."""
    dag = talk("uauauactctct")
    after = compact(dag, strategy, budget=dag.tokens - 40)
    assert after.frontier[-8:] == dag.frontier[-8:]


@pytest.mark.parametrize(
    "strategy", [Rolling(50, fresh=2), Leaves(100, fresh=2), Clusters(60, fresh=2), Lossless()]
)
def test_of_a_live_turn_that_is_too_long_the_user_and_the_newest_stay(strategy, talk):
    dag = talk("ua" + "u" + "ct" * 40)
    after = compact(dag, strategy, budget=dag.tokens // 4)
    assert "m2" in after.frontier
    assert after.frontier[-1] == dag.frontier[-1]
    assert after.outcome.over == 0
    check_dag(after)


def test_a_turn_in_flight_is_left_alone(talk):
    """CP-02."""
    dag = talk("ua" * 5)
    calls = Message("x", "s1", "assistant", tuple(Part("tool_call", "ls", "ls", c) for c in "abc"))
    result = Message("y", "s1", "tool", (Part("tool_result", "long " * 60, call="b"),))
    dag = dag.append([calls, result])
    for strategy in EVERY:
        if strategy == NewSession():
            continue
        after = compact(dag, strategy, budget=70)
        assert after.frontier[-2:] == ("x", "y"), strategy
        assert compact(after, strategy, budget=70) == after


def test_a_window_shows_the_newest_and_covers_the_rest(talk):
    dag = talk("uauaua")
    after = compact(dag, Window(70))
    assert kinds(after) == ["dropped", "m", "m"]
    assert after.view().text == "\n\n".join(map(text_of, dag.messages[-2:]))
    assert after.leaves(after.frontier[0]) == dag.messages[:4]


def test_dropping_in_steps_gives_what_dropping_at_once_gives(talk):
    long = talk("ua" * 6)
    steps = compact(talk("ua" * 4), Window(70)).append(long.messages)
    assert compact(steps, Window(70)) == compact(long, Window(70))


def test_head_and_tail_drop_what_lies_between(talk):
    dag = talk("uauaua")
    after = compact(dag, HeadTail(40, 70))
    assert kinds(after) == ["m", "dropped", "part", "m", "m"]
    assert after.tokens <= 110
    part = after.node(after.frontier[2])
    assert text_of(dag.node(part.sources[0])).endswith(part.text.removeprefix("[...] "))
    check_dag(after)


def test_a_window_is_filled_by_the_end_of_the_newest_message_that_does_not_fit(talk):
    dag = talk("uaua")
    size = dag.size(dag.frontier[-1])
    after = compact(dag, Window(size + 20))
    assert kinds(after) == ["dropped", "part", "m"]
    assert size + 16 <= after.tokens <= size + 20
    assert kinds(compact(dag, Window(size + 15))) == ["dropped", "m"]
    assert compact(after, Window(size + 20)) == after


def test_a_window_that_moves_in_steps_shows_what_one_that_moves_at_once_does(talk):
    dag = talk("ua" * 8)
    stepwise = Dag(dag.conversation)
    for message in dag.messages:
        stepwise = compact(stepwise.append([message]), Window(100))
        check_dag(stepwise)
    assert stepwise == compact(dag, Window(100))


FILLING = [
    Window(10**6), HeadTail(10**5, 10**6), RandomLines(fresh=8), Rolling(fresh=8),
    Leaves(400, fresh=8), Leaves(400, fresh=8, target=40) >> Condense(4), Clusters(100, fresh=8),
    Lossless(fresh=8, chunk=1_000),
]  # fmt: skip


@pytest.mark.parametrize("strategy", FILLING, ids=repr)
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_a_budget_is_spent_to_within_four_per_cent_where_lines_are_short(talk, strategy, share):
    dag = talk("ua" * 300, words=12)
    budget = int(share * dag.tokens)
    assert 0.96 * budget <= compact(dag, strategy, budget=budget).tokens <= budget


def test_leaves_then_condense_is_done_at_once_and_the_other_way_round_after_some_calls(talk):
    dag = talk("ua" * 40)
    leaves, condense = Leaves(200, fresh=4), Condense(3)
    once = compact(dag, leaves >> condense)
    assert compact(once, leaves >> condense) == once
    first = compact(dag, condense >> leaves)
    assert first == compact(dag, leaves)
    second = compact(first, condense >> leaves)
    assert second == once
    assert compact(second, condense >> leaves) == second


def test_random_lines_are_lines_of_the_source_and_follow_the_seed(talk):
    dag = talk("ua" * 20)
    views = [compact(dag, RandomLines(200, fresh=2, seed=seed)) for seed in (0, 0, 1)]
    assert views[0] == views[1] != views[2]
    lines = views[0].node(views[0].frontier[0]).text.splitlines()
    said = dag.view().text.splitlines()
    places = [said.index(line) for line in lines]
    assert places == sorted(places)
    assert views[0].tokens <= 200 + sum(dag.size(name) for name in dag.frontier[-2:])


def test_a_rolling_summary_takes_in_what_comes(talk):
    strategy = Rolling(60, fresh=2)
    once = compact(talk("ua" * 5), strategy)
    twice = compact(once.append(talk("ua" * 8).messages), strategy)
    assert kinds(twice) == ["normal", "m", "m"]
    assert twice.node(twice.frontier[0]).sources[0] == once.frontier[0]
    assert twice.leaves(twice.frontier[0]) == twice.messages[:-2]


def test_a_masked_output_is_a_line_with_tool_size_and_hash(talk):
    dag = talk("uctauctau", words=80)
    after = compact(dag, Mask(fresh=1))
    stub = after.node(after.frontier[2])
    assert (stub.level, stub.sources) == ("stub", ("m2",))
    assert stub.text.startswith(f"[tool result of Bash: {dag.size('m2')} tokens, hash ")
    assert "\n" not in stub.text
    assert after.frontier[1] == "m1"


def test_old_outputs_are_masked_first_and_no_more_than_is_needed(talk):
    """CP-18."""
    dag = talk("uct" * 10 + "u", words=60)
    after = compact(dag, Mask(fresh=1), budget=dag.tokens - 80)
    assert [name for name in after.frontier if name.startswith("sum_")] == [
        after.frontier[2],
        after.frontier[5],
    ]


def test_leaves_begin_with_the_oldest_and_end_when_it_is_enough(talk):
    """CP-18."""
    dag = talk("ua" * 20)
    after = compact(dag, Leaves(140, fresh=2, target=40), budget=dag.tokens * 3 // 4)
    shape = kinds(after)
    assert shape[:3] == ["normal"] * 3
    assert set(shape[4:]) == {"m"}
    assert 0 <= after.outcome.budget - after.tokens < 140


def test_leaves_alone_are_made_short_enough_for_a_budget(talk):
    dag = talk("ua" * 60)
    after = compact(dag, Leaves(300, fresh=2), budget=700)
    assert after.outcome.over == 0
    assert after.tokens > 300


def test_condensing_joins_neighbours_of_one_depth(talk):
    dag = talk("ua" * 40)
    after = compact(dag, Leaves(140, fresh=2, target=40) >> Condense(4))
    depths = [after.node(name).depth for name in after.frontier[:-2] if name in after]
    assert max(one.depth for one in after.summaries) == 2
    assert all(len(one.sources) == 4 for one in after.summaries if one.depth)
    assert depths == sorted(depths, reverse=True)
    check_dag(after)


def test_clusters_follow_what_is_spoken_of():
    subjects = ("cache redis eviction", "tests pytest coverage", "deploy docker registry")
    messages = [
        Message(f"m{i}", "s1", "user", (Part("text", f"{subjects[i // 10]} " * 12 + f"n{i}."),))
        for i in range(30)
    ]
    after = compact(Dag.of(messages), Clusters(40, size=10, fresh=0, target=60))
    leaves = [after.leaves(name) for name in after.frontier if name.startswith("sum_")]
    assert [(run[0].id, run[-1].id) for run in leaves] == [
        ("m0", "m9"),
        ("m10", "m19"),
        ("m20", "m29"),
    ]


def test_a_new_session_keeps_deep_summaries(functions):
    said = Message("m0", "s1", "user", (Part("text", "hello"),))
    lower = Summary("sum_d0", "x", ("m1",), 0, 1)
    deep = Summary("sum_d2", "x", ("m2",), 2, 1)
    dag = Dag("c1", (said,), (lower, deep), ("sum_d0", "sum_d2", "m0"))
    for case in functions["new_session_prune"]:
        retain = float(case["in"]["retainDepth"])
        found = compact(dag, NewSession(retain, compat="reference"))
        assert list(found.frontier) == case["out"]
        assert found.summaries == dag.summaries


def test_a_new_session_loses_nothing(talk):
    dag = compact(talk("ua" * 40), Leaves(140, fresh=2, target=40) >> Condense(4))
    after = compact(dag, NewSession())
    assert kinds(after) == ["normal", "dropped"]
    check_dag(after)


@pytest.mark.parametrize("strategy", [Rolling(60, fresh=2), Leaves(200, fresh=2)])
@pytest.mark.parametrize("answer", ["", "  \n", None, 7, ValueError("no"), TimeoutError("late")])
def test_a_bare_summariser_that_fails_cancels_all(strategy, answer, talk):
    """CP-04."""

    def fails(texts, tokens):
        if isinstance(answer, Exception):
            raise answer
        return answer

    dag = talk("ua" * 10)
    after = compact(dag, strategy, Named("broken", fails), budget=100)
    assert after == dag
    assert after.outcome.failed
    assert after.outcome.reason.startswith("cancelled, broken ")
    assert after.outcome.calls == 1


@pytest.mark.parametrize("answer", [lambda texts: "word " * 900, lambda texts: "\n".join(texts)])
def test_a_summary_that_is_no_shorter_is_not_used(answer, talk):
    """CP-05."""
    dag = talk("uu")
    after = compact(dag, Leaves(100, fresh=1), lambda texts, _: answer(texts), budget=40)
    assert after == dag
    assert not after.outcome.failed
    assert after.outcome.reason.startswith("no gain: 1 of 1 call gave a summary no shorter than")


def test_nothing_new_is_no_reason_to_summarise_again(talk):
    """CP-03 and CP-09."""
    strategy = Rolling(60, fresh=2)
    once = compact(talk("ua" * 5), strategy)
    again = compact(once, strategy)
    assert again == once
    assert (again.outcome.changed, again.outcome.calls) == (False, 0)
    within = compact(once, strategy, budget=10_000)
    assert within.outcome.reason == "it was within the budget"
    over = compact(once, strategy, budget=20)
    assert over.outcome.over == once.tokens - 20
    assert over.outcome.reason.startswith("nothing is left to compact: 2 messages")


def test_the_usable_size_is_the_budget(talk):
    """CP-15."""
    dag = talk("ua" * 14)
    assert dag.tokens > 800
    assert compact(dag, Lossless(fresh=4), budget=800).tokens <= 800


def test_one_message_larger_than_the_budget_is_stated(talk):
    dag = talk("uau", words=[30, 30, 900])
    for strategy in EVERY:
        if strategy == NewSession() or "fresh=0" in repr(strategy):
            continue
        after = compact(dag, strategy, budget=100)
        assert after.frontier[-1] == "m2", strategy
        assert after.outcome.over >= 800, strategy
        assert after.outcome.reason, strategy


def test_what_was_injected_or_thought_never_reaches_a_summariser():
    """CP-11 and CP-12."""
    seen = []

    def reads(texts, tokens):
        seen.extend(texts)
        return "short"

    answer = (
        '{"ok":true,"value":{"result":{"content":[{"type":"text","text":"disk 91% full"}]}},'
        '"logs":["noise"]}'
    )
    parts = (Part("reasoning", "maybe drop table users"), Part("text", "kept the table " * 9))
    memory = "<relevant-memories>old talk</relevant-memories> hello"
    messages = [
        Message("a", "s1", "user", (Part("text", memory),), 0),
        Message("b", "s1", "assistant", parts),
        Message("c", "s1", "tool", (Part("tool_result", answer),)),
        Message("d", "s1", "user", (Part("text", "and?"),)),
    ]
    compact(Dag.of(messages), Leaves(fresh=1), reads, budget=20)
    text = "\n".join(seen)
    assert seen[0] == "[1970-01-01 00:00 UTC | user]\nhello"
    assert "disk 91% full" in text
    for hidden in ("drop table", "old talk", "noise"):
        assert hidden not in text


def test_lead_keeps_code_whole_and_says_who_speaks():
    code = "```py\nx = 1\ny = 2\n```"
    said = Lead()([f"[2026-01-01 09:00 UTC | user]\nTry this.\n{code}\nDone."], 60)
    assert said.startswith("user: Try this.")
    assert code in said


@pytest.mark.parametrize("text", ["字" * 400, "x" * 900, "word " * 400, "🔥" * 300, "a.b " * 200])
@pytest.mark.parametrize("tokens", [1, 5, 40])
def test_lead_stays_within_its_limit_in_every_script(text, tokens):
    for texts in ([text], [text, text], [f"[ | user]\n{text}"]):
        said = Lead()(texts, tokens)
        assert count_tokens(said) <= tokens
        assert said or tokens == 1


def test_a_strategy_of_ones_own_is_three_lines(talk):
    from lcm_lab.compaction.base import Compactor
    from lcm_lab.values import value

    @value
    class OldestHalf(Compactor):
        """Summarise the older half of what is in view."""

        def compact(self, dag, work):
            if len(dag.frontier) < 4 or (work.budget and dag.tokens <= work.budget):
                return dag
            names = dag.frontier[: len(dag.frontier) // 2]
            if any(name.startswith("sum_") for name in names):
                return dag
            made = work.summary([dag.node(name) for name in names], 40)
            return dag if made is None else dag.replace(names[0], names[-1], made)

    dag = talk("ua" * 8)
    assert kinds(compact(dag, OldestHalf())) == ["normal", *["m"] * 8]
    check_compactor(OldestHalf(), dag)


def test_a_summariser_may_do_with_its_texts_as_it_likes(talk):
    def careless(texts, tokens):
        texts.clear()
        return "in short"

    dag = talk("uacta" * 20)
    for strategy in (Leaves(300, fresh=2), Lossless(window=500, fresh=2, chunk=300)):
        kept = compact(dag, strategy, lambda *_: "in short")
        changed = compact(dag, strategy, careless)
        assert [one.text for one in changed.summaries] == [one.text for one in kept.summaries]


def test_a_summariser_may_compact(talk):
    inner = talk("ua" * 20)

    def nested(texts, tokens):
        return compact(inner, Window(40)).view().text[:60]

    after = compact(talk("ua" * 40), Leaves(300, fresh=2), nested)
    assert after.outcome.calls == len(after.summaries)
    check_dag(after)


def test_the_name_of_a_summariser_does_not_depend_on_where_it_stands_in_memory(talk):
    def short(texts, tokens):
        return "in short"

    for summarise in (partial(short), Timed(short), Escalating(short)):
        after = compact(talk("ua" * 40), Leaves(300, fresh=2), summarise)
        assert "short" in after.summaries[0].model
        assert " at 0x" not in after.summaries[0].model


@pytest.mark.parametrize("strategy", EVERY, ids=repr)
def test_what_a_damaged_frontier_names_and_the_dag_lacks_is_passed_over(strategy, talk):
    dag = talk("uacta" * 20)
    torn = dag.altered(frontier=("lost", *dag.frontier[:9], "gone", *dag.frontier[9:]))
    after = compact(torn, strategy, budget=300)
    assert after.tokens == compact(dag, strategy, budget=300).tokens
    same = compact(torn, strategy, lambda *_: "", budget=10**9)
    assert same == torn or "lost" not in same.frontier


def test_it_is_said_where_a_sweep_begins(talk):
    outcome = compact(talk("ua" * 4), Lossless()).outcome
    assert outcome.reason == "it begins above 96,000 tokens in view"
