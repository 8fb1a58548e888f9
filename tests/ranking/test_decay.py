"""Decay in its four shapes, on worked values."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.steps.decay import SHAPES, Decay
from lcm_lab.testing import check_ranker

NOW = pd.Timestamp("2026-06-01T00:00:00Z")


def factors(decay, *ages):
    """Give the factor of rows of the given ages, in days; None has no time."""
    rows = [
        {"text": "wal", "time": None if age is None else NOW - pd.Timedelta(days=age)}
        for age in ages
    ]
    corpus = lcm.Corpus(rows)
    topics = pd.DataFrame({"query": ["wal"], "asked_at": [NOW], "before": ["2030-01-01"]})
    run = lcm.BM25().fit(corpus).run(topics)
    found = dict(zip(run.rows.tolist(), decay.factor(run.topics, run).tolist(), strict=True))
    return [found.get(row) for row in range(len(rows))]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_keeps_the_contract(shape):
    check_ranker(Decay(shape, "30h"))
    check_ranker(Decay(shape, "30h", floor=0, undated=1))


def test_the_half_life_is_where_a_half_is_left():
    ages = (0, 30, 60, 90)
    wanted = {
        "exponential": [1, 1 / 2, 1 / 4, 1 / 8],
        "hyperbolic": [1, 1 / 2, 1 / 3, 1 / 4],
        "linear": [1, 1 / 2, 0, 0],
        "step": [1, 0, 0, 0],
    }
    for shape, shares in wanted.items():
        assert factors(Decay(shape, "30D", floor=0), *ages) == pytest.approx(shares)
        floored = [0.2 + 0.8 * share for share in shares]
        assert factors(Decay(shape, "30D", floor=0.2), *ages) == pytest.approx(floored)


def test_openclaws_decay_gives_its_worked_values():  # MS 97
    decay = Decay("exponential", "30D", floor=0, undated=1)
    assert factors(decay, 0, 7, 30, 90, -5) == pytest.approx([1, 0.8507, 0.5, 0.125, 1], abs=5e-5)


def test_lossless_claws_hybrid_gives_its_worked_values():  # lcm 55, 56
    decay = Decay("hyperbolic", "1000h", floor=0)
    halved, day, hundred = factors(decay, 1000 / 24, 1, 100)
    assert -2 * halved == pytest.approx(-1.0)
    assert -3 * halved == pytest.approx(-1.5)
    assert -1.2 * day == pytest.approx(-1.171875)
    assert -1 * hundred == pytest.approx(-0.2941, abs=5e-5)


def test_the_future_is_new_and_a_row_without_a_time_is_what_undated_says():
    corpus = lcm.Corpus([{"text": "wal", "time": None}, {"text": "wal", "time": "2026-01-01"}])
    for undated, wanted in ((0, 0.5), (1, 1.0), (0.5, 0.75)):
        decay = Decay("hyperbolic", "1D", undated=undated)
        explained = (lcm.BM25() >> decay).fit(corpus).explain("wal").set_index("docno")
        assert explained[repr(decay)].to_dict() == {"m1": wanted, "m2": 1.0}
    assert factors(Decay("linear", "1D"), -3) == [1.0]


@given(
    st.sampled_from(list(SHAPES)),
    st.floats(0, 1),
    st.lists(st.floats(0, 400), min_size=2, max_size=5),
)
def test_a_factor_never_rises_with_age_nor_falls_below_the_floor(shape, floor, ages):
    found = factors(Decay(shape, "30D", floor=floor), *sorted(ages))
    assert all(a >= b for a, b in itertools.pairwise(found))
    assert all(floor <= one <= 1 for one in found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("exponental", "7D"), "Did you mean 'exponential'"),
        (("step", "-7D"), "half_life must be a positive duration"),
        (("step", "7D", 1.5), "floor must be a number, between 0 and 1"),
        (("step", "7D", 0.5, -1), "undated must be a number, between 0 and 1"),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, said):
    with pytest.raises(BadParameter, match=said):
        Decay(*arguments)
