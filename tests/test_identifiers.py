"""Identifiers: each name is of one kind, and what is a word is no name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.identifiers import NAMED, anchors, identifiers


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("OPS-417 is open", [("ticket", "OPS-417")]),
        ("see #123.", [("ticket", "#123")]),
        ("set retry_limit=5.", [("setting", "retry_limit=5")]),
        ("in src/app/main.py:12", [("path", "src/app/main.py")]),
        (
            "~/notes/todo.md, /etc/hosts.d/a",
            [("path", "~/notes/todo.md"), ("path", "/etc/hosts.d/a")],
        ),
        ("open package.json", [("file", "package.json")]),
        ("commit 3f2a9bc1 is bad", [("hash", "3f2a9bc1")]),
        ("run it with --no-verify", [("flag", "--no-verify")]),
        ("upgrade to v1.2.3-rc.1.", [("version", "v1.2.3-rc.1")]),
        ("error TS2345 and ENOENT", [("error", "TS2345"), ("error", "ENOENT")]),
        ("a ValueError", [("error", "ValueError")]),
        ("took 300 ms, 12.5 MB and 30s", [("amount", n) for n in ("300 ms", "12.5 MB", "30s")]),
        ("call parseLine() or MAX_RETRIES", [("name", "parseLine"), ("name", "MAX_RETRIES")]),
    ],
)
def test_a_name_is_found_with_its_kind(text, wanted):
    assert list(identifiers(text)) == wanted


@pytest.mark.parametrize(
    "text",
    ["", "and/or", "He said so.", "deadbeef", "1234567", "a-b", "e.g. this", "100", "OK, U.S.!"],
)
def test_a_word_is_no_name(text):
    assert list(identifiers(text)) == []


@given(st.text(max_size=200))
def test_any_text_is_looked_through_and_every_name_stands_in_it(text):
    for kind, name in identifiers(text):
        assert kind in NAMED
        assert name in text


def test_a_long_line_takes_time_in_proportion():
    """Patterns that try again from every place would not end on this."""
    for piece in ("a", "a/", "a.", "a-", "0", "A_", "=", "a=b"):
        list(identifiers(piece * 20_000))


@pytest.mark.parametrize("unit", ["+", "1+", ".+", "/", "a/", "aZ", "a.", "-a", "~/", "a:b"])
def test_long_runs_of_signs_take_linear_time(unit):
    """A quadratic rule would take minutes here, and no clock is asked."""
    text = unit * (60_000 // len(unit))
    assert len([*identifiers(text), *anchors(text)]) < 10
