"""An index of names: what was named often and late, in a share of the room, carried up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.compaction.anchors import Anchors, index_of, unfolded
from lcm_lab.compaction.extracts import Centroid, Coverage, LexRank, TextRank
from lcm_lab.compaction.summarise import Lead
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.reuse import boundaries, kept, later_used
from lcm_lab.text import count_tokens

NAMES = [
    "OPS-417", "retry_limit=5", "src/app/main.py", "src/app/store.py", "docs/notes.md", "a1b2c3d4",
    "--dry-run", "v1.2.3", "TS2345", "300 ms", "parseLine", "MAX_RETRIES", "said", "and", "12",
]  # fmt: skip
texts = st.lists(st.lists(st.sampled_from(NAMES), max_size=12).map(" ".join), max_size=6)


def listed(index):
    """The names of an index by kind, whatever their order."""
    lines = (line.partition(": ") for line in unfolded(index).splitlines())
    return {kind: sorted(names.split(", ")) for kind, _, names in lines}


@given(texts=texts, tokens=st.integers(0, 80))
def test_an_index_is_never_over_its_limit(texts, tokens):
    assert count_tokens(index_of(texts, tokens)) <= tokens


@given(texts=texts, tokens=st.integers(1, 80), share=st.sampled_from([0, 0.1, 0.25, 1]))
def test_a_summary_with_its_index_is_never_over_its_limit(texts, tokens, share):
    assert count_tokens(Anchors(share=share)(texts, tokens)) <= tokens


@given(texts=texts)
def test_an_index_of_an_index_is_the_same_index(texts):
    once = index_of(texts, 10_000)
    assert listed(index_of([once], 10_000)) == listed(once)


def test_every_name_is_there_where_there_is_room():
    index = unfolded(index_of([" ".join(NAMES)], 10_000))
    assert [name for name in NAMES if name not in index] == ["said", "and", "12"]


def test_what_was_named_late_or_often_goes_before_what_was_named_early_and_once():
    said = ["early_one", *["often_one and that"] * 3, *["filler"] * 20, "late_one"]
    assert index_of(said, 10) == "Named (name): late_one"
    assert index_of(said, 15).startswith("Named (name): late_one, often_one")


def test_a_folder_is_written_once():
    assert index_of(["src/app/main.py src/app/store.py"], 99) == (
        "Named (path): src/app/{main.py, store.py}"
    )


def test_a_summary_is_made_of_the_texts_without_their_index():
    seen = []

    def summarise(texts, tokens):
        seen.append((texts, tokens))
        return "said"

    below = "We fixed it.\nNamed (ticket): OPS-417"
    given = Anchors(lcm.Named("spy", summarise), share=0.5)([below, "Then OPS-418 came."], 40)
    assert given == "said\nNamed (ticket): OPS-418, OPS-417"
    assert seen[0][0] == ["We fixed it.", "Then OPS-418 came."]
    assert seen[0][1] == 40 - count_tokens("Named (ticket): OPS-418, OPS-417") - 1


def test_what_is_no_summariser_is_refused():
    for wrong in ("Lead()", None, Lead):
        with pytest.raises(BadParameter, match="takes a summariser"):
            Anchors(wrong)


@pytest.fixture(scope="module")
def real(shared):
    """The real compactions of three sessions: what stood before, the summary, what came after."""
    folder = shared / "transcripts"
    return [
        one
        for name in ("entire_3f*", "entire_d7*", "entire_e5*")
        for one in boundaries(lcm.read(folder / name))
    ]


def retained(real, summarise):
    shares = []
    for one in real:
        names = later_used(one.before, one.after)
        text = summarise(one.texts, count_tokens(one.summary))
        shares.append(len(kept(text, names)) / len(names))
    return shares


def test_a_quarter_for_an_index_keeps_most_of_what_an_agent_used_again(real):
    """Three boundaries: no interval, and the real summary had shaped what was used again."""
    assert [len(later_used(one.before, one.after)) for one in real] == [14, 21, 38]
    assert [count_tokens(one.summary) for one in real] == [2387, 2843, 2367]
    written = [
        len(kept(one.summary, names)) / len(names)
        for one in real
        for names in [later_used(one.before, one.after)]
    ]
    assert written == pytest.approx([3 / 14, 8 / 21, 13 / 38])
    assert retained(real, Lead()) == pytest.approx([7 / 14, 17 / 21, 29 / 38])
    for summarise in (Lead(), Centroid(), TextRank(), LexRank(), Coverage()):
        shares = retained(real, Anchors(summarise, share=0.25))
        assert min(shares) >= 0.7, summarise
        assert sum(shares) / 3 >= 0.9, summarise


def test_what_only_users_and_tools_say_later_was_not_used_by_the_agent(real):
    from dataclasses import replace

    one = real[0]
    silent = [replace(message, role="user") for message in one.after]
    assert later_used(one.before, silent) == {}
