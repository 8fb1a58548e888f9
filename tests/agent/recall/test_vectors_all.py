"""Every vector of session search and episodic recall is a test, or is left out with a reason."""

import re

import pytest

from tests.agent.recall import (
    test_vectors_episodic,
    test_vectors_exchanges,
    test_vectors_history,
    test_vectors_memory,
    test_vectors_sessions,
)

FILES = (
    test_vectors_episodic,
    test_vectors_exchanges,
    test_vectors_sessions,
    test_vectors_history,
    test_vectors_memory,
)
EVERY = [str(number) for number in range(1, 75)] + ["74a"] + [str(n) for n in range(75, 113)]

#: Vectors of mechanisms that this product does without.
WITHOUT = {
    **dict.fromkeys(
        ("38", "40"),
        "copying transcripts by rules of what not to copy: import takes the files that it is given",
    ),
    "76": "leases of a rebuild: one transaction of SQLite holds it, and ends with its process",
    "82": "a context rebuilt from a transcript: a compaction is read as the summary that it is",
    "95": "weights that are made to add up to 1: a sum weighs as it is written",
    "102": "chunks of notes: a message, an exchange or a session is a row",
    "103": "a boost of keyword scores by coverage and path",
    "104": "lists of stop words in seven languages: idf weighs them",
    "105": "keywords by tokenizer: CJK is in the index by pairs of characters",
    "107": "a score of what LIKE found: a substring is a policy of its own",
    "109": "a footer of citations: every hit has path and lines",
    "110": "lines rendered from a session: text is kept as it was said",
    "111": "a corpus of memory and a wiki beside it",
    "112": "an index of other settings: an index is part of a policy, and is built for it",
}

#: Vectors that this product answers otherwise by default, each on purpose; a test says how.
MENDED = {
    "10": "30 February is no day",
    "14": "days are those of UTC",
    "15": "a name that there is not is an error",
    "16": "text is text",
    "17": "case is folded in every script",
    **dict.fromkeys(("20", "21"), "filters come before the cut"),
    "28": "a snippet stands around the match",
    "34": "an id does not change while a transcript grows",
    "36": "what the harness says is not the user's",
    "39": "a project is the folder that a session ran in",
    "41": "what is appended is found",
    "45": "a broken line is shown as one",
    "46": "every line counts",
    "51": "nothing is coerced",
    "53": "what holds some of the words comes when nothing holds all",
    "57": "punctuation is passed over",
    "58": "any stretch of CJK is found",
    "62": "no part of a secret is shown",
    "74a": "a rewind leaves nothing behind that is found",
    "83": "offset beside a message is refused",
    "89": "the beginning of a large message is shown",
    "97": "a half-life of nothing is refused",
}


def numbers(test):
    """The numbers of a test: those in its name, and those that its parameters bring."""
    named = re.match(r"test_((?:\d+a?_(?:and_)?)+)", test.__name__)
    found = set(re.findall(r"\d+a?", named[1])) if named else set()
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize" and "number" in mark.args[0]:
            place = list(mark.args[0]).index("number")
            found |= {str(case[place]) for case in mark.args[1]}
    return found


def covered():
    tests = (one for file in FILES for name, one in vars(file).items() if name.startswith("test_"))
    return set().union(*map(numbers, tests))


def test_every_vector_is_a_test_or_is_left_out_for_a_reason():
    assert covered() | set(WITHOUT) == set(EVERY)
    assert not covered() & set(WITHOUT)
    assert set(MENDED) <= covered()
    assert (len(EVERY), len(covered()), len(WITHOUT)) == (113, 99, 14)


def test_a_vector_that_is_missing_would_be_seen():
    @pytest.mark.parametrize(("number", "x"), [(7, 0), (9, 0)])
    def test_something():
        """Two numbers of parameters."""

    def test_11_and_74a_x():
        """Two numbers of its name."""

    assert (numbers(test_something), numbers(test_11_and_74a_x)) == ({"7", "9"}, {"11", "74a"})
