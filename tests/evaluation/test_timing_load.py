"""Latency under load, on a clock of the test's own: queues whose waits are known in closed form."""

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.evaluation.statistics.significance import percentile_interval
from lcm_lab.evaluation.timing.clock import Monotonic, pinned
from lcm_lab.evaluation.timing.latencies import Latencies, shown
from lcm_lab.evaluation.timing.latency import Load, latency, timed_under_load
from lcm_lab.evaluation.timing.passes import carry_out
from lcm_lab.evaluation.timing.percentiles import (
    Estimate,
    drawn_percentile,
    estimate,
    least,
    ratio,
)
from lcm_lab.evaluation.timing.plan import LEAD, Block, arrivals, in_rounds
from lcm_lab.topics import Topics
from tests.evaluation.hands import MS, Hands, Late, Takes


@cache
def topics():
    texts = [f"word{i}" for i in range(40)]
    return Topics.of(texts, lcm.Corpus(texts))


def waited(due_ms, service_ms, clock=None):
    """The latency of searches of one block, in ms."""
    clock = clock or Hands(5 * MS)
    due = np.array([int(ms * MS) for ms in due_ms], np.int64)
    block = Block("a", 0, np.arange(len(due)) % 40, due)
    return carry_out([block], {"a": Takes(clock, *service_ms)}, topics(), clock).counted()


def test_regular_arrivals_that_are_served_in_time_wait_for_nobody():
    found = waited(range(0, 40, 2), [1])  # D/D/1, busy half of the time
    assert found["latency"].tolist() == found["service"].tolist() == [1.0] * 20


def test_with_more_asked_than_can_be_served_each_waits_longer_than_the_one_before():
    found = waited(range(0, 40, 2), [3])  # D/D/1, busy 1.5 times the time
    assert found["latency"].tolist() == [3.0 + i for i in range(20)]
    assert found["service"].tolist() == [3.0] * 20


def test_a_stall_is_charged_to_every_search_that_had_to_wait_for_it():
    found = waited(range(0, 60, 2), [1] * 5 + [21] + [1] * 24)
    assert found["latency"].tolist() == [1.0] * 5 + [21.0 - i for i in range(20)] + [1.0] * 5
    assert (found["service"] > 1).sum() == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_a_wait_follows_from_the_one_before(steps):
    gaps, services = zip(*steps, strict=True)
    found = waited(np.cumsum(gaps), services)["latency"].tolist()
    lindley = [float(services[0])]
    for gap, service in steps[1:]:
        lindley.append(service + max(0.0, lindley[-1] - gap))
    assert found == lindley


