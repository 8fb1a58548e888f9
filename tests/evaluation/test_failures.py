"""A system that raises: the rest is kept, what failed is a row, and is never averaged away."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lcm_lab.errors import BadInput, BadParameter, LcmError, NotFound
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.measures import RR, AnyR, IndexTime, Latency, R, Stale, Tokens, nDCG
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.modifier import Reranker
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.steps.recency import Recency
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.values import value


@value
class Fails(Scorer):
    """Score like a table, and raise for questions of some numbers; counts how often it is asked."""

    table: tuple = ()
    on: tuple = ()

    def index(self, corpus):
        return np.array(self.table, float)

    def score(self, index, queries):
        numbers = [int(query.split()[-1]) for query in queries]
        ASKED.append(len(numbers))
        if set(numbers) & set(self.on):
            raise ConnectionError(f"no answer for {numbers}.")
        return index[numbers]


@value
class Unindexed(Scorer):
    """A scorer that cannot be built."""

    def index(self, corpus):
        raise MemoryError("too large")

    def score(self, index, queries):
        raise AssertionError("never asked")


ASKED = []
RIGHT = ((2, 1), (1, 2), (2, 1), (2, 1))


def four(toy, gold=(0, 1, 0, 1)):
    """Four topics of two documents; RIGHT ranks the relevant one first but for the last topic."""
    return toy.collection(2, len(gold), [(i, doc, 1) for i, doc in enumerate(gold)])


def test_a_topic_that_fails_is_a_row_and_the_others_keep_their_values(toy):
    result = evaluate({"s": Fails(RIGHT, (1,))}, on=four(toy), measures=[RR])
    assert result.frame["value"].tolist() == pytest.approx([1, np.nan, 1, 0.5], nan_ok=True)
    assert result.failures.to_dict("records") == [
        {"system": "s", "qid": "q1", "kind": "ConnectionError", "message": "no answer for [1]."}
    ]
    row = result.summary().iloc[0]
    assert row[["mean", "n", "undefined", "failed"]].tolist() == [pytest.approx(2.5 / 3), 3, 0, 1]
    assert result.notes[0] == (
        "s failed on 1 of 4 topics (q1), which have no value and are in none of its means "
        "(ConnectionError: no answer for [1]); summary(failures='worst') counts them."
    )
    assert not any("finds nothing" in note for note in result.notes)


def test_a_failure_can_count_as_the_worst_that_there_is(toy):
    result = evaluate({"s": Fails(RIGHT, (1,))}, on=four(toy), measures=[RR, Tokens @ 1])
    worst = result.summary(failures="worst").set_index("measure")
    assert worst.loc["RR", ["mean", "n", "failed"]].tolist() == [2.5 / 4, 4, 1]
    # There is no worst number of tokens, so that one stays apart.
    assert worst.loc["Tokens@1", ["n", "undefined", "failed"]].tolist() == [3, 0, 1]
    assert result.values("s", RR, "worst").tolist() == [1, 0, 1, 0.5]
    with pytest.raises(BadParameter, match="failures count 'apart' or as the 'worst'"):
        result.summary(failures="zero")


def test_the_worst_of_stale_is_one(toy):
    bench = toy.collection(
        2, 2, [(0, 0, 1, True), (0, 1, 1, False), (1, 0, 1, True), (1, 1, 1, False)]
    )
    result = evaluate({"s": Fails(((1, 2), (1, 2)), (1,))}, on=bench, measures=[Stale @ 2])
    assert result.summary()["mean"].tolist() == [0]
    assert result.summary(failures="worst")["mean"].tolist() == [0.5]


def test_a_topic_that_fails_and_has_nothing_to_find_is_undefined_not_failed(toy):
    bench = toy.collection(2, 2, [(0, 0, 1)])
    result = evaluate({"s": Fails(((2, 1), (2, 1)), (1,))}, on=bench, measures=[R @ 1])
    assert result.summary()[["n", "undefined", "failed"]].to_numpy().tolist() == [[1, 1, 0]]
    assert len(result.failures) == 1


def test_a_system_that_fails_on_every_topic_leaves_the_others_theirs(toy):
    systems = {"bad": Fails(RIGHT, (0, 1, 2, 3)), "good": toy.says(RIGHT), "none": Unindexed()}
    result = evaluate(systems, on=four(toy), measures=[RR])
    assert list(result.systems) == ["bad", "good", "none"]
    assert result.summary()[["mean", "n", "failed"]].fillna(-1).to_numpy().tolist() == [
        [-1, 0, 4],
        [0.875, 4, 0],
        [-1, 0, 4],
    ]
    whole = result.failures[result.failures["qid"] == ""]
    assert whole[["system", "kind"]].to_numpy().tolist() == [
        ["bad", "ConnectionError"],
        ["none", "MemoryError"],
    ]
    assert "bad failed as a whole on each of the 4 topics it was asked" in result.notes[0]
    assert result.notes[1] == "none failed as a whole, and has no value (MemoryError: too large)."
    assert "none" in repr(result)


def test_a_system_that_fails_on_a_spread_of_topics_is_asked_no_more_of_them(toy):
    n = 200
    bench = toy.collection(2, n, [(i, 0, 1) for i in range(n)])
    ASKED.clear()
    systems = {"bad": Fails(((2, 1),) * n, tuple(range(n))), "good": toy.says(((2, 1),) * n)}
    result = evaluate(systems, on=bench, measures=[RR])
    assert ASKED == [1] * 21
    assert result.summary()["failed"].tolist() == [n, 0]


def test_the_first_error_is_raised_where_no_system_gives_anything(toy):
    with pytest.raises(ConnectionError, match="no answer") as caught:
        evaluate({"a": Fails(RIGHT, (0, 1, 2, 3)), "b": Unindexed()}, on=four(toy), measures=[RR])
    assert caught.value.__notes__ == [
        "This is what 'a' raised; no system gave anything for any topic."
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_failures_are_the_same_in_one_process_and_in_two(toy, jobs):
    systems = {"bad": BM25() % 2 >> Picky(), "none": Unindexed(), "good": BM25() % 2}
    bench = toy.chat(n_topics=12)
    result = evaluate(systems, on=bench, measures=[nDCG @ 2], n_jobs=jobs)
    assert result.failures[["system", "qid", "kind"]].to_numpy().tolist() == [
        ["bad", "q3", "Unpicklable"],
        ["none", "", "MemoryError"],
    ]
    assert result.summary()["failed"].tolist() == [1, 12, 0]


@value
class Picky(Reranker):
    """Refuse one topic."""

    def rerank(self, searcher, topics, run):
        if "q3" in topics.qids:
            raise Unpicklable("q3", "is refused")
        return run


class Unpicklable(LookupError):
    """An error that cannot be made again from what it keeps, as many cannot."""

    def __init__(self, qid, why):
        super().__init__(f"{qid} {why}")


def test_an_error_that_cannot_travel_is_told_by_its_name(toy):
    systems = {"bad": BM25() % 2 >> Picky(), "good": BM25() % 2}
    result = evaluate(systems, on=toy.chat(n_topics=12), measures=[nDCG @ 2], n_jobs=2)
    assert result.failures[["kind", "message"]].to_numpy().tolist() == [
        ["Unpicklable", "q3 is refused"]
    ]
    with pytest.raises(LcmError, match="Unpicklable: q3 is refused"):
        evaluate([BM25() % k >> Picky() for k in (2, 3)], on=only_q3(toy), n_jobs=2)


def only_q3(toy):
    bench = toy.chat(n_topics=12)
    kept = bench.topics["qid"] == "q3"
    qrels = bench.qrels[bench.qrels["qid"] == "q3"]
    return type(bench)("q3", bench.corpus, bench.topics[kept], qrels)


class Interrupted:
    def fit(self, corpus):
        return self

    def run(self, topics):
        raise KeyboardInterrupt


def test_an_interrupt_from_the_keyboard_passes(toy):
    with pytest.raises(KeyboardInterrupt):
        evaluate({"a": Interrupted(), "b": BM25()}, on=toy.chat(), measures=[RR])


class Leaks:
    def fit(self, corpus):
        raise OSError(f"{Path.home()}/notes: token sk-proj-{'a1B2' * 12} refused\nby the server")


def test_what_is_kept_of_an_error_has_no_secret_no_home_and_one_line(toy):
    failures = evaluate({"a": Leaks(), "b": BM25()}, on=toy.chat(), measures=[RR]).failures
    message = failures["message"].iloc[0]
    assert "a1B2" not in message
    assert str(Path.home()) not in message
    assert message.startswith("~/notes: token [redacted:")
    assert message.endswith("refused by the server")


class OnlyOne:
    """Somebody's own system, which cannot take several topics at once."""

    def fit(self, corpus):
        return BM25().fit(corpus) and self.at(corpus)

    def at(self, corpus):
        self.search = BM25().fit(corpus)
        return self

    def run(self, topics):
        if len(topics) > 1:
            raise ValueError("one at a time")
        return self.search.run(topics)


