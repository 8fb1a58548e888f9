"""Every vector that concerns the LCM tools, 15 to 104, is a test, or is left out with a reason."""

import re

import pytest

from tests.agent.lcm import (
    test_vectors_describe,
    test_vectors_query,
    test_vectors_search,
    test_vectors_words,
)

FILES = (test_vectors_words, test_vectors_search, test_vectors_describe, test_vectors_query)

#: Vectors of mechanisms that this product does without.
WITHOUT = {
    50: "an index of trigrams, and pieces of four characters of a longer run: the index of words "
    "here has CJK by pairs of characters, so that a run of any length is found (48, 49, 52)",
}

#: Vectors that this product answers otherwise by default, each on purpose; the test says how.
MENDED = {
    **dict.fromkeys((27, 29, 30), "what is no pattern is asked, what is sound is tried"),
    **dict.fromkeys((23, 28, 37), "what asks for nothing is an error, not an empty list"),
    38: "emoji are found",
    39: "a word that nothing has is named, and hides nothing",
    40: "an index that is gone is an error",
    41: "no line of a text is left out of the index",
    **dict.fromkeys((53, 54), "CJK is ranked as any text is"),
    55: "hybrid takes a half of a score at most",
    63: "one limit",
    64: "what says the same stands once",
    70: "that a file was not looked at to the end is said",
    78: "a manifest walks to the sources",
    81: "lines are lines, wherever a file is read from",
    **dict.fromkeys((83, 87), "what does not fit is passed over, what is shared is read once"),
    84: "an id that there is not is an error",
    99: "messages are looked at however deep a tree is",
    102: "ids that are cited are checked",
}


def numbers(test):
    """The numbers of a test: those in its name, and those that its parameters bring."""
    named = re.match(r"test_((?:\d+_(?:and_)?)+)", test.__name__)
    found = set(map(int, re.findall(r"\d+", named[1]))) if named else set()
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize" and "number" in mark.args[0]:
            place = list(mark.args[0]).index("number")
            found |= {case[place] for case in mark.args[1]}
    return found


def every():
    tests = (one for file in FILES for name, one in vars(file).items() if name.startswith("test_"))
    return set().union(*map(numbers, tests))


def test_every_vector_is_a_test_or_is_left_out_for_a_reason():
    assert sorted(every() | set(WITHOUT)) == list(range(15, 105))
    assert not every() & set(WITHOUT)
    assert set(MENDED) <= every()


def test_a_vector_that_is_missing_would_be_seen():
    @pytest.mark.parametrize(("number", "x"), [(7, 0), (9, 0)])
    def test_something():
        """Two numbers of parameters."""

    def test_11_and_12_x():
        """Two numbers of its name, and 13 is none."""

    assert (numbers(test_something), numbers(test_11_and_12_x)) == ({7, 9}, {11, 12})
