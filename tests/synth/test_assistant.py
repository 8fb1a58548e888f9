"""The profile assistant: its tables, what it makes of them, and the collection that is shipped."""

import re
from collections import Counter
from datetime import timedelta
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab import BM25, evaluate
from lcm_lab.collection import Collection
from lcm_lab.measures import AnyR, nDCG
from lcm_lab.synth import assistant
from lcm_lab.synth.assistant import lengths, topics
from lcm_lab.synth.assistant.answers import Answers
from lcm_lab.synth.assistant.cases import BANDS, cases_of
from lcm_lab.synth.assistant.codes import KINDS, code, near
from lcm_lab.synth.assistant.phrases import Phrases
from lcm_lab.synth.assistant.snippets import snippet
from lcm_lab.synth.assistant.user import USERS, Plan, user
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.folder import read_world
from lcm_lab.synth.language import expand, table
from lcm_lab.synth.overlap import stems
from lcm_lab.synth.profile import Setting

SETTING = Setting("assistant", lang="mix", noise=30)
TYPES = set(cases_of(SETTING))
#: Chinese, Japanese and Korean characters.
UNSPACED = "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
TALK = {"goal", "thing", "act", "why", "risk", "tool", "title"}


def leaves(tree):
    """Every string of a table."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for one in tree.values():
            yield from leaves(one)
    else:
        for one in tree:
            if not isinstance(one, int):
                yield from leaves(one)


def fields(template):
    return set(re.findall(r"\{(\w+)!?\}", template))


def values():
    """Every value of a slot or event, in lower case."""
    for topic in topics.topics().values():
        for entry in (*topic["slot"], topic["event"]):
            yield from (value.lower() for value in entry["v"])


def held():
    return re.compile("|".join(rf"(?<!\w){re.escape(v)}(?!\w)" for v in values()))


def ways(templates):
    """Name, entry and what a set has for it, for every slot."""
    for name, topic in topics.topics().items():
        for slot in topic["slot"]:
            yield name, slot, topics.facts_of(slot, templates)


def set_of(templates):
    out = set(leaves(topics.frames(templates)))
    for topic in topics.topics().values():
        for entry in (*topic["slot"], topic["event"], topic["wish"], topic["claim"]):
            out |= set(leaves(topics.facts_of(entry, templates)))
            out |= set(leaves(topics.facts_of(entry.get("p", {"a": [], "b": []}), templates)))
    for language in table("assistant", "foreign").values():
        out |= {*language[f"user_{templates.lower()}"], *language[f"answer_{templates.lower()}"]}
        out |= set(leaves([topics.facts_of(fact, templates) for fact in language["fact"]]))
    return out - {"{q}", "{c!}."}


def test_template_sets_share_no_code():
    for language in table("assistant", "code").values():
        assert not set(language["a"]) & set(language["b"])


@pytest.fixture(scope="module")
def made():
    """One user of the shipped collection, made again."""
    name, plan = assistant.conversations(SETTING)[0]
    return assistant.part(name, plan, SETTING)


@pytest.fixture(scope="module")
def home(root):
    return root / "datasets" / "synth-assistant-s"


@pytest.fixture(scope="module")
def bench(home):
    return Collection.open(home)


@pytest.fixture(scope="module")
def state(home):
    return read_world(home)


# ---------------------------------------------------------------- tables


def test_there_are_about_forty_topics_with_all_that_talk_needs():
    assert len(topics.topics()) == 38
    for name, topic in topics.topics().items():
        assert set(topic) >= TALK | {"rec", "code", "slot", "event", "wish", "claim", "drop"}, name
        assert len(topic["slot"]) == 3, name
        assert (len(topic["drop"]["x"]), len(topic["drop"]["r"])) == (3, 4), name


def test_template_sets_share_no_sentence():
    assert set_of("A") & set_of("B") == set()


def test_template_sets_share_no_opening_of_a_statement_or_question():
    def openings(templates):
        said = (sentence for _, _, way in ways(templates) for sentence in leaves(way))
        return {" ".join(one.split()[:4]) for one in said if "{v" not in one[:25]}

    shared = openings("A") & openings("B")
    assert len(shared) <= 0.1 * len(openings("B"))


@pytest.mark.parametrize("templates", ["A", "B"])
def test_statements_hold_the_value_and_all_other_talk_does_not(templates):
    for name, slot, (said, changed, asked) in ways(templates):
        assert all(fields(one) == {"v"} for one in (*said, *changed)), name
        assert not any(fields(one) for one in asked), name
        assert len(asked) == 3, name
        assert not any(fields(one) for one in leaves(slot.get("p", ()))), name


def test_no_value_stands_in_another_or_in_talk():
    every = list(values())
    assert len(every) == len(set(every))
    pattern = held()
    assert [value for value in every if pattern.search(value).group() != value] == []
    talk = [one for t in topics.topics().values() for key in TALK for one in leaves(t[key])]
    talk += [one for name in ("lexicon", "a", "b", "foreign") for one in leaves(table_of(name))]
    talk += [one for t in topics.topics().values() for one in leaves([t["drop"], t["rec"]])]
    assert [one for one in talk if pattern.search(one.lower())] == []


def table_of(name):
    return table("assistant", name)


@pytest.mark.parametrize("templates", ["A", "B"])
def test_no_sentence_about_a_fact_holds_the_value_of_another(templates):
    pattern = held()
    for topic in topics.topics().values():
        for entry in (*topic["slot"], topic["event"], topic["wish"], topic["claim"]):
            for one in leaves(topics.facts_of(entry, templates)):
                assert not pattern.search(one.lower()), one


@pytest.mark.parametrize("templates", ["A", "B"])
def test_a_paraphrase_shares_no_stem_with_what_it_asks_for_and_half_with_its_decoys(templates):
    for name, slot, (said, changed, _) in ways(templates):
        if "p" in slot:
            question, decoys = topics.facts_of(slot["p"], templates)
            asked = stems(question)
            for sentence in (*said, *changed):
                shared = asked & stems(sentence.replace("{v}", ""))
                assert len(shared) <= 0.15 * len(asked), (name, shared)
            for decoy in decoys:
                assert len(asked & stems(decoy)) >= 0.4 * len(asked), (name, decoy)


@pytest.mark.parametrize("templates", ["A", "B"])
def test_every_field_of_a_sentence_is_known(templates):
    known = TALK | set(table_of("lexicon")) | {"person"}
    known |= {f"{name}2" for name in known}
    told = {"c", "n", "k", "x", "cat", "bare", "v", "p", "s", "r", "fn", "q", "v1", "v2", "subject"}
    used = set().union(*(fields(one) for one in leaves(topics.frames(templates))))
    assert used <= known | told


@pytest.mark.parametrize("templates", ["A", "B"])
def test_choices_are_closed(templates):
    for one in set_of(templates):
        assert one.count("[") == one.count("]"), one
        if not one.startswith("|"):
            assert not set("[]|") & set(expand(one, Draw(one))), one


def test_wishes_mark_what_shows_them():
    for topic in topics.topics().values():
        for templates in ("A", "B"):
            for way in topics.facts_of(topic["wish"], templates)[0]:
                assert way.count("«") == way.count("»") == 1


def test_the_tables_are_small():
    folder = files("lcm_lab.synth").joinpath("assistant")
    assert sum(len(path.read_bytes()) for path in folder.iterdir() if path.is_file()) < 1_500_000


# ---------------------------------------------------------------- parts


def test_length_tables_are_quantiles_with_the_means_of_the_counterpart():
    for spread, mean in ((lengths.USER_WORDS, 50), (lengths.ANSWER_WORDS, 576)):
        assert len(spread) == 64
        assert list(spread) == sorted(spread)
        assert sum(spread) / 64 == pytest.approx(mean, rel=0.02)


@given(st.text("@#-K", min_size=2, max_size=12).filter(lambda s: set(s) & set("@#")), st.integers())
def test_a_near_code_is_one_or_two_characters_away_and_keeps_the_shape(shape, seed):
    first = code(shape, Draw(seed))
    other = near(first, shape, Draw(seed, "near"))
    assert 1 <= sum(a != b for a, b in zip(first, other, strict=True)) <= 2
    for found in (first, other):
        assert all(c in KINDS.get(kind, kind) for c, kind in zip(found, shape, strict=True))


def test_phrases_come_again_only_when_all_have_been_used():
    topic = topics.topics()["kitchen"]
    phrases = Phrases(topic, table_of("lexicon"), Draw("deck"), own=True)
    size = len(topic["thing"])
    first = [phrases["thing" if i % 2 else "thing2"] for i in range(size)]
    assert sorted(first) == sorted(topic["thing"])
    assert phrases["thing"] in topic["thing"]


def test_what_belongs_to_the_user_is_said_as_theirs_by_the_assistant():
    topic, lexicon = topics.topics()["garden"], table_of("lexicon")
    said = {Phrases(topic, lexicon, Draw(seed), own=False)["who"] for seed in range(200)}
    assert "your neighbour" in said
    assert not [one for one in said if one.startswith("my ")]


def test_a_filled_in_word_gets_its_article():
    phrases = Phrases(topics.topics()["sleep"], table_of("lexicon"), Draw(1), own=True)
    assert phrases.say(["A {x} and a {y}, a {z}."], x="early bird", y="one-off", z="plan") == (
        "An early bird and a one-off, a plan."
    )


def test_an_answer_has_about_the_words_that_were_drawn_and_holds_what_it_is_to_say():
    sizes = []
    for seed in range(30):
        phrases = Phrases(topics.topics()["webapp"], table_of("lexicon"), Draw(seed), own=False)
        answer = Answers(topics.frames("A"), "A", phrases).write(500, ["Here it is: XYZZY."])
        sizes.append(len(answer.split()))
        assert answer.count("XYZZY") == 1
    assert 430 <= min(sizes) <= max(sizes) <= 600
    assert np.mean(sizes) == pytest.approx(500, abs=15)


def test_an_answer_comes_back_to_what_it_was_asked_about():
    phrases = Phrases(topics.topics()["budget"], table_of("lexicon"), Draw(3), own=False)
    phrases.share = 500
    answer = Answers(topics.frames("A"), "A", phrases).write(600, (), ["the blue folder"])
    assert answer.lower().count("the blue folder") >= 5


@pytest.mark.parametrize("templates", ["A", "B"])
@pytest.mark.parametrize("tongue", ["python", "javascript", "sql", "bash", "yaml", "formula"])
def test_code_is_fenced_filled_and_called_by_its_name(tongue, templates):
    for seed in range(10):
        phrases = Phrases(topics.topics()["webapp"], table_of("lexicon"), Draw(seed), own=False)
        name, block = snippet(phrases, tongue, templates)
        assert name in block
        assert block.startswith("```") and block.endswith("\n```")
        assert not re.search(r"\{(var|verb|table|column|fn)2?\}", block)


def test_python_code_parses():
    for templates in ("A", "B"):
        for seed in range(10):
            phrases = Phrases(topics.topics()["webapp"], table_of("lexicon"), Draw(seed), own=False)
            _, block = snippet(phrases, "python", templates)
            compile(block.removeprefix("```python\n").removesuffix("\n```"), "snippet", "exec")


def test_a_calendar_runs_forward_and_leaves_the_nights_free():
    world = user("u01", Plan(400, 8, 30), Draw("calendar"))
    assert world.starts == sorted(world.starts)
    assert all(6 <= start.hour <= 23 for start in world.starts)
    assert len(set(world.about)) == 8
    assert len(world.about) == 400


# ---------------------------------------------------------------- a user's history


def test_a_user_is_made_as_it_is_shipped(made, bench):
    frame = bench.corpus.frame()
    shipped = frame[frame["conversation"] == "u01"]
    assert [message.docno for message in made.messages] == shipped["docno"].tolist()
    assert [message.text for message in made.messages] == shipped["text"].tolist()
    topics_ = bench.topics[bench.topics["conversation"] == "u01"]
    assert [topic.query for topic in made.exam.topics] == topics_["query"].tolist()


def test_user_and_assistant_take_turns_and_answer_each_other(made):
    roles = [message.role for message in made.messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2)
    by_docno = {message.docno: message for message in made.messages}
    for message in made.messages:
        number = int(message.docno.rsplit("/", 1)[1])
        assert bool(message.parent) == (number > 1)
        if message.parent:  # a clock may stumble, by seconds
            assert by_docno[message.parent].time < message.time + timedelta(seconds=10)


def test_a_fact_is_told_once_by_whom_it_is_known(made):
    told = Counter(fact.ref for message in made.messages for fact in message.states)
    assert set(told) == {fact.ref for fact in made.world.facts}
    assert set(told.values()) == {1}
    for message in made.messages:
        assert all(fact.owner == message.role for fact in message.states)


def test_a_message_holds_the_values_that_it_states_and_the_mentions_hold_none(made):
    for message in made.messages:
        text = message.text.lower()
        for fact in message.states:
            assert fact.value.lower() in text, fact
        for fact in message.mentions:
            assert not fact.value or fact.value.lower() not in text or fact in message.states


def test_the_parts_of_a_series_are_told_in_the_order_in_which_they_happened(made):
    events = [fact for fact in made.world.facts if fact.kind == "event"]
    for slot in {fact.slot for fact in events}:
        series = sorted((f for f in events if f.slot == slot), key=lambda fact: fact.session)
        days = [fact.day for fact in series]
        assert days == sorted(set(days))


def test_noise_leaves_answers_alone():
    setting = Setting("assistant", lang="en", noise=100)
    name, plan = assistant.conversations(setting)[0]
    noisy = assistant.part(name, plan, setting)
    texts = {message.docno: message.text for message in noisy.messages}
    for topic in noisy.exam.topics:
        assert all(span in texts[docno] for docno, span in topic.spans.items())


def test_sizes_are_those_of_the_counterparts():
    assert {size: (count, plan.sessions) for size, (count, plan) in USERS.items()} == {
        "S": (8, 50),
        "M": (8, 500),
        "L": (10, 500),
    }


# ---------------------------------------------------------------- the shipped collection


def test_the_shape_is_that_of_the_assistant_profile(bench):
    frame = bench.corpus.frame()
    assert frame["conversation"].nunique() == 8
    assert frame.groupby("conversation")["session"].nunique().eq(50).all()
    sizes = frame.groupby("session").size()
    assert 11 <= sizes.mean() <= 13


@pytest.mark.parametrize(
    ("role", "spread"), [("user", "USER_WORDS"), ("assistant", "ANSWER_WORDS")]
)
def test_messages_are_as_long_as_drawn_and_those_with_evidence_as_any(bench, role, spread):
    """Words are counted where spaces part them; BEAM's evidence is .91 and .99 of the others."""
    frame = bench.corpus.frame()
    spaced = frame[(frame["role"] == role) & ~frame["text"].str.contains(UNSPACED)]
    words = spaced["text"].str.split().str.len()
    drawn = np.array(getattr(lengths, spread))
    assert words.mean() == pytest.approx(drawn.mean(), rel=0.02)
    found, wanted = (np.quantile(one, [0.1, 0.5, 0.9]) for one in (words, drawn))
    assert found == pytest.approx(wanted, rel=0.06, abs=4)
    evidence = spaced["docno"].isin(bench.qrels.loc[bench.qrels["relevance"] >= 2, "docno"])
    assert words[evidence].mean() == pytest.approx(words[~evidence].mean(), rel=0.1)


