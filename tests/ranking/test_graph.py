"""Rankers that know the summaries: in view, under a hit, over it."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message, Part
from lcm_lab.ranking.graph import Ancestors, Expand, InView
from lcm_lab.ranking.links import ALWAYS, lend, links
from lcm_lab.testing import check_ranker, small_corpus

SAID = [
    "Which database do we use?",
    "Postgres, on port 5432.",
    "And the cache?",
    "Redis, on port 6379.",
    "Lunch at noon?",
    "Noon it is.",
]


def tiny():
    """Two leaves over four messages, one condensed over both, and two messages after them."""
    dag = Dag.of([Message(f"m{n}", "s", "user", (Part("text", t),)) for n, t in enumerate(SAID)])
    one = Summary.of("Stores: the database.", dag.messages[:2])
    two = Summary.of("Stores: the cache.", dag.messages[2:4])
    both = Summary.of("About stores.", [one, two])
    dag = dag.replace("m0", "m1", one).replace("m2", "m3", two)
    dag = dag.replace(one.id, two.id, both)
    return dag, one.id, two.id, both.id


class Lent(NamedTuple):
    corpus: lcm.Corpus
    one: str
    two: str
    both: str


@pytest.fixture(scope="module")
def lent():
    dag, *names = tiny()
    return Lent(lend(dag.corpus(), [dag]), *names)


def found(policy, corpus, question="stores", **filters):
    return policy.fit(corpus)(question, **filters)["docno"].tolist()


@pytest.mark.parametrize(
    "ranker", [InView(), Expand(), Expand(1, 40), Ancestors(), Ancestors(1, keep=False)], ids=repr
)
def test_each_keeps_the_contract_on_raw_and_on_compacted_rows(ranker, lent):
    check_ranker(ranker)
    check_ranker(ranker, lent.corpus)


def test_what_was_never_compacted_is_in_view_as_a_whole_the_newest_first():
    corpus = lcm.Corpus(SAID)
    assert found(InView(), corpus, "anything?") == ["m6", "m5", "m4", "m3", "m2", "m1"]
    assert found(InView() % 2, corpus, "anything?") == ["m6", "m5"]


def test_only_the_frontier_is_in_view_and_a_summary_stands_where_it_was_said(lent):
    corpus = lent.corpus
    assert found(InView(), corpus, "anything?") == ["m5", "m4", lent.both]
    assert set(found(lcm.BM25(), corpus)) == {lent.one, lent.two, lent.both}
    assert found(lcm.BM25() >> InView(), corpus, "stores: the cache") == [lent.both]


def test_in_a_sum_what_is_in_view_gets_the_same_more(lent):
    corpus = lent.corpus
    run = (lcm.BM25() + 0.5 * InView()).fit(corpus).run("cache")
    scores = dict(zip(corpus["docno"].iloc[run.rows], run.scores, strict=True))
    assert [scores[name] for name in ("m4", "m5", lent.both)] == [0.5, 0.5, 0.5]
    assert scores["m2"] <= 1


def test_of_several_conversations_what_was_said_last_comes_first():
    rows = [
        {"text": text, "conversation": name, "time": time}
        for text, name, time in (
            ("a", "c1", "2026-01-01"),
            ("b", "c1", "2026-01-05"),
            ("c", "c2", "2026-01-03"),
            ("d", "c2", None),
        )
    ]
    hits = InView().fit(lcm.Corpus(rows))("which?")
    assert hits["text"].tolist() == ["b", "d", "c", "a"]


def test_a_summary_is_replaced_by_the_messages_under_it(lent):
    corpus = lent.corpus
    policy = lcm.BM25().over(scope="summaries") >> Expand()
    assert found(policy, corpus, "cache") == ["m2", "m3"]
    assert found(policy, corpus, "about") == ["m0", "m1", "m2", "m3"]


def test_a_depth_ends_the_walk_at_what_lies_there(lent):
    corpus = lent.corpus
    about = lcm.BM25().over(scope="summaries")
    assert found(about >> Expand(depth=1), corpus, "about") == [lent.one, lent.two]
    assert found(about >> Expand(depth=2), corpus, "about") == ["m0", "m1", "m2", "m3"]


def test_a_message_that_comes_twice_keeps_its_best_place(lent):
    corpus = lent.corpus
    names = found(lcm.BM25() >> Expand(), corpus, "stores: the cache")
    assert names == ["m2", "m3", "m0", "m1"]


def test_what_does_not_fit_is_passed_over_and_messages_that_were_hits_are_free(lent):
    corpus = lent.corpus
    sizes = corpus.numpy("tokens")[corpus.row_of(["m0", "m1", "m2", "m3"])].tolist()
    about = lcm.BM25().over(scope="summaries") >> Expand(tokens=sizes[0] + sizes[2])
    assert found(about, corpus, "about") == ["m0", "m2"]
    either = lcm.BM25() >> Expand(tokens=1)
    assert found(either, corpus, "cache stores") == ["m2"]


def test_expanded_hits_keep_the_filters_of_the_topic():
    dag, *_ = tiny()
    rows = dag.corpus().frame()
    rows["speaker"] = ["a" if n % 2 else "b" for n in range(len(rows))]
    corpus = lend(lcm.Corpus(rows), [dag])
    hits = (lcm.BM25().over(scope="summaries") >> Expand()).fit(corpus)("about", speaker="a")
    assert set(hits["docno"]) <= set(rows["docno"][rows["speaker"] == "a"])


@pytest.mark.parametrize("wrap", [lambda dags: dags, lambda dags: lambda: dags])
def test_a_corpus_that_keeps_its_dags_need_not_be_lent_them(wrap):
    dag, *_ = tiny()
    corpus = dag.corpus()
    corpus.memo("dags", lambda: wrap((dag,)))
    policy = lcm.BM25().over(scope="summaries") >> Expand()
    assert found(policy, corpus, "cache") == ["m2", "m3"]


def test_what_a_corpus_does_not_know_the_sources_of_stays(lent):
    corpus = lcm.Corpus(lent.corpus.frame())  # nothing lent
    policy = lcm.BM25().over(scope="summaries")
    assert found(policy >> Expand(), corpus) == found(policy, corpus)
    assert found(lcm.BM25() >> Ancestors(), corpus) == found(lcm.BM25(), corpus)


def test_a_message_brings_the_summaries_it_went_into_the_nearest_first(lent):
    corpus = lent.corpus
    assert found(lcm.BM25() >> Ancestors(), corpus, "redis") == ["m3", lent.two, lent.both]
    assert found(lcm.BM25() >> Ancestors(depth=1), corpus, "redis") == ["m3", lent.two]


def test_without_keeping_a_hit_gives_way_to_its_summaries(lent):
    corpus = lent.corpus
    policy = lcm.BM25().over(scope="messages") >> Ancestors(1, keep=False)
    assert found(policy, corpus, "port") == [lent.one, lent.two]
    assert found(policy, corpus, "noon") == ["m5", "m4"]  # went into none


def test_parts_of_one_message_go_with_it():
    parts = (Part("text", "I look."), Part("tool_call", "grep port", call="t"))
    dag = Dag.of([Message("m0", "s", "assistant", parts), Message("m1", "s", "user", parts[:1])])
    dag = dag.replace("m0", "m0", Summary.of("Searched.", dag.messages[:1]))
    corpus = lend(dag.corpus(), [dag])
    assert found(lcm.BM25() >> Expand(), corpus, "searched") == ["m0", "m0#tool_call"]
    assert found(lcm.BM25() >> Ancestors(keep=False), corpus, "grep") == [dag.frontier[0]]


def test_the_marker_of_what_was_dropped_is_walked_through():
    dag, _, _, both = tiny()
    marker = Summary.of("", [dag.node(both), dag.node("m4")], "dropped")
    dag = dag.replace(both, "m4", marker)
    top = Summary.of("All of it.", [marker, dag.node("m5")])
    dag = dag.replace(marker.id, "m5", top)
    corpus = lend(dag.corpus(), [dag])
    policy = lcm.BM25().over(scope="summaries") >> Expand()
    assert found(policy, corpus, "all") == [f"m{n}" for n in range(6)]
    assert found(lcm.BM25() >> Ancestors(), corpus, "lunch") == ["m4", top.id]


def test_a_cycle_in_a_loaded_dag_ends():
    a, b = ("sum_a", ("sum_b", "m0")), ("sum_b", ("sum_a", "gone"))
    summaries = [Summary(name, f"about {name}", sources, 1, 3) for name, sources in (a, b)]
    messages = [Message("m0", "s", "user", (Part("text", "hello"),))]
    dag = Dag("c", messages, summaries, ("sum_b",))
    corpus = lend(dag.corpus(), [dag])
    assert found(lcm.BM25() >> Expand(), corpus, "about") == ["m0"]
    assert found(lcm.BM25() >> Ancestors(), corpus, "hello")[0] == "m0"
    assert found(InView(), corpus, "hello") == ["sum_b"]


def test_spans_say_what_is_in_view_at_a_moment():
    said = [{"text": f"note {n}", "time": f"2026-01-0{n + 1}"} for n in range(3)]
    corpus = lcm.Corpus(said)
    times = corpus.numpy("time").tolist()
    spans = [("m1", times[0], times[1]), ("m2", times[1], ALWAYS), ("m3", times[2], ALWAYS)]
    lend(corpus, [], spans)
    assert found(InView(), corpus, "note?") == ["m3", "m2"]
    assert found(InView(), corpus, "note?", before="2026-01-02") == ["m1"]
    assert found(InView(), corpus, "note?", before="2026-01-03") == ["m2"]
    assert found(lcm.BM25() >> InView(), corpus, "note?", before="2026-01-02T00:00:01Z") == ["m2"]


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": True}, {"tokens": -1}, {"tokens": "9"}])
def test_limits_that_are_none_are_refused(wrong):
    with pytest.raises(BadParameter, match=r"must be a whole number, 1 or more"):
        Expand(**wrong)


def test_a_walk_gives_each_row_once_and_goes_all_the_way(lent):
    corpus = lent.corpus
    known = links(corpus)
    row = dict(zip(corpus["docno"], range(len(corpus)), strict=True))
    assert known.under(row[lent.both]) == [row[f"m{n}"] for n in range(4)]
    assert known.under(row["m0"]) == [row["m0"]]
    assert known.over(row["m0"]) == [row[lent.one], row[lent.both]]
    assert sorted(known.place.tolist()) == list(range(len(corpus)))


@settings(max_examples=30)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_expanding_all_that_is_in_view_gives_every_message_once(sizes, random):
    total = sum(sizes)
    messages = [Message(f"m{n}", "s", "user", (Part("text", f"w{n}"),)) for n in range(total)]
    dag, at = Dag.of(messages), 0
    for size in sizes:
        if random.random() < 0.7:
            nodes = messages[at : at + size]
            dag = dag.replace(nodes[0].id, nodes[-1].id, Summary.of(f"leaf {at}", nodes))
        at += size
    if len(dag.frontier) > 2:
        nodes = [dag.node(name) for name in dag.frontier[:2]]
        dag = dag.replace(nodes[0].id, nodes[-1].id, Summary.of("top", nodes))
    corpus = lend(dag.corpus(), [dag])
    names = found(InView() >> Expand(), corpus, "what?")
    assert sorted(names) == sorted(message.id for message in messages)


def test_explain_shows_what_is_in_view():
    search = (lcm.BM25() >> InView()).fit(lcm.Corpus(SAID))
    assert search.explain("port")["InView()"].tolist() == [1.0, 1.0]


def test_a_batch_over_many_moments_gives_what_a_loop_gives():
    corpus = small_corpus()
    frame = corpus.frame().dropna(subset=["time"])
    times = np.unique(frame["time"])[::3]
    topics = pd.DataFrame(
        {"qid": [f"q{i}" for i in range(len(times))], "query": "retry", "before": times}
    )
    search = (lcm.BM25() >> InView()).fit(corpus)
    run = search.run(topics)
    for i, (_, rows, _) in enumerate(run):
        assert rows.tolist() == search.run("retry", before=times[i]).rows.tolist()
