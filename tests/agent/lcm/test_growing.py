"""A store that is written to between questions, and while they are asked."""

import contextlib
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.agent.lcm.history import ANALYZER
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.dag import Summary
from lcm_lab.messages import Message, Part
from lcm_lab.ranking.lexical.words import FIELDS
from lcm_lab.store.store import Store
from lcm_lab.text import Analyzer

SAID = ["use WAL for it", "the ponies run", "lunch at noon", "数据库 next", "WAL grew again", ""]
START = 1_767_225_600_000_000


def message(name, text, session="a", at=0):
    return Message(name, session, "user", (Part("text", text),), START + at * 60_000_000)


def hits(tools, question, sort="relevance"):
    found = tools.lcm_grep(question, mode="full_text", sort=sort, allConversations=True)
    return [(hit.id, hit.score, hit.snippet, hit.also) for hit in found.hits], found.unmatched


STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(SAID)), min_size=1, max_size=5)


@given(STEPS, st.sampled_from(["wal", "run ponies", "数据库", "noon zebra"]))
@settings(deadline=None, max_examples=10)
def test_tools_that_saw_a_store_grow_answer_as_those_that_meet_it_now(steps, question):
    with Store(":memory:") as store:
        kept = LcmTools(store)
        for at, (session, text) in enumerate(steps):
            store.append(message(f"u{at}", text, session, at))
            assert hits(kept, question) == hits(LcmTools(store), question)


def test_what_was_read_is_not_read_again_when_an_earlier_conversation_goes_on(monkeypatch):
    with Store(":memory:") as store:
        for at in range(20):
            store.append(message(f"u{at}", f"word {at}", "ab"[at >= 10], at))
        tools = LcmTools(store)
        hits(tools, "word")
        read = []
        analyze = Analyzer.analyze

        def counting(self, column):
            if self == ANALYZER:
                read.append(len(column))
            return analyze(self, column)

        monkeypatch.setattr(Analyzer, "analyze", counting)
        store.append(message("new", "a needle", "a", 30))
        assert hits(tools, "needle")[0][0][0] == "new"
        dag = store.dag("a")
        store.put(dag.replace("u0", "u3", Summary.of("words 0 to 3", dag.messages[:4])))
        hits(tools, "needle")
        assert read == [1, 1]
        assert tools.corpus().kept(("forward", ANALYZER, FIELDS)) is not None


@contextlib.contextmanager
def asked_while_written(path, tools_of, ask):
    """Three threads ask, at least once each, while a fourth writes 30 messages; give the tools."""
    with Store(path) as store:
        store.add(lcm.Corpus([{"docno": f"m{at}", "text": f"needle {at}"} for at in range(50)]))
    done, errors = threading.Event(), []

    def write():
        with Store(path) as writer:
            for at in range(30):
                writer.append(message(f"n{at}", f"needle new {at}", "ab"[at % 2], at))
        done.set()

    def go_on(tools):
        try:
            ask(tools)
            while not done.is_set():
                ask(tools)
        except Exception as error:  # whatever it is, the test shows it
            errors.append(error)

    with Store(path) as reader:
        tools = tools_of(reader)
        threads = [threading.Thread(target=go_on, args=(tools,)) for _ in range(3)]
        threads.append(threading.Thread(target=write))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        yield tools


@pytest.mark.parametrize("policy", [None, lcm.BM25(), lcm.FTS5()])
def test_questions_are_answered_while_another_thread_writes(tmp_path, policy):
    def ask(tools):
        found = tools.lcm_grep("needle", mode="full_text", allConversations=True)
        assert len(found.hits) == 50
        tools.lcm_expand_query("which needle?", query="needle", allConversations=True)
        tools.lcm_grep("needle \\d+", allConversations=True)

    with asked_while_written(tmp_path / "s.db", lambda held: LcmTools(held, policy), ask) as tools:
        assert tools.lcm_grep("needle", allConversations=True, limit=200).total == 80


@pytest.mark.parametrize("compat", [None, "reference"])
def test_session_searches_are_answered_while_another_thread_writes(tmp_path, compat):
    def ask(tools):
        found = tools.sessions_search("needle", limit=20)
        assert found.hits and all("needle" in hit.snippet for hit in found.hits)

    def tools_of(held):
        return lcm.SessionTools(held, compat=compat)

    with asked_while_written(tmp_path / "s.db", tools_of, ask) as tools:
        assert len(tools.sessions_search("new", limit=25).hits) == 25
