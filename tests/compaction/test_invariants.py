"""What holds of a Dag whatever is done to it, over random courses and on real transcripts."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import lcm_lab as lcm
from lcm_lab.compaction.base import compact
from lcm_lab.compaction.clusters import Clusters
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.mask import Mask
from lcm_lab.compaction.strategies import HeadTail, RandomLines, Rolling, Window
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.messages import Message, Part
from lcm_lab.testing import check_dag
from lcm_lab.text import count_tokens

LINES = (
    "We decided on {0} retries with a backoff of {0} s. The old value is gone.",
    "看起来缓存{0}已经失效了。请重启服务。" * 4,
    "Traceback: KeyError {0} in src/app/part_{0}.py.\n```py\nx = {0}\n```\n" * 3,
    "ok",
    "",
    "🔥 {0} dump \udc88 end " * 9,
)

STRATEGIES = (
    Window(120),
    HeadTail(60, 60),
    RandomLines(40, fresh=2),
    Rolling(40, fresh=2),
    Mask(fresh=2, least=10),
    Leaves(120, fresh=3, target=30),
    Leaves(80, fresh=2, target=30) >> Condense(2, target=30),
    Condense(2),
    Clusters(60, size=2, fresh=2, target=30),
    Lossless(window=150, fresh=2, chunk=80, leaf=30, condensed=30, fanout=(2, 2, 2), passes=999),
    Mask(2) >> Lossless(window=150, fresh=2, chunk=80, depth=1, footer=False, passes=999),
)


def turn(number, shape):
    """The messages of a turn; a letter each: u, a, c (a call), t (its result), l (a lost one)."""
    roles = {"u": "user", "a": "assistant", "c": "assistant", "t": "tool", "l": "tool"}
    calls = 0
    for at, letter in enumerate(shape):
        text = LINES[(number + at) % len(LINES)].format(number)
        calls += letter == "c"
        part = {
            "c": Part("tool_call", f"Bash\ncommand: {text}", "Bash", f"{number}.{calls}"),
            "t": Part("tool_result", text, call=f"{number}.{calls}"),
            "l": Part("tool_result", text, call="lost"),
        }.get(letter, Part("text", text))
        time = None if number % 7 == 3 else number * 60_000_000 + at
        yield Message(f"m{number}.{at}", "s1", roles[letter], (part,), time)


class Course(RuleBasedStateMachine):
    """A conversation that grows, is compacted, rewound, pruned and read again."""

    @initialize()
    def begin(self):
        self.dag, self.said, self.number = Dag("c1"), [], 0

    @rule(shapes=st.lists(st.sampled_from(("ua", "uctca", "ucctta", "al", "u")), max_size=4))
    def ingest(self, shapes):
        for shape in shapes:
            self.said += turn(self.number, shape)
            self.number += 1
        self.dag = self.dag.append(self.said)

    @rule(strategy=st.sampled_from(STRATEGIES), budget=st.none() | st.integers(1, 400))
    def compact(self, strategy, budget):
        before, self.dag = self.dag, compact(self.dag, strategy, budget=budget)
        assert self.dag == compact(before, strategy, budget=budget)
        assert self.dag == compact(self.dag, strategy, budget=budget)
        assert self.dag.tokens <= before.tokens
        assert self.dag.outcome.over == (max(0, self.dag.tokens - budget) if budget else 0)
        assert not self.dag.outcome.failed

    @rule(strategy=st.sampled_from(STRATEGIES), answer=st.sampled_from(["", None, "x " * 900]))
    def compact_badly(self, strategy, answer):
        after = compact(self.dag, strategy, lambda *_: answer, budget=60)
        check_dag(after)
        assert after.tokens <= self.dag.tokens
        assert after == self.dag or not after.outcome.failed

    @rule(back=st.integers(0, 6))
    def branch(self, back):
        self.said = self.said[: max(0, len(self.said) - back)]
        self.dag = self.dag.follow(self.said)

    @rule(at=st.floats(0, 1, exclude_max=True))
    def delete(self, at):
        if self.said:
            self.said.pop(int(at * len(self.said)))
            self.dag = self.dag.follow(self.said)

    @rule()
    def read_again(self):
        assert self.dag.append(self.said) == self.dag
        assert self.dag.follow(self.said) == self.dag

    @invariant()
    def it_is_sound_and_loses_nothing(self):
        check_dag(self.dag)
        assert list(self.dag.messages) == self.said

    @invariant()
    def what_is_found_leads_to_what_was_said(self):
        for summary in self.dag.summaries:
            assert summary.tokens == count_tokens(summary.text)
            found = self.dag.expand(summary.id, depth=summary.depth + 1)
            assert found.messages
            assert not found.truncated


TestCourse = Course.TestCase
TestCourse.settings = settings(max_examples=30, stateful_step_count=12)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_real_transcripts_are_compacted_soundly(strategy, shared):
    told = lcm.read(shared / "transcripts")
    for session in dict.fromkeys(one.session for one in told):
        dag = Dag.of(told, session)
        after = compact(dag, strategy, budget=max(1, dag.tokens // 10))
        check_dag(after)
        assert compact(after, strategy, budget=max(1, dag.tokens // 10)) == after


@pytest.mark.slow
def test_an_extractive_summary_says_nothing_that_was_not_said(shared):
    told = lcm.read(shared / "transcripts")
    dag = max((Dag.of(told, name) for name in {m.session for m in told}), key=len_of)
    after = compact(dag, Leaves(2_000, fresh=8), budget=dag.tokens // 10)
    for name in after.frontier:
        node = after.node(name)
        if isinstance(node, Summary):
            source = " ".join(text_of(one) for one in after.leaves(name)).split()
            words = set(source) | {f"{role}:" for role in ("user", "assistant", "tool", "system")}
            assert [word for word in node.text.split() if word not in words] == []


def len_of(dag):
    return len(dag.messages)
