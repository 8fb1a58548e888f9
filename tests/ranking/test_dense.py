"""Dense: cosines, their one float, the ladder, filters, passages, laziness, and bad vectors."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, MissingExtra
from lcm_lab.ranking.dense import ladder
from lcm_lab.ranking.dense.lsa import LSA
from lcm_lab.ranking.dense.nearest import Eager, top
from lcm_lab.ranking.dense.passages import cut, spoken
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.dense.vectors import Passages, cosines, unit
from lcm_lab.rows import rows_of
from lcm_lab.testing import check_ranker


def table(rows, fields=("text",), **options):
    """A Dense whose encoder looks vectors up by text."""
    encoder = lcm.Named("table", lambda texts: [rows[text] for text in texts])
    return Dense(encoder, fields=fields, **options)


def spread(n, d, seed=0):
    """Unit vectors in clusters, as those of conversations are."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n // 50 + 1, d))
    made = centres[rng.integers(len(centres), size=n)] + 0.7 * rng.normal(size=(n, d))
    return unit(made, "test", n)


@pytest.mark.parametrize(
    "ranker",
    [
        Dense(),
        Dense(LSA(3), fields=("speaker", "role", "text"), chunk=2),
        Dense(lazy=True),
        Dense(scan="hnsw"),
        lcm.BM25() % 5 + 0.3 * Dense(lazy=True),
        lcm.BM25() + 0.3 * Dense(LSA(3)) >> lcm.Recency("7D") % 3,
        table({}).__class__(
            lcm.Named("sizes", lambda texts: [[len(t), 1, t.count("e")] for t in texts])
        ),
    ],
    ids=repr,
)
def test_dense_keeps_the_contract_of_a_ranker(ranker):
    check_ranker(ranker)


def test_vectors_are_normalised_and_no_cosine_exceeds_one():  # RK-19
    rng = np.random.default_rng(1)
    long = rng.normal(size=300)
    ranker = table({"a": long * 20, "b": long / 1e30, "question": long})
    index = ranker.index(lcm.Corpus(["a", "b"]))
    scores = ranker.score(index, ["question"])
    assert scores.max() <= 1
    np.testing.assert_allclose(scores, 1, atol=1e-6)


def test_a_zero_vector_is_reported_and_is_no_hit():  # RK-19
    ranker = table({"a": [0, 0], "b": [1, 1], "question": [1, 0]})
    with pytest.warns(RuntimeWarning, match="zeros for 1 of 2 texts that are not blank"):
        search = ranker.fit(lcm.Corpus(["a", "b"]))
    assert search("question")["docno"].tolist() == ["m2"]


def test_a_blank_message_is_no_hit_and_is_not_encoded():
    ranker = table({"b": [1, 1], "question": [1, 0]})
    assert ranker.fit(lcm.Corpus(["", "b", "  "]))("question")["docno"].tolist() == ["m2"]


def test_asking_for_ten_of_three_gives_three():  # RK-07
    rows = {"a": [1, 0], "b": [1, 1], "c": [1, 2], "question": [1, 0]}
    for scan in ladder.SCANS:
        search = (table(rows, scan=scan) % 10).fit(lcm.Corpus(["a", "b", "c"]))
        assert search("question")["docno"].tolist() == ["m1", "m2", "m3"]


@pytest.mark.parametrize(
    "given",
    [
        np.eye(4)[:3],
        np.asfortranarray(np.eye(4, dtype=np.float32)[:3]),
        np.eye(4)[:, :3].T,
        np.eye(4)[:3].tolist(),
        np.eye(8, dtype=np.int64)[:6:2, ::2],
    ],
    ids=["float64", "columns first", "transposed", "nested lists", "strided integers"],
)
def test_vectors_come_in_any_layout(given):  # RK-18
    made = unit(given, "test", 3)
    assert made.dtype == np.float32 and made.flags.c_contiguous
    np.testing.assert_array_equal(np.linalg.norm(made, axis=1), 1)


def test_one_text_may_get_a_bare_vector():  # RK-18
    np.testing.assert_array_equal(unit([3, 4, 0, 0], "test", 1), [np.float32([0.6, 0.8, 0, 0])])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1, 2, 3], [1, 2, 3]], "vectors of 3 dimensions where others have 4"),
        ([[1, 2, 3, 4]], "was given 2 texts and gave 1 vectors"),
        ([[1, np.nan, 3, 4], [1, 2, 3, 4]], "1 of 2 vectors with values that are not finite"),
        ([[np.inf] * 4, [1, 2, 3, 4]], "not finite, the first for text 1"),
        ([[1, 2], [1, 2, 3]], "no array of numbers"),
        ([["a"], ["b"]], "no array of numbers"),
        ([[[1.0]], [[2.0]]], r"shape \(2, 1, 1\)"),
        ([[], []], r"shape \(2, 0\)"),
        ([1, 2], r"shape \(2,\)"),
        (None, "shape"),
    ],
)
def test_what_is_no_table_of_vectors_is_refused(given, message):  # RK-18
    with pytest.raises(BadInput, match=message):
        unit(given, lcm.Named("mine", len), 2, 4)


