"""The forest of a comparison says what the comparison says, and looks as all figures do."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import NotFound
from lcm_lab.measures import R, nDCG
from lcm_lab.reporting.axes import MARKERS
from lcm_lab.reporting.forest import MOST, forest
from lcm_lab.reporting.svg import INK, LINES, MUTED, SERIES, STYLE


@pytest.fixture(scope="module")
def compared(toy):
    systems = {
        "bm25": lcm.BM25() % 5,
        "bm25 again": lcm.BM25() % 5,
        "one hit & no more": lcm.BM25() % 1,
    }
    return lcm.evaluate(systems, on=toy(copies=3), measures=[nDCG @ 5, R @ 5]).compare("bm25")


def test_what_each_unit_says_adds_up_to_the_difference(compared):
    rows = compared.frame.set_index(["system", "measure"])
    for pair, units in compared.by_unit.groupby(["system", "measure"]):
        row = rows.loc[pair]
        mean = np.average(units["difference"], weights=units["n"])
        assert mean == pytest.approx(row["difference"], abs=1e-12)
        assert (units["n"].sum(), len(units)) == (row["n"], row["units"])


def test_a_forest_tells_each_row_in_words(compared):
    row = compared.frame.set_index(["measure", "system"]).loc["R@5", "one hit & no more"]
    told = forest(compared, R @ 5).alt
    assert told.startswith("R@5 less that of bm25: bm25 again +0.000 [+0.000, +0.000], identical; ")
    assert f"one hit & no more {row['difference']:+.3f} [{row['low']:+.3f}" in told
    assert forest(compared).alt.startswith("nDCG@5 less that of bm25")


def dots(chart):
    """Marks of the units: drawn faint."""
    drawing = ElementTree.fromstring(chart.svg)
    return len(re.findall(r"fill-opacity: 0\.3\b", ElementTree.tostring(drawing, "unicode")))


def test_a_dot_is_drawn_for_each_unit_unless_they_are_very_many(compared, toy):
    assert dots(forest(compared)) >= compared.frame["units"].iloc[0]
    systems = {"bm25": lcm.BM25() % 5, "tf-idf": lcm.TfIdf() % 5}
    many = lcm.evaluate(systems, on=toy(copies=13), measures=[nDCG @ 5])
    found = many.compare("bm25", by="topic")
    assert found.by_unit["unit"].nunique() > MOST
    assert dots(forest(found)) == 0
    assert "A dot" not in forest(found).caption


def test_a_measure_that_was_not_compared_is_refused(compared):
    with pytest.raises(NotFound, match=r"No measure here 'R@50'. There is nDCG@5, R@5"):
        forest(compared, R @ 50)


def test_a_comparison_with_nothing_is_drawn_and_says_so(toy):
    alone = lcm.evaluate({"bm25": lcm.BM25() % 5}, on=toy(), measures=[nDCG @ 5])
    assert "there is no other" in forest(alone.compare("bm25")).alt


def test_figures_of_ones_own_get_the_colours_of_the_reports():
    import matplotlib as mpl
    from matplotlib import style

    with style.context("lcm_lab.style"):
        held = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
        roles = [mpl.rcParams[key] for key in ("text.color", "axes.labelcolor", "grid.color")]
    assert held == list(SERIES)
    assert roles == [INK, MUTED, LINES]
    assert len(MARKERS) == len(SERIES)
    assert STYLE.is_file()
