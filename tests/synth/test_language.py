"""The tables: template sets that share nothing, sentences that fill, values that stand apart."""

import re

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import expand, language, sentence, table

FACT_FIELDS = {
    "O",
    "v",
    "kin",
    "he",
    "him",
    "his",
    "plan",
    "when",
    "month",
    "thing",
    "bare",
    "noun",
}
FACT_FIELDS |= {"n", "subject", "r"}
TALK_FIELDS = {"partner", "mykin", "yourkin", "day", "mood", "plan", "object", "food", "weather"}
TALK_FIELDS |= {"shop", "times", "folk", "count", "noun"}


def leaves(tree):
    """Every string of a table."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for one in tree.values():
            yield from leaves(one)
    else:
        for one in tree:
            yield from leaves(one)


def everything(name):
    words = language("chat", name)
    return [*leaves(words.facts), *leaves(words.talk)]


def sentences(name):
    return {one for one in everything(name) if " " in one}


def ways(name):
    facts = language("chat", name).facts
    for family in ("self", "kin", "plan", "event"):
        for attribute, entry in facts[family].items():
            yield f"{family}.{attribute}", entry


def fields(template):
    return set(re.findall(r"\{(\w+)!?\}", template))


def test_template_sets_share_no_sentence():
    domains = set(language("chat", "A").talk["pool"])
    assert sentences("A") & sentences("B") - domains == set()


def test_template_sets_share_no_opening_of_a_statement_or_a_question():
    def openings(name):
        return {
            " ".join(one.split()[:4])
            for _, entry in ways(name)
            for kind in ("say", "change", "q", "q_when", "q_which", "q_all", "para")
            for one in entry.get(kind, ())
            if len(one.split()) > 4 and "{v" not in " ".join(one.split()[:4])
        }

    shared = openings("A") & openings("B")
    assert len(shared) <= 0.1 * len(openings("B"))


def test_template_sets_speak_of_the_same_attributes():
    assert [name for name, _ in ways("A")] == [name for name, _ in ways("B")]


@pytest.mark.parametrize("name", ["A", "B"])
def test_statements_hold_the_value_and_all_other_talk_does_not(name):
    for attribute, entry in ways(name):
        for kind in ("say", "short", "change", "low"):
            assert all("v" in fields(one) for one in entry.get(kind, ())), attribute
        for kind in ("ask", "again", "still", "para", "decoy", "q", "q_which", "q_all"):
            assert all("v" not in fields(one) for one in entry.get(kind, ())), attribute


@pytest.mark.parametrize("name", ["A", "B"])
def test_every_field_of_a_sentence_is_known(name):
    words = language("chat", name)
    used = set().union(*(fields(one) for one in leaves(words.facts))) - {"min", "sec", "one", "dec"}
    decoys = set().union(*(fields(one) for _, e in ways(name) for one in e.get("decoy", ())))
    assert used - decoys - {"bpm"} <= FACT_FIELDS
    assert decoys <= TALK_FIELDS
    assert set().union(*(fields(one) for one in leaves(words.talk))) <= TALK_FIELDS | {"O"}


@pytest.mark.parametrize("name", ["A", "B"])
def test_choices_are_closed(name):
    for one in everything(name):
        assert one.count("[") == one.count("]"), one
        assert not set("[]|") & set(expand(one, Draw(one))), one


@pytest.mark.parametrize("name", ["A", "B"])
def test_what_can_change_has_sentences_for_it(name):
    facts = language("chat", name).facts
    for slot in table("chat", "world")["slot"]:
        for about in slot["of"]:
            entry = facts[about][slot["name"]]
            assert {"ask", "say", "short", "again", "still", "q"} <= set(entry)
            assert bool(slot.get("changes")) == ("change" in entry), slot["name"]
            assert ("para" in entry) == ("decoy" in entry)


def test_no_value_stands_inside_another():
    """A value inside another would make a message hold an answer that it does not state."""
    scheme, lexicon = table("chat", "world"), table("chat", "lexicon")
    lists = {entry["values"] for entry in [*scheme["slot"], *scheme["event"]]}
    values = [value.lower() for name in sorted(lists) for value in lexicon[name]]
    assert len(values) == len(set(values))
    held = re.compile("|".join(rf"(?<!\w){re.escape(v)}(?!\w)" for v in values))
    assert [v for v in values if held.search(v).group() != v] == []
    assert [n for n in lexicon["names_f"] + lexicon["names_m"] if n.lower() in values] == []


def test_sentences_begin_with_capitals_and_values_keep_theirs():
    made = sentence(
        "[so|well], {kin!} left. {v} is here.", {"kin": "my aunt", "v": "a kea"}, Draw(1)
    )
    assert made in ("So, My aunt left. A kea is here.", "Well, My aunt left. A kea is here.")


def test_an_unknown_template_set_is_refused():
    with pytest.raises(BadParameter, match="templates must be 'A'"):
        language("chat", "C")
