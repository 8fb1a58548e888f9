"""generate: the same bytes everywhere, the promised shape, and clear refusals."""

import os
import subprocess
import sys

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.synth.generate import build, generate


def test_the_shipped_files_are_small(folder):
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3_000_000


def test_generation_does_not_depend_on_the_hash_seed(few):
    code = (
        "import sys; from itertools import islice; "
        "from lcm_lab.synth.assemble import assemble; "
        "from lcm_lab.synth.generate import about, conversations, ready; "
        "maker, setting = ready('chat', {'seed': 2}); "
        "parts = list(islice(conversations(maker, setting), 2)); "
        "made = assemble(setting.name, parts, about(maker), setting.parameters); "
        "sys.stdout.write(made.collection.fingerprint)"
    )
    env = {**os.environ, "PYTHONHASHSEED": "4711"}
    out = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert out.stdout == few(seed=2).collection.fingerprint


def test_other_parameters_give_another_collection(few):
    others = [few(), few(tier=1), few(tier=23), few(seed=2), few(templates="B"), few(lang="ko")]
    assert len({one.collection.fingerprint for one in others}) == 6


def test_the_shape_is_that_of_the_chat_profile(built):
    corpus = built.collection.corpus
    frame = corpus.frame()
    assert frame["conversation"].nunique() == 10
    assert frame["session"].nunique() == 250
    assert 5_500 <= len(corpus) <= 6_500
    assert frame.groupby("conversation")["speaker"].nunique().eq(2).all()
    words = frame.loc[frame["text"].map(str.isascii), "text"].str.split().str.len()
    assert 21 <= words.mean() <= 25
    sessions = frame.groupby("session").size()
    assert 20 <= sessions.mean() <= 26


def test_clocks_stumble_in_one_message_of_a_hundred_and_never_over_a_session(built):
    frame = built.collection.corpus.frame()
    gaps = frame.groupby("session")["time"].diff().dropna().dt.total_seconds()
    assert 0.005 <= (gaps <= 0).mean() <= 0.015
    assert gaps.min() >= -9
    starts = frame.groupby(["conversation", "session"])["time"].agg(["min", "max"])
    for _, talk in starts.groupby("conversation"):
        assert (talk["min"].to_numpy()[1:] > talk["max"].to_numpy()[:-1]).all()


def test_there_are_fifteen_types_and_more_than_six_hundred_topics(built):
    counts = built.collection.topics["type"].value_counts()
    assert len(counts) == 15
    assert counts.sum() > 600
    assert counts.min() >= 20


def test_answers_are_graded_and_superseded_values_are_stale(built):
    bench = built.collection
    kinds = bench.topics.set_index("qid")["type"]
    qrels = bench.qrels.assign(type=bench.qrels["qid"].map(kinds))
    of_several = {"multi-session", "contradiction", "ordering"}
    best = qrels.groupby("qid")["relevance"].max()
    assert (best[kinds[best.index].isin(of_several)] == 2).all()
    assert (best[~kinds[best.index].isin(of_several)] == 3).all()
    assert set(qrels.loc[qrels["relevance"] == 2, "type"]) == {*of_several, "rationale"}
    assert set(qrels.loc[qrels["stale"], "type"]) == {"update"}
    stale = qrels[qrels["stale"]].groupby("qid").size()
    assert len(stale) == (kinds == "update").sum()
    assert bench.relevant_from == 2


def test_both_sides_of_a_contradiction_and_decision_with_discussion_are_gold(built):
    bench = built.collection
    kinds = bench.topics.set_index("qid")["type"]
    gold = bench.qrels[bench.qrels["relevance"] >= 2]
    speaker = bench.corpus.frame().set_index("docno")["speaker"]
    for qid, rows in gold.groupby("qid"):
        if kinds[qid] == "contradiction":
            assert speaker[rows["docno"]].nunique() == 2
        if kinds[qid] == "rationale":
            assert sorted(rows["relevance"]) == [2, 3]
        if kinds[qid] == "ordering":
            assert 3 <= len(rows) <= 5


def test_an_order_is_asked_of_things_that_happened_in_that_order(built):
    facts = {f["id"]: f for t in built.world["conversations"].values() for f in t["facts"]}
    topics = built.collection.topics.set_index("qid")
    for qid in topics.index[topics["type"] == "ordering"]:
        told = [facts[ref] for ref in built.world["topics"][qid]["facts"]]
        assert [fact["date"] for fact in told] == sorted(fact["date"] for fact in told)
        assert topics.loc[qid, "answer"] == "; ".join(fact["value"] for fact in told)


