"""Costs by size, on a clock of the test's own: systems whose costs grow by a known power."""

import math

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.timing.clock import pinned
from lcm_lab.evaluation.timing.costs import REPEATS, WARM, Source, costs
from lcm_lab.evaluation.timing.curve import COLUMNS, Scaling, growth
from lcm_lab.evaluation.timing.memory import index_memory, resident
from lcm_lab.evaluation.timing.scaling import scaling
from lcm_lab.run import Hits, Run
from tests.evaluation.hands import MS, Hands


class Grows:
    """Take a time that is a power of the rows for an index, 1 ms more for the first search."""

    def __init__(self, clock, index=1.0, search=0.5, most=math.inf):
        self.clock, self.index, self.search, self.most = clock, index, search, most
        self.fitted, self.added = [], []

    def fit(self, corpus):
        self.fitted.append(len(corpus))
        if len(corpus) > self.most:
            raise MemoryError(f"{len(corpus)} are too many.")
        self.clock.time += round(len(corpus) ** self.index * MS)
        return Grown(self, corpus, [])


class Grown:
    def __init__(self, system, corpus, asked):
        self.system, self.corpus, self.asked = system, corpus, asked

    def run(self, topics):
        cold = 1 if not self.asked else 0
        self.asked.append(topics.queries[0])
        self.system.clock.time += round((len(self.corpus) ** self.system.search + cold) * MS)
        return Run.of(topics, Hits.stack([(np.empty(0, np.int64), np.empty(0))]))

    def grow(self, corpus):
        self.system.added.append((len(self.corpus), len(corpus)))
        self.system.clock.time += 3 * MS


def source(size):
    texts = [f"word{i}" for i in range(size)]
    return Source(Corpus(texts), texts[: REPEATS + WARM + 30])


def scaled(systems, clock, sizes=(100, 400, 1600)):
    rows, lost = costs(systems, sizes, source, 0, clock)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return Scaling(frame, dict.fromkeys(systems, "it"), pinned(lambda: None)[1]), lost


def test_each_cost_is_timed_apart_and_its_power_found():
    clock = Hands()
    found, lost = scaled({"a": Grows(clock)}, clock)
    assert lost == {}
    medians = found.summary().set_index(["work", "size"])["median"]
    assert medians["index"].tolist() == [100.0, 400.0, 1600.0]
    assert medians["first search"].tolist() == [11.0, 21.0, 41.0]
    assert medians["search"].tolist() == [10.0, 20.0, 40.0]
    assert medians["add"].tolist() == [3.0, 3.0, 3.0]
    powers = found.exponents().set_index("work")
    assert powers["exponent"].round(9).to_dict() == {
        "index": 1.0,
        "first search": pytest.approx(0.475, abs=0.01),
        "search": 0.5,
        "add": 0.0,
    }
    assert (
        powers.loc["search", ["low", "high", "last"]].astype(float).round(9).tolist() == [0.5] * 3
    )
    assert powers["sizes"].tolist() == [3] * 4


def test_additions_go_to_an_index_of_the_rows_before():
    clock = Hands()
    system = Grows(clock)
    scaled({"a": system}, clock, sizes=(200, 2000))
    assert system.added == [(180, 200)] * 3 + [(1900, 2000)] * 3
    assert system.fitted == [200, 180] * 3 + [2000, 1900] * 3


def test_counts_are_those_asked_for():
    clock = Hands()
    found, _ = scaled({"a": Grows(clock)}, clock, sizes=(100, 200))
    counts = found.summary().set_index(["work", "size"])["n"]
    works = ("index", "first search", "search", "add")
    assert [counts[work].tolist() for work in works] == [[3, 3], [3, 3], [30, 30], [3, 3]]