def test_a_question_as_wide_as_no_message_is_refused_with_both_widths():
    search = table({"a": [1, 0, 0, 0], "question": [1, 0, 0]}).fit(lcm.Corpus(["a"]))
    with pytest.raises(BadInput, match="3 dimensions where others have 4"):
        search("question")


def test_an_encoder_that_fails_says_which_it_was():
    with pytest.raises(KeyError) as caught:
        table({}).fit(lcm.Corpus(["a"]))
    assert caught.value.__notes__ == ["Named('table', ...) failed on 1 texts."]


def test_an_empty_corpus_never_asks_the_encoder():
    search = table({}).fit(lcm.Corpus([]))
    assert search("question").empty


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Dense(len), r'Give a function a name: Named\("my-encoder", f\)'),
        (lambda: Dense(LSA), r"LSA is a class. Write LSA\(\)"),
        (lambda: Dense("minilm"), "must be an encoder, such as LSA"),
        (lambda: Dense(scan="hsnw"), "Did you mean 'hnsw'"),
        (lambda: Dense(chunk=0), "chunk must be a whole number, 1 or more"),
        (lambda: Dense(fields=()), "fields must name columns"),
        (lambda: Dense(lazy=1), "lazy must be True or False"),
        (lambda: Dense(lazy=True, scan="ivf"), "searches nothing"),
        (lambda: LSA(0), "dimensions must be a whole number, 1 or more"),
    ],
)
def test_wrong_parameters_are_refused_when_the_value_is_made(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 1000))
def test_a_cosine_is_the_same_float_whatever_is_scored_with_it(d, n, seed):
    rng = np.random.default_rng(seed)
    vectors = unit(rng.normal(size=(n, d)), "test", n)[rng.integers(n, size=2 * n)]
    questions = unit(rng.normal(size=(3, d)), "test", 3)
    whole = cosines(vectors, slice(0, 2 * n), questions)
    for rows in (slice(n // 2, n + 1), rng.permutation(2 * n)[:n], np.array([n])):
        some = cosines(vectors, rows, questions[1:2])
        np.testing.assert_array_equal(some, whole[1:2, rows_of(rows)])


def test_equal_texts_tie_and_stand_in_corpus_order():
    said = ["use WAL for the cache", "drop the table"] * 40
    hits = (Dense(LSA(8)) % 80).fit(lcm.Corpus(said)).run("the WAL cache")
    tied = hits.rows[hits.scores == hits.scores[0]]
    assert tied.tolist() == list(range(0, 80, 2))


@given(st.integers(0, 500), st.integers(1, 30), st.integers(1, 2000))
def test_the_best_of_many_rows_are_those_that_sorting_gives(seed, k, n):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 40, n).astype(np.float32) / 40
    rows, found = top(scores, slice(7, 7 + n), k)
    wanted = np.lexsort((np.arange(n), -scores))[: min(k, np.count_nonzero(scores))]
    np.testing.assert_array_equal(rows, wanted + 7)
    np.testing.assert_array_equal(found, scores[wanted].astype(np.float64))


VECTORS = spread(4000, 32)
QUESTIONS = spread(4000, 32)[::100] + np.float32(0.02)
QUESTIONS /= np.linalg.norm(QUESTIONS, axis=1, keepdims=True)
ROWS = {"all": slice(0, 4000), "half": slice(100, 2100), "odd": np.arange(1, 4000, 2)}


def both(scan, vectors, questions, k, rows, starts=None):
    made = Passages(vectors, starts)
    found = Eager(None, made, ladder.build(scan, vectors)).best(questions, k, rows)
    return found, Eager(None, made, None).best(questions, k, rows)


def found_share(found, wanted):
    shares = [np.isin(b[0], a[0]).mean() for a, b in zip(found, wanted, strict=True)]
    return float(np.mean(shares))


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("k", [1, 10, 200])
def test_eight_bits_give_exactly_what_reading_everything_gives(rows, k):
    for found, wanted in zip(*both("sq8", VECTORS, QUESTIONS, k, rows), strict=True):
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])


