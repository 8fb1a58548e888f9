"""Groups of topics: their columns, and what follows from question and answer."""

import pytest

from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.views.grouping import DERIVED, groups, script
from lcm_lab.measures import R


def grouped(bench, column):
    names, codes = groups(Bench.of(bench), column)
    return [names[i] for i in codes]


def history(toy, **asked):
    docs = {
        "text": ["a few words", "word " * 100, "later"],
        "conversation": ["c1", "c1", "c2"],
        "time": ["2026-01-01", "2026-01-31", None],
    }
    asked = {"query": [f"question {i}" for i in range(4)]} | asked
    return toy.collection(docs, asked, [(0, 0, 1), (1, 0, 2), (1, 1, 1), (2, 2, 1)])


def test_age_is_from_the_newest_relevant_document_to_the_question(toy):
    times = ["2026-01-01T12:00", "2026-03-01", "2026-03-01", "2026-03-01"]
    bench = history(toy, asked_at=times)
    assert grouped(bench, "age") == ["0 to 1 days", "7 to 30 days", "unknown", "unknown"]
    # What is not asked at a moment is asked when the last that it may see was said.
    assert grouped(history(toy), "age") == ["30 to 90 days", "0 to 1 days", "unknown", "unknown"]


def test_gold_that_came_after_the_question_has_no_age(toy):
    bench = history(toy, asked_at=["2025-12-01"] * 4)
    assert grouped(bench, "age") == ["unknown"] * 4


def test_a_bin_begins_with_its_first_number(toy):
    asked = {"query": ["one two three", "a b c d e f g h", "x " * 12, "y " * 11]}
    assert grouped(history(toy, **asked), "length") == [
        "0 to 8 tokens",
        "8 to 12 tokens",
        "12 to 16 tokens",
        "8 to 12 tokens",
    ]


def test_the_length_of_the_gold_is_a_mean_over_relevant_documents(toy):
    assert grouped(history(toy), "gold_length") == [
        "0 to 16 tokens",
        "16 to 64 tokens",
        "0 to 16 tokens",
        "unknown",
    ]


def test_bins_rise_and_empty_ones_are_left_out(toy):
    names, _ = groups(Bench.of(history(toy)), "gold_length")
    assert names == ["0 to 16 tokens", "16 to 64 tokens", "unknown"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Where?", "Latin"),
        ("Что решили?", "Cyrillic"),
        ("昨日のバックアップ", "CJK"),
        ("어떤 악기?", "CJK"),
        ("ﾊﾞｯｸｱｯﾌﾟ", "CJK"),
        ("ＡＢＣ", "Latin"),
        ("متى؟", "Arabic"),
        ("fix 修复登录错误", "CJK"),
        ("42 ???", "none"),
        ("aя", "Cyrillic"),
    ],
)
def test_the_script_is_that_of_most_letters(text, name):
    assert script(text) == name


def test_the_conversation_is_the_one_asked_of_else_that_of_the_answer(toy):
    bench = history(toy, conversation=["c2", None, None, None])
    assert grouped(bench, "conversation") == ["c2", "c1", "c2", "unknown"]


def test_a_topic_is_answerable_where_it_may_see_something_relevant(toy):
    bench = history(toy, conversation=["c2", None, None, None])
    assert grouped(bench, "answerable") == [
        "nothing to find",
        "something to find",
        "something to find",
        "nothing to find",
    ]


def test_a_column_of_the_topics_comes_first(toy):
    bench = history(toy, length=["short", "long", "long", "short"])
    assert grouped(bench, "length") == ["short", "long", "long", "short"]


@pytest.mark.parametrize("column", [*DERIVED, "type"])
def test_groups_share_out_every_topic_once(toy, column):
    bench = toy.chat()
    result = evaluate({"s": toy.says(((1,) * 120,) * 40)}, on=bench_of(toy), measures=[R @ 1])
    table = result.by(column)
    assert (table["n"] + table["undefined"]).sum() == 40
    assert table[column].is_unique
    assert len(grouped(bench, column)) == 40


def bench_of(toy):
    bench = toy.chat()
    topics = bench.topics.assign(query=[f"question {i}" for i in range(40)])
    return type(bench)("chat", bench.corpus, topics, bench.qrels)


def test_no_topics_have_no_groups(toy):
    bench = toy.collection(2, 0, [])
    for column in DERIVED:
        assert groups(Bench.of(bench), column)[0] == []
