import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab import BM25, MMR, Corpus, Dedupe, Fuse, TfIdf
from lcm_lab.errors import BadParameter, OverBudget
from lcm_lab.ranking.steps import diverse
from lcm_lab.ranking.steps.likeness import alike, jaccard, likeness, term_sets
from lcm_lab.text import Analyzer

NEAR = [f"oven timer: hold the knob for three seconds {w}" for w in ("", "now", "ok", "yes", "so")]


def docnos(policy, rows, question):
    return policy.fit(Corpus(rows))(question)["docno"].tolist()


def test_likeness_is_the_share_of_terms_in_common():
    sets = term_sets(
        Corpus(["wal table", "table lunch", "noon", ""]), Analyzer(stop=None), ("text",)
    )
    found = jaccard(sets)
    assert found[0].tolist() == pytest.approx([1, 1 / 3, 0, 0])
    assert found[3].tolist() == [0, 0, 0, 0]


WORDS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=7).map(" ".join), min_size=1)


@given(WORDS, st.data())
def test_a_few_rows_are_as_alike_as_all_of_them_say(said, data):
    sets = term_sets(Corpus(said), Analyzer(stop=None), ("text",))
    rows = np.array(data.draw(st.lists(st.integers(0, len(said) - 1), min_size=1)))
    wanted = jaccard(sets[rows])
    assert alike(sets, rows).tolist() == wanted.tolist()
    beside = likeness(sets[rows], 0)
    assert [beside(i).tolist() for i in range(len(rows))] == wanted.tolist()


def test_picks_among_more_hits_than_are_compared_at_first_are_those_among_all(monkeypatch):
    rng = np.random.default_rng(0)
    said = ["oven " + " ".join(rng.choice(list("abcdefghijklmnop"), 5)) for _ in range(300)]
    for balance in (0.1, 0.5, 0.9):
        found = docnos(BM25() >> MMR(balance) % 8, said, "oven a b c")
        monkeypatch.setattr(diverse, "MOST", 0)  # nothing is left out
        assert docnos(BM25() >> MMR(balance) % 8, said, "oven a b c") == found
        monkeypatch.undo()


def test_a_balance_of_one_leaves_the_order():
    rows = [*NEAR, "oven door"]
    assert docnos(BM25() >> MMR(1.0), rows, "oven timer") == docnos(BM25(), rows, "oven timer")


def test_the_first_picks_do_not_depend_on_how_many_are_kept():
    rows = [*NEAR, "oven door seal replaced in May", "timer of the old oven"]
    full = docnos(BM25() >> MMR(0.5), rows, "oven timer")
    assert docnos(BM25() >> MMR(0.5) % 4, rows, "oven timer") == full[:4]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=5).map(" ".join), max_size=40),
    st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    st.integers(1, 9),
)
def test_few_picks_are_the_head_of_all(said, balance, k):
    said = [f"oven {text}" for text in said]
    full = docnos(BM25() >> MMR(balance), said, "oven a b")
    assert docnos(BM25() >> MMR(balance) % k, said, "oven a b") == full[:k]
    assert docnos((BM25() >> MMR(balance)) % k, said, "oven a b") == full[:k]


def test_a_pick_is_the_best_balance_of_relevance_and_novelty():
    rows = ["retry now", "retry now!", "retry the write"]
    assert docnos(BM25() >> MMR(0.3), rows, "retry now") == ["m1", "m3", "m2"]


def test_more_hits_than_can_be_compared_are_refused():
    search = (BM25() >> MMR(0.7)).fit(Corpus(["cache"] * 3))
    run = search.run("cache")
    assert len(run) == 3
    from dataclasses import replace

    import numpy as np

    many = replace(run, offsets=np.array([0, 1001]), rows=np.zeros(1001, int), scores=np.ones(1001))
    with pytest.raises(OverBudget, match="compares at most 1,000 hits"):
        MMR(0.7).rerank(search, run.topics, many)


def test_equal_texts_are_kept_once_the_highest_ranked():  # DD-01
    rows = [{"text": "use WAL mode"}, {"text": "use  WAL mode"}, {"text": "use WAL mode, always"}]
    assert docnos(BM25() >> Dedupe(), rows, "use WAL mode") == ["m1", "m3"]


def test_near_copies_are_kept_once_when_asked_for():
    rows = [*NEAR, "oven door seal replaced in May"]
    assert len(docnos(BM25() >> Dedupe(), rows, "oven")) == 6
    assert len(docnos(BM25() >> Dedupe(alike=0.7), rows, "oven")) == 2


def test_one_hit_a_session():  # DD-07
    rows = [
        {"text": "use WAL", "session": s, "conversation": c} for s, c in ["1a", "1a", "1b", "2b"]
    ]
    assert docnos(BM25() >> Dedupe("session"), rows, "wal") == ["m1", "m3", "m4"]
    assert docnos(BM25() >> Dedupe("conversation"), rows, "wal") == ["m1", "m3"]


@pytest.mark.parametrize("norm", ["minmax", "zscore", "rank"])
def test_lists_without_a_common_hit_are_all_kept(norm):
    policy = Fuse(BM25(fields=("speaker",)), BM25(fields=("text",)), norm=norm)
    rows = [{"text": "lunch", "speaker": "Ann"}, {"text": "Ann said", "speaker": "Bob"}]
    assert sorted(docnos(policy, rows, "Ann")) == ["m1", "m2"]


def test_minmax_scales_each_list_from_nought_to_one():
    rows = ["cache cache miss", "cache miss", "cache"]
    hits = Fuse(BM25(), 0.5 * TfIdf()).fit(Corpus(rows))("cache")
    assert hits["score"].max() <= 1.5
    assert len(hits) == 3


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MMR(1.5), "balance must be a number, between 0 and 1"),
        (lambda: Dedupe("author"), "by must be 'text', 'session' or 'conversation'"),
        (lambda: Dedupe(alike=0), "alike is above 0"),
        (lambda: Dedupe("session", alike=0.5), "below 1 only for texts"),
        (lambda: Fuse(BM25(), TfIdf(), norm="l2"), "norm must be 'minmax', 'zscore' or 'rank'"),
        (lambda: Fuse(BM25()), "two rankers or more"),
    ],
)
def test_what_makes_no_sense_is_refused(make, says):
    with pytest.raises(BadParameter, match=says):
        make()
