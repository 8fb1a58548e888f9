import pytest

from lcm_lab import BM25, RRF, Corpus, Dedupe, Neighbours, Recency, TfIdf
from lcm_lab.errors import EmptyQuery, NotFound

ROWS = [
    {"text": "use WAL for the store", "role": "user", "conversation": "a"},
    {"text": "the WAL grew", "role": "assistant", "conversation": "a"},
    {"text": "lunch at noon", "role": "user", "conversation": "b"},
    {"text": "the WAL grew", "role": "user", "conversation": "b"},
]
CORPUS = Corpus(ROWS)


def told(policy, question, docno, **filters):
    return str(policy.fit(CORPUS).miss(question, docno, **filters))


def test_a_hit_is_found_at_its_rank():
    assert told(BM25() % 3, "wal grew", "m4") == "m4: in the list at rank 2."


def test_what_a_filter_hides_is_said_with_the_filter():
    assert told(BM25(), "wal", "m4", conversation="a", role="user") == (
        "m4: hidden by the filter conversation='a'."
    )
    assert told(BM25(), "wal", "m2", conversation="a", role="user") == (
        "m2: hidden by the filter role='user'."
    )


def test_what_shares_no_word_is_said():
    assert "nothing in common" in told(BM25() % 2, "wal", "m3")
    assert "nothing in common" in told(BM25() + 0.3 * TfIdf(), "wal", "m3")


def test_what_a_cut_leaves_out_is_said_with_its_rank():
    assert told(BM25() % 2, "wal grew", "m1") == "m1: cut by % 2: it stood at rank 3."
    policy = BM25() >> Recency("7D") % 1
    assert told(policy, "wal grew", "m4") == "m4: cut by % 1: it stood at rank 2."


def test_what_a_step_drops_is_said_with_the_step():
    policy = BM25() >> Dedupe()
    assert told(policy, "wal grew", "m4") == "m4: dropped by Dedupe(), which had it at rank 2."


def test_what_is_beyond_what_a_ranker_retrieves_is_outscored():
    corpus = Corpus(["wal wal wal"] * 1000 + ["wal and much else besides that is no match"])
    missed = BM25().fit(corpus).miss("wal", "m1001")
    assert (missed.reason, missed.rank) == ("outscored", 1001)


def test_ranks_of_nested_policies_are_followed():
    for policy in (Neighbours(BM25()) % 1, RRF(BM25(), TfIdf()) % 1, (BM25() + TfIdf()) % 1):
        assert policy.fit(CORPUS).miss("wal grew", "m1").reason == "cut"


def test_every_hit_of_a_run_is_found_at_the_rank_it_has():
    search = (BM25() % 3 + 0.3 * TfIdf() >> Recency("7D") % 2).fit(CORPUS)
    for docno, rank in search("wal grew")[["docno", "rank"]].itertuples(index=False):
        assert search.miss("wal grew", docno).rank == rank


def test_an_unknown_message_and_an_empty_question_are_errors():
    with pytest.raises(NotFound, match="No message 'zzz'"):
        BM25().fit(CORPUS).miss("wal", "zzz")
    with pytest.raises(EmptyQuery):
        BM25().fit(CORPUS).miss("??", "m1")
