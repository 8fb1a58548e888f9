"""Tables of messages: CSV, TSV and parquet."""

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.errors import BadInput
from lcm_lab.transcripts.lines import Record
from lcm_lab.transcripts.read import read
from lcm_lab.transcripts.tables import delimited


def written(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path)


def told(found):
    return [(m.session, m.line, m.role, m.speaker, m.text) for m in found]


def test_columns_are_known_by_any_of_their_names_and_quotes_are_real(tmp_path):
    rows = [
        "Session ID,Sender,Message,Created At,n",
        's1,human,"Hi, ""you""\ntwo",2026-01-01T00:00Z,1',
        "s1,Ann,ok,,2",
    ]
    found = written(tmp_path / "history.csv", "\n".join(rows))
    assert told(found) == [("s1", 2, "user", "", 'Hi, "you"\ntwo'), ("s1", 4, "", "Ann", "ok")]
    assert [m.time for m in found] == [1_767_225_600_000_000, None]
    assert found.files == {"history.csv": "table of messages"}


@pytest.mark.parametrize("by", [",", "\t", ";", "|"])
def test_the_delimiter_is_found_in_the_heading(tmp_path, by):
    found = written(tmp_path / "a.txt", f"role{by}text\nuser{by}one\nassistant{by}two\n")
    assert told(found) == [("a", 2, "user", "", "one"), ("a", 3, "assistant", "", "two")]


def test_a_broken_row_costs_itself_alone_and_is_named_by_its_line(tmp_path):
    """TP-01, for tables."""
    rows = [
        "role,text",
        "user,one",
        'user,"bad"x',
        "user,too,many",
        "",
        "user,two",
        'user,"open',
        "user,three",
    ]
    found = written(tmp_path / "a.csv", "\r\n".join(rows))
    assert [m.text for m in found] == ["one", "two", "three"]
    assert [(one.line, one.reason.split(":")[0]) for one in found.skipped] == [
        (3, "not a row"),
        (4, "3 fields for 2 columns"),
        (7, "not a row"),
    ]
    with pytest.raises(BadInput, match=r"a.csv:3 is not a row"):
        read(tmp_path / "a.csv", strict=True)


def test_times_with_and_without_a_zone_and_impossible_ones_are_counted(tmp_path):
    """TZ-05 and TZ-09."""
    times = ["1767225600", "1767225600000", "2026-01-01T00:00:00", "0", "-5", "99999999999999", ""]
    found = written(
        tmp_path / "a.csv", "role,text,time\n" + "".join(f"user,x{t},{t}\n" for t in times)
    )
    assert [m.time for m in found] == [1_767_225_600_000_000] * 3 + [None] * 4
    assert found.notes == {
        "time without a zone, read as UTC": 1,
        "time that cannot be read, left unknown": 3,
    }


def test_other_encodings_are_read_and_damage_is_counted(tmp_path):
    text = "role,text\nuser,héllo\n"
    for data in (text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode()):
        assert [m.text for m in written(tmp_path / "a.csv", data)] == ["héllo"]
    found = written(tmp_path / "b.csv", text.encode("latin-1"))
    assert [m.text for m in found] == ["h\ufffdllo"]
    assert found.notes == {"text with bytes that are not UTF-8, shown as U+FFFD": 1}


def test_a_field_may_be_longer_than_the_reader_of_the_standard_library_allows(tmp_path):
    before = csv.field_size_limit()
    found = written(tmp_path / "a.csv", f'role,text\nuser,"{"word " * 100_000}"\nuser,a\x00b\n')
    assert [len(m.text) for m in found] == [500_000, 3]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name\tqty\nx\t1\n",
            "It needs a column of text .* and has none. Its columns are name, qty",
        ),
        (
            "text,label\na,1\n",
            "and one of role, speaker, time or session. Its columns are text, label",
        ),
        ("role,text\n", "a table without rows"),
        ("Well, this is prose.\nSo, too, is this.\n", "unknown format: no JSON in it"),
    ],
)
def test_a_table_that_is_no_history_says_which_columns_it_has(tmp_path, text, message):
    with pytest.raises(BadInput, match=message):
        written(tmp_path / "a.csv", text)


def test_json_lines_are_never_taken_for_a_table(tmp_path):
    found = written(tmp_path / "a.jsonl", 'le": "user", "text"\n{"role": "user", "text": "x"}\n')
    assert [m.text for m in found] == ["x"]
    assert [one.line for one in found.skipped] == [1]


def test_a_folder_of_transcripts_passes_tables_over_and_a_glob_does_not(tmp_path):
    written(tmp_path / "a.csv", "role,text\nuser,one\n")
    (tmp_path / "b.jsonl").write_text('{"role": "user", "content": "two"}\n')
    assert [m.text for m in read(tmp_path)] == ["two"]
    assert [m.text for m in read(str(tmp_path / "*"))] == ["one", "two"]


def test_parquet_is_read_with_its_types(tmp_path):
    times = pd.to_datetime(["2026-01-01T00:00Z", None])
    frame = pd.DataFrame({"role": ["user", None], "text": ["a", "b"], "ts": times, "id": [1, 2]})
    frame.to_parquet(tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet")
    assert [(m.line, m.id, m.role, m.time) for m in found] == [
        (1, "1", "user", 1_767_225_600_000_000),
        (2, "2", "", None),
    ]
    frame[["id"]].to_parquet(tmp_path / "b.parquet")
    with pytest.raises(BadInput, match="Its columns are id"):
        read(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:400])
    with pytest.raises(BadInput, match="parquet that cannot be read"):
        read(tmp_path / "c.parquet")


def test_a_parquet_column_of_conversations_gives_a_session_a_row(tmp_path):
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    pd.DataFrame({"messages": [talk, talk]}).to_parquet(tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet")
    assert [(m.session, m.role) for m in found] == [
        ("a#1", "user"),
        ("a#1", "assistant"),
        ("a#2", "user"),
        ("a#2", "assistant"),
    ]


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_what_a_csv_writer_wrote_is_read_back(rows, by):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=by).writerows([("role", "text"), *rows])
    found = delimited(file.getvalue().encode())
    assert all(isinstance(one, Record) for one in found)
    assert [(one.value["role"], one.value["content"]) for one in found] == rows
