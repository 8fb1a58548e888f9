"""Counts, cuts and single lines, as a person is shown them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.shown import cut, one_line, splits, unstyled

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@given(st.text(), st.integers(0, 40))
def test_a_cut_is_a_beginning_no_longer_than_asked(text, limit):
    shown = cut(text, limit)
    assert text.startswith(shown)
    assert len(shown) <= limit
    assert not splits(text, len(shown))


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abc", 2, "ab"),
        ("ab", 9, "ab"),
        ("cafe\u0301 au lait", 4, "caf"),
        ("ok \U0001f44d\U0001f3fd", 4, "ok "),
        (f"a{FAMILY}b", 4, "a"),
        (f"a{FAMILY}b", 6, f"a{FAMILY}"),
        ("\u0915\u093f", 1, ""),
    ],
)
def test_what_is_read_as_one_character_is_kept_whole_or_left_out(text, limit, shown):
    assert cut(text, limit) == shown


def test_one_line_keeps_joined_emoji_and_drops_what_turns_or_moves_a_terminal():
    assert one_line(f"a\n\tb {FAMILY} \u202edc\x07") == f"a b {FAMILY} dc"
    assert one_line("\x1b[1;31mred\x1b[0m\x1b[2J") == "red"


def test_colours_go_and_brackets_of_prose_stay():
    assert unstyled("\x1b[38;2;1;2;3mred\x1b[39m [0m] [31m") == "red [0m] [31m"
