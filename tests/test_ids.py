"""Content-addressed ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.ids import digest, message_id

TEXTS = st.text(st.characters(), max_size=8)
PARTS = st.lists(TEXTS | st.binary(max_size=8) | st.none() | st.integers(), max_size=4)


@given(PARTS, PARTS)
def test_digests_agree_when_and_only_when_the_parts_do(one, two):
    assert (digest(*one) == digest(*two)) == (one == two)


def test_parts_are_framed():
    same = [("a", "bc"), ("ab", "c"), ("abc",), ("abc", ""), (b"abc",), ("", "abc")]
    assert len({digest(*parts) for parts in same}) == len(same)
    assert len({digest(part) for part in (None, "", b"", 0, "0", "None")}) == 6


def test_digests_are_the_same_everywhere():
    assert digest("conversation", 1, None, b"\x00") == "95c79e15e406db10f569a65c013c8317"
    assert digest() == "cae66941d9efbd404e4d88758ea67670"
    assert digest("a", size=4) == "9c4ee5de"


def test_lone_surrogates_are_hashed():
    """CU-08."""
    assert digest("dump \udc88 end") != digest("dump \udc89 end")


@pytest.mark.parametrize("size", [1, 16, 64])
def test_a_digest_has_two_characters_a_byte(size):
    assert len(digest("x", size=size)) == 2 * size


def test_the_same_message_has_the_same_id_and_a_repeated_one_does_not():
    first = message_id("c1", "user", "ok", 5)
    assert first == message_id("c1", "user", "ok", 5, nth=0) == "msg_69399ccac208d657"
    others = [
        message_id("c2", "user", "ok", 5),
        message_id("c1", "tool", "ok", 5),
        message_id("c1", "user", "ok!", 5),
        message_id("c1", "user", "ok", None),
        message_id("c1", "user", "ok", 5, nth=1),
    ]
    assert len({first, *others}) == 6
