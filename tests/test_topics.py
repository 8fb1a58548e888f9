import numpy as np
import pandas as pd
import pytest

from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, EmptyQuery
from lcm_lab.topics import Topics

ROWS = [
    {"text": f"say {i}", "conversation": c, "time": f"2026-01-{day:02d}"}
    for i, (c, day) in enumerate([("a", 1), ("a", 5), ("a", 9), ("b", 2), ("b", 7)])
]
CORPUS = Corpus(ROWS)


def day(number):
    return int(pd.Timestamp(f"2026-01-{number:02d}", tz="UTC").value // 1000)


def test_a_question_sees_everything_unless_filtered():
    assert Topics.of("say", CORPUS).rows == [slice(0, 5)]
    assert Topics.of("say", CORPUS, conversation="b").rows == [slice(3, 5)]


def test_each_topic_of_a_frame_is_narrowed_by_its_own_row():
    frame = pd.DataFrame({"query": ["x", "y", "z"], "conversation": ["a", None, "b"]})
    topics = Topics.of(frame, CORPUS)
    assert topics.qids == ["q1", "q2", "q3"]
    assert topics.rows == [slice(0, 3), slice(0, 5), slice(3, 5)]


def test_asked_at_hides_what_came_then_or_later():
    frame = pd.DataFrame({"query": ["x"], "asked_at": ["2026-01-05"], "conversation": ["a"]})
    topics = Topics.of(frame, CORPUS)
    assert topics.rows == [slice(0, 1)]
    assert topics.clock.tolist() == [day(5)]


def test_before_given_by_the_topic_wins_over_asked_at():
    given = {"query": ["x"], "asked_at": ["2026-01-05"], "before": ["2026-01-08"]}
    topics = Topics.of(pd.DataFrame(given), CORPUS, conversation="a")
    assert topics.rows == [slice(0, 2)]
    assert topics.clock.tolist() == [day(5)]


def test_the_clock_is_the_newest_time_a_topic_may_see_never_now():
    frame = pd.DataFrame({"query": ["x", "y"], "conversation": ["a", "b"]})
    assert Topics.of(frame, CORPUS).clock.tolist() == [day(9), day(7)]
    assert Topics.of("x", Corpus(["no time"])).clock.tolist() == [NO_TIME]
    assert Topics.of("x", Corpus([])).clock.tolist() == [NO_TIME]


def test_asked_at_hides_nothing_in_a_corpus_without_times():
    frame = pd.DataFrame({"query": ["x"], "asked_at": ["2026-01-05"]})
    assert Topics.of(frame, Corpus(["no time"])).rows == [slice(0, 1)]


def test_columns_that_describe_a_topic_never_filter():
    corpus = Corpus([{"text": "x", "type": "note"}])
    frame = pd.DataFrame({"query": ["x"], "type": ["single"], "answer": ["x"]})
    assert Topics.of(frame, corpus).rows == [slice(0, 1)]


def test_narrowing_keeps_the_clock_and_what_was_hidden():
    frame = pd.DataFrame({"query": ["x"], "asked_at": ["2026-01-09"], "conversation": ["a"]})
    topics = Topics.of(frame, CORPUS)
    narrow = topics.narrow({"since": "2026-01-03"})
    assert narrow.rows == [slice(1, 2)]
    assert narrow.clock.tolist() == topics.clock.tolist()


def test_topics_can_be_picked_by_position():
    frame = pd.DataFrame({"query": ["x", "y", "z"], "conversation": ["a", "b", "a"]})
    picked = Topics.of(frame, CORPUS).pick([2, 0])
    assert picked.qids == ["q3", "q1"]
    assert picked.frame["query"].tolist() == ["z", "x"]
    assert picked.rows == [slice(0, 3), slice(0, 3)]


def test_an_empty_question_among_many_is_named():
    with pytest.raises(EmptyQuery, match="q2"):
        Topics.of(["fine", "???"], CORPUS)


def test_topics_without_a_query_column_or_with_repeated_qids_are_refused():
    with pytest.raises(BadInput, match="These have question"):
        Topics.of(pd.DataFrame({"question": ["x"]}), CORPUS)
    with pytest.raises(BadInput, match="Two topics have the qid 'q7'"):
        Topics.of(pd.DataFrame({"qid": ["q7", "q7"], "query": ["x", "y"]}), CORPUS)


def test_topics_of_another_corpus_are_refused():
    with pytest.raises(BadInput, match="made for another corpus"):
        Topics.of(Topics.of("x", CORPUS), Corpus(["x"]))


def test_a_filter_that_the_corpus_does_not_have_is_refused():
    with pytest.raises(BadParameter, match="Cannot filter on 'tenant'"):
        Topics.of("x", CORPUS, tenant="acme")


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_query_is_refused_and_never_searched_as_a_word(missing):
    frame = pd.DataFrame({"query": ["say", missing]}, dtype=object)
    with pytest.raises(BadInput, match=r"Topic q2 has no query\."):
        Topics.of(frame, CORPUS)


def test_a_missing_qid_is_refused():
    frame = pd.DataFrame({"qid": [1, None], "query": ["x", "y"]})
    with pytest.raises(BadInput, match="topics have no qid in row 1"):
        Topics.of(frame, CORPUS)


def test_whole_numbers_stay_whole_as_qids():
    frame = pd.DataFrame({"qid": [1.0, 2.0], "query": ["x", "y"]})
    assert Topics.of(frame, CORPUS).qids == ["1", "2"]


def test_a_misspelt_filter_is_refused_and_another_column_is_not():
    with pytest.raises(BadInput, match=r"'convresation', which filters nothing.*'conversation'"):
        Topics.of(pd.DataFrame({"query": ["x"], "convresation": ["a"]}), CORPUS)
    assert Topics.of(pd.DataFrame({"query": ["x"], "level": [3]}), CORPUS).filters == [{}]


def test_filters_that_are_arrays_narrow_as_lists_do():
    one, two = np.array(["a"]), np.array(["a", "b"])
    frame = pd.DataFrame({"query": ["x", "y"], "conversation": [one, two]})
    assert Topics.of(frame, CORPUS).rows == [slice(0, 3), slice(0, 5)]


@pytest.mark.parametrize("asked", [None, 5, b"say", True])
def test_what_cannot_be_asked_is_refused(asked):
    with pytest.raises(BadParameter, match="Ask a text, several, or a DataFrame"):
        Topics.of(asked, CORPUS)


def test_topics_with_numbered_columns_are_refused_by_name():
    with pytest.raises(BadInput, match="These have 0, 1"):
        Topics.of(pd.DataFrame([["q1", "say"]]), CORPUS)
