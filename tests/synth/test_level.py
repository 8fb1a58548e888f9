"""How hard the shipped collection is: as hard as real chats, neither solved nor hopeless."""

import numpy as np
import pytest

from lcm_lab import BM25, Scorer, evaluate, value
from lcm_lab.measures import R, nDCG


@value
class Chance(Scorer):
    """Scores that know nothing."""

    seed: int = 0

    def index(self, corpus):
        return len(corpus)

    def score(self, size, queries):
        rng = np.random.default_rng(self.seed)
        return rng.uniform(0.1, 1.0, (len(queries), size))


@pytest.fixture(scope="module")
def result(shipped):
    systems = {"bm25": BM25() % 10, "chance": Chance() % 10}
    return evaluate(systems, on=shipped, measures=[nDCG @ 10, R @ 10])


def means(table, system):
    rows = table[table["system"] == system]
    return dict(zip(rows["measure"], rows["mean"], strict=True))


def test_bm25_is_neither_saturated_nor_lost(result):
    assert 0.40 <= means(result.summary(), "bm25")["nDCG@10"] <= 0.80


def test_chance_finds_next_to_nothing(result):
    found = means(result.summary(), "chance")
    assert found["nDCG@10"] < 0.05
    assert found["R@10"] < 0.05


def test_types_are_as_hard_as_their_counterparts(result):
    """Preferences and paraphrases are hard for words, updates and identifiers easy."""
    table = result.by("type")
    rows = table[(table["system"] == "bm25") & (table["measure"] == "nDCG@10")]
    level = rows.set_index("type")["mean"]
    assert level["paraphrase"] < level["preference"] < level["multi-session"] < level["temporal"]
    assert level["multi-session"] < level["update"] < level["identifier"]