def test_a_clock_that_wakes_late_is_told_apart_from_waiting():
    clock = Late(MS // 2)
    block = Block("a", 0, np.arange(3), np.array([1, 5, 6]) * MS)
    taken = carry_out([block], {"a": Takes(clock, 2)}, topics(), clock)
    assert taken.counted()["latency"].tolist() == [2.5, 2.5, 3.5]
    assert taken.lateness().tolist() == [0.5, 0.5]  # the third had to wait for the second


def test_each_block_begins_with_nobody_waiting():
    clock = Hands()
    blocks = [Block("a", i, np.arange(3), np.zeros(3, np.int64)) for i in range(2)]
    taken = carry_out(blocks, {"a": Takes(clock, 4)}, topics(), clock)
    assert taken.counted()["latency"].tolist() == [4.0, 8.0, 12.0] * 2


def test_arrivals_rise_at_the_rate_asked_for_and_follow_from_the_seed():
    even = arrivals(5, 250, "even", np.random.default_rng(0))
    assert even.tolist() == [0, 4 * MS, 8 * MS, 12 * MS, 16 * MS]
    drawn = [arrivals(20_000, 50, "poisson", np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
    gaps = np.diff(drawn[0], prepend=0) / MS
    assert (gaps >= 0).all()
    assert gaps.mean() == pytest.approx(20, rel=0.02)
    assert gaps.std() == pytest.approx(20, rel=0.03)  # as of the exponential
    assert (gaps > 20).mean() == pytest.approx(math.exp(-1), abs=0.01)


def test_in_a_round_all_systems_are_asked_the_same_at_the_same_moments():
    plan = in_rounds(["a", "b", "c"], 40, 205, 10.0, "poisson", seed=3)
    assert len(plan) == 30
    for number in range(10):
        blocks = [block for block in plan if block.round == number]
        assert sorted(block.system for block in blocks) == ["a", "b", "c"]
        assert len({(tuple(block.topics), tuple(block.due)) for block in blocks}) == 1
    counts = [len(block.topics) - block.lead for block in plan if block.system == "a"]
    assert (sum(counts), set(counts)) == (205, {20, 21})
    order = ["".join(b.system for b in plan if b.round == i) for i in range(10)]
    assert len(set(order)) > 1
    asked = np.bincount(np.concatenate([b.topics for b in plan if b.system == "a"]))
    assert asked.max() - asked.min() <= 1


@pytest.mark.parametrize(("n", "rounds"), [(1, 1), (19, 1), (40, 2), (1000, 10), (5000, 10)])
def test_few_searches_are_not_cut_into_blocks_too_short_to_say_anything(n, rounds):
    plan = in_rounds(["a"], 7, n, 10.0, "even", seed=0)
    assert len(plan) == rounds
    assert sum(len(block.topics) - LEAD for block in plan) == n


def under_load(service, n=200, rate=100.0, how="even", seed=0):
    """Time fake systems, each ``service[name]`` milliseconds a search."""
    clock = Hands()
    systems = {name: Takes(clock, *np.atleast_1d(ms)) for name, ms in service.items()}
    load = Load(rate, n, how, seed)
    frame, rate, conditions, notes = timed_under_load(systems, topics(), load, clock)
    names = {name: f"policy of {name}" for name in service}
    return Latencies(frame, names, "toy", rate, conditions, seed, tuple(notes))


def test_warm_up_and_what_is_counted_of_a_whole_pass():
    clock = Hands()
    system = Takes(clock, 1)
    frame, *_ = timed_under_load({"a": system}, topics(), Load(100.0, 200, "even", 0), clock)
    assert len(system.asked) == 20 + 10 * LEAD + 200
    assert len(frame) == 200
    assert frame.columns.tolist() == ["system", "round", "qid", "latency", "service"]
    assert set(frame["qid"]) == {f"q{i}" for i in range(1, 41)}


def test_the_ratio_of_systems_that_are_known_multiples():
    timed = under_load({"a": 2, "b": 6})
    told = timed.ratio("b", "a").set_index(["time", "percentile"])
    assert told["ratio"].round(9).tolist() == [3.0] * 4
    assert told[["low", "high"]].round(9).to_numpy().tolist() == [[3.0, 3.0]] * 4
    assert told["rounds"].tolist() == [10] * 4
    assert timed.busy == {"a": 0.2, "b": pytest.approx(0.6)}


def test_the_ratio_has_an_interval_that_follows_from_the_seed():
    rng = np.random.default_rng(0)
    timed = under_load({"a": rng.exponential(2, 997), "b": rng.exponential(2, 991)}, how="poisson")
    told = timed.ratio("a", "b")
    assert (told["low"] < told["ratio"]).all()
    assert (told["ratio"] < told["high"]).all()
    pd.testing.assert_frame_equal(told, timed.ratio("a", "b"))
    back = timed.ratio("b", "a")
    np.testing.assert_allclose(told["ratio"] * back["ratio"], 1)


def test_without_a_rate_half_of_what_the_slowest_serves_is_asked():
    assert under_load({"a": 1, "b": 8}, n=20, rate=None).rate == 62.0  # 1000 / 8 / 2, two digits
    assert under_load({"a": 0}, n=20, rate=None).rate == 500_000.0


def test_too_much_load_is_said():
    timed = under_load({"slow": 15, "tight": 9, "fast": 1})
    (said,) = (note for note in timed.notes if "keep up" in note)
    assert said.startswith("slow cannot keep up: it would be busy for 150% of the time")
    assert any(note.startswith("tight was busy for 90% of the time") for note in timed.notes)
    assert not any(note.startswith("fast") for note in timed.notes)


def test_a_system_that_raises_under_load_loses_only_its_own_times():
    timed = under_load({"bad": None, "some": [1] * 36 + [None], "good": 2})
    summary = timed.summary([50])
    assert summary["system"].unique().tolist() == ["some", "good"]
    counts = summary.query("percentile == 50 and time == 'service'").set_index("system")
    assert counts["ms"].to_dict() == {"some": 1.0, "good": 2.0}
    assert (counts["n"] + counts["failed"]).tolist() == [200, 200]
    assert counts["failed"]["some"] > 0
    assert counts["failed"]["good"] == 0
    assert any(note.startswith("bad has no times: it raised on 20") for note in timed.notes)
    assert "bad" not in repr(timed).split("\n\n")[1]
    with pytest.raises(NotFound, match=r"No timed system 'bad'\. There is some, good"):
        timed.ratio("bad", "good")


def test_where_every_system_is_given_up_there_are_no_times_and_no_error():
    timed = under_load({"bad": None})
    assert timed.frame.empty
    assert timed.summary().empty
    assert "(no figures)" in repr(timed)
    assert "bad has no times" in timed._repr_html_()
    assert timed.busy == {}


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2)), min_size=1, max_size=30),
    st.integers(1, 99),
)
def test_a_percentile_of_drawn_rounds_is_that_of_the_values_written_out(given, percentile):
    values, at = np.array(sorted(given)).T
    counts = np.array([[1, 1, 1], [2, 1, 3], [1, 4, 1]])
    found = drawn_percentile(values.astype(float), at, counts, percentile)
    written = [np.percentile(np.repeat(values, times[at]), percentile) for times in counts]
    np.testing.assert_allclose(found, written)


