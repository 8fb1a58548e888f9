import pytest

from lcm_lab import BM25, Corpus, Prior
from lcm_lab.errors import BadParameter
from lcm_lab.testing import check_ranker

ROWS = [
    {"text": "use WAL", "role": "tool", "importance": 0.2},
    {"text": "use WAL", "role": "user", "importance": 0.9},
    {"text": "use WAL", "role": "", "importance": None},
]


def scored(policy):
    hits = (BM25() >> policy).fit(Corpus(ROWS))("wal")
    best = BM25().fit(Corpus(ROWS))("wal")["score"].iloc[0]
    return {d: pytest.approx(s / best) for d, s in zip(hits["docno"], hits["score"], strict=True)}


def test_each_value_has_its_factor_and_the_others_theirs():
    assert scored(Prior("role", {"tool": 0.5})) == {"m1": 0.5, "m2": 1.0, "m3": 1.0}
    assert scored(Prior("role", {"user": 1.0}, other=0.2)) == {"m1": 0.2, "m2": 1.0, "m3": 0.2}


def test_a_factor_of_nought_drops_the_hit():
    assert list(scored(Prior("role", {"tool": 0.0}))) == ["m2", "m3"]


def test_a_column_of_numbers_is_the_factor_itself():
    assert scored(Prior("importance", other=0.5)) == {"m1": 0.2, "m2": 0.9, "m3": 0.5}


def test_a_prior_is_a_value_however_its_factors_were_given():
    given = Prior("role", {"user": 1.0, "tool": 0.5})
    assert given == Prior("role", (("tool", 0.5), ("user", 1.0)))
    assert eval(repr(given), {"Prior": Prior}) == given


def test_a_prior_keeps_the_contract():
    check_ranker(Prior("role", {"user": 1.0, "assistant": 0.4}))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Prior("role", {"user": 1.5}), "the factor of 'user' must be a number, between"),
        (lambda: Prior("role", other=-1), "other must be a number"),
        (lambda: Prior("role", (("a", 0.1), ("a", 0.2))), "two factors"),
        (lambda: Prior("role", (("a",),)), "pairs of a value and a number"),
        (lambda: scored(Prior("tenant")), "No column 'tenant'"),
        (lambda: scored(Prior("role")), "does not hold numbers between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(BadParameter, match=says):
        make()
