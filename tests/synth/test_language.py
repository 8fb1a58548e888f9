"""The tables: template sets that share nothing, sentences that fill, values that stand apart."""

import re

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import expand, language, sentence, table
from lcm_lab.synth.speech import ANSWER

FACT_FIELDS = {
    "O", "P", "v", "kin", "he", "him", "his", "plan", "when", "month", "thing", "bare", "noun",
    "n", "subject", "r", "m1", "m2", "quote", "first", "second",
}  # fmt: skip
TALK_FIELDS = {
    "partner", "mykin", "yourkin", "day", "mood", "plan", "object", "food", "weather", "shop",
    "times", "folk", "count", "noun",
}  # fmt: skip
#: What answers small talk names the same things from the other's side.
ANSWER_FIELDS = {"thatkin", "thatobject", "thatfolk", "item"}


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


def fields_of(texts):
    return set().union(*map(fields, texts))


@pytest.mark.parametrize("name", ["A", "B"])
def test_every_field_of_a_sentence_is_known(name):
    words = language("chat", name)
    patterns = {"min", "sec", "one", "dec", "bpm"}
    plain = {one for one in leaves(words.facts) if ANSWER not in one}
    decoys = {one for _, entry in ways(name) for one in entry.get("decoy", ())}
    assert fields_of(plain - decoys) - patterns <= FACT_FIELDS
    assert fields_of(decoys) <= TALK_FIELDS
    talk = set(leaves(words.talk))
    assert fields_of({one.split(ANSWER)[0] for one in talk}) <= TALK_FIELDS | {"O", "P"}
    answers = {one.split(ANSWER)[1] for one in talk if ANSWER in one}
    assert fields_of(answers) <= (TALK_FIELDS | ANSWER_FIELDS) - {"mykin", "folk", "object"}
    more = [one.split(ANSWER) for one in leaves(words.facts) if ANSWER in one]
    assert fields_of(about for about, _ in more) <= FACT_FIELDS - {"v"}
    assert fields_of(on for _, on in more) <= (FACT_FIELDS | TALK_FIELDS) - {"v"}


@pytest.mark.parametrize("name", ["A", "B"])
def test_everything_said_in_small_talk_has_an_answer(name):
    talk = language("chat", name).talk
    said = [*talk["wonder"], *(one for pool in talk["pool"].values() for one in pool["tell"])]
    assert [one for one in said if one.count(ANSWER) != 1] == []
    for attribute, entry in ways(name):
        assert [one.count(ANSWER) for one in entry["more"]] == [1] * len(entry["more"]), attribute


@pytest.mark.parametrize("name", ["A", "B"])
def test_a_decision_and_its_discussion_mark_what_they_hold(name):
    for entry in language("chat", name).facts["decision"].values():
        for one in entry["discuss"] + entry["decide"]:
            assert one.count("«") == one.count("»") == 1
            assert "{" not in one[one.index("«") : one.index("»")]


@pytest.mark.parametrize("lang", ["zh", "ja", "ko"])
def test_second_languages_have_the_same_attributes_and_share_no_sentence(lang):
    tables = table("chat", lang)
    first, second = tables["a"], tables["b"]
    assert list(first["fact"]) == list(second["fact"]) == list(tables["values"])
    written = [{one for one in leaves(side) if len(one) > 3} for side in (first, second)]
    assert written[0] & written[1] == set()
    for side in (first, second):
        assert all(one.count(ANSWER) == 1 for one in side["talk"])
        for entry in side["fact"].values():
            assert fields_of(entry["say"]) == {"v"}
            asked = [one for way in ("ask", "q", "en", "mixed", "more") for one in entry[way]]
            assert "v" not in fields_of(asked)
    values = [value for found in tables["values"].values() for value in found]
    assert len(values) == len(set(values))


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
