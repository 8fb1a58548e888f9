"""Concurrency, group K of the bug reports; processes are in tests/store. An id names the report."""

import json

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.measures import nDCG
from lcm_lab.messages import Message, Part, Session

START = 1_767_225_600_000_000
SEEN = "agent:main:1"


def said(name, session, text, parent=""):
    return Message(name, session, "user", (Part("text", text),), START, parent=parent)


@pytest.fixture
def behind(tmp_path):
    """Five sessions of which two are not sorted out; what is looked for is in the last."""
    path = tmp_path / "memory.db"
    with lcm.Store(path) as store:
        for number in (1, 2, 3):
            told = Session(f"s{number}", key=f"agent:main:{number}")
            store.append(said(f"m{number}", f"s{number}", "alpha and port"), told)
        for number in (4, 5):
            told = Session(f"s{number}", key=f"agent:main:{number}")
            for at, follows in (("a", ""), ("b", "a"), ("c", "b"), ("d", "b")):
                parent = follows and f"m{number}{follows}"
                text = "beta and port" if (number, at) == (5, "d") else "port"
                store.append(said(f"m{number}{at}", f"s{number}", text, parent), told)
        assert store.indexing == ["s4", "s5"]
    return path


def answers(store, query):
    """What every tool answers, in words and as fields."""
    lcm_tools, sessions = lcm.LcmTools(store), lcm.SessionTools(store, SEEN, "all")
    yield lcm_tools.lcm_grep(query, mode="full_text", allConversations=True)
    yield lcm_tools.lcm_grep(query, allConversations=True)
    yield lcm_tools.lcm_expand_query(query=query, prompt=f"which {query}?", allConversations=True)
    yield sessions.sessions_search(query)
    yield lcm.EpisodicTools(store).search(query, "text")
    yield lcm.EpisodicTools(store).search(query, "both", response_format="json")


@pytest.mark.parametrize("query", ["alpha", "beta", "port"])
def test_a_tool_says_which_sessions_are_not_indexed_also_beside_hits(behind, query):
    """CL-05."""
    with lcm.Store(behind, readonly=True) as store:
        for answer in answers(store, query):
            for told in (answer.to_text(), json.dumps(answer.to_dict())):
                named = ("s4", "s5") if "s4" in told else ("agent:main:4", "agent:main:5")
                assert "index" in told, type(answer)
                assert all(name in told for name in named), (type(answer), told)
    with lcm.Store(behind) as store:
        store.reconcile()
        for answer in answers(store, query):
            assert "indexe" not in answer.to_text() + json.dumps(answer.to_dict())


def test_a_search_goes_on_with_sorting_out_what_stands(behind):
    """CL-05: by whichever tool; what a rewind left behind is gone from the next answer."""
    with lcm.Store(behind) as store:
        found = lcm.EpisodicTools(store).search("beta", "text")
        assert store.indexing == []
        assert len(found.hits) == 1
        store.delete("s5")
        assert len(lcm.EpisodicTools(store).search("beta", "text").hits) == 0


def test_a_worker_is_not_told_of_sessions_that_it_may_not_see(behind):
    """CL-05, SE-10."""
    with lcm.Store(behind, readonly=True) as store:
        told = lcm.LcmTools(store, grant=Grant(["s1"])).lcm_grep("port").to_text()
        assert "still being indexed" not in told
        told = lcm.LcmTools(store, grant=Grant(["s1", "s4"])).lcm_grep("port").to_text()
        assert "1 conversation still being indexed: s4" in told


def test_commands_measure_a_store_and_leave_it_as_it_is(behind, lcm_lab):
    """CL-06: `tests/store/test_cases.py` has the same of the library, beside a writer."""
    before = behind.read_bytes(), behind.stat().st_mtime_ns
    for words in (("search", "port"), ("grep", "port"), ("episodic", "search", "port")):
        done = lcm_lab(*words, "--on", "memory.db")
        assert done.code == 0, done.err
    with lcm.Store(behind, readonly=True) as store:
        topics = pd.DataFrame({"qid": ["q1"], "query": ["beta"]})
        qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m5d"], "relevance": [1]})
        bench = lcm.Collection("live", store.corpus(), topics, qrels)
        found = lcm.evaluate([lcm.BM25()], on=bench, measures=[nDCG @ 10])
        assert found.frame["value"].tolist() == [1]
        assert found.notes[0].startswith("The index was behind: 2 conversations")
    assert (behind.read_bytes(), behind.stat().st_mtime_ns) == before