def test_a_system_that_takes_one_topic_at_a_time_is_ranked_so_and_that_is_said(toy):
    bench = toy.chat()
    result = evaluate({"one": OnlyOne(), "bm25": BM25()}, on=bench, measures=[nDCG @ 5])
    assert result.failures.empty
    assert result.values("one", nDCG @ 5).tolist() == result.values("bm25", nDCG @ 5).tolist()
    assert any("one raised on all topics at once" in note for note in result.notes)


def test_times_are_taken_on_topics_that_no_system_failed_on(toy):
    systems = {"bad": Fails(RIGHT, (1,)), "none": Unindexed(), "good": toy.says(RIGHT)}
    result = evaluate(systems, on=four(toy), measures=[RR, Latency @ 50, IndexTime])
    timed = result.latency.groupby("system")["qid"].apply(list).to_dict()
    assert timed == {"bad": ["q0", "q2", "q3"], "good": ["q0", "q2", "q3"]}
    assert "Latency: 1 topic not timed, on which a system failed." in result.notes
    indexed = result.frame[result.frame["measure"] == "IndexTime"]["system"]
    assert indexed.tolist() == ["bad", "good"]


class Once:
    """A system that answers all topics together, and no single one."""

    def fit(self, corpus):
        self.search = BM25().fit(corpus)
        return self

    def run(self, topics):
        if len(topics) == 1:
            raise TimeoutError("no more")
        return self.search.run(topics)


