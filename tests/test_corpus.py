import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.rows import contains, count, intersect, rows_of, tidy

TALKS = [
    {"docno": "a1", "text": "use WAL", "conversation": "a", "role": "user", "time": "2026-01-01"},
    {"docno": "b1", "text": "hello", "conversation": "b", "role": "user", "time": "2026-01-02"},
    {"docno": "a2", "text": "done", "conversation": "a", "role": "assistant", "time": "2026-01-03"},
    {"docno": "b2", "text": "bye", "conversation": "b", "role": "assistant"},
]


def test_rows_stand_in_order_of_conversation_and_sequence():
    assert Corpus(TALKS)["docno"].tolist() == ["a1", "a2", "b1", "b2"]
    backwards = [{**row, "seq": -i % 4} for i, row in enumerate(TALKS)]
    assert Corpus(backwards)["docno"].tolist() == ["a1", "a2", "b2", "b1"]


def test_a_corpus_of_bare_texts_has_every_column_filled():
    corpus = Corpus(["one two", "three"])
    assert corpus["docno"].tolist() == ["m1", "m2"]
    assert corpus["conversation"].tolist() == ["c1", "c1"]
    assert corpus["scope"].tolist() == ["messages", "messages"]
    assert corpus["kind"].tolist() == ["text", "text"]
    assert corpus["tokens"].tolist() == [2, 1]
    assert corpus["time"].isna().all()


def test_texts_dicts_frames_and_arrow_tables_make_the_same_corpus():
    rows = [{"text": "a", "role": "user"}, {"text": "b", "role": "tool"}]
    shapes = (rows, pd.DataFrame(rows), pa.Table.from_pylist(rows))
    prints = {Corpus(given).fingerprint for given in shapes}
    assert len(prints) == 1


def test_the_fingerprint_changes_with_any_content():
    prints = {Corpus([row]).fingerprint for row in TALKS}
    assert len(prints) == 4
    assert Corpus(["ab", "c"]).fingerprint != Corpus(["a", "bc"]).fingerprint
    assert Corpus(["a"]).fingerprint == Corpus(["a"]).fingerprint


def test_a_naive_time_is_utc_and_an_offset_is_kept_as_the_instant():
    times = ["2026-04-02 22:40:05", "2026-04-03T06:40:05+08:00"]
    corpus = Corpus([{"text": "x", "time": time} for time in times])
    assert corpus.numpy("time")[0] == corpus.numpy("time")[1]
    assert str(corpus["time"][0]) == "2026-04-02 22:40:05+00:00"


def test_a_conversation_is_a_slice():
    assert Corpus(TALKS).rows(conversation="b") == slice(2, 4)
    assert Corpus(TALKS).rows(conversation="nowhere") == slice(0, 0)


def test_since_is_inclusive_and_before_is_not():
    corpus = Corpus(TALKS)
    found = corpus.rows(since="2026-01-01", before="2026-01-03")
    assert corpus["docno"].iloc[rows_of(found)].tolist() == ["a1", "b1"]


def test_rows_of_unknown_time_satisfy_neither_bound():
    corpus = Corpus(TALKS)
    assert "b2" not in corpus["docno"].iloc[rows_of(corpus.rows(since="1999-01-01"))].tolist()
    assert "b2" not in corpus["docno"].iloc[rows_of(corpus.rows(before="2999-01-01"))].tolist()
    assert corpus.numpy("time")[3] == NO_TIME


def test_a_time_window_within_a_conversation_is_a_slice():
    assert Corpus(TALKS).rows(conversation="a", since="2026-01-02") == slice(1, 2)


def test_several_values_are_alternatives():
    corpus = Corpus(TALKS)
    assert count(corpus.rows(role=("user", "assistant"))) == 4
    assert count(corpus.rows(conversation=["a", "b"], role="user")) == 2


def test_an_extra_text_column_can_be_filtered_on():
    corpus = Corpus([{"text": "x", "tenant": "acme"}, {"text": "y", "tenant": None}])
    assert corpus.rows(tenant="acme") == slice(0, 1)


def test_an_unknown_filter_names_those_there_are():
    with pytest.raises(BadParameter, match=r"Cannot filter on 'tenant'\. This corpus has"):
        Corpus(TALKS).rows(tenant="acme")
    with pytest.raises(BadParameter, match="Did you mean 'role'"):
        Corpus(TALKS).rows(roles="user")


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(BadParameter, match="later than before"):
        Corpus(TALKS).rows(since="2026-02-01", before="2026-01-01")


