"""The parts of a report: printed numbers, safe texts, points of the frontier, drawings."""

import math
import re
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.reporting.axes import marks
from lcm_lab.reporting.cost import points
from lcm_lab.reporting.figures import against_latency, by_depth, by_type
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import ROLES
from lcm_lab.reporting.tables import Cell, facts, number

KEY = "AKIA" + "QYLPMN5HHHFPZAM2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see /home/ada/notes.md", "see ~/notes.md"),
        ("/Users/ada/x and " + "/root" + "/y", "~/x and ~/y"),  # in parts: no path of a machine
        (r"C:\Users\ada\x", r"~\x"),
        ("homepage/home/ada", "homepage/home/ada"),
        ("a\x00b\x1b[2Jc\u202ed", "ab[2Jcd"),
        ("two\nlines\tand", "two\nlines\tand"),
    ],
)
def test_a_shown_text_names_no_home_and_turns_no_page(text, shown):
    assert safe(text) == shown


def test_a_text_is_redacted_before_it_is_cut():
    for limit in range(1, 60):
        assert KEY[:8] not in safe(f"the key {KEY} was used", limit)


@given(st.text(), st.integers(1, 50))
def test_a_cut_text_is_no_longer_than_asked(text, limit):
    assert len(safe(text, limit)) <= limit + 1


def test_numbers_have_three_places_or_a_size():
    assert [number(x) for x in (0, 0.12345, 1, math.nan)] == ["0.000", "0.123", "1.000", "–"]
    assert [number(x, "ms") for x in (0.234, 12.34, 1234.5)] == ["0.23", "12.3", "1,234"]


def test_only_shares_have_a_track():
    assert Cell("", value=0.5, low=0.25, high=1).track == "--l:0.2500;--m:0.5000;--h:1.0000"
    assert Cell("", value=0.5).track == ""
    assert Cell("", value=12, low=10, high=14).track == Cell("", value=12).heat == ""
    assert Cell("", value=0.5).heat == "--m:0.5000"


def test_the_frontier_is_what_no_other_beats_in_both():
    times = pd.DataFrame({"system": list("abcd"), "p50": [1.0, 2, 3, 1], "p95": 4.0, "n": 9})
    means = pd.DataFrame({"system": list("abcd"), "mean": [0.5, 0.4, 0.9, 0.3]})
    found = points(times, means)
    assert found.loc[found["best"], "system"].tolist() == ["a", "c"]


def test_a_card_is_printed_without_what_is_empty():
    card = {"source": "x", "none": None, "many": list(range(20)), "nested": {"n": 1234}}
    told = dict(facts(card))
    assert told["nested"] == "n: 1,234"
    assert told["many"].endswith("11; and 8 more")
    assert "none" not in told


def drawings():
    looks = marks(["a", "b"])
    curve = pd.DataFrame({"system": ["a", "a", "b"], "k": [1, 10, 1], "mean": [0.1, 0.5, 0.2]})
    kinds = pd.DataFrame(
        {"type": ["x", "x"], "system": ["a", "b"], "mean": [0.1, 0.2], "n": [3, 3]}
    )
    times = pd.DataFrame(
        {"system": ["a", "b"], "mean": [0.5, 0.4], "p50": [0.001, 5000], "p95": [0.1, 9e9]}
    )
    yield by_depth(curve, looks)
    yield by_type(kinds, "R@5", looks)
    yield against_latency(times.assign(best=[True, False]), "R@5", looks)


def test_drawings_are_whole_and_take_the_colours_of_the_page():
    seen = []
    for chart in drawings():
        root = ElementTree.fromstring(chart.inline)
        assert root.get("width") is None
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        assert all(name.startswith(f"{chart.name}-") for name in ids)
        used = re.findall(r'(?:href="|url\()#([^")]+)', chart.inline)
        assert set(used) <= set(ids)
        assert not any(colour in chart.inline for colour in ROLES)
        assert all(colour in chart.svg for colour in ROLES)
        seen += ids
    assert len(set(seen)) == len(seen)


def test_drawings_are_the_same_each_time():
    assert [chart.svg for chart in drawings()] == [chart.svg for chart in drawings()]


def test_nothing_to_draw_is_no_drawing():
    nothing = pd.DataFrame(
        {"system": ["a"], "type": ["x"], "k": [1], "mean": [math.nan], "n": [0], "best": [True]}
    ).assign(p50=1.0, p95=2.0)
    looks = marks(["a"])
    assert by_depth(nothing, looks) is None
    assert by_type(nothing, "R@5", looks) is None
    assert against_latency(nothing, "R@5", looks) is None
