"""Cases from public bug reports about evaluation; an id names the report."""

import json

import numpy as np
import pandas as pd

import lcm_lab as lcm
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import RR, AnyR, R, Tokens, nDCG
from lcm_lab.messages import Message, Part
from lcm_lab.run import Hits, Run
from lcm_lab.synth.leaks import twins
from lcm_lab.topics import Topics


def question(qid, sessions, answers, **more):
    return {
        "question_id": qid,
        "question_type": "single-session-user",
        "question": "Which port does the cache use?",
        "answer": "6380",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": list(sessions),
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * len(sessions),
        "haystack_sessions": [[{"role": "user", "content": text}] for text in sessions.values()],
        "answer_session_ids": answers,
        **more,
    }


def test_a_question_that_cannot_be_answered_is_told_by_its_id_and_counted_by_itself(tmp_path):
    """ME-10."""
    told = {"s1": "The cache runs on port 6380.", "s2": "Lunch was late."}
    items = [
        question("c8f0", told, ["s1"]),
        question("c8f1_abs", {"s2": told["s2"]}, ["s2"], answer="You did not mention a port."),
    ]
    (tmp_path / "longmemeval_s.json").write_text(json.dumps(items))
    result = evaluate({"words": lcm.BM25() % 5}, lcm.load(tmp_path / "longmemeval_s.json"), [R @ 5])
    assert result.summary()[["mean", "n", "undefined"]].to_numpy().tolist() == [[1, 1, 1]]
    rows = result.by("answerable").set_index("answerable")
    assert rows.loc["nothing to find", ["n", "undefined"]].tolist() == [0, 1]
    # Nothing is given for it, which is right: graded as an abstention, apart from recall.
    row = result.abstention(R @ 5).iloc[0]
    assert row[["unanswerable", "surfaced", "auroc"]].tolist() == [1, 0, 1]


def histories(sizes):
    """A conversation of so many sessions each, and a question of which one session is gold."""
    rows = [
        {"docno": f"h{i}-{j}", "text": f"session {j}", "conversation": f"h{i}"}
        for i, size in enumerate(sizes)
        for j in range(size)
    ]
    names = [f"h{i}" for i in range(len(sizes))]
    topics = pd.DataFrame({"qid": names, "query": ["which session?"] * len(names)})
    qrels = pd.DataFrame({"qid": names, "docno": [f"{name}-1" for name in names], "relevance": 1})
    topics["conversation"] = names
    return lcm.Collection("histories", lcm.Corpus(rows), topics, qrels)


def shuffled(bench, seed):
    topics = Topics.of(bench.topics, bench.corpus)
    rng = np.random.default_rng(seed)
    lists = [rng.permutation(np.arange(len(bench.corpus))[rows]) for rows in topics.rows]
    hits = Hits.stack([(rows, np.arange(len(rows), 0.0, -1.0)) for rows in lists])
    return Run.of(topics, hits)


def test_a_cutoff_beyond_the_pool_is_warned_of_with_random_and_best_and_ranks_nobody():
    """ME-11."""
    bench = histories(range(3, 33))
    systems = {"random": shuffled(bench, 1), "none": Run.of(
        Topics.of(bench.topics, bench.corpus),
        Hits.stack([(np.empty(0, np.int64), np.empty(0))] * 30),
    )}  # fmt: skip
    result = evaluate(systems, on=bench, measures=[R @ 50])
    assert any(
        note.startswith("R@50: k is not below the number of rows to rank for 30 of 30 topics")
        and note.endswith(
            "a random order has R@50 1.000, the best 1.000. Do not rank systems by it."
        )
        for note in result.notes
    )
    assert [line.split() for line in repr(result).splitlines()[-2:]] == [
        ["(random", "order)", "1.000"],
        ["(best", "order)", "1.000"],
    ]
    assert "<b>" not in result._repr_html_()
    assert "<b>" in evaluate(systems, on=bench, measures=[RR])._repr_html_()