@pytest.mark.parametrize(("percentile", "n"), [(50, 20), (90, 100), (95, 200), (99, 1000)])
def test_a_percentile_of_too_few_searches_is_blank(percentile, n):
    assert least(percentile) == n
    values = np.arange(1.0, n + 1)
    alone = np.arange(n)
    assert math.isnan(estimate(values[1:], alone[1:], percentile).value)
    assert estimate(values, alone, percentile).value == np.percentile(values, percentile)
    one = (values[1:], alone[1:])
    assert math.isnan(ratio(one, one, percentile, seed=0).value)


def test_blank_percentiles_are_said_and_the_maximum_is_always_there():
    timed = under_load({"a": 2}, n=100)
    told = timed.summary().query("time == 'service'").set_index("percentile")["ms"]
    assert told.isna().to_dict() == {50: False, 90: False, 95: True, 99: True, 100: False}
    assert timed.notes[-1] == "Blank, for it takes more searches: p95 (200), p99 (1,000)."
    assert timed.summary([99.9])["ms"].isna().tolist() == [True, False] * 2


@pytest.mark.parametrize("percentile", [50, 90, 95])
def test_intervals_of_independent_values_are_those_of_order_statistics(percentile):
    # Shuffled evenly over the rounds, they vary no more from round to round than by chance.
    values, rounds = np.arange(1000.0), np.arange(1000) % 10
    found = estimate(values, rounds, percentile)
    assert (found.low, found.high) == percentile_interval(values, percentile)


def test_values_that_hang_together_in_rounds_have_a_wider_interval():
    rng = np.random.default_rng(0)
    rounds = np.repeat(np.arange(10), 100)
    values = rng.exponential(size=1000) + 2 * rng.exponential(size=10)[rounds]
    low, high = percentile_interval(values, 50)
    found = estimate(values, rounds, 50)
    assert found.high - found.low > 2 * (high - low)
    assert found.low < np.median(values) < found.high


