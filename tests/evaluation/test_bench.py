import numpy as np

from lcm_lab.evaluation.bench import bench_ranking
from lcm_lab.evaluation.engines import FTS5Engine, Ours
from lcm_lab.evaluation.zipf import zipf
from lcm_lab.ranking.lexical.words import BM25
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
    assert len(frame) == frame["engine"].nunique() * frame["work"].nunique()
    assert (frame["median"] >= 0).all()
