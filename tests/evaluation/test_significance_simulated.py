"""Whether intervals and tests do what they say, by simulation; each test states its design.

Differences are those of two rankers by nDCG: three in five topics tie, the others differ by .1 to
.6, one in four for the better and three in twenty for the worse, and a conversation moves all of
its 5 to 35 topics together.
"""

import numpy as np
import pytest

from lcm_lab.evaluation.statistics.intervals import bca
from lcm_lab.evaluation.statistics.power import equivalence, standard_error
from lcm_lab.evaluation.statistics.randomisation import holm, max_t, randomisation
from lcm_lab.evaluation.statistics.significance import bootstrap, interval, per_unit

pytestmark = pytest.mark.slow

DRAWS = 2000
#: The mean of what `differences` gives: (.25 - .15) times .35.
TRUTH = 0.035


def differences(rng, n_units, n_columns=1, up=0.25):
    """Draw topics of so many conversations; up = .2 makes the mean 0."""
    units = np.repeat(np.arange(n_units), rng.integers(5, 36, n_units))
    kind, size = (draw((len(units), n_columns)) for draw in (rng.random, rng.random))
    size = 0.1 + 0.5 * size
    apart = np.where(kind < 0.6, 0.0, np.where(kind < 0.6 + up, size, -size))
    return apart + rng.normal(0, 0.05, (n_units, n_columns))[units], units


def held(n_units):
    """Share of intervals that hold the truth, 500 resamples each: percentile, BCa."""
    inside = np.zeros(2)
    for trial in range(DRAWS):
        values, units = differences(np.random.default_rng([n_units, trial]), n_units)
        draws = bootstrap(values, units, seed=trial, resamples=500)
        ends = interval(draws, [n_units]), bca(values, units, draws)
        inside += [low[0] <= TRUTH <= high[0] for low, high in ends]
    return inside / DRAWS


@pytest.mark.parametrize("n_units", [20, 50, 100])
def test_intervals_over_twenty_conversations_or_more_hold_the_truth_as_often_as_they_say(n_units):
    plain, _ = held(n_units)
    assert 0.93 <= plain <= 0.97


def test_intervals_over_few_conversations_do_not_and_neither_does_bca_over_twenty():
    (five, bca_five), (ten, _), (_, bca_twenty) = held(5), held(10), held(20)
    assert 0.88 <= five < 0.93 <= ten + 0.01 < 0.96
    assert bca_five < 0.86
    assert bca_twenty < 0.93


def test_rare_differences_take_a_hundred_topics():
    """Any-hit at 5: in 6 of 100 topics only one system finds it, in 3 only the other."""
    shares = {}
    for n in (30, 100):
        inside = 0
        for trial in range(DRAWS):
            kind = np.random.default_rng([n, trial]).random((n, 1))
            values = np.where(kind < 0.06, 1.0, np.where(kind < 0.09, -1.0, 0.0))
            draws = bootstrap(values, np.arange(n), seed=trial, resamples=500)
            low, high = interval(draws, [n])
            inside += bool(low[0] <= 0.03 <= high[0])
        shares[n] = inside / DRAWS
    assert shares[30] < 0.85
    assert 0.93 <= shares[100] <= 0.97


def sums_of(rng, n_units, n_columns, up=0.2):
    values, units = differences(rng, n_units, n_columns, up)
    return per_unit(values, units, n_units)[0].T


@pytest.mark.parametrize("n_units", [8, 20, 100])
def test_one_in_twenty_equal_systems_is_called_different(n_units):
    """Both tails, skewed sizes of conversations, 2,000 trials."""
    wrong = 0
    for trial in range(DRAWS):
        sums = sums_of(np.random.default_rng([n_units, trial, 1]), n_units, 1)
        wrong += int(randomisation(sums, seed=trial, draws=2000)[0] <= 0.05)
    assert 0.03 <= wrong / DRAWS <= 0.07


def test_a_skewed_difference_of_mean_nothing_is_called_different_about_as_often():
    """A few large gains against many small losses: signs are no coins then, yet the mean is 0."""
    wrong = 0
    for trial in range(DRAWS):
        rng = np.random.default_rng([trial, 2])
        sums = np.where(rng.random((50, 1)) < 0.1, 0.45, -0.05)
        wrong += int(randomisation(sums, seed=trial, draws=2000)[0] <= 0.05)
    assert wrong / DRAWS <= 0.13


def test_holm_keeps_any_false_positive_among_ten_systems_under_six_in_a_hundred():
    """Ten systems against one baseline, none better; what they share is the baseline's luck."""
    plain = adjusted = 0
    for trial in range(DRAWS):
        rng = np.random.default_rng([trial, 3])
        sums = sums_of(rng, 30, 10) - sums_of(rng, 30, 1)
        p = randomisation(sums, seed=trial, draws=2000)
        plain += bool((p <= 0.05).any())
        adjusted += bool((holm(p) <= 0.05).any())
    assert plain / DRAWS > 0.15
    assert adjusted / DRAWS < 0.06


def test_max_t_keeps_any_false_positive_among_all_pairs_under_six_in_a_hundred():
    """Six systems of which the first is far ahead and the others alike: ten true nulls."""
    pairs, wrong = np.array(np.triu_indices(6, 1)).T, 0
    alike = (pairs > 0).all(axis=1)
    for trial in range(1000):
        rng = np.random.default_rng([trial, 4])
        sums = rng.normal(0, 1, (12, 6)) + np.array([3.0, 0, 0, 0, 0, 0])
        wrong += bool((max_t(sums, pairs)[alike] <= 0.05).any())
    assert 0.02 <= wrong / 1000 < 0.06


def test_equal_is_said_of_what_is_not_in_one_case_of_twenty_at_most():
    """Truly apart by the margin of .01, which TOST must not call equal; n = 400 topics."""
    values = np.random.default_rng(5).normal(0, 0.05, (DRAWS, 400))
    counts, wrong = np.ones(values.shape), values + 0.01
    for apart, least, most in ((wrong, 0.03, 0.07), (values, 0.9, 1.0)):
        error = standard_error(apart, counts)
        p = equivalence(apart.mean(axis=1), error, 399, 0.01)
        assert least <= (p <= 0.05).mean() <= most
