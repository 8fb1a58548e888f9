"""Endpoint: a value that prints as what makes it, and never holds a key."""

import pickle

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, MissingExtra
from lcm_lab.llm import ApiEncoder, ChatReader, ChatSummariser, Endpoint

URL = "http://127.0.0.1:9/v1"
FULL = Endpoint(
    "https://models.example/v1", key="MODELS_KEY", prices=(("m", 0.1, 0.4),), budget=2.5,
    tokens=1_000, timeout=5, tries=2, pause=0.0, patience=1.0, at_once=3, folder="kept",
)  # fmt: skip


@pytest.mark.parametrize(
    "made",
    [
        Endpoint(URL),
        FULL,
        ChatSummariser("m", FULL, instructions="In Latin.", strict=True),
        ChatReader("m", Endpoint(URL), tokens=300, options=(("top_p", 0.5),)),
        ApiEncoder("e", FULL, dimensions=64, document="passage: ", query="query: "),
    ],
)
def test_each_prints_as_what_makes_it_and_travels(made):
    again = eval(repr(made))
    assert again == made
    assert repr(again) == repr(made)
    assert hash(again) == hash(made)
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_slash_at_the_end_makes_no_other_address():
    assert Endpoint(f"{URL}/") == Endpoint(URL)
    assert repr(Endpoint(f"{URL}/")) == f"Endpoint('{URL}')"


def test_lists_of_prices_become_tuples():
    assert Endpoint(URL, prices=[("m", 1.0, 2.0)]).price("m") == (1.0, 2.0)
    assert Endpoint(URL).price("m") is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"base_url": "127.0.0.1:9"}, "base_url must be an address such as"),
        ({"base_url": "ftp://127.0.0.1/v1"}, "base_url must be an address such as"),
        ({"base_url": "http:///v1"}, "base_url must be an address such as"),
        ({"base_url": "http://127.0.0.1:99999/v1"}, "base_url must be an address such as"),
        ({"base_url": "http://a b/v1"}, "base_url must be an address such as"),
        (
            {"base_url": f"{URL}/chat/completions"},
            r"ends before /chat/completions: write 'http.*/v1'",
        ),
        ({"base_url": None}, "base_url must be an address"),
        ({"base_url": "http://me:hunter2hunter2@127.0.0.1/v1"}, "base_url must "),
        ({"base_url": "http://127.0.0.1/v1?api-key=hunter2hunter2"}, "base_url must "),
        ({"key": "sk-FAKE-hunter2hunter2"}, "key is the name of the environment variable"),
        ({"key": "hunter2hunter2"}, "key is the name of the environment variable"),
        ({"key": ""}, "key is the name of the environment variable"),
        ({"prices": (("m", 1.0),)}, "prices are money for a million tokens"),
        ({"prices": (("m", 1.0, -1.0),)}, "the price of 'm' must be a number, 0 or more"),
        ({"prices": 3}, "prices are money for a million tokens"),
        ({"budget": float("nan")}, "budget must be a number, 0 or more. Got nan"),
        ({"tokens": 1.5}, "tokens must be a whole number, 0 or more. Got 1.5"),
        ({"timeout": 0}, "timeout must be a number, above 0. Got 0"),
        ({"timeout": 1e9}, "timeout must be 86,400 seconds or less"),
        ({"tries": 0}, "tries must be a whole number, 1 or more. Got 0"),
        ({"tries": True}, "tries must be a whole number, 1 or more. Got True"),
        ({"pause": -1}, "pause must be a number, 0 or more"),
        ({"at_once": 0}, "at_once must be a whole number, 1 or more"),
        ({"folder": ""}, "folder must be a path"),
    ],
)
def test_wrong_parameters_are_refused_and_no_secret_is_repeated(wrong, told):
    with pytest.raises(BadParameter, match=told) as failed:
        Endpoint(**{"base_url": URL, **wrong})
    assert "hunter2" not in str(failed.value)
    assert failed.value.__cause__ is None


def test_without_httpx2_the_extra_is_named(stand, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"needs httpx2: pip install 'lcm-lab\[llm\]'"):
        ChatSummariser("m", stand.endpoint())(["[summary]\nWAL."], 100)


def test_values_with_choices_span_a_grid():
    dense = lcm.Dense(ApiEncoder(lcm.vary("small", "large"), Endpoint(URL)))
    assert [one.encoder.model for one in dense.grid()] == ["small", "large"]