def test_every_type_is_asked_for_about_as_often_as_planned(bench):
    found = bench.topics["type"].value_counts()
    assert set(found.index) == TYPES == set(BANDS) - {"adjacency"}
    for kind, (_, wanted) in cases_of(SETTING).items():
        assert found[kind] >= 0.8 * 8 * wanted, kind


def test_answers_do_not_repeat_sentences_more_than_real_ones_do(bench):
    """In BEAM 19 of 100 sentences of five words and more were there before."""
    frame = bench.corpus.frame()
    seen, again, total = set(), 0, 0
    for text in frame.loc[frame["role"] == "assistant", "text"]:
        for one in re.split(r"(?<=[.!?])\s+|\n", text.lower()):
            if len(one.split()) >= 5:
                total, again = total + 1, again + (one in seen)
                seen.add(one)
    assert again / total < 0.19


def test_superseded_values_are_stale(bench, state):
    stale = bench.qrels[bench.qrels["stale"]]
    kinds = bench.topics.set_index("qid")["type"]
    assert len(stale) >= 40
    assert set(kinds[stale["qid"]]) == {"update"}


def test_sessions_are_units_as_well(bench):
    sessions = bench.units("session")
    assert len(sessions.corpus) == 400
    judged = sessions.qrels[sessions.qrels["relevance"] >= 2]
    answered = bench.topics[bench.topics["type"] != "abstention"]
    assert set(judged["qid"]) == set(answered["qid"])


