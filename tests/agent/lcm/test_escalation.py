"""Escalation: at which step the evidence appears, and the command that asks a store."""

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.escalation.measure import Escalation, escalation
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.dag import Summary
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.store.store import Store

FAR = "The port of the staging database is 5433, as Ada wrote on the wall of the kitchen."
PAD = "Words that fill the space before and after. " * 20


def bench(rows, topics):
    corpus = lcm.Corpus(
        {"docno": name, "conversation": talk, "text": text, "time": f"2026-01-0{at + 1}"}
        for at, (name, talk, text) in enumerate(rows)
    )
    asked = pd.DataFrame(
        [{"qid": f"q{at}", "query": q, **more} for at, (q, _, more) in enumerate(topics)]
    )
    qrels = pd.DataFrame(
        [
            {"qid": f"q{at}", "docno": docno, "relevance": 1}
            for at, (_, docnos, _) in enumerate(topics)
            for docno in docnos
        ]
    )
    return lcm.Collection("tiny", corpus, asked, qrels)


@pytest.fixture
def held():
    """Three questions: a snippet answers one, a summary one, and only expansion the third."""
    said = bench(
        [
            ("m1", "c1", "We chose Postgres for the orders."),
            ("m2", "c1", "Fine."),
            ("m3", "c2", f"About the zebra project. {PAD}{FAR}"),
            ("m4", "c2", "Noted."),
            ("m5", "c3", "The giraffe budget, and more."),
            ("m6", "c3", "Eleven thousand euros were granted to the keepers."),
        ],
        [
            ("Which database: Postgres?", ["m1"], {"conversation": "c1"}),
            ("What about the zebra project: port staging?", ["m3"], {"conversation": "c2"}),
            ("giraffe budget?", ["m6"], {"conversation": "c3"}),
        ],
    )
    store = Store(":memory:")
    store.add(said.corpus)
    for talk, text in (
        ("c1", "db"),
        ("c2", "zebra notes"),
        ("c3", "Eleven thousand euros granted keepers."),
    ):
        dag = store.dag(talk)
        ids = [one.id for one in dag.messages]
        store.put(dag.replace(ids[0], ids[-1], Summary.of(text, dag.messages)))
    return said, store


def ticking():
    now = [0.0]

    def timer():
        now[0] += 0.5
        return now[0]

    return timer


def test_each_step_says_what_it_shows_and_the_first_to_show_it(held):
    said, store = held
    found = escalation(LcmTools(store, search=lcm.BM25(), timer=ticking()), on=said)
    frame = found.frame()
    assert frame.columns.tolist() == [
        *("qid", "conversation", "type", "step", "evidence", "tokens", "read", "ms", "error"),
        "first",
    ]
    first = frame[frame["first"]].set_index("qid")["step"].to_dict()
    assert first == {"q0": "grep", "q1": "expand_query", "q2": "describe"}
    assert (frame["error"] == "").all()
    assert (frame["tokens"] > 0).all()
    assert (frame.loc[frame["step"] != "expand_query", "read"] == 0).all()
    assert (frame.loc[frame["step"] == "expand_query", "read"] > 0).all()
    assert (frame.loc[frame["step"] == "grep", "ms"] == 500).all()


def test_the_summary_accumulates_and_stops_paying_where_evidence_was_shown(held):
    said, store = held
    found = escalation(LcmTools(store, search=lcm.BM25()), on=said)
    table = found.summary()
    assert table["step"].tolist() == ["grep", "describe", "expand_query"]
    assert table["first"].round(3).tolist() == [0.333, 0.333, 0.333]
    assert table["reached"].round(3).tolist() == [0.333, 0.667, 1.0]
    assert table["n"].tolist() == [3] * 3
    assert ((table["low"] <= table["reached"]) & (table["reached"] <= table["high"])).all()
    tokens = found.frame().set_index(["step", "qid"])["tokens"]
    spent = tokens["grep"].mean() + tokens["describe"][["q1", "q2"]].sum() / 3
    spent += tokens["expand_query", "q1"] / 3
    assert table["spent"].iloc[-1] == pytest.approx(spent)
    assert repr(found).startswith("Escalation over 3 topics of 'tiny'")


