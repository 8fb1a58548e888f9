"""Draws are integers over the bits of a hash: equal everywhere, and evenly spread."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.synth.draw import CHAT_WORDS, Draw


def test_draws_are_these_numbers_on_every_platform():
    draw = Draw(0, "chat", 6, "A", "c01")
    assert [draw.below(1000) for _ in range(6)] == [964, 631, 632, 178, 354, 704]
    assert Draw(7).shuffle("abcdef") == ["b", "e", "d", "c", "f", "a"]


def test_streams_with_other_labels_are_other_streams():
    assert [Draw(0, "a").bits() for _ in range(3)] != [Draw(0, "b").bits() for _ in range(3)]
    assert Draw("a", "b").bits() != Draw("ab").bits()


@given(st.integers(1, 10_000), st.integers(0, 10**6))
def test_a_draw_below_a_bound_is_below_it(bound, seed):
    assert 0 <= Draw(seed).below(bound) < bound


@given(st.lists(st.integers(), unique=True, max_size=30), st.integers(0, 40), st.integers(0, 99))
def test_a_sample_holds_different_items_of_the_list(items, size, seed):
    sample = Draw(seed).sample(items, size)
    assert len(sample) == len(set(sample)) == min(size, len(items))
    assert set(sample) <= set(items)


def test_draws_are_evenly_spread():
    draw = Draw("spread")
    counts = Counter(draw.below(10) for _ in range(10_000))
    assert set(counts) == set(range(10))
    assert all(900 < count < 1100 for count in counts.values())


def test_a_chance_of_nothing_never_happens_and_a_certain_one_always_does():
    draw = Draw("chance")
    assert not any(draw.chance(0) for _ in range(100))
    assert all(draw.chance(100) for _ in range(100))


def test_lengths_follow_the_chat_profile():
    assert len(CHAT_WORDS) == 64
    assert list(CHAT_WORDS) == sorted(CHAT_WORDS)
    assert 23 <= sum(CHAT_WORDS) / 64 <= 25
    assert CHAT_WORDS[32] == 21