def test_a_system_that_raises_keeps_its_smaller_sizes_and_the_others_keep_all():
    clock = Hands()
    found, lost = scaled({"a": Grows(clock, most=500), "b": Grows(clock)}, clock)
    sizes = found.frame.groupby("system")["size"].unique().map(sorted).to_dict()
    assert sizes == {"a": [100, 400], "b": [100, 400, 1600]}
    assert (lost["a"].qid, lost["a"].message) == ("1,600", "1600 are too many.")
    assert "–" in repr(found)


def test_a_line_through_three_sizes_has_an_interval_and_two_sizes_have_none():
    sizes, at = [1e3, 1e4, 1e5], [1.0, 12.0, 90.0]
    found = growth(sizes, at)
    logs = np.log(at)
    slope, _ = np.polyfit(np.log(sizes), logs, 1)
    assert found.exponent == pytest.approx(slope)
    assert found.low < found.exponent < found.high
    assert found.last == pytest.approx(math.log(7.5) / math.log(10))
    two = growth(sizes[1:], at[1:])
    assert (two.exponent, two.sizes) == (pytest.approx(found.last), 2)
    assert math.isnan(two.low)


def test_the_interval_of_the_exponent_is_that_of_regression():
    from scipy.stats import linregress, t

    sizes, at = [1e2, 1e3, 1e4, 1e5], [2.0, 9.0, 130.0, 800.0]
    found, line = growth(sizes, at), linregress(np.log(sizes), np.log(at))
    reach = line.stderr * t.ppf(0.975, 2)
    assert found.low == pytest.approx(line.slope - reach)
    assert found.high == pytest.approx(line.slope + reach)


def test_costs_of_nothing_have_no_power():
    assert math.isnan(growth([1e3], [1.0]).exponent)
    assert growth([1e3, 1e4, 1e5], [0.0, 2.0, 4.0]).sizes == 2
    assert growth([], []).sizes == 0


def test_the_first_messages_of_a_collection_are_scaled_without_filters(toy):
    bench = toy.chat(n=300)
    found = scaling({"bm25": lcm.BM25() % 10}, (100, 300), bench, searches=9)
    assert found.summary().set_index("work")["n"].to_dict() == {
        "index": 3,
        "first search": 3,
        "search": 9,
        "add": 3,
    }
    assert found.notes[0].startswith("Over the first messages of 'toy'; questions are put to all")
    assert "processor" in found.notes[1]
    assert "Scaling of 1 system over 2 sizes" in repr(found)
    assert "index, ms" in found._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sizes": (200, 100)}, "sizes must rise"),
        ({"sizes": (50,)}, "a size must be a whole number, 100 or more. Got 50"),
        ({"sizes": ()}, "sizes are some, such as"),
        ({"sizes": 100}, "sizes are some, such as"),
        ({"sizes": (100, 500)}, "'toy' has 120 messages, and sizes go up to 500"),
        ({"searches": 0}, "searches must be a whole number"),
        ({"seed": -1}, "seed must be a whole number, 0 or more"),
        ({"on": 7}, "scaling takes on= a Collection. Got int"),
    ],
)
def test_what_cannot_be_scaled_is_refused(toy, wrong, said):
    given = {"sizes": (100,), "on": toy.chat()} | wrong
    with pytest.raises(BadParameter, match=said):
        scaling(lcm.BM25(), **given)


@pytest.mark.slow
def test_memory_is_what_a_fresh_process_grows_by(toy):
    if resident() is None:
        pytest.skip("this system does not tell how much memory a process takes")
    corpus = toy.chat(n=200).corpus
    grown = index_memory(Holds(64), corpus)
    assert 60 < grown.held < 80
    assert grown.peak >= grown.held
    found = scaling({"bm25": lcm.BM25() % 10}, (100,), toy.chat(), searches=9, memory=True)
    assert found.summary()["work"].tolist()[-2:] == ["memory", "peak memory"]


class Holds:
    """Hold so many MiB for every corpus but the few rows that come before."""

    def __init__(self, mib):
        self.mib = mib

    def fit(self, corpus):
        return np.ones(self.mib << 17) if len(corpus) > 100 else None