def test_what_came_right_after_is_the_next_message_of_the_other(built):
    frame = built.collection.corpus.frame()
    place = {docno: i for i, docno in enumerate(frame["docno"])}
    gold = built.collection.qrels.groupby("qid")["docno"].first()
    topics = built.collection.topics
    for topic in topics[topics["type"] == "adjacency"].itertuples():
        after = frame.iloc[place[gold[topic.qid]]]
        before = frame.iloc[place[gold[topic.qid]] - 1]
        assert before["session"] == after["session"]
        assert before["speaker"] != after["speaker"]
        assert topic.query.count('"') == 2
        quoted = topic.query.split('"')[1]
        assert quoted in before["text"].replace('"', "'")
        assert after["text"].startswith(topic.answer)


def test_an_update_asked_before_the_change_has_the_older_value(built):
    """As of the moment of asking: an answer never comes from a message that came later."""
    facts = {f["id"]: f for t in built.world["conversations"].values() for f in t["facts"]}
    asked = built.collection.topics.set_index("qid")["asked_at"]
    replaced = 0
    for qid, state in built.world["topics"].items():
        for ref in state["facts"]:
            moment = asked[qid].strftime("%Y-%m-%dT%H:%M:%SZ")
            assert facts[ref]["valid_from"] < moment
            assert facts[ref]["valid_to"] is None or moment < facts[ref]["valid_to"]
            replaced += facts[ref]["valid_to"] is not None
    assert replaced > 0


@pytest.mark.parametrize("tier", [1, 6, 23])
def test_the_median_of_those_that_tie_or_beat_is_the_tier(few, tier):
    reached = few(tier=tier).collection.card["tie_or_beat_median"]
    assert tier * 0.8 - 0.5 <= reached <= tier * 1.2 + 0.5


def test_one_pair_in_a_language_has_it_in_some_messages_and_english_in_most(few, built):
    languages = few(lang="ko").collection.card["languages"]
    assert set(languages) == {"en", "ko"}
    assert 0.05 <= languages["ko"] / sum(languages.values()) <= 0.15
    assert set(built.collection.card["languages"]) == {"en", "zh", "ja", "ko"}


def test_without_languages_and_noise_a_chat_is_plain_english(few):
    plain = few(lang="en", noise=0).collection
    assert plain.corpus["text"].map(str.isascii).all()
    assert "cross-lingual" not in set(plain.topics["type"])
    times = plain.corpus.frame().groupby("conversation")["time"]
    assert times.apply(lambda t: t.is_monotonic_increasing and t.is_unique).all()


@pytest.mark.slow
def test_size_m_has_five_hundred_sessions():
    bench = generate("chat", size="M", seed=1)
    assert bench.corpus["session"].nunique() == 500
    assert bench.card["sessions"] == 500


def test_what_there_is_not_is_refused_with_what_there_is():
    with pytest.raises(
        BadParameter,
        match=r"profile must be one of .* Got 'chats'. Did you",
    ):
        generate("chats")
    with pytest.raises(BadParameter, match=r"size must be one of 'S', 'M', 'L'. Got 's'"):
        generate("chat", size="s")
    with pytest.raises(BadParameter, match=r"tier must be one of 1, 6, 23. Got 5"):
        generate("chat", tier=5)
    with pytest.raises(BadParameter, match="tier must be one of"):
        generate("chat", tier=True)
    with pytest.raises(BadParameter, match="templates must be one of 'A'"):
        generate("chat", templates="C")
    with pytest.raises(BadParameter, match=r"lang must be one of 'mix', 'en', 'zh', 'ja', 'ko'"):
        generate("chat", lang="fr")
    with pytest.raises(BadParameter, match=r"There is no parameter 'sed'. Did you mean 'seed'"):
        build("chat", sed=1)
    with pytest.raises(BadParameter, match=r"tier must be .* Got 20. The nearest is 23"):
        generate("chat", tier=20)
    for noise, close in ((-0.1, "0"), (0.9, "0.3"), (float("inf"), "0.3")):
        with pytest.raises(BadParameter, match=f"Got {noise}; write noise={close}"):
            generate("chat", noise=noise)
    for noise in (float("nan"), True, "0.1"):
        with pytest.raises(BadParameter, match="noise must be a share of words"):
            generate("chat", noise=noise)
    for seed in (-1, 0.5, True, "0"):
        with pytest.raises(BadParameter, match="seed must be a whole number"):
            generate("chat", seed=seed)


def test_the_card_says_how_to_make_it_again(built):
    parameters = built.collection.card["parameters"]
    assert parameters == {
        "profile": "chat",
        "size": "S",
        "seed": 0,
        "tier": 6,
        "templates": "A",
        "lang": "mix",
        "noise": 0.03,
    }
