"""Exploration summaries: the reference's shapes, its gaps mended, and hostile content."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.errors import BadParameter
from lcm_lab.store.explore.base import LIMIT, explore, recognised
from lcm_lab.store.explore.json import PARSED, shape


def line(summary, label):
    """The line of a summary that begins with a label, without it."""
    (found,) = (one for one in summary.splitlines() if one.startswith(label))
    return found.removeprefix(label).strip()


def test_the_reference_is_reproduced_in_every_recorded_case(functions):
    for case in functions["explore_structured"]:
        given = case["in"]
        made = explore(given["content"], given["name"], given["mime"], compat="reference")
        assert made == case["out"]


def test_the_default_differs_from_the_reference_only_where_its_gaps_are(functions):
    differing = [
        case["in"]["content"]
        for case in functions["explore_structured"]
        if explore(case["in"]["content"], case["in"]["name"], case["in"]["mime"]) != case["out"]
    ]
    assert differing == [
        "{bad",  # says where, and goes on with the text
        '[{"a":{"b":{"c":1}}},"s",null,true]',  # null is no object
        "a: 1\nb:\n  c: 2\nd:\n",  # keys with a value on their line
        "<?xml version='1.0'?><root><a/><b x='1'>t</b><c>u</c></root>",  # empty elements
        '"x,y",z,\n1,2,3',  # quoted fields, and columns without a name
    ]


def test_quoted_fields_hold_delimiters_quotes_and_line_breaks():
    content = 'id,"full, name","said ""hi"""\r\n1,"Ada\nLovelace",x\r\n\r\n2,5" pipe,y\r\n'
    summary = explore(content, "people.csv")
    assert line(summary, "Rows:") == "2."
    assert line(summary, "Columns") == '(3): id, "full, name", said "hi".'
    assert line(summary, "First row sample:") == '1,"Ada Lovelace",x.'


def test_a_quote_that_is_never_closed_ends_with_the_content():
    assert line(explore('a,b\n1,"open\n2,3\n', "x.csv"), "Rows:") == "1."


@given(
    st.lists(
        st.lists(st.text("ab,\"'\n\t é", max_size=4), min_size=2, max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_rows_and_columns_are_those_that_the_csv_module_reads(table):
    import csv
    import io

    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    summary = explore(written.getvalue(), "x.csv")
    assert line(summary, "Rows:") == f"{len(table) - 1}."
    assert line(summary, "Columns").startswith(f"({len(table[0])}):")


def test_keys_of_yaml_are_found_with_values_quotes_and_in_every_document():
    content = "\n".join(
        [
            "# comment: no",
            "name: demo   # yes",
            '"on": [push]',
            "'a b': 1",
            "plain key : x",
            "url: http://x:8080/",
            "text: |",
            "  inner: no",
            "?odd: 1",
            "---",
            "jobs:",
            "- item: no",
            "http://no.key",
        ]
    )
    keys = line(explore(content, "x.yaml"), "Top-level keys")
    assert keys == "(8): name, on, a b, plain key, url, text, ?odd, jobs."


def test_items_of_a_yaml_sequence_are_counted():
    assert line(explore("- a: 1\n- b\n-\n  c\n", "x.yml"), "Top-level sequence:") == "3 items."


def test_repeated_elements_do_not_crowd_out_later_ones():
    content = "<r>" + "<row><id/></row>" * 500 + "<last>x</last></r>"
    assert line(explore(content, "x.xml"), "Child elements seen") == (
        "(3): row x 500, id x 500, last."
    )


def test_comments_character_data_and_document_types_are_no_elements():
    content = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "<bomb/>"> <!ENTITY b "&a;&a;">]>'
        "<!-- <no/> --><r><![CDATA[<no/>]]><yes/>&b;</r>"
    )
    summary = explore(content, "x.xml")
    assert (line(summary, "Root element:"), line(summary, "Child elements seen")) == (
        "r.",
        "(1): yes.",
    )


def test_json_is_described_to_its_second_level():
    content = json.dumps({"a": {"b": [1]}, "c": [1, 2], 'd"e': None})
    assert line(explore(content, "x.json"), "Shape:") == 'object(keys=3: a, c, d"e).'


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text('a"\\[]{}:, é', max_size=5),
        lambda inner: (
            st.lists(inner, max_size=5) | st.dictionaries(st.text("ab", max_size=2), inner)
        ),
        max_leaves=12,
    )
)
def test_the_shape_is_that_of_the_value(value):
    def described(value, depth=0):
        if depth == 2:
            return "..."
        if isinstance(value, list):
            shown = ", ".join(described(item, depth + 1) for item in value[:3])
            return f"array(len={len(value)}{f', sample=[{shown}]' if shown else ''})"
        if isinstance(value, dict):
            shown = ", ".join(list(value)[:10])
            return f"object(keys={len(value)}{f': {shown}' if shown else ''})"
        kinds = {bool: "boolean", int: "number", str: "string", type(None): "null"}
        return kinds[type(value)]

    assert shape(json.dumps(value)) == described(value)


def test_json_lines_are_counted_and_broken_ones_too():
    summary = explore('{"a": 1}\n\n{"b": 2}\n{broken\n', "x.jsonl")
    assert line(summary, "Rows:") == "3, of which 1 do not parse."
    assert line(summary, "Shape:") == "object(keys=1: a), object(keys=1: b)."


def test_what_is_no_json_is_described_as_text():
    summary = explore("[ERROR] disk full\n[INFO] retry\n", "x.json")
    assert summary.startswith("Structured summary (JSON): failed to parse as valid JSON (line 1,")
    assert line(summary, "Lines:") == "3."


