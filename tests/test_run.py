import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab import BM25, Corpus
from lcm_lab.errors import BadInput
from lcm_lab.ordering import ordered
from lcm_lab.run import Run, best_first
from lcm_lab.topics import Topics

CORPUS = Corpus([{"docno": f"talk 1/{i}%", "text": f"cache row {i}"} for i in range(4)])


def run_of(*questions):
    return BM25().fit(CORPUS).run(list(questions))


def test_a_frame_has_a_row_a_hit_with_ranks_from_one():
    frame = run_of("cache", "row 2").frame()
    assert frame.columns.tolist()[:4] == ["qid", "docno", "rank", "score"]
    assert frame[frame["qid"] == "q1"]["rank"].tolist() == [1, 2, 3, 4]
    assert frame[frame["qid"] == "q2"].iloc[0]["text"] == "cache row 2"


def test_a_run_without_hits_is_a_frame_without_rows():
    assert len(run_of("zebra").frame()) == 0


def test_a_trec_run_reads_back_as_it_was_written(tmp_path):
    run = run_of("cache", "zebra", "row 2")
    run.to_trec(tmp_path / "a.trec", tag="my run")
    again = Run.from_trec(tmp_path / "a.trec", run.topics)
    assert again.rows.tolist() == run.rows.tolist()
    assert again.offsets.tolist() == run.offsets.tolist()
    first = (tmp_path / "a.trec").read_text().splitlines()[0]
    assert first == "q1 Q0 talk%201/0%25 1 -1 my%20run"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("q1 Q0 x 1", "line 1: a run line has 6 fields. Got 4"),
        ("q9 Q0 talk%201/0%25 1 -1 t", "no qid 'q9'"),
        ("q1 Q0 nowhere 1 -1 t", "no docno 'nowhere'"),
        ("q1 Q0 talk%201/0%25 1 -1 t\nq1 Q0 talk%201/0%25 2 -2 t", "stands twice"),
    ],
)
def test_a_trec_file_that_is_no_run_of_these_topics_is_refused(tmp_path, line, says):
    (tmp_path / "bad.trec").write_text(line + "\n")
    with pytest.raises(BadInput, match=says):
        Run.from_trec(tmp_path / "bad.trec", Topics.of("cache", CORPUS))


def test_walking_over_a_run_gives_a_topic_at_a_time():
    assert [(qid, len(rows)) for qid, rows, _ in run_of("cache", "zebra")] == [("q1", 4), ("q2", 0)]


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0]), max_size=30), st.integers(1, 40))
def test_the_best_come_first_and_ties_stand_in_corpus_order(scores, k):
    rows = np.arange(len(scores)) * 3
    found, given_scores = best_first(rows, np.array(scores, float), k)
    wanted = sorted(zip(rows.tolist(), scores, strict=True), key=lambda hit: (-hit[1], hit[0]))[:k]
    assert list(zip(found.tolist(), given_scores.tolist(), strict=True)) == wanted


def test_topics_of_another_shape_than_a_frame_give_the_same_run():
    frame = pd.DataFrame({"qid": ["a", "b"], "query": ["cache", "row 2"]})
    assert BM25().fit(CORPUS).run(frame).rows.tolist() == run_of("cache", "row 2").rows.tolist()


LISTS = st.lists(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.1, 0.5, 0.5, 2.0, np.inf])), max_size=9
    ),
    min_size=1,
    max_size=6,
)


@given(LISTS, st.integers(1, 5), st.sampled_from([0, 1_000]))
def test_hits_are_ordered_by_topic_score_and_row_however_many_topics(lists, k, more):
    lists[0] += [(row, 1.0) for row in range(more)]  # a line far longer than the others
    offsets = np.cumsum([0, *map(len, lists)])
    rows, scores = (np.array([hit[i] for hits in lists for hit in hits]) for i in (0, 1))
    rows, scores = rows.astype(np.int64), scores.astype(np.float64)
    topic = np.repeat(np.arange(len(lists)), np.diff(offsets))
    order = np.lexsort((rows, -scores, topic))
    assert scores[ordered(offsets, rows, scores)].tolist() == scores[order].tolist()
    assert rows[ordered(offsets, rows, scores)].tolist() == rows[order].tolist()
    topics = Topics.of(["any"] * len(lists), CORPUS)
    run = Run(topics, CORPUS, offsets, rows, np.ones(len(rows)))
    full = run.scored(scores)
    hit = order[scores[order] > 0]
    assert full.rows.tolist() == rows[hit].tolist()
    assert full.topic.tolist() == topic[hit].tolist()
    best, wanted = run.scored(scores, k), full.top(k)
    assert (best.rows.tolist(), best.scores.tolist(), best.offsets.tolist()) == (
        wanted.rows.tolist(),
        wanted.scores.tolist(),
        wanted.offsets.tolist(),
    )