def test_the_figure_says_in_words_what_it_shows(held):
    said, store = held
    found = escalation(LcmTools(store, search=lcm.BM25()), on=said)
    chart = found.figure
    assert "grep 0.333" in chart.alt
    assert "n = 3 questions" in chart.caption
    assert chart.svg == found.figure.svg
    assert "<table" in found._repr_html_()


def test_the_same_collection_gives_the_same_table_twice(held):
    said, store = held
    one, two = (escalation(LcmTools(store, search=lcm.BM25()), on=said) for _ in range(2))
    pd.testing.assert_frame_equal(one.frame().drop(columns="ms"), two.frame().drop(columns="ms"))


def test_a_question_is_not_shown_what_came_after_it():
    said = bench(
        [("m1", "c1", "The port is 5432."), ("m2", "c1", "The port is 5433 from now on.")],
        [("Which port?", ["m1"], {"asked_at": "2026-01-02"})],
    )
    store = Store(":memory:")
    store.add(said.corpus)
    tools, seen = LcmTools(store, search=lcm.BM25()), []

    class Watched(LcmTools):
        def lcm_grep(self, pattern, **given):
            found = super().lcm_grep(pattern, **given)
            seen.append([hit.id for hit in found.hits])
            return found

    escalation(Watched(store, search=lcm.BM25()), on=said)
    assert seen == [["m1"]]
    assert len(tools.lcm_grep("port", mode="full_text")) == 2


def test_a_question_that_no_tool_takes_is_counted_with_its_error():
    said = bench([("m1", "c1", "a or b")], [(r"a.*b|\d+", ["m1"], {})])
    store = Store(":memory:")
    store.add(said.corpus)
    found = escalation(LcmTools(store), on=said)
    assert found.summary()["reached"].tolist() == [0.0] * 3
    assert found.frame()["error"].str.contains("regular expression").all()


def test_what_cannot_be_measured_is_refused(held):
    said, store = held
    tools = LcmTools(store)
    with pytest.raises(BadParameter, match="takes LcmTools"):
        escalation(store, on=said)
    with pytest.raises(BadParameter, match="on takes a Collection"):
        escalation(tools, on="tiny")
    other = bench([("z1", "c9", "x")], [("x?", ["z1"], {})])
    with pytest.raises(BadParameter, match=r"does not hold 1 conversation of 'tiny', such as 'c9'"):
        escalation(tools, on=other)
    none = lcm.Collection("tiny", said.corpus, said.topics, said.qrels.iloc[:0])
    with pytest.raises(BadInput, match="no judged topic"):
        escalation(tools, on=none)
    assert isinstance(escalation(tools, on=said), Escalation)


@pytest.fixture
def memory(held, tmp_path):
    said, _ = held
    with Store(tmp_path / "memory.db") as store:
        store.add(said.corpus)
    return tmp_path / "memory.db"


def test_expand_answers_from_a_store(lcm_lab, memory):
    done = lcm_lab("expand", "Which database did we choose: Postgres?", "--on", memory)
    assert (done.code, done.err) == (0, "")
    assert "We chose Postgres for the orders." in done.out
    told = lcm_lab("expand", "Postgres?", "--conversation", "c1", "--on", memory, "--json").json
    assert told["sourceConversationIds"] == ["c1"]
    assert told["citedMessageIds"][0] == "m1"


def test_expand_without_an_answer_is_exit_1_and_misuse_exit_2(lcm_lab, memory):
    done = lcm_lab("expand", "xylophone?", "--on", memory)
    assert (done.code, "No matching summaries found." in done.out) == (1, True)
    for words in (["???"], ["Why?", "--summary", "sum_none"], ["Why?", "--timeout", "0"]):
        done = lcm_lab("expand", *words, "--on", memory)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