def test_what_is_found_does_not_hang_on_the_times(toy):
    systems = {"once": Once(), "bm25": BM25()}
    result = evaluate(systems, on=toy.chat(), measures=[nDCG @ 5, Latency @ 50])
    assert result.values("once", nDCG @ 5).tolist() == result.values("bm25", nDCG @ 5).tolist()
    why = "it raised on 20 searches in a row while it was timed (TimeoutError: no more)."
    assert f"Latency: once has no times: {why}" in result.notes
    assert result.latency["system"].tolist() == ["bm25"] * 40


def test_a_system_that_failed_is_never_the_best_in_bold(toy):
    n = 8
    docs = {"text": ["a", "b"] * n, "conversation": [f"c{i // 2}" for i in range(2 * n)]}
    asked = {
        "query": [f"question {i}" for i in range(n)],
        "conversation": [f"c{i}" for i in range(n)],
    }
    bench = toy.collection(docs, asked, [(i, 2 * i, 1) for i in range(n)])
    right, wrong = ((2, 1) * n,) * n, ((1, 2) * n,) * n
    sound = evaluate({"a": Fails(right), "b": toy.says(wrong)}, on=bench, measures=[RR])
    assert "<b>1.000</b>" in sound._repr_html_()
    failed = evaluate({"a": Fails(right, (7,)), "b": toy.says(wrong)}, on=bench, measures=[RR])
    assert "<b>" not in failed._repr_html_()
    assert "1.000 (1 failed)" in failed._repr_html_()
    assert "1.000 (1 failed)" in repr(failed)


def run_of(bench, *lists):
    """A finished run: of each topic, rows and scores."""
    topics = Topics.of(bench.topics, bench.corpus)
    offsets = np.cumsum([0, *(len(rows) for rows, _ in lists)])
    rows = np.array([row for rows, _ in lists for row in rows], np.int64)
    scores = np.array([score for _, scores in lists for score in scores], float)
    return Run(topics, bench.corpus, offsets, rows, scores)


def test_scores_that_are_no_numbers_are_no_hits_and_counted(toy):
    bench = toy.collection(3, 2, [(0, 2, 1), (1, 0, 1)])
    run = run_of(bench, ([0, 1, 2], [np.inf, np.nan, 1.0]), ([0], [2.0]))
    result = evaluate({"theirs": run}, on=bench, measures=[RR])
    assert result.frame["value"].tolist() == [1.0, 1.0]
    assert any(
        "theirs gives scores that are no finite numbers, 2 in all, for 1 topic (q0)" in note
        for note in result.notes
    )


def test_a_document_listed_twice_fails_its_topic_and_no_other(toy):
    bench = toy.collection(3, 2, [(0, 0, 1), (1, 0, 1)])
    run = run_of(bench, ([1, 1, 0], [3.0, 2.0, 1.0]), ([0], [1.0]))
    result = evaluate({"theirs": run}, on=bench, measures=[RR])
    assert result.frame["value"].tolist() == pytest.approx([np.nan, 1.0], nan_ok=True)
    assert result.failures[["qid", "kind"]].to_numpy().tolist() == [["q0", "BadInput"]]
    assert "lists 'd1' more than once for topic 'q0'" in result.failures["message"].iloc[0]


def test_hits_out_of_the_order_of_their_scores_are_read_by_score(toy):
    bench = toy.collection(3, 1, [(0, 2, 1)])
    run = run_of(bench, ([0, 1, 2], [1.0, 2.0, 3.0]))
    result = evaluate({"theirs": run}, on=bench, measures=[RR])
    assert result.frame["value"].tolist() == [1.0]
    assert any("out of the order of their scores for 1 topic (q0)" in n for n in result.notes)


