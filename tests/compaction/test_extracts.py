"""Extractive summarisers: whole units of the source, in order, within the limit, repeatably."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.compaction.anchors import Anchors
from lcm_lab.compaction.extractive import Units, fill
from lcm_lab.compaction.extracts import Centroid, Coverage, LexRank, TextRank
from lcm_lab.compaction.source import speaker_of, told
from lcm_lab.compaction.summarise import Lead, units
from lcm_lab.dag.nodes import Summary
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message, Part
from lcm_lab.text import count_tokens

ALL = [Lead(), Centroid(), TextRank(), LexRank(), Coverage()]
PLAIN = ALL[1:]
TALK = [
    "[2026-01-01 10:00 UTC | user]\nThe build fails on CI. Lunch was good.",
    "[2026-01-01 10:01 UTC | assistant]\nThe build fails because the cache of the build is stale.",
    "[2026-01-01 10:02 UTC | user]\nThen clear the cache. See you.",
]

PIECES = ("build", "cache", "fails", "明早开会。", "ok.", "deploy!", "x\ny", "```a\nb```", "é")
words = st.sampled_from(PIECES)
texts = st.lists(st.lists(words, max_size=30).map(" ".join), max_size=8)


@pytest.mark.parametrize("summarise", ALL, ids=repr)
@given(texts=texts, tokens=st.integers(1, 60))
@settings(max_examples=25)
def test_a_summary_is_never_over_its_limit(summarise, texts, tokens):
    assert count_tokens(summarise(texts, tokens)) <= tokens


ENDED = ("the build fails.", "is it stale?", "明早开会。", "deploy now!", "```\na. b\n```")
ended = st.lists(st.lists(st.sampled_from(ENDED), max_size=9).map("\n".join), max_size=5)


@pytest.mark.parametrize("summarise", PLAIN, ids=repr)
@given(texts=ended, tokens=st.integers(1, 60))
@settings(max_examples=25)
def test_only_whole_units_of_the_source_are_given_unless_none_fits(summarise, texts, tokens):
    there = {unit.strip() for text in texts for unit in units(text)}
    given = summarise(texts, tokens)
    least = min((count_tokens(unit) for unit in there), default=0)
    if given and least + 1 <= tokens:
        assert {unit.strip() for unit in units(given)} <= there


@pytest.mark.parametrize("summarise", ALL, ids=repr)
@given(texts=texts, tokens=st.integers(1, 60))
@settings(max_examples=25)
def test_the_same_texts_give_the_same_summary(summarise, texts, tokens):
    assert summarise(texts, tokens) == summarise(list(texts), tokens)


@pytest.mark.parametrize("summarise", ALL, ids=repr)
@pytest.mark.parametrize("texts", [[], [""], ["  \n "], ["[2026-01-01 10:00 UTC | user]\n"]])
def test_nothing_said_gives_nothing(summarise, texts):
    assert summarise(texts, 50) == ""


@pytest.mark.parametrize("summarise", ALL, ids=repr)
def test_where_no_unit_fits_the_first_words_are_given(summarise):
    assert summarise(["a very long sentence about nothing at all"], 3) == "a very long"


@pytest.mark.parametrize("summarise", PLAIN, ids=repr)
def test_what_is_said_twice_is_given_once(summarise):
    said = ["The cache is stale."] * 5 + ["The deploy is on Friday."]
    assert summarise(said, 100) == "The cache is stale.\nThe deploy is on Friday."


@pytest.mark.parametrize("summarise", ALL, ids=repr)
def test_a_code_block_stays_whole(summarise):
    block = "```\ndef f(x):\n    return x. y\n```"
    given = summarise([f"Look at this.\n{block}\nIt is the code."], 60)
    assert block in given


def test_what_many_say_goes_before_what_one_says():
    for summarise in (Centroid(), TextRank(), LexRank()):
        assert "build" in summarise(TALK, 16)
        assert "Lunch" not in summarise(TALK, 16)


def test_who_speaks_stands_before_what_was_said():
    assert Centroid()(TALK, 100).splitlines()[0].startswith("user: The build fails on CI.")


def test_the_header_says_how_deep_a_summary_lies_and_is_no_part_of_what_it_says():
    notes = [Message(f"m{n}", "s1", "user", (Part("text", "Hi."),), n * 60_000_000) for n in (0, 1)]
    leaf = Summary.of("They greeted.", notes)
    top = Summary.of("A greeting.", [leaf])
    span = "1970-01-01 00:00 UTC - 1970-01-01 00:01 UTC"
    assert told(leaf) == f"[{span}]\nThey greeted."
    assert told(top) == f"[{span} | depth 1]\nA greeting."
    assert [speaker_of(told(one))[1] for one in (leaf, top)] == ["They greeted.", "A greeting."]
    assert Lead()([told(top)], 50) == "A greeting."


def test_coverage_takes_what_is_new_before_what_repeats():
    said = ["cache stale build", "cache build", "deploy on friday at noon"]
    assert Coverage()(said, 12) == "cache stale build\ndeploy on friday at noon"


def test_the_order_is_that_of_pagerank_computed_densely():

    from lcm_lab.compaction.extracts import best_first

    rng = random.Random(0)
    vocabulary = [f"word{i}x" for i in range(30)]
    said = [" ".join(rng.choices(vocabulary, k=8)) for _ in range(25)]
    found = Units.read(said)
    weights = found.weights.toarray()
    graph = (weights @ weights.T >= 0.1).astype(float)
    np.fill_diagonal(graph, 0)
    assert (graph.sum(axis=1) > 0).all()
    walk = 0.85 * (graph / graph.sum(axis=1, keepdims=True)).T + 0.15 / len(said)
    values, vectors = np.linalg.eig(walk)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    wanted = best_first(np.abs(stationary) / np.abs(stationary).sum())
    assert LexRank().order(found).tolist() == wanted.tolist()


def test_a_graph_beyond_its_bound_is_of_the_most_central_units():
    rng = random.Random(1)
    said = [" ".join(rng.choices([f"w{i}q" for i in range(400)], k=9)) for _ in range(2_300)]
    given = LexRank()(said, 40)
    assert 20 < count_tokens(given) <= 40
    assert set(given.splitlines()) <= set(said)


@pytest.mark.parametrize("summarise", [TextRank(), LexRank()], ids=repr)
def test_a_long_summary_takes_in_units_beyond_the_graph(summarise):
    rng = random.Random(2)
    said = [" ".join(rng.choices([f"w{i}q" for i in range(4_000)], k=9)) for _ in range(2_600)]
    given = summarise(said, 100_000)
    assert len(given.splitlines()) > 2_500


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6), max_size=600),
    st.integers(1, 900),
    st.randoms(use_true_random=False),
)
@settings(max_examples=20)
def test_what_is_much_like_a_unit_that_is_taken_is_passed_over(lines, tokens, rng):
    found = Units.read([" ".join(f"word{letter}" for letter in line) for line in lines] or ["x"])
    order = np.array(rng.sample(range(len(found)), len(found)), np.int64)
    weights = found.weights.toarray()
    taken, left = [], tokens
    for at in order.tolist():
        if left < found.sizes.min():
            break
        alike = any(weights[at] @ weights[one] >= 0.75 - 1e-9 for one in taken)
        if found.sizes[at] <= left + 1 and not alike:
            taken.append(at)
            left -= int(found.sizes[at])
    assert fill(found, order, tokens, 0.75) == taken


@pytest.mark.parametrize("summarise", [Lead(), Centroid(), Coverage(), Anchors()], ids=repr)
def test_one_text_alone_is_refused(summarise):
    with pytest.raises(BadParameter, match=r"takes a list of texts: \[text\]\. Got 'one text'"):
        summarise("one text", 9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TextRank(damping=1.5),
        lambda: LexRank(threshold=-0.1),
        lambda: LexRank(damping="x"),
        lambda: Coverage(power=float("nan")),
        lambda: Anchors(share=True),
    ],
)
def test_a_share_that_is_none_is_refused(make):
    with pytest.raises(BadParameter, match="must be between 0 and 1"):
        make()


def test_a_summariser_is_the_expression_that_makes_it():
    names = {kind.__name__: kind for kind in (Lead, Centroid, TextRank, LexRank, Coverage, Anchors)}
    for summarise in [*ALL, LexRank(threshold=0.2), Anchors(Coverage(power=0.5), share=0.1)]:
        assert eval(repr(summarise), names) == summarise
        assert hash(eval(repr(summarise), names)) == hash(summarise)


def test_a_real_session_is_summarised_within_the_limit(shared):
    import lcm_lab as lcm

    read = lcm.read(shared / "transcripts" / "entire_3f_603dd13c2c_0.jsonl.xz")
    said = [text for text in map(told, read) if text]
    for summarise in ALL:
        given = summarise(said, 500)
        assert 400 < count_tokens(given) <= 500, summarise
