"""Sections of the ranking report: bounds, who is told apart, abstention, anchors, failures."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, RRF, TfIdf, ranking_report
from lcm_lab.evaluation.comparing.all_pairs import AllPairs, all_pairs
from lcm_lab.measures import Latency, nDCG
from lcm_lab.reporting.anchors import ANCHORS, MEASURES, anchors, here
from lcm_lab.reporting.axes import marks
from lcm_lab.reporting.diagram import diagram
from lcm_lab.reporting.parts import bounds, failures, frontier, silent
from lcm_lab.reporting.svg import SERIES
from tests.reporting.conftest import ASKED

SYSTEMS = {"bm25": BM25() % 5, "rrf": RRF(BM25(), TfIdf()) % 5}
#: A question whose answer nobody told: nothing is judged relevant.
UNANSWERED = [
    ("q1", "which database did we decide on?", "fact", "c1", ["m1"]),
    ("q2", "what is the retry backoff?", "fact", "c1", ["m2"]),
    ("q3", "who restarted Postgres?", "none", "c1", []),
]


def measured(on, systems=SYSTEMS, measures=(nDCG @ 3,)):
    return lcm.evaluate(systems, on=on, measures=measures)


def test_bounds_stand_under_the_board_and_are_no_systems(toy):
    result = measured(toy())
    found = result.bounds().set_index("measure").loc["nDCG@3"]
    (_, (best,)), (_, (luck,)) = bounds(result, [nDCG @ 3]).rows
    assert (best.value, luck.value) == (found["ceiling"], found["random"])
    page = ranking_report(result).page.render()
    assert page.index("perfect order") > page.index('data-of="1"')
    assert re.search(r'<tbody class="bounds">\s*<tr><th scope="row">perfect order', page)


def test_the_diagram_draws_a_bar_a_group_and_says_it_in_words(toy):
    result = measured(toy(copies=4), {"a": BM25() % 5, "b": 2 * BM25() % 5, "c": TfIdf() % 1})
    pairs = all_pairs(result, nDCG @ 3)
    chart = diagram(pairs, marks(list(result.systems)))
    assert chart.name == "told-apart"
    for group in pairs.groups:
        assert f"not told apart: {', '.join(group)}" in chart.alt
    assert len(re.findall(r'id="of-\d"', chart.svg)) == 3


def test_one_system_has_no_diagram(toy):
    result = measured(toy(), {"only": BM25() % 5})
    assert diagram(all_pairs(result, nDCG @ 3), marks(["only"])) is None


def test_a_diagram_has_room_for_many_groups():
    names = [f"s{i:02}" for i in range(30)]
    systems = pd.DataFrame({"system": names, "mean": np.linspace(1, 0, 30), "rank": range(30)})
    groups = tuple(itertools.pairwise(names))
    pairs = AllPairs(nDCG @ 3, systems, pd.DataFrame(), groups, 9, 9)
    assert "13 more groups are not drawn" in diagram(pairs, marks(names)).caption


def test_abstention_says_of_a_system_that_cannot_abstain_why(toy):
    result = measured(toy(asked=UNANSWERED, copies=4))
    found = silent(result, nDCG @ 3, marks(list(SYSTEMS)), list(SYSTEMS))
    rows = dict(found.table.rows)
    table = result.abstention(nDCG @ 3).set_index("system")
    assert rows["bm25"][0].value == table.loc["bm25", "auroc"]
    assert rows["rrf"][0].interval == table.loc["rrf", "why"] != ""
    assert found.chart is not None and "Risk" in found.chart.title
    # What the hits are worth is called by its measure; "recall" would be another.
    assert {"nDCG@3", "nDCG@3 at 90 %"} < set(found.table.columns)
    assert not any("recall" in name for name in found.table.columns)


def test_without_a_question_that_has_no_answer_it_says_so(toy):
    page = ranking_report(measured(toy())).page.render()
    assert "Every question has something to find, so there is nothing to tell apart." in page


def test_the_frontier_is_named_from_the_fastest(toy):
    points = pd.DataFrame(
        {
            "system": ["slow", "fast", "beaten"],
            "mean": [0.9, 0.5, 0.4],
            "p50": [3.0, 1.0, 2.0],
            "best": [True, True, False],
        }
    )
    assert frontier(points) == ["fast", "slow"]
    page = ranking_report(measured(toy(), measures=(nDCG @ 3, Latency @ 95))).page.render()
    assert 'class="tag">frontier' in page


def test_what_a_system_could_not_do_is_said_on_the_page(toy):
    class Broken:
        def fit(self, corpus):
            return self

        def run(self, topics):
            raise ValueError("out of <paper>")

    result = measured(toy(), {"bm25": BM25() % 5, "broken": Broken()})
    (line,) = failures(result)[:1]
    assert line.startswith("broken raised ValueError on every question")
    assert "out of &lt;paper&gt;" in ranking_report(result).page.render()


def test_anchors_are_of_retrieval_alone_with_n_and_unit():
    table = anchors()
    assert table.columns == ("system", *MEASURES)
    assert all(re.search(r"(session|turn|message) \(n = [\d,]+\)$", name) for name, _ in table.rows)
    values = [value for one in ANCHORS for _, means in one.means for value in means]
    assert all(value is None or 0 < value < 1 for value in values)
    assert all(len(means) == len(MEASURES) for one in ANCHORS for _, means in one.means)


def test_a_set_like_an_anchor_is_set_beside_it(toy):
    on = toy(name="locomo-part", unit="turn")
    result = measured(on, {"words": BM25() % 10}, (nDCG @ 10,))
    (told,) = here(result)
    assert re.match(r"LoCoMo, turn, nDCG@10: words has 0\.\d{3} on this page \(n = 6\)", told)
    assert told.endswith("the anchor is 0.492 (n = 1,982).")
    assert here(measured(toy(), {"words": BM25() % 10}, (nDCG @ 10,))) == ()


#: Severity 1.0 of Machado, Oliveira and Fernandes (2009), on linear RGB.
DEFICIENCIES = {
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def lab(linear):
    xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ) @ np.clip(linear, 0, 1)
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
        for value in xyz / [0.9505, 1, 1.089]
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colours_of_the_series_stay_apart_for_colour_blind_readers(deficiency):
    rgb = [np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) / 255 for c in SERIES]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in rgb]
    seen = [lab(np.array(DEFICIENCIES[deficiency]) @ c) for c in linear]
    apart = [np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]]
    assert min(apart) > 10  # about four times what can just be told apart side by side


def test_what_is_resampled_is_said_as_it_is(toy):
    whole = ranking_report(measured(toy())).page.render()
    assert "resamples whole conversations" in whole and "max-T over conversations" in whole
    one = toy(asked=[topic for topic in ASKED if topic[3] == "c1"])
    page = ranking_report(measured(one)).page.render()
    assert "All questions are of one conversation" in page
    assert "max-T over questions" in page
    assert "whole conversations" not in page
