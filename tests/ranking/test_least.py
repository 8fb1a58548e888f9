"""A threshold acts on the score that is shown, and one that nothing can reach is refused."""

import pytest

import lcm_lab as lcm
from lcm_lab import RRF, AtLeast, Corpus
from lcm_lab.errors import BadParameter
from tests.ranking.fixed import Fixed


def test_a_hit_with_the_very_score_is_kept():
    search = (Fixed((0.5, 0.3, 0.29)) >> AtLeast(0.3)).fit(Corpus(["a", "b", "c"]))
    assert search("any")["score"].tolist() == [0.5, 0.3]


@pytest.mark.parametrize(
    ("policy", "least", "most"),
    [
        (RRF(lcm.BM25(), lcm.TfIdf()), 0.3, "0.03279"),
        (RRF(lcm.BM25(), lcm.TfIdf(), k=9, weights=(2, 1)) % 5 >> lcm.Recency("7D"), 0.31, "0.3"),
        (lcm.BM25() >> lcm.MMR(0.5), 1.01, "1"),
        (lcm.BM25() % 9 + 0.3 * lcm.TfIdf() >> lcm.Recency("7D"), 1.5, "1.3"),
        (0.5 * (lcm.BM25() + (lcm.TfIdf() >> lcm.Recency("7D")) % 9), 1.2, "1"),
    ],
    ids=repr,
)
def test_a_threshold_that_nothing_can_reach_is_refused_when_it_is_written(policy, least, most):
    """SN-14: otherwise the answer would be empty for ever."""
    with pytest.raises(BadParameter, match=f"would drop every hit: .* scores at most {most}[.]"):
        policy >> AtLeast(least)
    assert (policy >> AtLeast(float(most) * 0.99)).steps[-1] == AtLeast(float(most) * 0.99)


@pytest.mark.parametrize("policy", [lcm.BM25(), lcm.Regex(), lcm.Fuse(lcm.BM25(), lcm.TfIdf())])
def test_a_score_without_a_known_bound_takes_any_threshold(policy):
    assert repr(policy >> AtLeast(1e6)) == f"{policy!r} >> AtLeast(1000000.0)"


def test_a_grid_over_thresholds_says_which_of_them_cannot_be_reached():
    family = RRF(lcm.BM25(), lcm.TfIdf()) >> AtLeast(lcm.vary(0.01, 0.3))
    with pytest.raises(BadParameter, match=r"AtLeast\(0.3\) would drop every hit"):
        family.grid()


@pytest.mark.parametrize("least", [0, -1, float("nan"), float("inf"), "0.3", True])
def test_what_is_no_threshold_is_refused(least):
    with pytest.raises(BadParameter, match="least must be"):
        AtLeast(least)
