"""ApiEncoder: vectors in the order of their texts, or a reason why there are none."""

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, OverBudget
from lcm_lab.llm import ApiEncoder, Endpoint, NoReply, ledger
from tests.llm.stand import Answer, vectors

VOWELS = "aeiou"
NAMES = {name: getattr(lcm, name) for name in lcm.__all__}
NAMES |= {"ApiEncoder": ApiEncoder, "Endpoint": Endpoint}


def counting(asked):
    """A model that counts vowels; it numbers its vectors, and sends the last one first."""
    rows = [[float(text.lower().count(v)) for v in VOWELS] for text in asked.body["input"]]
    answer = vectors(rows)
    answer.body["data"].reverse()
    return answer


def test_vectors_come_in_the_order_of_their_texts_in_batches(stand):
    stand.answers(counting)
    texts = [f"a{'e' * n}" for n in range(23)]
    encoder = ApiEncoder("e", stand.endpoint(at_once=3), batch=5)
    found = encoder.encode("", texts)
    assert found.dtype == np.float32
    assert found.tolist() == [[1.0, float(n), 0.0, 0.0, 0.0] for n in range(23)]
    assert sorted(len(one.body["input"]) for one in stand.asked) == [3, 5, 5, 5, 5]
    assert stand.busiest <= 3
    assert {one.path for one in stand.asked} == {"/v1/embeddings"}


def test_what_is_sent(stand):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    stand.answers(lambda asked: vectors([[1.0, 0.0]] * len(asked.body["input"])))
    encoder = ApiEncoder("e", stand.endpoint(), dimensions=2, document="passage: ", query="query: ")
    encoder.encode("", ["a", "a", " ", f"key {secret}", "\udc80"])
    encoder.encode("", ["a"], "query")
    first, second = (one.body for one in stand.asked)
    assert first == {
        "model": "e",
        "input": ["passage: a", "passage: key [redacted:github-token]", "passage: \ufffd"],
        "encoding_format": "float",
        "dimensions": 2,
    }
    assert second["input"] == ["query: a"]


def test_blank_texts_get_zeros_and_are_not_sent(stand):
    stand.answers(counting)
    assert ApiEncoder("e", stand.endpoint()).encode("", ["a", "", "e"]).tolist()[1] == [0.0] * 5
    assert ApiEncoder("e", stand.endpoint()).encode("", [" "]).tolist() == [[0.0]]
    assert ApiEncoder("e", stand.endpoint(), dimensions=3).encode("", []).shape == (0, 3)
    assert len(stand.asked) == 1


def test_dense_ranks_by_it(stand):
    stand.answers(counting)
    policy = lcm.Dense(ApiEncoder("e", stand.endpoint()), fields=("text",)) % 2
    search = policy.fit(lcm.Corpus(["a banana", "sushi", "uncut fruit"]))
    assert search("guru")["docno"].tolist() == ["m3", "m2"]
    assert eval(repr(policy), NAMES) == policy


BAD = [
    Answer({"data": [{"index": 0, "embedding": [1.0]}]}),
    Answer({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
    Answer({"data": [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}]}),
    vectors([[1.0, 2.0], [1.0]]),
    vectors([[1.0], [1.0], [1.0]]),
    vectors([["x"], ["y"]]),
    vectors([[float("nan")], [1.0]]),
    vectors([[1e39], [1.0]]),
    vectors([[], []]),
    vectors([1.0, 2.0]),
    Answer({"data": [{"index": 0}, {"index": 1}]}),
    Answer({"data": ["x", "y"]}),
    Answer({"data": None}),
    Answer({"error": {"message": "loading"}}),
]


@pytest.mark.parametrize("bad", BAD)
def test_what_are_no_vectors_is_asked_for_again_and_then_refused(stand, bad):
    encoder = ApiEncoder("e", stand.endpoint(tries=2))
    stand.answers(bad, vectors([[1.0, 0.0], [0.0, 1.0]]))
    assert encoder.encode("", ["a", "b"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    stand.answers(bad)
    with pytest.raises(NoReply, match="no usable answer in 2 tries"):
        encoder.encode("", ["a", "b"])


def test_another_width_than_asked_for_is_refused_at_once(stand):
    stand.answers(vectors([[1.0, 2.0]]))
    with pytest.raises(NoReply, match="in one try: vectors of 2 numbers, not of 3"):
        ApiEncoder("e", stand.endpoint(), dimensions=3).encode("", ["a"])


def test_batches_of_different_widths_are_refused(stand):
    stand.answers(vectors([[1.0, 2.0]]), vectors([[1.0]]))
    with pytest.raises(BadInput, match="'e' gave vectors of 1 and of 2 numbers"):
        ApiEncoder("e", stand.endpoint(), batch=1).encode("", ["a", "b"])


def test_a_text_is_asked_for_once(stand, tmp_path):
    stand.answers(counting)
    endpoint = stand.endpoint(folder=str(tmp_path))
    first = ApiEncoder("e", endpoint).encode("", ["a", "e"])
    second = ApiEncoder("e", endpoint, batch=1).encode("", ["e", "i", "a"])
    assert [one.body["input"] for one in stand.asked] == [["a", "e"], ["i"]]
    assert second[[2, 0]].tolist() == first.tolist()
    assert ledger.frame()[["calls", "kept"]].to_numpy().tolist() == [[2, 2]]
    ApiEncoder("f", endpoint).encode("", ["a"])
    ApiEncoder("e", endpoint, dimensions=5).encode("", ["a"])
    assert len(stand.asked) == 4


def test_what_was_encoded_before_a_failure_is_kept(stand, tmp_path):
    stand.answers(counting, counting, Answer({"error": "gone"}, 400))
    encoder = ApiEncoder("e", stand.endpoint(folder=str(tmp_path), at_once=1), batch=2)
    with pytest.raises(NoReply, match="gone"):
        encoder.encode("", list("aeiouxyz"))
    stand.answers(counting)
    stand.asked.clear()
    encoder.encode("", list("aeiouxyz"))
    assert [one.body["input"] for one in stand.asked] == [["u", "x"], ["y", "z"]]


def test_a_bound_holds_before_a_batch_is_sent(stand):
    stand.answers(vectors([[1.0]], usage=60))
    encoder = ApiEncoder("e", stand.endpoint(tokens=100, at_once=1), batch=1)
    with pytest.raises(OverBudget, match="This call was not made"):
        encoder.encode("", ["a" * 60, "e" * 60, "i" * 60])
    assert len(stand.asked) == 1


def test_kept_embeddings_do_not_depend_on_bounds(stand, tmp_path, monkeypatch):
    monkeypatch.setenv("LCM_LAB_CACHE", str(tmp_path))
    stand.answers(counting)
    corpus = lcm.Corpus(["a banana", "sushi"])
    for tries in (2, 3):
        lcm.Dense(ApiEncoder("e", stand.endpoint(tries=tries))).fit(corpus)
    assert len(stand.asked) == 1