def test_questions_that_are_the_same_and_want_other_gold_are_flagged_with_their_ceiling():
    """ME-12."""
    rows = [{"docno": f"s{i}", "text": f"session {i}"} for i in range(1, 6)]
    topics = pd.DataFrame({"qid": [f"q{i}" for i in range(1, 6)], "query": ["What now?"] * 5})
    qrels = pd.DataFrame(
        {"qid": topics["qid"], "docno": [f"s{i}" for i in range(1, 6)], "relevance": 1}
    )
    bench = lcm.Collection("same", lcm.Corpus(rows), topics, qrels)
    result = evaluate({"bm25": lcm.BM25()}, on=bench, measures=[AnyR @ 1, RR])
    assert any(
        "5 topics ask what another asks too (q1, q2, q3, q4, q5)" in note
        and "no policy can pass Success@1 0.200, RR 0.457" in note
        for note in result.notes
    )


def test_gold_that_another_document_repeats_is_flagged():
    """ME-12: near-equal gold documents."""
    rows = [
        {"docno": "a", "text": "Use port 5433.", "conversation": "here"},
        {"docno": "b", "text": "use port 5433", "conversation": "here"},
        {"docno": "c", "text": "Use port 5433!", "conversation": "elsewhere"},
    ]
    topics = pd.DataFrame({"qid": ["1"], "query": ["Which port?"], "conversation": ["here"]})
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "relevance": [1]})
    bench = lcm.Collection("twins", lcm.Corpus(rows), topics, qrels)
    result = evaluate({"bm25": lcm.BM25()}, on=bench, measures=[AnyR @ 1])
    assert any("For 1 of 1 topic another document says the same" in n for n in result.notes)
    both = lcm.Collection("both", bench.corpus, topics.assign(conversation=None), qrels)
    assert twins(both) == {"1": ["b", "c"]}


def test_what_is_surfaced_where_there_is_no_answer_is_told():
    """ME-13."""
    rows = [{"docno": f"d{i}", "text": f"the build {i} failed"} for i in range(5)]
    topics = pd.DataFrame(
        {"qid": [f"q{i}" for i in range(10)], "query": ["Who sang in the choir?"] * 10}
    )
    qrels = pd.DataFrame({"qid": [], "docno": [], "relevance": []})
    bench = lcm.Collection("no answer", lcm.Corpus(rows), topics, qrels)
    always = Run.of(Topics.of(topics, bench.corpus), Hits.stack([(np.array([0]), np.ones(1))] * 10))
    systems = {"always": always, "words": lcm.BM25() % 5}
    result = evaluate(systems, on=bench, measures=[Tokens @ 5])
    assert result.abstention()["surfaced"].tolist() == [1.0, 0.0]
    assert any(
        "Hits are given for 10 topics with nothing to find by always (100%), words (0%)" in note
        for note in result.notes
    )


def said(text, name, parent=""):
    return Message(
        id=name,
        session="tree",
        role="user",
        parts=(Part("text", text),),
        time=1_767_225_600_000_000,
        parent=parent,
    )


def test_an_evaluation_on_a_store_that_is_behind_is_marked(tmp_path):
    """CL-05: a run while the index is behind marks its scores, and one after that does not."""
    topics = pd.DataFrame({"qid": ["q1"], "query": ["alpha"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    with lcm.Store(tmp_path / "memory.db") as store:
        for name, parent in (("m1", ""), ("m2", "m1"), ("m3", "m2"), ("m4", "m2")):
            store.append(said(f"alpha {name}", name, parent))
        assert store.indexing == ["tree"]
        bench = lcm.Collection("behind", store.corpus(), topics, qrels)
        result = evaluate({"fts": lcm.FTS5() % 5}, on=bench, measures=[nDCG @ 5])
        assert result.notes[0].startswith(
            "The index was behind: 1 conversation not up to date (tree)."
        )
        assert result.notes[0] in result.manifest()["notes"]
        store.reconcile()
        bench = lcm.Collection("done", store.corpus(), topics, qrels)
        result = evaluate({"fts": lcm.FTS5() % 5}, on=bench, measures=[nDCG @ 5])
    assert not any("behind" in note for note in result.notes)


def test_a_card_that_says_what_was_behind_is_believed():
    """CL-05."""
    topics = pd.DataFrame({"qid": ["q1"], "query": ["alpha"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    card = {"indexing": [f"c{i}" for i in range(12)]}
    bench = lcm.Collection("behind", lcm.Corpus(["alpha"]), topics, qrels, card=card)
    told = evaluate(lcm.BM25(), on=bench, measures=[R @ 1]).notes[0]
    assert "12 conversations not up to date (c0, c1" in told
    assert ", and 2 more)" in told
