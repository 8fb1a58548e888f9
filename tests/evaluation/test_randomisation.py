"""Paired randomisation, Holm and max-T, intervals beside the bootstrap, power and equivalence."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lcm_lab.evaluation.statistics.intervals import bca, is_near_an_end, proportion
from lcm_lab.evaluation.statistics.power import detectable, equivalence, standard_error
from lcm_lab.evaluation.statistics.randomisation import flips, holm, max_t, randomisation, smallest
from lcm_lab.evaluation.statistics.significance import bootstrap, interval, per_unit

NAN = float("nan")


def test_few_units_are_enumerated_as_scipy_does():
    rng = np.random.default_rng(3)
    for n in (2, 5, 9, 13):
        sums = np.round(rng.normal(0.2, 1, (n, 1)), 1)
        theirs = stats.permutation_test(
            (sums[:, 0],),
            np.sum,
            permutation_type="samples",
            n_resamples=np.inf,
        )
        assert randomisation(sums)[0] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_many_units_are_drawn_near_what_the_t_test_says_and_never_give_zero():
    rng = np.random.default_rng(4)
    sums = rng.normal(0.05, 1, (400, 3))
    assert randomisation(sums) == pytest.approx(stats.ttest_1samp(sums, 0).pvalue, abs=0.015)
    assert randomisation(np.ones((400, 1))).tolist() == [1 / 10_001]


def test_no_difference_is_no_evidence_and_p_does_not_turn_on_other_columns():
    sums = np.column_stack([np.zeros(30), np.linspace(-1, 2, 30)])
    p = randomisation(sums)
    assert p[0] == 1.0
    assert randomisation(sums[:, 1:]).tolist() == [p[1]]
    assert randomisation(np.empty((0, 2))).tolist() == [1.0, 1.0]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=10))
def test_p_is_the_share_of_sign_patterns_that_reach_as_far(sums):
    far = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True))) >= abs(sum(sums))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    # Tenths do not add up exactly; equal sums are equal all the same.
    given_ = np.array(sums)[:, None] / 10
    assert randomisation(given_)[0] == pytest.approx(np.mean(far), abs=1e-12)
    assert randomisation(-given_)[0] == randomisation(given_)[0]


def test_patterns_of_signs_are_all_different_where_all_are_tried():
    patterns = np.concatenate(list(flips(9, wide=1 << 20)))
    assert len(np.unique(patterns, axis=0)) == len(patterns) == 512
    assert smallest(9) == 2 / 512
    assert smallest(0) == 1.0
    assert smallest(5) > 0.05 >= smallest(6)
    assert smallest(100) == 1 / 10_001


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=12))
def test_holm_is_at_least_p_at_most_bonferroni_and_keeps_the_order(p):
    p = np.array(p)
    adjusted = holm(p)
    assert (adjusted >= p - 1e-15).all()
    assert (adjusted <= np.minimum(p * len(p), 1) + 1e-12).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_holm_takes_what_is_missing_out_of_the_family():
    assert holm(np.array([0.02, NAN, 0.03])).tolist() == pytest.approx(
        [0.04, NAN, 0.04], nan_ok=True
    )
    assert holm(np.array([])).tolist() == []


def pairs(n):
    return np.array(np.triu_indices(n, 1)).T


def test_max_t_of_one_pair_is_the_plain_test():
    sums = np.random.default_rng(5).normal(0.2, 1, (11, 2))
    assert max_t(sums, pairs(2)) == pytest.approx(randomisation(sums[:, [0]] - sums[:, [1]]))


def test_max_t_finds_more_than_holm_where_systems_are_alike():
    rng = np.random.default_rng(6)
    shared = rng.normal(0, 1, (60, 1))
    sums = shared + rng.normal(0, 0.05, (60, 8)) + np.array([0.04, 0.03] + [0.0] * 6)
    alone = randomisation(sums[:, pairs(8)[:, 0]] - sums[:, pairs(8)[:, 1]])
    adjusted = max_t(sums, pairs(8))
    assert (adjusted >= alone - 0.01).all()
    assert (adjusted <= 0.05).sum() >= (holm(alone) <= 0.05).sum() > 0
    assert adjusted.sum() < holm(alone).sum()


def test_max_t_tells_no_twins_apart_and_has_no_empty_case():
    sums = np.random.default_rng(7).normal(0, 1, (40, 1))
    twins = np.hstack([sums, sums, sums + 1])
    assert max_t(twins, pairs(3))[0] == 1.0
    assert max_t(twins[:, :1], np.empty((0, 2), np.int64)).tolist() == []


def test_bca_is_what_scipy_gives_of_independent_values():
    values = np.random.default_rng(8).gamma(1.0, 1.0, 60)
    units = np.arange(60)
    low, high = bca(values[:, None], units, bootstrap(values[:, None], units, resamples=20_000))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(0)
    ).confidence_interval
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_bca_draws_whole_units_and_keeps_what_is_all_alike():
    rng = np.random.default_rng(9)
    units = np.repeat(np.arange(25), 20)
    values = np.column_stack([rng.normal(0, 1, 25)[units], np.full(500, 0.5), np.full(500, NAN)])
    low, high = bca(values, units, draws := bootstrap(values, units))
    assert (low[1], high[1]) == (0.5, 0.5)
    assert np.isnan([low[2], high[2]]).all()
    plain = interval(draws[:, [0]], [25])
    assert high[0] - low[0] == pytest.approx(plain[1][0] - plain[0][0], rel=0.2)


@pytest.mark.parametrize(("found", "n"), [(0, 20), (3, 20), (97, 100), (100, 100)])
def test_a_share_of_independent_topics_has_wilsons_interval(found, n):
    values = np.arange(n) < found
    theirs = stats.binomtest(found, n).proportion_ci(method="wilson")
    ours = proportion(values.astype(float), np.arange(n))
    # n / (n - 1) in the variance of units is what sets the two apart.
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_a_share_of_topics_that_agree_by_conversation_is_known_less_well():
    units = np.repeat(np.arange(20), 10)
    by_unit = (np.arange(20) < 18)[units].astype(float)
    mixed = np.tile([1.0] * 9 + [0.0], 20)
    wide, narrow = proportion(by_unit, units), proportion(mixed, units)
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])
    assert proportion(np.ones(200), units) == proportion(np.ones(20), np.arange(20))
    assert np.isnan(proportion(np.array([NAN]), np.array([0]))).all()


def test_only_shares_whose_rarer_value_is_in_few_units_are_near_an_end():
    units = np.repeat(np.arange(40), 5)
    nine, ten = (np.isin(np.arange(200), np.arange(n) * 5).astype(float) for n in (9, 10))
    assert is_near_an_end(nine, units)
    assert is_near_an_end(1 - nine, units)
    assert is_near_an_end(np.ones(200), units)
    assert not is_near_an_end(ten, units)
    assert not is_near_an_end(np.full(200, 0.5), units)
    assert not is_near_an_end(np.full(200, NAN), units)


def test_the_least_detectable_difference_is_that_of_the_published_table():
    """EVALUATION 6.1, by standard deviation of the difference; it rounds 2.8016 to 2.8."""
    table = {
        100: (0.056, 0.084, 0.112),
        300: (0.032, 0.048, 0.065),
        500: (0.025, 0.038, 0.050),
        1000: (0.018, 0.027, 0.035),
        2000: (0.013, 0.019, 0.025),
    }
    spread = np.array([0.2, 0.3, 0.4])
    for n, wanted in table.items():
        found = detectable(spread / np.sqrt(n), np.inf)
        assert found == pytest.approx(wanted, abs=5.3e-4)
        assert (detectable(spread / np.sqrt(n), n - 1) >= found).all()


def test_a_detectable_difference_is_detected_in_four_of_five_cases():
    rng, n = np.random.default_rng(10), 40
    least = detectable(np.array([1 / np.sqrt(n)]), n - 1)[0]
    samples = rng.normal(least, 1, (n, 2000))
    assert (stats.ttest_1samp(samples, 0).pvalue <= 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_the_standard_error_of_single_topics_is_the_familiar_one():
    values = np.random.default_rng(11).random((50, 2))
    values[3, 1] = NAN
    error = standard_error(*per_unit(values, np.arange(50), 50))
    assert error == pytest.approx(stats.sem(values, nan_policy="omit"))


def test_equivalence_is_the_larger_of_two_one_sided_t_tests():
    values = np.random.default_rng(12).normal(0.002, 0.03, 80)
    one_sided = [
        stats.ttest_1samp(values, -0.01, alternative="greater").pvalue,
        stats.ttest_1samp(values, 0.01, alternative="less").pvalue,
    ]
    difference, error = values.mean(keepdims=True), np.array([stats.sem(values)])
    assert equivalence(difference, error, 79, 0.01)[0] == pytest.approx(max(one_sided))


def test_equivalence_of_what_never_differs_is_certain_and_of_one_unit_unknown():
    nothing = np.zeros(1)
    assert equivalence(nothing, nothing, 10, 0.01).tolist() == [0.0]
    assert equivalence(nothing + 0.02, nothing, 10, 0.01).tolist() == [1.0]
    assert np.isnan(equivalence(nothing, np.array([NAN]), 0, 0.01)).all()
