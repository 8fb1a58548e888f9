"""Records out of files that may hold anything (TP-01, TP-02, TP-04)."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.transcripts.lines import Bad, Record, decode, records


def shown(text, **given):
    return [
        (one.line, one.value if isinstance(one, Record) else one.reason)
        for one in records(text, **given)
    ]


def test_a_broken_line_costs_itself_and_nothing_beside_it():
    text = '{"a": 1}\n{"role":"user","conte\n\n{"a": 2}\n{not json}\n{"a": 3}\n'
    assert shown(text) == [
        (1, {"a": 1}),
        (2, "cut short"),
        (4, {"a": 2}),
        (5, "not JSON"),
        (6, {"a": 3}),
    ]


def test_a_last_line_without_an_end_is_incomplete_not_corrupt_and_comes_once_when_it_is_whole():
    assert shown('{"a": 1}\n{"b": "hel') == [(1, {"a": 1}), (2, "incomplete last line")]
    assert shown('{"a": 1}\n{"b": "hello"}\n') == [(1, {"a": 1}), (2, {"b": "hello"})]
    assert shown('{"a": 1}\n{"b": "hel\n', ends=False) == [
        (1, {"a": 1}),
        (2, "incomplete last line"),
    ]


def test_two_objects_on_one_line_are_both_recovered():
    assert shown('{"a": 1}{"b": 2}\n{"c": 3} {"d":\n{"e": 5}') == [
        (1, {"a": 1}),
        (1, {"b": 2}),
        (2, {"c": 3}),
        (2, "cut short"),
        (3, {"e": 5}),
    ]


def test_an_object_over_several_lines_is_one_record_where_it_begins():
    text = json.dumps({"a": [1, {"b": 2}]}, indent=2) + "\n" + json.dumps({"c": 3}, indent=2)
    assert shown(text) == [(1, {"a": [1, {"b": 2}]}), (9, {"c": 3})]


def test_what_nests_too_deep_is_a_bad_line():
    assert shown("[" * 200_000 + '\n{"a": 1}') == [(1, "not JSON"), (2, {"a": 1})]


def test_bytes_of_any_kind_become_text():
    assert decode(b'\xef\xbb\xbf{"a": "\xff"}') == '{"a": "\ufffd"}'
    assert decode('{"a": "é"}'.encode("utf-16")) == '{"a": "é"}'


@given(st.text(alphabet='{}[]":,\\ \n1a', max_size=60))
def test_anything_can_be_read_and_every_line_is_accounted_for(text):
    found = list(records(text))
    bad = {one.line for one in found if isinstance(one, Bad)}
    lines = text.split("\n")
    assert all(1 <= one.line <= len(lines) for one in found)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert all(lines[line - 1].strip() for line in bad)


@given(st.lists(st.dictionaries(st.text(max_size=4), st.integers()), max_size=6), st.data())
def test_good_lines_survive_a_torn_one_among_them(items, data):
    lines = [json.dumps(item) for item in items]
    at = data.draw(st.integers(0, len(lines)))
    torn = [*lines[:at], '{"role": "user", "conte', *lines[at:]]
    found = list(records("\n".join(torn) + "\n"))
    assert [one.value for one in found if isinstance(one, Record)] == items
    assert [one.line for one in found if isinstance(one, Bad)] == [at + 1]