@pytest.mark.parametrize("bad", ["2026-02-30", "2026-13-01", "yesterday", ""])
def test_a_time_that_is_none_is_refused(bad):
    with pytest.raises(BadParameter):
        Corpus(TALKS).rows(since=bad)


def test_repeated_docnos_are_refused():
    with pytest.raises(BadInput, match="Two rows have the docno 'x'"):
        Corpus([{"docno": "x", "text": "a"}, {"docno": "x", "text": "b"}])


def test_rows_without_text_say_which_columns_there_are():
    with pytest.raises(BadInput, match="These have body, role"):
        Corpus([{"body": "a", "role": "user"}])


@pytest.mark.parametrize("bad", ["one text", 7, None])
def test_what_is_no_list_of_rows_is_refused(bad):
    with pytest.raises(BadInput, match="made of rows"):
        Corpus(bad)


def test_text_of_the_wrong_type_is_refused():
    with pytest.raises(BadInput, match=r"'text' holds text\. Got 7"):
        Corpus([{"text": 7}])


def test_an_empty_corpus_is_a_corpus():
    assert len(Corpus([])) == 0
    assert Corpus([]).rows(role="user") == slice(0, 0)
    assert repr(Corpus([])) == "Corpus of 0 messages in 0 conversations"


def test_a_lone_surrogate_is_stored_as_the_replacement_character():
    corpus = Corpus([{"text": "dump \udc88 end"}])
    assert corpus["text"][0] == "dump \ufffd end"
    assert corpus.fingerprint


def test_the_view_is_day_speaker_and_text():
    row = {"text": "I went", "speaker": "Ann", "time": "2023-05-08T13:56:00Z"}
    assert Corpus([row]).view().to_pylist() == ["8 May 2023 Ann I went"]
    assert Corpus([row]).view(("text",)).to_pylist() == ["I went"]


def test_row_of_gives_minus_one_where_there_is_no_such_docno():
    assert Corpus(TALKS).row_of(["b1", "zzz", "a1"]).tolist() == [2, -1, 0]
    assert Corpus([]).row_of(["x"]).tolist() == [-1]


def test_columns_given_out_cannot_change_the_corpus():
    with pytest.raises(ValueError, match="read-only"):
        Corpus(TALKS).numpy("seq")[0] = 9


row_sets = st.one_of(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda t: slice(min(t), max(t))),
    st.sets(st.integers(0, 30)).map(lambda s: tidy(np.array(sorted(s), np.int64))),
)


@given(row_sets, row_sets)
def test_row_sets_behave_as_sets(left, right):
    both = set(rows_of(left).tolist()) & set(rows_of(right).tolist())
    found = intersect(left, right)
    assert rows_of(found).tolist() == sorted(both)
    assert count(found) == len(both)
    asked = np.arange(32)
    assert set(asked[contains(left, asked)].tolist()) == set(rows_of(left).tolist())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "a", "seq": 1.5}], "'seq' holds whole numbers. 1.5 is none"),
        ([{"text": "a", "tokens": -3}], "'tokens' holds whole numbers, 0 or more"),
        ([{"text": "a", "x": 1}, {"text": "b", "x": "y"}], "'x' holds values of different types"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "Two columns are called 'text'"),
        (pa.table({"text": ["a"], "seq": [1.5]}), "'seq' must be int64"),
        (pa.table({"text": ["a"], "seq": ["x"]}), "'seq' must be int64"),
        (pa.table({"text": pa.array([["a"]])}), "'text' must be large_string"),
    ],
)
def test_a_value_that_its_column_cannot_hold_is_refused_by_name(rows, message):
    with pytest.raises(BadInput, match=message):
        Corpus(rows)


def test_nanoseconds_are_cut_and_a_zone_is_kept():
    moment = 1_767_225_600_000_000_001
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.timestamp("ns", "Asia/Tokyo")):
        corpus = Corpus(pa.table({"text": ["a"], "time": pa.array([moment], kind)}))
        assert corpus.numpy("time").tolist() == [moment // 1000]


def test_columns_may_be_numbered():
    assert Corpus([{"text": "a", 7: "x"}]).columns[-1] == "7"


def test_the_order_of_columns_is_no_part_of_the_fingerprint():
    row = {"text": "a", "team": "x", "floor": "2"}
    again = {"floor": "2", "text": "a", "team": "x"}
    assert Corpus([row]).fingerprint == Corpus([again]).fingerprint
    assert Corpus([row]).fingerprint != Corpus([again | {"team": "y"}]).fingerprint
