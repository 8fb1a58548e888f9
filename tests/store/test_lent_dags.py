"""What lies under summaries is known over the corpus of a store, as over that of a Dag."""

import pickle

import pytest

import lcm_lab as lcm
from lcm_lab.dag import Summary
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.timing.service import without_memory
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from tests.store.made import START, history, said

DOWN = lcm.BM25().over(scope="summaries") % 5 >> lcm.Expand()


@pytest.fixture
def store():
    """Four messages, of which a summary covers two, and a conversation that is raw."""
    store = Store(":memory:")
    store.add(Transcripts((*history(4), said("message apart", "z0", START, "s2"))))
    dag = store.dag("s1")
    first, second = dag.messages[:2]
    store.put(
        dag.replace(first.id, second.id, Summary.of("A database was chosen.", dag.messages[:2]))
    )
    return store


def found(policy, corpus, question="chosen"):
    return policy.fit(corpus)(question)["docno"].tolist()


def test_a_store_knows_what_lies_under_its_summaries(store):
    first, second = [message.id for message in store.messages("s1")][:2]
    for corpus in (store.corpus(), store.corpus(conversation="s1")):
        assert found(DOWN, corpus) == [first, second]
        assert found(DOWN, pickle.loads(pickle.dumps(corpus))) == [first, second]
    up = lcm.BM25() % 1 >> lcm.Ancestors(keep=False)
    (summary,) = store.summaries("s1")
    assert found(up, store.corpus(), "message 0") == [summary.id]


def test_what_was_not_compacted_is_in_view_as_a_whole(store):
    hidden = {message.id for message in store.messages("s1")[:2]}
    every = set(store.corpus()["docno"])
    assert len(every) == 6
    assert set(found(lcm.InView(), store.corpus())) == every - hidden


def test_of_a_store_that_was_closed_only_what_walks_is_refused(store):
    corpus = store.corpus()
    store.close()
    sent = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(corpus))))
    for one in (corpus, sent):
        assert len(found(lcm.BM25(), one, "message")) == 5
        with pytest.raises(BadParameter, match="was closed"):
            found(DOWN, one)


def test_a_copy_that_is_timed_knows_it_too(store):
    assert found(DOWN, without_memory(store.corpus())) == found(DOWN, store.corpus())


def test_a_summary_stays_where_nothing_under_it_is_a_row(store):
    (summary,) = store.summaries("s1")
    assert found(DOWN, store.corpus(scope="summaries")) == [summary.id]


def test_the_tools_of_an_agent_walk_down_too(store):
    tools = lcm.LcmTools(store, search=DOWN)
    asked = {"mode": "full_text", "sort": "relevance", "allConversations": True}
    hits = tools.lcm_grep("chosen", **asked).hits
    assert [hit.snippet for hit in hits] == ["message 0", "message 1"]


def test_a_database_of_lossless_claw_knows_it_as_well(lcm_db):
    with open_lcm(lcm_db) as db:
        corpus = db.corpus()
        (text,) = (one.text for one in db.summaries("2") if one.depth == 1)
        hits = found(DOWN % 4, corpus, text)
        assert sorted(hits) == ["m1", "m2", "m3", "m4"]
        seen = set(lcm.InView().fit(corpus)("what?", conversation="2")["docno"])
        assert {docno.partition("#")[0] for docno in seen} == set(db.dag("2").frontier)
