import numpy as np
import pytest

from lcm_lab import BM25, RRF, Corpus, Recency, TfIdf, vary
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.nodes import Sum, Then, Top, Weighted

CORPUS = Corpus(["use WAL", "retry with backoff", "retry the WAL write", "lunch at noon"])


def docnos(policy, question, **filters):
    return policy.fit(CORPUS)(question, **filters)["docno"].tolist()


def test_operators_bind_as_python_reads_them():
    policy = BM25() % 100 + 0.3 * TfIdf() >> Recency("30D") % 10
    fused, recent = policy.steps
    assert fused == Sum((Top(BM25(), 100), Weighted(0.3, TfIdf())))
    assert recent == Top(Recency("30D"), 10)


def test_then_and_plus_are_flattened():
    a, b, c = BM25(), TfIdf(), BM25(b=0.4)
    assert (a + b) + c == a + (b + c) == Sum((a, b, c))
    assert (a >> b) >> c == a >> (b >> c) == Then((a, b, c))


def test_a_weight_of_one_vanishes_and_weights_multiply():
    assert 1 * BM25() == BM25() == 1.0 * BM25()
    assert 2 * (3 * BM25()) == 6 * BM25() == BM25() * 6
    assert 2 * (0.5 * BM25()) == BM25()


def test_a_cut_of_a_cut_keeps_the_smaller():
    assert BM25() % 20 % 10 == BM25() % 10 == BM25() % 10 % 20


def test_a_weight_stands_outside_a_cut():
    assert 0.3 * BM25() % 10 == 0.3 * (BM25() % 10)
    assert repr(0.3 * BM25() % 10) == "0.3 * BM25() % 10"


def test_numpy_weights_are_weights():
    assert np.float64(0.3) * BM25() == 0.3 * BM25()
    assert np.float32(0.5) * BM25() == 0.5 * BM25()


def test_sum_of_a_list_of_policies_is_their_sum():
    assert sum([BM25(), TfIdf()]) == BM25() + TfIdf()


