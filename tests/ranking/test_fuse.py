import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab import RRF, Corpus
from lcm_lab.errors import BadParameter


@lcm.value
class Fixed(lcm.Scorer):
    """Gives each document the score it is told to."""

    scores: tuple[float, ...]

    def index(self, corpus):
        return None

    def score(self, index, queries):
        return np.tile(np.array(self.scores), (len(queries), 1))


def ranked(policy, n):
    hits = policy.fit(Corpus([f"row {i}" for i in range(n)]))("any")
    return dict(zip(hits["docno"], hits["score"], strict=True))


def test_rrf_adds_one_over_k_plus_rank():
    found = ranked(RRF(Fixed((9, 8, 0)), Fixed((0, 1, 2))), 3)
    wanted = {"m2": 1 / 62 + 1 / 62, "m1": 1 / 61, "m3": 1 / 61}
    assert found == pytest.approx(wanted)
    assert list(found) == ["m2", "m1", "m3"]


def test_rrf_weights_scale_each_list():  # SN-05
    lists = Fixed((2, 1, 0, 0)), Fixed((0, 0, 2, 1))
    assert list(ranked(RRF(*lists, weights=(1, 0)), 4)) == ["m1", "m2"]
    assert list(ranked(RRF(*lists, weights=(4, 1)), 4)) == ["m1", "m2", "m3", "m4"]
    assert list(ranked(RRF(*lists, weights=(1, 4)), 4)) == ["m3", "m4", "m1", "m2"]


def test_a_sum_keeps_what_only_one_list_found():  # SN-02
    found = ranked(0.7 * Fixed((0.8, 0.7, 0)) + 0.3 * Fixed((0, 0, 12.0)), 3)
    assert found == pytest.approx({"m1": 0.7, "m2": 0.6125, "m3": 0.3})


def test_equal_scores_stay_equal_and_count_as_found():  # SN-03
    assert ranked(Fixed((7, 7, 7)) + Fixed((7, 7, 7)), 3) == {"m1": 2, "m2": 2, "m3": 2}
    assert ranked(Fixed((7,)) + Fixed((7,)), 1) == {"m1": 2}


def test_an_exact_keyword_hit_is_never_cut_by_the_weight_of_its_list():  # SN-01
    assert ranked(0.7 * Fixed((0.0,)) + 0.3 * Fixed((1.0,)), 1) == {"m1": pytest.approx(0.3)}


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