def test_hits_that_a_topic_may_not_see_are_said(toy):
    docs = {"text": ["a", "b"], "conversation": ["c1", "c2"]}
    asked = {"query": ["question 0"], "conversation": ["c1"]}
    bench = toy.collection(docs, asked, [(0, 0, 1)])
    result = evaluate({"theirs": run_of(bench, ([1, 0], [2.0, 1.0]))}, on=bench, measures=[RR])
    assert any("theirs gives 1 hit that the topic may not see" in note for note in result.notes)


def test_a_run_of_too_few_topics_is_refused(toy):
    class Short:
        def fit(self, corpus):
            return self

        def run(self, topics):
            return BM25().fit(topics.corpus).run(topics.pick([]))

    with pytest.raises(BadInput, match="System 'short' was asked 1 topic and gave a run of 0"):
        evaluate({"short": Short()}, on=toy.chat(), measures=[RR])


def test_topics_lacked_and_topics_nobody_asks_are_counted(toy):
    bench = toy.collection(1, 3, [(i, 0, 1) for i in range(3)])
    more = pd.DataFrame({"qid": ["q9", "q0"], "query": ["question 9", "question 0"]})
    topics = Topics.of(more, bench.corpus)
    run = Run(topics, bench.corpus, np.array([0, 1, 2]), np.array([0, 0]), np.array([1.0, 1.0]))
    result = evaluate({"theirs": run}, on=bench, measures=[RR])
    assert (
        "theirs has 1 of 3 topics; those it lacks (q1, q2) count 0; 1 topic of it that nobody "
        "asks left out." in result.notes
    )


def test_judgements_of_documents_that_are_not_there_are_counted(toy):
    bench = toy.collection(1, 1, [(0, 0, 1), (0, 7, 1), (0, 8, 1)])
    result = evaluate({"s": BM25()}, on=bench, measures=[R @ 1])
    assert "Not in the corpus, and not counted: 2 judged documents." in result.notes


def test_an_empty_history_is_refused_with_what_it_lacks(toy):
    bench = toy.collection({"text": []}, 2, [(0, 0, 1), (1, 1, 1)])
    with pytest.raises(BadInput, match="None of the 2 topics of 'toy' has a document of grade 1"):
        evaluate(BM25(), on=bench, measures=[AnyR @ 1])
    result = evaluate(BM25(), on=bench, measures=[Tokens @ 1])
    assert result.summary()[["mean", "n"]].to_numpy().tolist() == [[0, 2]]


def test_a_history_of_one_session_is_measured_and_what_it_cannot_tell_is_said(toy):
    docs = {"text": ["alpha beta", "gamma", "delta"], "session": ["s"] * 3}
    asked = {"query": ["alpha", "gamma"]}
    result = evaluate(BM25(), on=toy.collection(docs, asked, [(0, 0, 1), (1, 1, 1)]))
    assert result.summary()["mean"].tolist() == [1, 1]
    assert any("All topics are of one conversation" in note for note in result.notes)
    assert any("k is not below the number of rows" in note for note in result.notes)


def test_which_topics_failed_is_asked_of_a_system_that_there_is(toy):
    result = evaluate({"s": Fails(RIGHT, (1,))}, on=four(toy), measures=[RR])
    assert result.failed("s").tolist() == [False, True, False, False]
    assert result.failed("s", RR).tolist() == [False, True, False, False]
    with pytest.raises(NotFound, match="No system 'x'"):
        result.values("x", RR)


@value
class Counts(Scorer):
    """Score every document by its row; counts the lists it makes and the scorings of candidates."""

    label: str = ""

    def index(self, corpus):
        COUNTED["index", self.label] += 1
        return np.arange(len(corpus), 0.0, -1.0)

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))

    def topk(self, index, queries, k, rows):
        COUNTED["lists", self.label] += len(queries)
        return super().topk(index, queries, k, rows)

    def rescore(self, index, queries, offsets, rows):
        COUNTED["candidates", self.label] += len(queries)
        return super().rescore(index, queries, offsets, rows)


COUNTED = Counter()


def test_thirty_policies_over_two_thousand_topics_score_shared_leaves_once(toy):
    n = 2_000
    bench = toy.collection(3, n, [(i, i % 3, 1) for i in range(n)])
    one, two = Counts("one"), Counts("two")
    policies = [
        policy % k
        for k in (1, 2, 3, 4, 5)
        for policy in (one, two, one + two, one + 0.3 * two, 0.3 * one + two, one >> Recency("7D"))
    ]
    assert len(set(policies)) == 30
    COUNTED.clear()
    evaluate(policies, on=bench, measures=[R @ 1])
    once = {"index": 1, "lists": n, "candidates": n}
    assert dict(COUNTED) == {(what, leaf): t for what, t in once.items() for leaf in ("one", "two")}
