import numpy as np
import pandas as pd
import pytest

from lcm_lab.agent.speed import timed
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.evaluation.bench.dense import _engines, _unit, bench_dense
from lcm_lab.evaluation.bench.engines import FTS5Engine, Ours
from lcm_lab.evaluation.bench.large import bench_large
from lcm_lab.evaluation.bench.lexical import bench_ranking, compared, curve, exponents
from lcm_lab.evaluation.bench.pipeline import bench_pipeline, family
from lcm_lab.evaluation.bench.store import stored
from lcm_lab.evaluation.bench.targets import against_targets
from lcm_lab.evaluation.bench.turns import COLUMNS, take_turns
from lcm_lab.evaluation.bench.zipf import zipf
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.searcher import within
from lcm_lab.text import Analyzer


def test_equal_seeds_make_equal_corpora():
    one, other = zipf(300, questions=5, seed=1), zipf(300, questions=5, seed=1)
    assert one.corpus.fingerprint == other.corpus.fingerprint
    assert one.natural == other.natural
    assert zipf(300, questions=5, seed=2).corpus.fingerprint != one.corpus.fingerprint


def test_questions_hold_words_of_their_conversation():
    made = zipf(500, questions=20)
    texts = made.corpus["text"]
    for question, asked in zip(made.content, made.asked, strict=True):
        there = " ".join(texts.iloc[made.corpus.conversations[asked]]).split()
        assert set(question.split()) <= set(there)


def test_every_engine_finds_much_the_same_rows():
    made = zipf(2_000, questions=30)
    plain = BM25(fields=("text",), analyzer=Analyzer(language=None, stop=None, identifiers=False))
    ours, fts = Ours("bm25", plain), FTS5Engine()
    for engine in (ours, fts):
        engine.build(made.corpus)
    shared = []
    for question, talk in zip(made.content, made.asked, strict=True):
        found = ours.search(question).rows.tolist()
        shared.append(len(set(found) & {row for (row,) in fts.search(question)}) / len(found))
        inside = ours.within(question, talk).rows
        span = made.corpus.conversations[talk]
        assert ((inside >= span.start) & (inside < span.stop)).all()
        assert {row for (row,) in fts.within(question, talk)} <= set(range(span.start, span.stop))
        assert ((ours.between(question, slice(100, 300)).rows // 100) < 3).all()
    fts.close()
    assert np.mean(shared) > 0.7  # FTS5 has another idf and fixed parameters


def test_every_engine_is_timed_at_every_piece_of_work():
    frame = bench_ranking(400, questions=5)
    first = frame[frame["engine"] == "BM25, plain words"]
    assert (first["ratio"] == 1).all()
    alone = frame["engine"] == "BM25, plain words, it alone"
    assert frame.loc[alone, "work"].tolist() == ["one conversation"]
    every = frame[~alone]
    assert len(every) == every["engine"].nunique() * every["work"].nunique()
    assert (frame["median"] >= 0).all()


def test_vectors_are_found_alike_by_every_engine():
    rng = np.random.default_rng(0)
    vectors = _unit(rng, 1_200, 16)
    engines = dict(_engines(vectors, vectors[:30]))
    for part in (slice(0, 1_200), slice(400, 600)):
        for i in range(30):
            ours = engines['Dense(scan="exact")'](i, part).rows.tolist()
            assert engines['Dense(scan="sq8")'](i, part).rows.tolist() == ours
            assert sorted(engines["FAISS, flat"](i, part)[1][0].tolist()) == sorted(ours)
            assert sorted(engines["numpy"](i, part).tolist()) == sorted(ours)


def test_what_others_take_is_a_ratio_to_the_first_of_the_same_run():
    frame = bench_dense(1_000, questions=30, dimensions=8)
    assert list(frame.columns) == list(COLUMNS)
    assert frame.groupby("work")["ratio"].first().tolist() == [1.0, 1.0]
    assert ((frame["low"] <= frame["ratio"]) & (frame["ratio"] <= frame["high"])).all()
    assert (frame["limit"] > 0).all()


def test_thirty_policies_share_two_scorers():
    policies = family()
    assert len(set(policies)) == 30
    assert len({leaf for policy in policies for leaf in within(policy, Scorer)}) == 2


@pytest.mark.slow
def test_the_pipeline_is_timed_beside_the_scorers_alone():
    frame = bench_pipeline(400, questions=6)
    assert set(frame[frame["ratio"] == 1]["engine"]) >= {"the two scorers alone", "Python alone"}
    assert frame["work"].nunique() == 5
    on_top = frame[frame["engine"].str.endswith("on top")]
    assert len(on_top) == 3


def test_everyone_is_asked_every_question_and_a_few_before():
    asked = {"a": [], "b": []}
    doers = [asked["a"].append, asked["b"].append]
    times = take_turns(doers, list(range(40)), "work", np.random.default_rng(0), block=7)
    assert times.shape == (2, 2, 40)
    assert asked["a"] == asked["b"] == [*range(20), *range(40)]


def test_a_curve_says_at_which_size_and_how_time_grows():
    frame = curve([100, 200], questions=2)
    assert sorted(set(frame["size"])) == [100, 200]
    assert frame.groupby("work")["ratio"].first().eq(1).all()
    grown = exponents(frame)
    assert len(grown) == frame.groupby(["engine", "what"]).ngroups
    assert (grown["n"] == 2).all()


def test_a_run_is_set_beside_another(tmp_path):
    timed(200, 2, 0, str(tmp_path / "one"), json=False)
    saved = tmp_path / "one" / "data.parquet"
    frame = pd.read_parquet(saved)
    assert (compared(frame, frame)["change"] == 1).all()
    told = timed(200, 2, 0, str(tmp_path / "two"), json=False, against=str(saved))
    assert "ratio then" in told
    with pytest.raises(NotFound, match="No table of another run"):
        timed(200, 2, 0, str(tmp_path / "x"), json=False, against=str(tmp_path / "none.parquet"))
    saved.write_bytes(b"no")
    with pytest.raises(BadInput, match="is no parquet"):
        timed(200, 2, 0, str(tmp_path / "x"), json=False, against=str(saved))


def test_what_is_promised_stands_beside_what_was_measured():
    rows = [
        ("BM25, plain words", "natural question", 0.5, 2.0),
        ("tantivy", "natural question", 1.0, 4.0),
        ("fused, decay, MMR, on top", "fuse, decay and MMR over 2 x 100 candidates", 0.2, 0.4),
    ]
    timed = pd.DataFrame(rows, columns=["engine", "work", "median", "p95"])
    found = against_targets(timed)
    assert found["figure"].tolist() == ["2x", "2x", "0.2 ms"]
    assert found["target"].tolist() == ["at least 4x", "at least 1x", "at most 0.3 ms"]
    assert found["met"].tolist() == [False, True, True]
    assert ["cache" in why for why in found["held"]] == [True, False, False]


@pytest.mark.slow
def test_short_messages_in_a_mapped_file_are_timed_with_the_memory_they_take():
    frame = bench_large(1_000, questions=2)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["n"].tolist() == [1_000, 1_000, 2, 2]
    assert (frame["memory"].dropna() > 0).all()


@pytest.mark.slow
def test_what_a_store_takes_is_a_row_beside_others():
    frame = stored(200, questions=3)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["work"].tolist()[1] == "append one message to a store"
    assert (frame["wall"] > 0).all()