def test_numbers_of_any_length_parse():
    assert line(explore("[" + "9" * 10_000 + "]", "x.json"), "Shape:") == (
        "array(len=1, sample=[number])."
    )


@pytest.mark.parametrize(
    "content", ["[" * 200_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000]
)
def test_deep_nesting_ends(content):
    assert "failed to parse" in explore(content, "x.json")


def test_nesting_that_parsers_refuse_is_still_described():
    deep = "[" * 5_000 + "]" * 5_000
    assert line(explore(deep, "x.json"), "Shape:") == (
        "array(len=1, sample=[array(len=1, sample=[...])])."
    )
    assert "array(len=1" in explore(deep, "x.json", compat="reference")


def test_json_that_is_too_large_to_parse_is_described_and_says_so():
    content = "[" + '{"id": 1, "text": "x"},' * (PARSED // 20) + "{}]"
    assert len(content) > PARSED
    summary = explore(content, "x.json")
    assert line(summary, "Shape:").startswith(
        f"array(len={PARSED // 20 + 1}, sample=[object(keys=2"
    )
    assert line(summary, "Not validated") == f"beyond its brackets: {len(content):,} characters."


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("x.json", '["' + '\\"' * 400_000),
        ("x.csv", 'a,"' + "b,c\n" * 200_000),
        ("x.csv", '"' * 800_000),
        ("x.xml", "<!--" * 200_000),
        ("x.xml", "<!DOCTYPE [" * 80_000),
        ("x.xml", "<a" * 400_000),
        ("x.yaml", '"a' * 400_000),
        ("x.yaml", "a" + " " * 800_000),
        ("x.yaml", "a:" * 400_000),
        ("x.py", "const  " * 120_000),
        ("x.java", "public static \n" * 50_000),
        ("x.sh", "a" * 800_000),
        ("x.md", "# " * 400_000),
        ("x.txt", "A " * 400_000 + "a"),
    ],
)
def test_hostile_content_takes_no_more_time_than_its_length(name, piece):
    # Anything worse than linear would take minutes for this.
    assert len(explore(piece, name)) <= LIMIT


def test_imports_and_definitions_are_found_in_several_languages():
    content = "\n".join(
        [
            "#include <stdio.h>",
            "import os",
            "import os",
            "from a import b",
            "const fs = require('fs')",
            "use std::io;",
            "class A(Base):",
            "    async def run(self):",
            "pub(crate) fn walk() {",
            "func main() {",
            "export default function start() {",
            "const go = async () => {",
            "classification = 3",
            "typeof x",
            "CREATE TABLE t (a)",
            "deploy() {",
        ]
    )
    summary = explore(content, "x.py")
    assert line(summary, "Imports/dependencies") == (
        "(5): #include <stdio.h> | import os | from a import b | const fs = require('fs')"
        " | use std::io;."
    )
    assert line(summary, "Definitions") == (
        "(8): class A(Base): | async def run(self): | pub(crate) fn walk() { | func main() {"
        " | export default function start() { | const go = async () => { | CREATE TABLE t (a)"
        " | deploy() {."
    )


def test_repeats_do_not_use_up_the_lines_that_are_shown():
    content = "import os\n" * 20 + "import sys\n"
    assert line(explore(content, "x.py"), "Imports/dependencies") == "(2): import os | import sys."
    reference = explore(content, "x.py", compat="reference")
    assert line(reference, "Imports/dependencies") == "(1): import os."


def test_text_is_described_by_size_headings_and_both_ends():
    content = "# One\n\nbody\n\nSECTION TWO: MORE\n" + "word " * 400
    summary = explore(content, "notes.md")
    assert line(summary, "Words:") == "406."
    assert line(summary, "Detected section headers:") == "# One | SECTION TWO: MORE."
    assert summary.splitlines()[-1].endswith("word word")


def test_the_reference_counts_text_in_its_own_units():
    summary = explore("a\ufeff 🔥", compat="reference")
    assert (line(summary, "Characters:"), line(summary, "Words:")) == ("5.", "2.")


def test_binary_data_is_named_as_such():
    summary = explore("\x89PNG\r\n\x1a\n\x00\x00IHDR", "shot.txt")
    assert summary.splitlines() == [
        "Binary data, not text (shot.txt):",
        "Characters: 14.",
        "Begins with: PNG IHDR.",
    ]


@pytest.mark.parametrize(
    ("content", "name", "mime", "kind"),
    [
        ("", "a.JSON", "", "json"),
        ("", "a.txt", "text/csv", "csv"),
        ("", "a.py", "application/json; charset=utf-8", "json"),
        ("", "a.md", "", "text"),
        ("", "dir.py/readme", "", "text"),
        ("", ".py", "", "text"),
        ('\n{"a": 1}', "", "", "json"),
        ("[1, 2]", "", "", "json"),
        ("[INFO] started", "", "", "text"),
        ("<?xml version='1.0'?><a/>", "", "", "xml"),
        ("def f(): pass", "", "", "text"),
    ],
)
def test_the_name_then_the_media_type_then_the_look_decide(content, name, mime, kind):
    assert recognised(content, name, mime) == kind


@given(st.text(), st.sampled_from(["", "a.json", "a.csv", "a.tsv", "a.xml", "a.yaml", "a.go"]))
def test_any_text_is_described_the_same_each_time(content, name):
    summary = explore(content, name)
    assert summary
    assert summary == explore(content, name)
    assert "\x1b" not in summary
    summary.encode()


def test_another_compat_is_refused():
    with pytest.raises(BadParameter, match="compat is None or 'reference'"):
        explore("x", compat="openclaw")