@pytest.mark.slow
def test_intervals_hold_the_percentile_of_a_queue_that_is_known():
    # M/M/1 of rate 1/2 and mean service 1 is exponential with mean 2 once it has settled.
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        gap, service = rng.exponential(2, (10, 140)), rng.exponential(1, (10, 140))
        wait = [service[:, 0]]
        for i in range(1, 140):
            wait.append(service[:, i] + np.maximum(0, wait[-1] - gap[:, i]))
        settled = np.array(wait[40:]).T
        found = estimate(settled.ravel(), np.repeat(np.arange(10), 100), 50)
        held += found.low <= 2 * math.log(2) <= found.high
    assert 0.91 <= held / 200 <= 0.99


def test_times_are_printed_with_three_digits_and_their_interval():
    nan = math.nan
    assert shown(Estimate(0.12345, 0.1, 0.2)) == "0.123 [0.100, 0.200]"
    assert shown(Estimate(1234.5, nan, nan)) == "1,234"
    timed = under_load({"<b>": 2}, n=20)
    assert "<b> latency 2.00" in " ".join(repr(timed).split())
    assert "&lt;b&gt;" in timed._repr_html_()
    assert "<b>" not in timed._repr_html_()


def test_the_machine_is_recorded():
    done, conditions = pinned(lambda: 7)
    assert done == 7
    assert conditions.cpu
    assert conditions.processors >= 1
    assert conditions.full >= 0
    assert str(conditions).startswith(f"{conditions.cpu}, {conditions.processors}")


def test_the_real_clock_goes_on_and_waits_until_the_moment():
    clock = Monotonic()
    started = clock.now()
    clock.wait(started - MS)  # gone by
    clock.wait(started + 3 * MS)
    assert clock.now() >= started + 3 * MS


def test_a_whole_run_with_the_real_clock(toy):
    systems = {"bm25": lcm.BM25() % 10, "tfidf": lcm.TfIdf() % 10, "bad": toy.says(((1,),))}
    timed = latency(systems, on=toy.chat(), rate=2000, n=40, arrivals="even", seed=4)
    assert timed.frame.groupby("system").size().to_dict() == {"bm25": 40, "tfidf": 40}
    assert (timed.frame["latency"] >= timed.frame["service"]).all()
    assert timed.rate == 2000
    assert timed.seed == 4
    assert list(timed.systems) == ["bm25", "tfidf", "bad"]
    assert timed.notes[-1].startswith("bad has no times: it could not be fitted (ValueError")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rate": 0}, "rate must be searches a second, above 0, such as 10. Got 0"),
        ({"rate": math.nan}, "rate must be"),
        ({"rate": True}, "rate must be"),
        ({"rate": "fast"}, "Got 'fast'"),
        ({"n": 0}, "n must be a whole number, 1 or more. Got 0"),
        ({"seed": -1}, "seed must be a whole number, 0 or more"),
        ({"arrivals": "uniform"}, "arrivals must be 'poisson' or 'even'. Got 'uniform'"),
        ({"on": "toy"}, "latency needs on= a Collection. Got str"),
    ],
)
def test_what_cannot_be_timed_is_refused(toy, wrong, said):
    with pytest.raises(BadParameter, match=said):
        latency(lcm.BM25(), **({"on": toy.chat()} | wrong))


def test_a_finished_run_is_refused_and_so_are_percentiles_that_are_none(toy):
    bench = toy.chat()
    run = lcm.BM25().fit(bench.corpus).run(bench.topics)
    with pytest.raises(BadParameter, match="'old' is a finished run, which takes no time"):
        latency({"old": run}, on=bench)
    for wrong in (0, 100, "95", [50, True]):
        with pytest.raises(BadParameter, match="A percentile lies between 0 and 100"):
            under_load({"a": 1}, n=1).summary(wrong)


def test_what_no_system_could_do_is_raised(toy):
    with pytest.raises(ValueError):
        latency(toy.says(((1,),)), on=toy.chat())
