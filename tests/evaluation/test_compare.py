"""Evaluation.compare and all_pairs: verdicts in words, families, few units, what has no pair."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.evaluation.comparing.all_pairs import all_pairs, best
from lcm_lab.evaluation.comparing.compare import COLUMNS
from lcm_lab.evaluation.statistics.randomisation import holm, randomisation
from lcm_lab.measures import RR, IndexTime, Latency, R, Tokens, nDCG
from tests.evaluation.given import evaluation

NAN = float("nan")


def noise(seed, n, scale=0.1):
    return np.random.default_rng(seed).normal(0, scale, n)


def line(found, system="new", measure=nDCG @ 10):
    frame = found.frame
    (row,) = frame[(frame["system"] == system) & (frame["measure"] == str(measure))].to_dict(
        "records"
    )
    return row


def test_a_comparison_has_a_row_for_each_system_and_measure_with_all_that_bears_on_it():
    base = 0.5 + noise(0, 60)
    result = evaluation(
        {"old": [base, base], "new": [base + 0.1, base], "bad": [base - 0.2, base + noise(1, 60)]},
        per_unit=2,
        measures=(nDCG @ 10, RR),
    )
    found = result.compare("old")
    assert list(found.frame.columns) == COLUMNS
    assert found.frame[["system", "measure", "verdict"]].to_numpy().tolist() == [
        ["new", "nDCG@10", "better"],
        ["bad", "nDCG@10", "worse"],
        ["new", "RR", "identical"],
        ["bad", "RR", "cannot tell"],
    ]
    row = line(found)
    assert (row["n"], row["unpaired"], row["units"]) == (60, 0, 30)
    assert (row["wins"], row["ties"], row["losses"]) == (60, 0, 0)
    assert (row["units_won"], row["units_lost"]) == (30, 0)
    assert row["difference"] == pytest.approx(0.1)
    assert row["mean"] - row["baseline_mean"] == pytest.approx(0.1)
    assert row["low"] <= 0.1 <= row["high"]


def test_the_same_run_under_two_names_differs_by_exactly_nothing():
    """ME-14."""
    base = noise(2, 20)
    found = evaluation({"old": base, "new": base}).compare("old")
    row = line(found)
    assert "No system differs on nDCG@10 on any topic" in found.notes[0]
    assert [row[name] for name in ("difference", "low", "high", "mde")] == [0.0] * 4
    assert (row["p"], row["p_holm"], row["verdict"]) == (1.0, 1.0, "identical")
    assert (row["wins"], row["ties"], row["losses"]) == (0, 20, 0)


def test_whole_conversations_are_flipped_and_drawn():
    effect = np.repeat(noise(3, 30, 0.3) + 0.05, 10)
    result = evaluation({"old": np.zeros(300), "new": effect}, per_unit=10)
    by_conversation, by_topic = (
        line(result.compare("old", by)) for by in ("conversation", "topic")
    )
    assert (by_conversation["units"], by_topic["units"]) == (30, 300)
    assert by_conversation["p"] > 10 * by_topic["p"]
    wide, narrow = (row["high"] - row["low"] for row in (by_conversation, by_topic))
    assert wide > 2.5 * narrow
    assert by_conversation["mde"] > 2.5 * by_topic["mde"]
    assert any("not independent" in note for note in result.compare("old", "topic").notes)


def test_the_family_is_all_systems_on_one_measure():
    rng = np.random.default_rng(4)
    base = rng.random(40)
    values = {f"s{i}": [base + rng.normal(0.02 * i, 0.2, 40), base] for i in range(5)}
    result = evaluation({"old": [base, base], **values}, measures=(nDCG @ 10, RR))
    frame = result.compare("old").frame
    primary = frame[frame["measure"] == "nDCG@10"]
    assert primary["p_holm"].tolist() == holm(primary["p"].to_numpy()).tolist()
    assert primary["q"].to_numpy() == pytest.approx(
        stats.false_discovery_control(primary["p"].to_numpy())
    )
    assert (frame[frame["measure"] == "RR"]["p_holm"] == 1).all()
    notes = result.compare("old").notes
    assert any("Holm over 5 systems on nDCG@10, the primary measure" in note for note in notes)
    assert any("Secondary, each adjusted on its own: RR" in note for note in notes)
    first = result.compare("old", measures=[RR, nDCG @ 10]).frame["measure"].iloc[0]
    assert first == "RR"
    alone = result.compare("old", measures=nDCG @ 10)
    assert alone.frame["measure"].unique().tolist() == ["nDCG@10"]


def test_where_less_is_better_less_wins():
    result = evaluation(
        {"old": 500 + noise(5, 30), "new": 400 + noise(6, 30)}, measures=(Tokens @ 10,)
    )
    row = line(result.compare("old", margin=0.01), measure=Tokens @ 10)
    assert (row["verdict"], row["wins"], row["units_won"]) == ("better", 30, 30)
    assert row["difference"] == pytest.approx(-100, abs=1)
    assert np.isnan(row["p_equal"])
    notes = result.compare("old", margin=0.01).notes
    assert any("not applied to Tokens@10" in note for note in notes)


def test_equal_takes_a_margin_and_enough_topics():
    base = np.random.default_rng(7).random(500)
    result = evaluation({"old": base, "new": base + noise(8, 500, 0.02)})
    assert line(result.compare("old"))["verdict"] == "cannot tell"
    assert line(result.compare("old", margin=0.01))["verdict"] == "equal within ±0.01"
    assert line(result.compare("old", margin=0.0005))["verdict"] == "cannot tell"
    assert any('"Cannot tell" is not "equal"' in note for note in result.compare("old").notes)


def test_a_small_difference_that_is_sure_is_called_small():
    base = np.random.default_rng(9).random(400)
    result = evaluation({"old": base, "new": base + 0.002 + noise(10, 400, 0.005)})
    assert line(result.compare("old", margin=0.01))["verdict"] == "better, by less than 0.01"


@pytest.mark.parametrize("margin", [0, -0.01, NAN, float("inf"), "0.01", True])
def test_a_margin_is_a_number_above_nothing(margin):
    result = evaluation({"old": [0.1] * 6, "new": [0.2] * 6})
    with pytest.raises(BadParameter, match="margin must be a number above 0"):
        result.compare("old", margin=margin)


def test_below_six_conversations_no_test_is_possible_and_below_twenty_it_is_said():
    for n, words, verdict in (
        (5, "no test at 5 % is possible below 6", "cannot tell"),
        (6, "fewer than 20", "better"),
        (19, "fewer than 20", "better"),
        (20, None, "better"),
    ):
        result = evaluation({"old": np.zeros(n), "new": np.ones(n)})
        found = result.compare("old")
        assert line(found)["verdict"] == verdict
        few = [note for note in found.notes if "There are" in note]
        assert len(few) == (words is not None)
        assert all(words in note for note in few)


def test_one_topic_tells_nothing():
    found = evaluation({"old": [0.0], "new": [1.0]}).compare("old")
    row = line(found)
    assert (row["n"], row["p"], row["verdict"]) == (1, 1.0, "cannot tell")
    assert np.isnan([row["low"], row["high"], row["mde"]]).all()
    assert "p = 1" in next(
        note for note in found.notes if "There are" in note or "There is" in note
    )


def test_one_conversation_falls_back_to_topics_and_says_so():
    result = evaluation({"old": np.zeros(30), "new": np.ones(30)}, per_unit=30)
    found = result.compare("old")
    assert line(found)["units"] == 30
    assert any("nothing about other conversations" in note for note in found.notes)


def test_too_few_units_for_so_many_systems_is_said():
    many = {f"s{i}": np.ones(10) for i in range(30)}
    found = evaluation({"old": np.zeros(10), **many}).compare("old")
    assert set(found.frame["verdict"]) == {"cannot tell"}
    assert any("no single one can be told" in note for note in found.notes)
    assert any("The best of 30 is partly best by luck" in note for note in found.notes)


def test_topics_without_a_pair_are_counted_and_in_no_mean():
    old, new = np.full(40, 0.5), np.full(40, 0.6)
    old[0] = new[0] = NAN
    new[1:4] = NAN
    old[4] = NAN
    found = evaluation({"old": old, "new": new, "third": np.full(40, 0.5)}).compare("old")
    row = line(found)
    assert (row["n"], row["unpaired"]) == (35, 5)
    assert row["mean"] == pytest.approx(0.6)
    assert row["baseline_mean"] == 0.5
    assert any("new has no value of nDCG@10 on 4 topics" in note for note in found.notes)
    assert any("old has no value of nDCG@10 on 2 topics" in note for note in found.notes)
    every = evaluation({"old": old, "new": new}).compare("old")
    assert any("undefined for every system on 1 topic of 40" in note for note in every.notes)


def test_a_system_without_any_value_is_not_measured():
    found = evaluation({"old": np.ones(9), "new": np.full(9, NAN), "x": np.zeros(9)}).compare("old")
    row = line(found)
    assert (row["n"], row["unpaired"], row["units"], row["verdict"]) == (0, 9, 0, "not measured")
    assert np.isnan([row["difference"], row["p"], row["p_holm"], row["low"]]).all()
    assert line(found, "x")["p_holm"] == line(found, "x")["p"]
    assert "–" in repr(found)


def test_an_evaluation_of_one_system_has_nothing_to_compare():
    found = evaluation({"old": np.ones(9)}).compare("old")
    assert len(found.frame) == 0
    assert list(found.frame.columns) == COLUMNS
    assert repr(found).startswith("Against old")
    empty = evaluation({"old": np.ones(9), "new": np.ones(9)})
    assert len(empty.compare("old").frame) == 1


def test_what_cannot_be_compared_is_refused():
    result = evaluation(
        {"old": [[0.1] * 6] * 2, "new": [[0.2] * 6] * 2}, measures=(RR, Latency @ 95)
    )
    with pytest.raises(NotFound, match=r"No system 'odl'. There is old, new. Did you mean 'old'"):
        result.compare("odl")
    with pytest.raises(NotFound, match="No measure here 'R@5'"):
        result.compare("old", measures=[R @ 5])
    with pytest.raises(BadParameter, match=r"by must be 'conversation' or 'topic'. Got 'session'"):
        result.compare("old", by="session")
    with pytest.raises(BadParameter, match="A measure is a value such as nDCG @ 10"):
        result.compare("old", measures="RR")
    with pytest.raises(BadParameter, match="Latency@95 cannot be compared topic by topic"):
        result.compare("old", measures=[Latency @ 95])
    assert result.compare("old").frame["measure"].tolist() == ["RR"]
    timed = evaluation({"old": [0.1], "new": [0.2]}, measures=(IndexTime,))
    with pytest.raises(BadParameter, match="no measure to compare topic by topic: IndexTime"):
        timed.compare("old")


def test_a_comparison_prints_an_interval_beside_every_difference():
    base = np.random.default_rng(11).random(40)
    found = evaluation({"<old>": base, "<new>": base + 0.1}).compare("<old>")
    assert "+0.100 [+0.100, +0.100]" in repr(found)
    assert "40/0/0" in repr(found)
    html = found._repr_html_()
    assert "&lt;new&gt;" in html
    assert "<new>" not in html + repr(found).replace("<new>", "")
    assert "Against &lt;old&gt;" in html


def test_the_seed_of_the_evaluation_decides():
    base = np.random.default_rng(12).random(80)
    values = {"old": base, "new": base + noise(13, 80, 0.2)}
    first, second = (evaluation(values).compare("old").frame for _ in range(2))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def field(n=60, gaps=(0.0, 0.0, 0.1, 0.3), scale=0.05, seed=14):
    """Systems s0, s1, ... that are so far behind the first."""
    rng = np.random.default_rng(seed)
    base = rng.random(n)
    return {f"s{i}": base - gap + rng.normal(0, scale, n) for i, gap in enumerate(gaps)}


def test_all_pairs_groups_what_is_not_told_apart():
    pairs = all_pairs(evaluation(field()), nDCG @ 10)
    assert sorted(pairs.systems["system"].iloc[:2]) == ["s0", "s1"]
    assert pairs.systems["system"].tolist()[2:] == ["s2", "s3"]
    assert [sorted(group) for group in pairs.groups] == [["s0", "s1"]]
    assert pairs.best is None
    assert len(pairs.frame) == 6
    assert (pairs.frame["difference"] >= 0).all()
    assert pairs.frame["apart"].tolist() == (pairs.frame["p"] <= 0.05).tolist()
    assert pairs.systems["rank"].sum() == pytest.approx(1 + 2 + 3 + 4)
    assert "not told apart" in repr(pairs)


def test_the_best_is_the_one_that_is_told_apart_from_every_other():
    result = evaluation(field(gaps=(0.0, 0.1, 0.1)))
    assert all_pairs(result, nDCG @ 10).best == best(result, nDCG @ 10) == "s0"
    assert best(evaluation({"alone": np.ones(30)}), nDCG @ 10) is None
    assert best(evaluation({"a": np.ones(30), "twin": np.ones(30)}), nDCG @ 10) is None
    timed = evaluation({"a": np.ones(30), "b": np.zeros(30)}, measures=(Latency @ 95,))
    assert best(timed, Latency @ 95) is None


def test_where_less_is_better_the_least_stands_first():
    result = evaluation({"long": np.full(30, 9.0), "short": np.full(30, 3.0)}, measures=(Tokens,))
    pairs = all_pairs(result, Tokens)
    assert (pairs.best, pairs.systems["rank"].tolist()) == ("short", [1.0, 2.0])
    assert pairs.frame["difference"].tolist() == [-6.0]


def test_groups_overlap_where_the_middle_is_near_both_ends():
    rng = np.random.default_rng(15)
    shift = rng.normal(0, 0.1, (3, 400)) - np.array([[0.0], [0.012], [0.024]])
    pairs = all_pairs(evaluation(dict(zip("abc", 1 + shift, strict=True))), nDCG @ 10)
    assert pairs.groups == (("a", "b"), ("b", "c"))


def test_all_pairs_compares_on_the_topics_that_everyone_has():
    values = field()
    values["s3"][:5] = NAN
    values["mute"] = np.full(60, NAN)
    pairs = all_pairs(evaluation(values), nDCG @ 10)
    assert (pairs.n, pairs.units, len(pairs.systems)) == (55, 55, 4)
    assert pairs.notes == (
        "Left out, with no value of nDCG@10 on any topic: mute.",
        "Left out, because a system has no value there: 5 topics.",
    )
    chosen = all_pairs(evaluation(values), nDCG @ 10, systems=["s0", "s1"])
    assert (chosen.n, len(chosen.frame)) == (60, 1)


def test_p_of_a_pair_alone_is_that_of_compare():
    result = evaluation(field(gaps=(0.0, 0.02)), per_unit=3)
    pair, row = all_pairs(result, nDCG @ 10).frame.iloc[0], line(result.compare("s1"), "s0")
    assert pair["p"] == pytest.approx(row["p"], abs=2e-3)
    assert (pair["low"], pair["high"]) == pytest.approx((row["low"], row["high"]))
    sums = (result.values("s0", nDCG @ 10) - result.values("s1", nDCG @ 10)).reshape(-1, 3).sum(1)
    assert row["p"] == randomisation(sums[:, None])[0]


def test_all_pairs_of_one_of_none_and_of_too_many():
    one = all_pairs(evaluation({"a": np.ones(8)}), nDCG @ 10)
    assert (len(one.frame), one.groups, one.best) == (0, (), None)
    mute = all_pairs(evaluation({"a": np.full(8, NAN), "b": np.full(8, NAN)}), nDCG @ 10)
    assert (mute.n, len(mute.systems), mute.best) == (0, 0, None)
    many = evaluation({f"s{i}": np.ones(2) for i in range(101)})
    with pytest.raises(BadParameter, match=r"at most 100 systems in order. Got 101"):
        all_pairs(many, nDCG @ 10)
    assert best(many, nDCG @ 10) is None
    with pytest.raises(NotFound, match="No system 'x'"):
        all_pairs(many, nDCG @ 10, systems=["x"])


def test_wins_ties_and_losses_are_of_the_topics_that_both_have_a_value_on():
    base, some = 0.5 + noise(3, 30), 0.5 + noise(4, 30)
    some[:3], some[3] = NAN, base[3]
    result = evaluation({"old": base, "new": some, "same": base, "gone": base * NAN})
    for row in result.compare("old").frame.to_dict("records"):
        assert row["wins"] + row["ties"] + row["losses"] == row["n"]
    assert line(result.compare("old"))["ties"] == 1
    assert line(result.compare("old"), "gone")["ties"] == 0


def test_where_nothing_is_paired_it_is_said_once():
    base = 0.5 + noise(5, 30)
    told = "No topic has a value of nDCG@10 on both sides, so nothing was tested."
    for result in (evaluation({"old": base}), evaluation({"old": base * NAN, "new": base})):
        notes = result.compare("old").notes
        assert notes[0] == told
        assert not any("0 units" in note for note in notes)
