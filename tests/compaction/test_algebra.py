"""Strategies are values that compose, and wrong ones are refused when they are made."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.compaction.base import Chain, compact
from lcm_lab.compaction.clusters import Clusters
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.mask import Mask
from lcm_lab.compaction.session import NewSession
from lcm_lab.compaction.strategies import HeadTail, RandomLines, Rolling, Window
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter
from lcm_lab.values import vary

KINDS = (Window, HeadTail, RandomLines, Rolling, Mask, Leaves, Condense, Clusters, Lossless)
NAMES = {kind.__name__: kind for kind in (*KINDS, NewSession)}

small = st.integers(1, 50)
steps = st.one_of(
    st.builds(Window, small),
    st.builds(HeadTail, small, small),
    st.builds(RandomLines, small, fresh=small, seed=small),
    st.builds(Rolling, small, fresh=small),
    st.builds(Mask, fresh=small),
    st.builds(Leaves, small, fresh=small, target=small),
    st.builds(Condense, st.integers(2, 9)),
    st.builds(Clusters, small, fresh=small),
    st.builds(Lossless, fresh=small, footer=st.booleans(), depth=st.none() | small),
    st.builds(NewSession, small),
)
strategies = st.recursive(steps, lambda parts: st.builds(lambda a, b: a >> b, parts, parts))


@given(strategies)
def test_a_strategy_is_the_value_of_what_it_prints(strategy):
    assert eval(repr(strategy), NAMES) == strategy
    assert hash(eval(repr(strategy), NAMES)) == hash(strategy)
    assert pickle.loads(pickle.dumps(strategy)) == strategy


@given(strategies, strategies, strategies)
def test_then_is_associative(a, b, c):
    assert (a >> b) >> c == a >> (b >> c)
    assert not any(isinstance(step, Chain) for step in (a >> b >> c).steps)


def test_a_chain_prints_as_it_is_written():
    assert repr(Leaves(2_000, fresh=8) >> Condense(fanout=3)) == (
        "Leaves(chunk=2000, fresh=8) >> Condense(fanout=3)"
    )


def test_a_grid_lists_plain_strategies():
    family = Leaves(vary(1_000, 2_000)) >> Condense(vary(2, 4))
    assert family.grid()[:2] == [Leaves(1_000) >> Condense(2), Leaves(1_000) >> Condense()]
    assert len(family.grid()) == 4
    with pytest.raises(BadParameter, match="stands for several strategies"):
        compact(Dag.of([]), family)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Window(0), "Window: tokens must be a whole number, 1 or more. Got 0."),
        (lambda: HeadTail(-1, 5), "head must be a whole number, 0 or more. Got -1"),
        (lambda: Rolling(2.5), "Got 2.5"),
        (lambda: Leaves(True), "Got True"),
        (lambda: Condense(1), "fanout must be a whole number, 2 or more"),
        (lambda: Lossless(threshold=0), "threshold is a share of 1. Got 0"),
        (lambda: Lossless(threshold="x"), "threshold is a share of 1. Got 'x'"),
        (lambda: Lossless(overage=float("nan")), "overage must be 1 or more. Got nan"),
        (lambda: Lossless(overage=None), "overage must be 1 or more. Got None"),
        (lambda: Lossless(fanout=(8, 4)), "fanout is three numbers"),
        (lambda: Lossless(limit=63), "limit must be a whole number, 64 or more"),
        (lambda: Lossless(compat="claw"), "compat is 'reference' or None"),
        (lambda: Lossless(overage=0.5), "overage must be 1 or more"),
        (lambda: NewSession("2"), "retain is a depth"),
        (lambda: Window(5) | Window(6), "strategies are joined with >> alone"),
        (lambda: Window(5) + Window(6), "strategies are joined with >> alone"),
        (lambda: Window(5) >> Rolling, "Rolling is a class. Write Rolling"),
        (lambda: Window(5) >> lcm.BM25(), r"To rank after compaction write Memory\("),
    ],
)
def test_what_is_no_strategy_is_refused(make, said):
    with pytest.raises(BadParameter, match=said):
        make()


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ((Dag.of([]), Window), "Window is a class"),
        ((lcm.Corpus([]), Window()), "compact takes a Dag"),
        ((Dag.of([]), Window(), "Lead"), "A summariser is a callable"),
        ((Dag.of([]), Window(), None, 0), "budget is a number of tokens, 1 or more"),
        ((Dag.of([]), Window(), None, True), "budget is a number of tokens"),
    ],
)
def test_what_compact_cannot_take_is_refused(given_, said):
    with pytest.raises(BadParameter, match=said):
        compact(*given_)