def test_eight_bits_err_by_no_more_than_they_say():
    coarse = ladder.build("sq8", VECTORS)
    near, where = coarse.near(QUESTIONS, 4000, slice(0, 4000))
    off = near - np.take_along_axis(QUESTIONS @ VECTORS.T, where, axis=1)
    assert 0 < np.abs(off).max() < coarse.error


@pytest.mark.parametrize(("scan", "least"), [("ivf", 0.9), ("hnsw", 0.98)])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_indexes_that_may_miss_hits_find_nearly_all_and_score_them_exactly(scan, least, rows):
    found, wanted = both(scan, VECTORS, QUESTIONS, 10, rows)
    assert found_share(found, wanted) >= least
    for (where, scores), question in zip(found, QUESTIONS, strict=True):
        assert np.isin(where, rows_of(rows)).all()
        exact = cosines(VECTORS, where, question[None])[0]
        np.testing.assert_array_equal(scores, exact.astype(np.float64))


@pytest.mark.parametrize("scan", ["sq8", "ivf", "hnsw"])
def test_the_best_few_are_the_first_of_the_best_many(scan):
    coarse = Eager(None, Passages(VECTORS), ladder.build(scan, VECTORS))
    many = coarse.best(QUESTIONS, 300, ROWS["all"])
    for k in (1, 7, 40):
        for few, more in zip(coarse.best(QUESTIONS, k, ROWS["all"]), many, strict=True):
            np.testing.assert_array_equal(few[0], more[0][:k])


@pytest.mark.parametrize("scan", ["ivf", "hnsw"])
def test_under_a_narrow_filter_everything_is_read(scan):
    for rows in (slice(500, 1000), np.arange(0, 4000, 40)):
        found, wanted = both(scan, VECTORS, QUESTIONS, 10, rows)
        assert found_share(found, wanted) == 1


@pytest.mark.parametrize("scan", ["sq8", "ivf", "hnsw"])
def test_an_index_of_passages_gives_each_row_once(scan):
    starts = np.concatenate([np.arange(0, 4000, 2), [4000]])
    found, wanted = both(scan, VECTORS, QUESTIONS, 10, slice(0, 2000), starts)
    assert found_share(found, wanted) >= 0.9
    assert all(len(set(rows.tolist())) == len(rows) == 10 for rows, _ in found)


def test_the_same_vectors_give_the_same_graph():
    again = [ladder.build("hnsw", VECTORS[:1500]).near(QUESTIONS, 50, slice(0, 1500)) for _ in "ab"]
    np.testing.assert_array_equal(again[0][1], again[1][1])


def test_the_ladder_rises_with_the_corpus(monkeypatch):
    monkeypatch.setattr(ladder, "EXACT", 1500)
    monkeypatch.setattr(ladder, "EIGHT_BITS", 3000)
    sizes = (1500, 1501, 3001)
    built = [ladder.build("auto", VECTORS[:size]) for size in sizes]
    assert [made and made.scan for made in built] == [None, "sq8", "ivf"]
    assert ladder.build("exact", VECTORS) is None
    assert ladder.build("hnsw", VECTORS[:999]) is None


def test_without_faiss_exact_search_works_and_an_index_says_what_it_needs(monkeypatch):  # IN-01
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    assert (Dense() % 1).fit(lcm.Corpus(["use WAL"]))("wal")["docno"].tolist() == ["m1"]
    with pytest.raises(MissingExtra, match="pip install faiss-cpu"):
        ladder.build("sq8", VECTORS)


def test_recall_against_exact_is_there_for_every_index():
    said = [f"word{i % 97} and word{i % 89} with word{i % 83}" for i in range(1200)]
    ranker = Dense(LSA(16), scan="hnsw")
    index = ranker.index(lcm.Corpus(said))
    assert index.coarse is not None
    assert ranker.recall(index, said[:20]) >= 0.95
    assert Dense(LSA(16)).recall(Dense(LSA(16)).index(lcm.Corpus(said)), said[:20]) == 1


def test_a_message_is_said_by_its_speaker_on_its_day():
    corpus = lcm.Corpus(
        [
            {"text": "one two three", "speaker": "Ana", "time": "2023-05-08", "role": "user"},
            {"text": "four", "time": "2023-05-09"},
            {"text": " ", "speaker": "Ana"},
        ]
    )
    assert spoken(corpus, ("date", "speaker", "text"), 2) == [
        ['On 8 May 2023, Ana said, "one two"', 'On 8 May 2023, Ana said, "three"'],
        ["9 May 2023 four"],
        [""],
    ]
    assert spoken(corpus, ("role", "text"), None) == [["user one two three"], ["four"], [""]]
    assert spoken(corpus, ("speaker",), None) == [["Ana"], [""], ["Ana"]]


