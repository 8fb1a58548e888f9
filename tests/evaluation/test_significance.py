"""The bootstrap over conversations, and intervals of percentiles."""

import numpy as np
import pytest

from lcm_lab.evaluation.statistics.significance import bootstrap, interval, percentile_interval

NAN = float("nan")


def test_equal_columns_get_equal_draws_wherever_they_stand():
    rng = np.random.default_rng(7)
    same = rng.random(200)
    values = np.column_stack([same, rng.random(200), same, rng.random(200), same])
    draws = bootstrap(values, np.arange(200) // 7)
    assert np.array_equal(draws[:, 0], draws[:, 2])
    low, high = interval(draws[:, [0]] - draws[:, [4]], [29])
    assert (low.tolist(), high.tolist()) == ([0.0], [0.0])


def test_the_seed_decides_the_draws():
    values, units = np.random.default_rng(1).random((50, 1)), np.arange(50)
    assert np.array_equal(bootstrap(values, units, seed=3), bootstrap(values, units, seed=3))
    assert not np.array_equal(bootstrap(values, units, seed=3), bootstrap(values, units, seed=4))


def test_a_draw_is_the_mean_over_the_topics_of_the_units_drawn():
    values = np.array([[0.0], [0.0], [0.0], [1.0]])
    draws = bootstrap(values, np.array([0, 0, 0, 1]))
    assert set(np.round(draws.ravel(), 9)) == {0.0, 0.25, 1.0}


def test_undefined_values_weigh_nothing_and_a_draw_without_any_is_undefined():
    values = np.array([[1.0], [NAN], [NAN]])
    draws = bootstrap(values, np.array([0, 0, 1])).ravel()
    assert set(draws[~np.isnan(draws)]) == {1.0}
    assert np.isnan(draws).any()


def test_no_topics_give_no_interval():
    low, high = interval(bootstrap(np.empty((0, 2)), np.empty(0, np.int64)), [0, 0])
    assert np.isnan([*low, *high]).all()


def test_topics_that_agree_within_a_conversation_widen_its_interval():
    units = np.repeat(np.arange(25), 20)
    values = np.random.default_rng(2).integers(0, 2, 25)[units].astype(float)[:, None]
    by_conversation = np.subtract(*interval(bootstrap(values, units), [25]))
    by_topic = np.subtract(*interval(bootstrap(values, np.arange(500)), [500]))
    assert abs(by_conversation[0]) > 3 * abs(by_topic[0])


@pytest.mark.parametrize("n", [5, 10, 40])
def test_intervals_hold_the_truth_about_as_often_as_they_say(n):
    rng, inside = np.random.default_rng(0), 0
    for trial in range(300):
        units = np.repeat(np.arange(n), 10)
        values = rng.normal(0.5, 0.1, n)[units] + rng.normal(0, 0.2, 10 * n)
        low, high = interval(bootstrap(values[:, None], units, seed=trial, resamples=1000), [n])
        inside += bool(low[0] <= 0.5 <= high[0])
    assert 0.90 <= inside / 300 <= 0.98


def test_the_fewer_the_units_the_further_out_the_percentiles():
    draws = np.tile(np.linspace(0, 1, 10_001)[:, None], 4)
    low, high = interval(draws, [5, 10, 30, 10_000])
    # Hesterberg's table: 2.5 % of the t distribution, scaled by the root of n / (n - 1).
    assert np.round(low, 4).tolist() == [0.001, 0.0086, 0.0188, 0.025]
    assert np.allclose(low + high, 1)


def test_a_percentile_has_its_interval_from_order_statistics():
    values = np.arange(1.0, 201.0)
    assert percentile_interval(values, 50) == (86.0, 115.0)
    low, high = percentile_interval(values, 95)
    assert low < 190 < high <= 200


@pytest.mark.parametrize(("n", "bounded"), [(0, False), (10, False), (71, False), (72, True)])
def test_few_values_cannot_bound_a_high_percentile(n, bounded):
    _, high = percentile_interval(np.arange(float(n)), 95)
    assert np.isfinite(high) == bounded
