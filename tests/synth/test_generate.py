"""generate: the same bytes everywhere, the promised shape, and clear refusals."""

import lzma
import os
import subprocess
import sys

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.synth.generate import generate, write

FILES = {"card.json", "card.md", "corpus.jsonl.xz", "qrels.tsv", "topics.jsonl", "world.json"}


def content(path):
    """A file's bytes; unpacked, since releases of liblzma may pack them differently."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def test_the_shipped_collection_is_generated_byte_for_byte(folder, built, tmp_path):
    made = write(tmp_path / "again", built)
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in made.iterdir()} == FILES
    for name in sorted(FILES):
        assert content(made / name) == content(folder / name), name


def test_the_shipped_files_are_small(folder):
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3_000_000


def test_generation_does_not_depend_on_the_hash_seed(built):
    code = (
        "from lcm_lab.synth.generate import generate; "
        "import sys; sys.stdout.write(generate('chat', size='S', seed=0).fingerprint)"
    )
    env = {**os.environ, "PYTHONHASHSEED": "4711"}
    out = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert out.stdout == built.collection.fingerprint


@pytest.mark.parametrize("change", [{"seed": 1}, {"tier": 23}, {"templates": "B"}])
def test_other_parameters_give_another_collection(built, change):
    assert generate("chat", **change).fingerprint != built.collection.fingerprint


def test_the_shape_is_that_of_the_chat_profile(built):
    corpus = built.collection.corpus
    frame = corpus.frame()
    assert frame["conversation"].nunique() == 10
    assert frame["session"].nunique() == 250
    assert 5_000 <= len(corpus) <= 6_000
    assert frame.groupby("conversation")["speaker"].nunique().eq(2).all()
    words = frame["text"].str.split().str.len()
    assert 21 <= words.mean() <= 25
    sessions = frame.groupby("session").size()
    assert 20 <= sessions.mean() <= 25
    assert frame.groupby("conversation")["time"].apply(lambda t: t.is_monotonic_increasing).all()


def test_there_are_nine_types_and_more_than_three_hundred_topics(built):
    counts = built.collection.topics["type"].value_counts()
    assert len(counts) == 9
    assert counts.sum() > 300
    assert counts.min() >= 40


def test_answers_are_graded_and_superseded_values_are_stale(built):
    bench = built.collection
    kinds = bench.topics.set_index("qid")["type"]
    qrels = bench.qrels.assign(type=bench.qrels["qid"].map(kinds))
    best = qrels.groupby("qid")["relevance"].max()
    assert (best[kinds[best.index] == "multi-session"] == 2).all()
    assert (best[kinds[best.index] != "multi-session"] == 3).all()
    assert set(qrels.loc[qrels["stale"], "type"]) == {"update"}
    stale = qrels[qrels["stale"]].groupby("qid").size()
    assert len(stale) == (kinds == "update").sum()
    assert bench.relevant_from == 2


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


def test_a_tier_is_harder_than_the_one_below():
    beaten = [generate("chat", tier=tier).card["tie_or_beat_median"] for tier in (1, 6, 23)]
    assert beaten == sorted(set(beaten))


@pytest.mark.slow
def test_size_m_has_five_hundred_sessions():
    bench = generate("chat", size="M", seed=1)
    assert bench.corpus["session"].nunique() == 500
    assert bench.card["sessions"] == 500


def test_what_there_is_not_is_refused_with_what_there_is():
    with pytest.raises(BadParameter, match=r"profile must be one of 'chat'. Got 'chats'. Did you"):
        generate("chats")
    with pytest.raises(BadParameter, match=r"size must be one of 'S', 'M', 'L'. Got 's'"):
        generate("chat", size="s")
    with pytest.raises(BadParameter, match=r"tier must be one of 1, 6, 23. Got 5"):
        generate("chat", tier=5)
    with pytest.raises(BadParameter, match="tier must be one of"):
        generate("chat", tier=True)
    with pytest.raises(BadParameter, match="templates must be 'A'"):
        generate("chat", templates="C")
    for seed in (-1, 0.5, True, "0"):
        with pytest.raises(BadParameter, match="seed must be a whole number"):
            generate("chat", seed=seed)


def test_the_card_says_how_to_make_it_again(built):
    parameters = built.collection.card["parameters"]
    assert generate(**parameters).fingerprint == built.collection.fingerprint
