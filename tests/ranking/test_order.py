"""Newest first, ties by time, one ranker after another."""

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.whole import Regex
from lcm_lab.ranking.named.openclaw import Mix, Saturated, Strict
from lcm_lab.ranking.steps.order import Newest, TiesByTime
from lcm_lab.ranking.steps.turns import Append, Fallback
from lcm_lab.testing import check_ranker

ANY = FTS5(match="any")
DAYS = ["2026-01-01", "2026-03-01", "2026-02-01"]


def dated(*said):
    return lcm.Corpus([{"text": t, "time": d} for t, d in zip(said, DAYS, strict=False)])


@pytest.mark.parametrize(
    "ranker",
    [
        Newest(ANY),
        Newest(Regex()),
        TiesByTime(),
        Fallback(FTS5(), ANY),
        Fallback(Newest(FTS5()), ANY >> TiesByTime()),
        0.5 * Fallback(FTS5(), ANY) + 0.3 * lcm.BM25(),
        Append(FTS5() % 2, lcm.BM25()),
        Saturated(ANY),
        Mix(0.7 * lcm.TfIdf() % 5, 0.3 * Saturated(ANY) % 5),
        lcm.BM25() >> Strict(1.0, TiesByTime(), lcm.BM25() % 3, lcm.TfIdf() % 3),
    ],
    ids=repr,
)
def test_every_ranker_of_this_kind_keeps_the_contract(ranker):
    check_ranker(ranker)


def test_the_newest_of_all_hits_comes_first_however_weak():
    corpus = dated("WAL WAL WAL", "the WAL of a long and winding message", "WAL")
    assert (Newest(FTS5()) % 2).fit(corpus)("wal")["docno"].tolist() == ["m2", "m3"]


def test_the_newest_are_chosen_among_more_hits_than_a_list_holds():
    rows = [{"text": "retry " * (1 + (i < 1500)), "time": 1_700_000_000 + i} for i in range(1600)]
    corpus = lcm.Corpus(rows)
    assert (Newest(FTS5()) % 3).fit(corpus)("retry")["docno"].tolist() == [
        "m1600",
        "m1599",
        "m1598",
    ]


def test_rows_without_a_time_are_the_oldest_and_equal_times_stand_in_corpus_order():
    rows = [{"text": "wal"}, {"text": "wal", "time": "2026-01-01"}, {"text": "wal"}]
    rows += [{"text": "wal", "time": "2026-01-01"}]
    hits = Newest(FTS5()).fit(lcm.Corpus(rows))("wal")
    assert hits["docno"].tolist() == ["m2", "m4", "m1", "m3"]


def test_hits_of_equal_score_stand_newest_first():
    corpus = dated("use WAL", "use WAL", "use WAL")
    assert FTS5().fit(corpus)("wal")["docno"].tolist() == ["m1", "m2", "m3"]
    assert (FTS5() >> TiesByTime()).fit(corpus)("wal")["docno"].tolist() == ["m2", "m3", "m1"]


def test_a_better_score_beats_a_newer_time():
    corpus = dated("WAL WAL", "a long message that says WAL once", "lunch")
    assert (FTS5() >> TiesByTime()).fit(corpus)("wal")["docno"].tolist() == ["m1", "m2"]


def test_each_topic_falls_back_by_itself():
    search = Fallback(FTS5(), ANY).fit(dated("retry backoff", "retry", "wal"))
    run = search.run(["retry backoff", "wal journal", "zebra"])
    hits = run.frame().groupby("qid")["docno"].apply(list).to_dict()
    assert hits == {"q1": ["m1"], "q2": ["m3"]}


def test_what_is_found_decides_within_the_filter():
    rows = [{"text": "wal journal", "role": "user"}, {"text": "wal", "role": "tool"}]
    search = Fallback(FTS5(), ANY).fit(lcm.Corpus(rows))
    assert search("wal journal")["docno"].tolist() == ["m1"]
    assert search("wal journal", role="tool")["docno"].tolist() == ["m2"]


def test_a_fallback_is_a_term_of_a_sum():
    corpus = dated("wal wal", "wal", "lunch")
    alone = (FTS5(match="any") + 0.5 * lcm.BM25()).fit(corpus)("wal journal")
    fused = (Fallback(FTS5(), ANY) + 0.5 * lcm.BM25()).fit(corpus)("wal journal")
    assert fused["docno"].tolist() == alone["docno"].tolist()
    assert np.allclose(fused["score"], alone["score"])


def test_lists_follow_each_other_and_no_hit_stands_twice():
    corpus = dated("use WAL now", "WAL", "the WAL, the WAL")
    hits = Append(Newest(FTS5()) % 1, lcm.BM25() % 3).fit(corpus)("wal")
    assert hits["docno"].tolist() == ["m2", "m3", "m1"]
    assert hits["score"].tolist() == [1, 1 / 2, 1 / 3]


def test_scores_added_as_they_come_depend_on_the_depth():
    corpus = dated("wal wal journal", "wal", "journal of the sea")
    deep = Mix(lcm.BM25() % 3, lcm.TfIdf() % 3).fit(corpus)("wal journal")
    short = Mix(lcm.BM25() % 1, lcm.TfIdf() % 3).fit(corpus)("wal journal")
    assert len(deep) == len(short) == 3
    assert deep["score"].tolist()[0] == short["score"].tolist()[0]
    assert deep["score"].tolist()[1] > short["score"].tolist()[1]
    with pytest.raises(BadParameter, match="cannot be a term of a sum"):
        lcm.BM25() + Mix(lcm.BM25() % 1, lcm.TfIdf() % 3)


def test_hits_that_scored_too_little_are_dropped_unless_words_alone_found_them():
    corpus = dated("wal wal", "wal journal", "journal")
    cosine = lcm.TfIdf(fields=("text",))
    words, vectors = FTS5(match="any") % 9, cosine % 1
    policy = cosine >> Strict(0.75, TiesByTime(), words, vectors)
    scores = cosine.fit(corpus)("wal").set_index("docno")["score"]
    assert scores["m1"] > 0.75 > scores["m2"]
    assert policy.fit(corpus)("wal")["docno"].tolist() == ["m1", "m2"]
    both = cosine >> Strict(0.75, TiesByTime(), words, cosine % 9)
    assert both.fit(corpus)("wal")["docno"].tolist() == ["m1"]
    none = cosine >> Strict(2.0, TiesByTime(), words, cosine % 9)
    assert none.fit(corpus)("wal")["docno"].tolist() == ["m1", "m2"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Newest(lcm.BM25() % 3), "Newest orders what a scorer finds"),
        (lambda: Saturated(lcm.Recency("7D")), "Saturated takes a scorer"),
        (lambda: Fallback(FTS5()), "Fallback takes two rankers or more. Got 1"),
        (lambda: Append(FTS5(), lcm.Recency("7D")), "Append takes rankers that bring candidates"),
        (lambda: Strict(float("nan"), TiesByTime(), FTS5(), FTS5()), "least must be a number"),
    ],
)
def test_what_cannot_work_is_refused_when_the_value_is_made(make, said):
    with pytest.raises(BadParameter, match=said):
        make()
