"""Terms that a corpus takes over from an earlier one are those that it would read itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.ranking.lexical.carried import take_over
from lcm_lab.ranking.lexical.postings import forward, postings
from lcm_lab.text import Analyzer

FIELDS = ("speaker", "text")
WORDS = st.sampled_from(
    ["", "the WAL", "wal grew", "src/app.py", "数据库", "ponies running", "a  b"]
)
ROWS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), WORDS), max_size=12)


def corpus(rows):
    """Rows (number, speaker, text), each number once, in the order of the numbers."""
    named = {number: (speaker, text) for number, speaker, text in rows}
    return lcm.Corpus(
        [
            {"docno": f"m{number}", "speaker": speaker, "text": text}
            for number, (speaker, text) in sorted(named.items())
        ]
        or {"docno": [], "speaker": [], "text": []}
    )


def same(one, other):
    assert list(one.vocabulary) == list(other.vocabulary)
    for name in ("ids", "offsets", "lengths", "stop"):
        was, now = getattr(one, name), getattr(other, name)
        assert np.array_equal(was, now), name
        assert was.dtype == now.dtype, name


@given(ROWS, ROWS)
@settings(deadline=None)
def test_what_is_taken_over_is_what_would_be_read(before, after):
    old, new = corpus(before), corpus(after)
    forward(old, Analyzer(), FIELDS)
    take_over(old, new, Analyzer(), FIELDS)
    fresh = corpus(after)
    same(forward(new, Analyzer(), FIELDS), forward(fresh, Analyzer(), FIELDS))
    ours, theirs = (postings(one, Analyzer(), FIELDS) for one in (new, fresh))
    assert dict(ours.terms) == dict(theirs.terms)
    assert np.array_equal(ours.rows, theirs.rows)
    assert np.array_equal(ours.values, theirs.values)


def test_only_rows_that_are_new_or_changed_are_read():
    read = []

    class Counting(Analyzer):
        def analyze(self, column):
            read.append(column.to_pylist())
            return super().analyze(column)

    analyzer = Counting()
    old = corpus([(1, "a", "one"), (2, "a", "two"), (4, "a", "four")])
    forward(old, analyzer, FIELDS)
    new = corpus([(1, "a", "one"), (2, "b", "two"), (3, "a", "three"), (4, "a", "four")])
    assert take_over(old, new, analyzer, FIELDS) == 2
    postings(new, analyzer, FIELDS)
    assert read[1:] == [["b two", "a three"]]


@pytest.mark.parametrize("order", [(2, 1), (1, 2)])
def test_rows_in_another_order_are_read_anew(order):
    rows = {number: {"docno": f"m{number}", "speaker": "a", "text": "x y"} for number in (1, 2)}
    old, new = lcm.Corpus([rows[1], rows[2]]), lcm.Corpus([rows[number] for number in order])
    assert take_over(old, new, Analyzer(), FIELDS) == 0  # nothing was read yet
    forward(old, Analyzer(), FIELDS)
    assert take_over(old, new, Analyzer(), FIELDS) == (2 if order == (1, 2) else 0)
