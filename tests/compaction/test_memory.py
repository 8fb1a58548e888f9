"""Memory: compaction and ranking as one ranker, in one evaluation with others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.collection import Collection
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.mask import Mask
from lcm_lab.compaction.memory import Memory
from lcm_lab.compaction.strategies import Rolling, Window
from lcm_lab.compaction.summarise import Lead
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter
from lcm_lab.measures import Evidence, R, Tokens
from lcm_lab.ranking.graph import Ancestors, Expand, InView
from lcm_lab.rows import contains
from lcm_lab.testing import check_ranker
from lcm_lab.topics import Topics

DEEP = Leaves(150, fresh=4) >> Condense(fanout=3)
RECALL = lcm.BM25().over(scope="summaries") % 5 >> Expand() >> lcm.BM25() % 10
WORDS = ("cache", "database", "retry", "port", "lunch", "index", "ticket", "deploy")


def history(n=120, conversations=2):
    """Give dated messages, each with a number and some words of its own."""
    rows = []
    for talk in range(conversations):
        for at in range(n):
            what = " ".join(WORDS[(at * step + talk) % len(WORDS)] for step in (1, 3, 5))
            rows.append(
                {
                    "docno": f"c{talk}/m{at:03d}",
                    "text": f"Number {at} of the {what}. It was noted by the service {at % 7}.",
                    "conversation": f"c{talk}",
                    "session": f"c{talk}/s{at // 30}",
                    "role": ("user", "assistant")[at % 2],
                    "time": pd.Timestamp("2026-01-01", tz="UTC") + pd.Timedelta(hours=at),
                }
            )
    return lcm.Corpus(rows)


@pytest.fixture(scope="module")
def corpus():
    return history()


@pytest.fixture(scope="module")
def bench(corpus):
    topics = pd.DataFrame(
        {
            "qid": [f"q{n}" for n in range(12)],
            "query": [f"number {n * 9} service" for n in range(12)],
            "conversation": ["c0"] * 12,
            "asked_at": [pd.Timestamp("2026-01-05T12:30", tz="UTC")] * 12,
        }
    )
    qrels = pd.DataFrame(
        {
            "qid": topics["qid"],
            "docno": [f"c0/m{n * 9:03d}" for n in range(12)],
            "relevance": [1] * 12,
        }
    )
    return Collection("numbers", corpus, topics, qrels)


def memory(compact=DEEP, rank=None, **more):
    return Memory(compact, lcm.BM25() % 10 if rank is None else rank, every=100, **more)


# What is remembered


def test_every_row_stays_as_it_was_and_summaries_stand_among_them(corpus):
    search = memory().fit(corpus)
    whole = search.corpus
    assert (whole["scope"] == "summaries").sum() > 10
    kept = whole.frame().iloc[search.history.place].reset_index(drop=True)
    given_ = corpus.frame()
    pd.testing.assert_frame_equal(
        kept.drop(columns=["seq", "depth", "level"]), given_.drop(columns="seq")
    )
    for rows in whole.conversations.values():
        assert whole["time"].iloc[rows].is_monotonic_increasing


def test_the_dag_of_each_conversation_is_sound_and_its_summaries_are_rows(corpus):
    search = memory().fit(corpus)
    docnos = set(search.corpus["docno"])
    for name, dag in search.dags.items():
        assert dag.conversation == name
        assert dag.check()["violations"].sum() == 0
        assert {one.id for one in dag.summaries if one.text} <= docnos
        assert [message.id for message in dag.messages] == corpus["docno"].iloc[
            corpus.conversations[name]
        ].tolist()


def test_the_last_frontier_is_in_view_the_newest_first(corpus):
    search = memory(rank=InView()).fit(corpus)
    names = search("what?", conversation="c1")["docno"].tolist()
    shown = [name for name in search.dags["c1"].frontier if search.dags["c1"].size(name)]
    assert names == shown[::-1]


@pytest.mark.parametrize(
    "compact", [DEEP, Window(200), Rolling(80, fresh=4), Mask(fresh=2)], ids=repr
)
def test_a_topic_sees_what_it_would_have_seen_had_the_conversation_ended_there(compact):
    whole = history(conversations=1)
    search = memory(compact, InView()).fit(whole)
    times = whole["time"]
    for at in (1, 17, 40, 41, 77, 119):
        cut = lcm.Corpus(whole.frame().iloc[:at])
        then = memory(compact, InView()).fit(cut)
        now = search("what?", before=times.iloc[at])
        assert now["docno"].tolist() == then("what?")["docno"].tolist()


def test_no_hit_is_of_a_later_moment_than_its_topic(corpus):
    times = corpus["time"]
    for policy in (lcm.BM25(), InView(), RECALL, lcm.BM25() >> Ancestors()):
        search = memory(rank=policy).fit(corpus)
        for at in (30, 64, 90):
            hits = search("number service", before=times.iloc[at])
            assert (hits["time"] < times.iloc[at]).all()
            for docno in hits["docno"][hits["docno"].str.startswith("sum_")]:
                dag = next(dag for dag in search.dags.values() if docno in dag)
                under = [message.time for message in dag.leaves(docno)]
                assert max(under) < times.iloc[at].value // 1_000


def test_policies_over_one_strategy_share_its_history_and_indexes(corpus):
    one, two = memory(rank=lcm.BM25()).fit(corpus), memory(rank=RECALL).fit(corpus)
    assert one.history is two.history
    assert one.indexes is two.indexes
    assert memory(budget=300).fit(corpus).history is not one.history
    assert memory(summarise=Lead()).fit(corpus).history is one.history


def test_a_budget_bounds_what_is_in_view(corpus):
    search = memory(budget=300, rank=InView()).fit(corpus)
    for dag in search.dags.values():
        assert dag.tokens <= 300 + 100 + max(dag.size(m.id) for m in dag.messages)


def test_a_summariser_that_fails_leaves_the_messages(corpus):
    def broken(texts, tokens):
        raise OSError("no model")

    search = memory(summarise=broken).fit(corpus)
    assert search.corpus["docno"].tolist() == corpus["docno"].tolist()
    assert all(dag.outcome is None or not dag.outcome.made for dag in search.dags.values())


def test_a_corpus_without_times_is_remembered_as_it_ended():
    rows = history(conversations=1).frame().drop(columns="time")
    search = memory(rank=InView()).fit(lcm.Corpus(rows))
    shown = search("what?")["docno"].tolist()
    assert shown == list(search.dags["c0"].frontier)[::-1]


def test_an_empty_corpus_and_a_short_one_have_no_summaries():
    assert len(memory().fit(lcm.Corpus([])).corpus) == 0
    short = lcm.Corpus(["use WAL", "", "drop the table"])
    assert memory().fit(short)("which table?")["docno"].tolist() == ["m3"]


def test_calls_and_results_are_compacted_with_their_messages():
    parts = ("text", "tool_call", "tool_result")
    rows = []
    for at in range(90):
        kind = parts[at % 3]
        name = f"m{at // 3}" if kind != "tool_result" else f"r{at // 3}"
        docno = name if kind == "text" else f"{name}#{kind}"
        rows.append({"docno": docno, "text": f"{kind} number {at} " * 4, "kind": kind})
    search = memory(rank=lcm.BM25().over(scope="summaries") >> Expand()).fit(lcm.Corpus(rows))
    found = search("number")["docno"].tolist()
    for name in found:
        if name.endswith("#tool_call"):
            call = name.removesuffix("#tool_call")
            assert {call, f"r{call[1:]}#tool_result"} <= set(found)
    assert found


def test_rows_that_hold_summaries_already_are_kept_once(corpus):
    dag = memory().fit(corpus).dags["c0"]
    given_ = dag.corpus()
    search = memory().fit(given_)
    assert set(given_["docno"]) <= set(search.corpus["docno"])
    assert search.corpus["docno"].is_unique


def test_other_columns_come_along_and_can_be_filtered_on():
    rows = history(60, 1).frame()
    rows["project"], rows["cost"] = ["p", "q"] * 30, range(60)
    search = memory().fit(lcm.Corpus(rows))
    hits = search("number", project="q")
    assert set(search.corpus["project"]) == {"p", "q", ""}
    assert search.corpus["cost"].isna().sum() == (search.corpus["scope"] == "summaries").sum() > 0
    assert set(hits["docno"]) <= set(rows["docno"][rows["project"] == "q"])


# As a system among others


def test_one_evaluation_compares_a_window_a_view_a_search_and_a_drill_down(bench):
    systems = {
        "plain": lcm.BM25() % 10,
        "window": memory(Window(300), InView()),
        "view": memory(rank=InView()),
        "search": memory(),
        "drill": memory(rank=RECALL),
    }
    result = lcm.evaluate(systems, on=bench, measures=[Evidence @ 200, R @ 10, Tokens @ 10])
    means = result.summary().set_index(["system", "measure"])["mean"]
    assert means["search", "R@10"] == means["plain", "R@10"] == 1
    assert means["drill", "R@10"] > means["window", "R@10"]
    assert means["view", "R@10"] < 0.5


@pytest.mark.slow
def test_processes_give_what_one_gives(bench):
    systems = {"view": memory(rank=InView()), "search": memory(), "plain": lcm.BM25() % 10}
    alone = lcm.evaluate(systems, on=bench, measures=[Evidence @ 200])
    apart = lcm.evaluate(systems, on=bench, measures=[Evidence @ 200], n_jobs=2)
    pd.testing.assert_frame_equal(alone.frame, apart.frame)
    for name in systems:
        assert alone.runs[name].frame().equals(apart.runs[name].frame())


def test_a_summary_takes_its_place_and_its_tokens_and_finds_nothing(bench):
    search = memory(rank=lcm.BM25().over(scope="summaries") % 5).fit(bench.corpus)
    system = {"summaries": search.memory}
    result = lcm.evaluate(system, on=bench, measures=[R @ 10, Tokens @ 10])
    means = result.summary().set_index("measure")["mean"]
    assert means["R@10"] == 0
    sizes = search.corpus.numpy("tokens")
    run = search.run(Topics.of(bench.topics, bench.corpus))
    wanted = [sizes[rows].sum() for _, rows, _ in run]
    assert means["Tokens@10"] == pytest.approx(np.mean(wanted))
    assert means["Tokens@10"] > 0


def test_an_evaluation_shows_and_saves_hits_that_are_summaries(bench, tmp_path):
    result = lcm.evaluate({"m": memory(rank=InView())}, on=bench, measures=[R @ 10])
    assert result.worst("m", R @ 10, n=1)["top"].iloc[0]
    result.save(tmp_path)
    text = (tmp_path / "runs" / "m.trec").read_text()
    assert "sum_" in text
    lcm.ranking_report(result).save(tmp_path / "report")


def test_a_topic_that_was_narrowed_sees_no_more_than_it_may(corpus):
    topics = Topics.of("number service", corpus, role="user").narrow({"role": "assistant"})
    assert len(memory().fit(corpus).run(topics)) == 0


# In the algebra


def test_what_follows_a_memory_works_within_it():
    assert memory(rank=lcm.BM25()) % 10 == memory(rank=lcm.BM25() % 10)
    assert memory(rank=lcm.BM25()) >> Expand() == memory(rank=lcm.BM25() >> Expand())
    narrowed = memory(rank=lcm.BM25()).over(role="user")
    assert narrowed == memory(rank=lcm.BM25().over(role="user"))


def test_a_memory_prints_as_it_is_written_and_spans_a_grid():
    made = Memory(Window(500), InView() % 5, budget=400)
    assert repr(made) == "Memory(Window(tokens=500), InView() % 5, budget=400)"
    grid = Memory(Window(lcm.vary(100, 200)), lcm.BM25() % lcm.vary(5, 10)).grid()
    assert len(grid) == 4
    assert grid[0] == Memory(Window(100), lcm.BM25() % 5)


def test_inside_of_a_list_a_memory_gives_messages_and_keeps_the_contract(corpus):
    mixed = lcm.RRF(memory(), lcm.TfIdf() % 10)
    small = lcm.Corpus(corpus.frame().iloc[::3])
    check_ranker(mixed, small)
    check_ranker(lcm.BM25() >> lcm.Append(memory(), lcm.BM25()), small)
    with pytest.raises(BadParameter, match="cannot be a term of a sum"):
        memory() + lcm.TfIdf()


@pytest.mark.parametrize(
    "rank", [lcm.BM25(), InView(), RECALL, lcm.BM25() >> Ancestors()], ids=repr
)
def test_a_memory_keeps_the_contract_over_its_own_rows(rank, corpus):
    # `check_ranker` takes hits for rows of the corpus that was given; these are of its own.
    search = memory(rank=rank).fit(corpus)
    queries = ["which database", "retry port", "number 12"]
    for filters in ({}, {"conversation": "c1"}, {"role": "user"}, {"before": "2026-01-03"}):
        run = search.run(queries, **filters)
        assert contains(search.corpus.rows(**filters), run.rows).all()
        for i, (_, rows, scores) in enumerate(run):
            assert len(set(rows.tolist())) == len(rows)
            assert (np.diff(scores) <= 0).all() and (scores > 0).all()
            alone = search.run(queries[i], **filters)
            assert alone.rows.tolist() == rows.tolist()
            assert np.allclose(alone.scores, scores)


def test_topics_of_the_given_corpus_see_the_same_rows_and_the_summaries(corpus):
    topics = Topics.of(["database"], corpus, conversation="c1", before="2026-01-03")
    search = memory(rank=lcm.BM25()).fit(corpus)
    asked, given_ = search.run(topics), search.run("database", **topics.filters[0])
    assert asked.rows.tolist() == given_.rows.tolist()


def test_a_grown_memory_is_that_of_the_grown_corpus(corpus):
    first = lcm.Corpus(corpus.frame().iloc[:150])
    grown, fitted = memory().fit(first).grow(corpus), memory().fit(corpus)
    assert grown("database")["docno"].tolist() == fitted("database")["docno"].tolist()


def test_a_saved_index_serves_again(corpus, tmp_path):
    search = memory(rank=lcm.BM25()).fit(corpus)
    search.save(tmp_path / "index")
    again = memory(rank=lcm.BM25()).fit(corpus, saved=tmp_path / "index")
    assert again("retry port")["docno"].tolist() == search("retry port")["docno"].tolist()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"compact": "window"}, r"compact is wanted, such as compact=Leaves\(\)"),
        ({"rank": "BM25"}, r"rank is wanted, such as rank=BM25\(\) % 10"),
        ({"rank": Expand()}, r"Expand\(\) brings no hits"),
        ({"summarise": Lead}, "A summariser is a callable"),
        ({"budget": 0}, "budget must be a whole number, 1 or more"),
        ({"every": 2.5}, "every must be a whole number, 1 or more"),
    ],
)
def test_what_makes_no_memory_is_refused(fields, message):
    with pytest.raises(BadParameter, match=message):
        Memory(**{"compact": Window(100), "rank": lcm.BM25(), **fields})


# Laws


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=40),
    st.sampled_from([DEEP, Window(60), Rolling(40, fresh=2), Leaves(40, fresh=1)]),
    st.integers(1, 200),
    st.booleans(),
)
def test_every_message_is_in_view_or_under_what_is(lengths, compact, every, timed):
    rows = [
        {
            "text": "line of words. " * length,
            "role": ("user", "assistant")[at % 2],
            "time": f"2026-01-01T{at // 2:02d}:00:00Z" if timed and at % 5 else None,
        }
        for at, length in enumerate(lengths)
    ]
    corpus = lcm.Corpus(rows)
    search = Memory(compact, InView(), every=every).fit(corpus)
    dag = search.dags["c1"]
    assert dag.check()["violations"].sum() == 0
    shown = set(search("what?")["docno"])
    assert shown == {name for name in dag.frontier if name in set(search.corpus["docno"])}
    everything = {message.id for message in dag.leaves(dag.frontier)}
    assert everything == set(corpus["docno"]) == set(Dag.of(corpus).frontier)