@pytest.mark.parametrize(
    "operate",
    [
        lambda a, b: a | b,
        lambda a, b: a & b,
        lambda a, b: a ^ b,
        lambda a, b: a**b,
        lambda a, b: a - b,
        lambda a, b: a / b,
        lambda a, b: a @ b,
        lambda a, b: -a,
        lambda a, b: 1 | a,
    ],
)
def test_operators_that_are_not_ours_say_what_to_write(operate):
    with pytest.raises(BadParameter, match=r"To fuse by rank write RRF\(a, b\)"):
        operate(BM25(), TfIdf())


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: BM25() >> 10, "To keep the best ten write a % 10"),
        (lambda: BM25() + 0.3, "To weigh a policy write 0.3 \\* a"),
        (lambda: BM25() + TfIdf, r"TfIdf is a class. Write TfIdf\(...\)"),
        (lambda: BM25() * TfIdf(), "A weight is a number"),
        (lambda: -1 * BM25(), "0 or more"),
        (lambda: float("nan") * BM25(), "0 or more"),
        (lambda: True * BM25(), "A weight is a number"),
        (lambda: BM25() % 0, "1 or more"),
        (lambda: BM25() % -3, "1 or more"),
        (lambda: BM25() % 2.5, "whole number"),
        (lambda: BM25() % True, "whole number"),
        (lambda: BM25() + RRF(BM25(), TfIdf()), "cannot be a term of a sum"),
        (lambda: BM25().over(), "narrows to nothing"),
        (lambda: BM25(k1=-1), "k1 must be a number, 0 or more. Got -1"),
        (lambda: BM25(b=1.5), "b must be a number, between 0 and 1. Got 1.5"),
        (lambda: BM25(b=float("nan")), "b must be a number"),
        (lambda: BM25(fields=()), "fields must name columns"),
        (lambda: BM25(fields="text"), "fields must name columns"),
        (lambda: Recency("-7D"), "half_life must be a positive duration"),
        (lambda: Recency("30"), "half_life"),
        (lambda: Recency(0), "half_life"),
        (lambda: Recency("7D", floor=2), "floor must be a number, between 0 and 1. Got 2"),
        (lambda: RRF(BM25()), "two rankers or more. Got 1"),
        (lambda: RRF(BM25(), Recency("7D")), "bring candidates"),
        (lambda: RRF(BM25(), TfIdf(), weights=(1,)), "weights must be 2 numbers"),
        (lambda: RRF(BM25(), TfIdf(), weights=(-1, 1)), "0 or more and not all 0"),
        (lambda: RRF(BM25(), TfIdf(), weights=(0, 0)), "not all 0"),
        (lambda: RRF(BM25(), TfIdf(), k=-1), "k must be a number"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_made(make, says):
    with pytest.raises(BadParameter, match=says):
        make()


def test_what_brings_no_candidates_cannot_be_fitted():
    with pytest.raises(BadParameter, match=r"weighs hits and has none. Put a retriever before it"):
        Recency("30D").fit(CORPUS)
    with pytest.raises(BadParameter, match="Put a retriever before it"):
        (Recency("30D") >> BM25()).fit(CORPUS)
    with pytest.raises(BadParameter, match="Put a retriever before it"):
        (Recency("30D") % 10).fit(CORPUS)


def test_a_family_cannot_be_fitted_and_lists_its_members():
    family = BM25(k1=vary(0.9, 1.2)) % 100 + vary(0.1, 1) * TfIdf() >> Recency(vary("7D", "30D"))
    with pytest.raises(BadParameter, match="stands for 8 policies"):
        family.fit(CORPUS)
    grid = family.grid()
    assert len(grid) == 8
    assert grid[0] == BM25(k1=0.9) % 100 + 0.1 * TfIdf() >> Recency("7D")
    assert grid[-1] == BM25() % 100 + TfIdf() >> Recency(
        "30D"
    )  # weight 1 and the default k1 vanish


def test_a_grid_checks_every_member():
    with pytest.raises(BadParameter, match="Got 7"):
        BM25(b=vary(0.1, 7)).grid()


def test_then_rescores_what_came_before():
    assert docnos(BM25() % 2 >> TfIdf(), "WAL retry") == docnos(BM25() % 2, "WAL retry")
    assert docnos(TfIdf() >> BM25(), "lunch") == ["m4"]


def test_over_narrows_a_policy_to_rows_that_pass():
    corpus = Corpus([{"text": "use WAL", "role": r} for r in ("user", "assistant", "user")])
    hits = BM25().over(role="assistant").fit(corpus)("wal")
    assert hits["docno"].tolist() == ["m2"]
    fused = (BM25() + TfIdf().over(role="assistant")).fit(corpus)("wal")
    assert fused["docno"].tolist() == ["m2", "m1", "m3"]
    assert fused["score"].round(6).tolist() == [2.0, 1.0, 1.0]


def test_over_as_a_step_drops_what_does_not_pass():
    corpus = Corpus([{"text": "use WAL", "role": r} for r in ("user", "assistant", "user")])
    assert (BM25() >> TfIdf().over(role="user")).fit(corpus)("wal")["docno"].tolist() == [
        "m1",
        "m3",
    ]


def test_a_modifier_in_a_sum_is_the_term_itself():
    rows = [{"text": "use WAL", "time": day} for day in ("2026-01-01", "2026-01-31")]
    hits = (BM25() + 0.2 * Recency("30D", floor=0)).fit(Corpus(rows))("wal")
    assert hits["docno"].tolist() == ["m2", "m1"]
    assert hits["score"].round(6).tolist() == [1.2, 1.1]


def test_a_term_of_weight_zero_adds_nothing():
    hits = (BM25() + 0 * TfIdf()).fit(CORPUS)("WAL retry")
    assert hits["docno"].tolist() == docnos(BM25(), "WAL retry")
    assert hits["score"].max() == 1.0


def test_a_document_that_one_list_did_not_return_is_scored_by_it_all_the_same():
    shallow = (BM25() % 1 + TfIdf() % 1).fit(CORPUS)("retry the WAL")
    deep = (BM25() + TfIdf()).fit(CORPUS)("retry the WAL")
    first = shallow.iloc[0]
    assert first["score"] == deep.iloc[0]["score"]
    assert first["docno"] == deep.iloc[0]["docno"]


@pytest.mark.parametrize("k", [0, -1, "3", 2.5, True])
def test_a_search_gives_a_whole_number_of_hits(k):
    with pytest.raises(BadParameter, match="k must be a whole number, 1 or more"):
        BM25().fit(CORPUS).run("wal", k)
