import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, MMR, RRF, Corpus, Decay, Recency, TfIdf
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.searcher import Indexes, Searcher
from lcm_lab.topics import Topics
from tests.ranking.fixed import Fixed


def ranked(policy, n):
    hits = policy.fit(Corpus([f"row {i}" for i in range(n)]))("any")
    return dict(zip(hits["docno"], hits["score"], strict=True))


def test_rrf_adds_one_over_k_plus_rank():
    found = ranked(RRF(Fixed((9, 8, 0)), Fixed((0, 1, 2))), 3)
    wanted = {"m2": 1 / 62 + 1 / 62, "m1": 1 / 61, "m3": 1 / 61}
    assert found == pytest.approx(wanted)
    assert list(found) == ["m2", "m1", "m3"]


def test_every_hit_shows_its_parts_its_weights_and_its_rank_in_each_list():  # SN-12
    policy = 0.7 * Fixed((0.8, 0.4)) + 0.3 * Fixed((0, 12.0))
    shown = policy.fit(Corpus(["a", "b"])).explain("any")
    first, second = policy.terms
    assert shown[repr(first)].tolist() == pytest.approx([0.7, 0.35])
    assert shown[repr(second)].tolist() == pytest.approx([0.0, 0.3])
    assert (shown[repr(first)] + shown[repr(second)]).tolist() == shown["score"].tolist()
    assert shown[f"rank in {first!r}"].tolist() == [1, 2]
    assert np.isnan(shown[f"rank in {second!r}"].iloc[0])


def test_rrf_as_a_step_fuses_the_orders_given_to_what_came_before():
    found = ranked(Fixed((1, 1, 0)) >> RRF(Fixed((1, 2, 3)), Fixed((3, 2, 1))), 3)
    assert list(found) == ["m1", "m2"]


def test_a_weight_that_ranks_cannot_see_is_refused():
    with pytest.raises(BadParameter, match=r"Write RRF\(a, b, weights=\(1, 0.3\)\)"):
        RRF(lcm.BM25(), 0.3 * lcm.TfIdf())


def test_policies_of_the_same_terms_rank_alike_together_and_apart():
    days = [f"2026-01-{1 + i % 28:02}" for i in range(60)]
    words = ["wal table", "lunch wal", "table table", "noon", "the wal of the table"]
    corpus = Corpus([{"text": words[i % 5], "time": day} for i, day in enumerate(days)])
    indexes, asked = Indexes(corpus), ["wal", "lunch table", "zebra", "noon"]
    shared = Topics.of(asked, corpus)
    for weight in (0.0, 0.1, 1.0, 3.0):
        for step in (Recency("1D"), Recency("7D") % 3, Decay("step", "9D", floor=0), MMR(0.5) % 4):
            policy = BM25() % 9 + weight * TfIdf() % 5 >> step
            together = Searcher(policy, corpus, indexes).run(shared)
            apart = [policy.fit(corpus).run(question) for question in asked]
            assert together.rows.tolist() == [row for run in apart for row in run.rows.tolist()]
            assert together.scores.tolist() == [s for run in apart for s in run.scores.tolist()]


def test_a_modifier_of_somebodys_own_sees_hits_in_their_order():
    @lcm.value
    class Second(lcm.Modifier):
        def factor(self, topics, run):
            return np.where(run.rank == 2, 1.0, 0.1)

    found = ranked(Fixed((1, 4, 2)) + Fixed((1, 4, 2)) >> Second(), 3)
    assert list(found) == ["m3", "m2", "m1"]