def test_other_languages_are_there(bench):
    foreign = bench.topics[bench.topics["type"] == "cross-lingual"]["query"]
    assert any(re.search("[\u3040-\u30ff]", query) for query in foreign)
    assert any(re.search("[\uac00-\ud7a3]", query) for query in foreign)
    assert any(re.search("[\u4e00-\u9fff]", query) for query in foreign)


def test_bm25_is_neither_saturated_nor_lost_in_messages_and_sessions(bench):
    for unit in ("turn", "session"):
        table = evaluate({"bm25": BM25() % 10}, bench.units(unit), [nDCG @ 10, AnyR @ 5]).summary()
        means = dict(zip(table["measure"].astype(str), table["mean"], strict=True))
        assert 0.40 <= means["nDCG@10"] <= 0.80, unit
        assert 0.60 <= means["AnyR@5"] <= 0.92, unit


@pytest.mark.slow
def test_the_shipped_assistant_collection_is_generated_byte_for_byte(tmp_path):
    from lcm_lab.synth.generate import build, write
    from lcm_lab.transcripts.load import shipped

    folder = shipped()["synth-assistant-s"]
    made = write(tmp_path / folder.name, build("assistant"))
    names = sorted(path.name for path in folder.iterdir())
    assert sorted(path.name for path in made.iterdir()) == names
    assert [name for name in names if unpacked(made / name) != unpacked(folder / name)] == []


def unpacked(path):
    import lzma

    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