def test_a_long_message_is_as_near_as_its_nearest_passage():
    rows = {"a b": [1, 0], "c d": [0, 1], "e": [1, 1], "question": [0, 1]}
    corpus = lcm.Corpus(["a b c d", "e", ""])
    assert table(rows, chunk=2).fit(corpus)("question")[["docno", "score"]].round(
        3
    ).to_numpy().tolist() == [
        ["m1", 1.0],
        ["m2", 0.707],
    ]


@given(st.text(alphabet="ab 缓存\n", max_size=80), st.integers(1, 9))
def test_passages_hold_every_character_of_a_text_but_white_space(text, words):
    parts = cut(text, words)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part.strip() for part in parts) or not text.strip()


def test_a_long_text_without_spaces_is_cut_too():
    assert [len(part) for part in cut("今天讨论了缓存方案" * 30, 100)] == [200, 70]
    assert len(cut("x" * 3200, 100)) == 2


def counting(seen):
    def encode(texts):
        seen.extend(texts)
        return [[len(text), text.count("e") + 1, text.count("a")] for text in texts]

    return lcm.Named("counting", encode)


SAID = ["retry the cache", "a retry later", "lunch", "the cache is warm", "sleep"] * 4


def test_a_lazy_ranker_encodes_only_what_others_found():
    seen = []
    corpus = lcm.Corpus([f"{text} {i}" for i, text in enumerate(SAID)])
    policy = lcm.BM25() % 3 + 0.5 * Dense(counting(seen), fields=("text",), lazy=True)
    search = policy.fit(corpus)
    assert seen == []
    found = search("cache retry")["text"].tolist()
    assert sorted(seen) == sorted([*found, "cache retry"]) and len(found) == 3
    search("cache retry")
    assert len(seen) == 5  # the question is asked anew, the messages are not
    search.run(["cache retry", "retry later"])
    assert len(set(seen)) < len(corpus)


def test_a_lazy_ranker_has_no_hits_of_its_own():
    with pytest.raises(BadParameter, match="scores what others found and has none"):
        Dense(lazy=True).fit(lcm.Corpus(["a"]))
    with pytest.raises(BadParameter, match="bring candidates"):
        lcm.RRF(lcm.BM25(), Dense(lazy=True))
    search = (lcm.BM25() >> Dense(LSA(2), lazy=True)).fit(lcm.Corpus(["use WAL", "lunch"]))
    assert search("wal")["docno"].tolist() == ["m1"]


@given(st.integers(1, 12), st.integers(1, 12))
def test_a_score_fused_with_a_lazy_ranker_does_not_depend_on_depth(shallow, deep):
    corpus = lcm.Corpus([f"{text} {i}" for i, text in enumerate(SAID)])
    scores = []
    for depth in (shallow, deep):
        policy = lcm.BM25() % depth + 0.5 * Dense(counting([]), fields=("text",), lazy=True)
        run = policy.fit(corpus).run(["cache retry"])
        scores.append(dict(zip(run.rows.tolist(), run.scores.tolist(), strict=True)))
    for row in scores[0].keys() & scores[1].keys():
        assert scores[0][row] == scores[1][row]


def test_a_lazy_term_adds_its_cosine_and_an_eager_one_its_share_of_the_best():
    rows = {"wal": [1, 1], "wal two": [1, 0], "question wal": [1, 0.2]}
    corpus = lcm.Corpus(["wal", "wal two"])
    lazy, eager = (
        (lcm.BM25() + 0.5 * table(rows, lazy=is_lazy)).fit(corpus).explain("question wal")
        for is_lazy in (True, False)
    )
    column = "0.5 * " + repr(table(rows, lazy=True))
    cosine = dict(zip(lazy["docno"], lazy[column], strict=True))
    best = max(cosine.values())
    shares = dict(zip(eager["docno"], eager["0.5 * " + repr(table(rows))], strict=True))
    assert shares == pytest.approx({d: 0.5 * s / best for d, s in cosine.items()})
    assert best < 0.5


def test_questions_of_a_batch_are_encoded_once_for_all_steps():
    seen = []
    ranker = Dense(counting(seen), fields=("text",))
    search = (ranker % 5 + 0.2 * lcm.BM25() >> ranker % 3).fit(lcm.Corpus(SAID))
    seen.clear()
    search.run(["cache retry", "later lunch"])
    assert seen == ["cache retry", "later lunch"]


def test_nothing_is_said_on_a_quiet_corpus():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Dense().fit(lcm.Corpus(["!!!", "", "use WAL"]))("wal")) == 1
