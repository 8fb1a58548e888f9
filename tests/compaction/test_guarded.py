"""Summarisers around another: one call is made once, and one that hangs is given up."""

import json
import threading

import pytest

import lcm_lab as lcm
from lcm_lab.compaction.extracts import LexRank
from lcm_lab.compaction.guarded import Cached, Timed
from lcm_lab.compaction.summarise import Lead
from lcm_lab.errors import BadInput, BadParameter


def counting(calls, text="said"):
    def summarise(texts, tokens):
        calls.append((tuple(texts), tokens))
        return text

    return lcm.Named("counting", summarise)


def test_the_same_call_is_made_once_and_another_limit_is_another_call(tmp_path):
    calls = []
    cached = Cached(counting(calls), str(tmp_path / "new"))
    assert [cached(["a", "b"], 9) for _ in range(3)] == ["said"] * 3
    cached(["a", "b"], 8)
    cached(["ab"], 9)
    assert calls == [(("a", "b"), 9), (("a", "b"), 8), (("ab",), 9)]


def test_a_summariser_with_other_parameters_has_summaries_of_its_own(tmp_path):
    texts = ["We use WAL. The build fails. The build cache is stale."]
    for summarise in (LexRank(), LexRank(threshold=0.3), Lead()):
        assert Cached(summarise, str(tmp_path))(texts, 6) == summarise(texts, 6)
    kept = [json.loads(file.read_text("utf-8")) for file in tmp_path.iterdir()]
    assert sorted(one["summariser"] for one in kept) == [
        "Lead()",
        "LexRank(threshold=0.1, damping=0.85)",
        "LexRank(threshold=0.3, damping=0.85)",
    ]


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_what_is_no_summary_is_not_kept(tmp_path, text):
    calls = []
    cached = Cached(counting(calls, text), str(tmp_path))
    assert [cached(["a"], 9) for _ in range(2)] == [text, text]
    assert len(calls) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "{", '"x"', '{"text": 3}', "{}"])
def test_a_damaged_file_is_named_and_not_taken_for_a_summary(tmp_path, content):
    cached = Cached(Lead(), str(tmp_path))
    cached(["a b"], 9)
    (file,) = tmp_path.iterdir()
    file.write_text(content)
    with pytest.raises(BadInput, match=f"{file.name} holds no summary"):
        cached(["a b"], 9)


def test_a_function_without_a_name_has_no_identity_to_keep_things_under(tmp_path):
    with pytest.raises(BadParameter, match="Give it a name"):
        Cached(lambda texts, tokens: "x", str(tmp_path))


def test_a_summariser_that_hangs_is_given_up():
    never = threading.Event()
    hanging = lcm.Named("hanging", lambda texts, tokens: never.wait() or "late")
    with pytest.raises(TimeoutError, match="no summary within"):
        Timed(hanging, seconds=0.05)(["a"], 9)
    never.set()


def test_what_a_summariser_raises_is_raised():
    def summarise(texts, tokens):
        raise ConnectionError("model is away")

    with pytest.raises(ConnectionError, match="model is away"):
        Timed(lcm.Named("away", summarise))(["a"], 9)


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), "60", True])
def test_what_is_no_time_is_refused(wrong):
    with pytest.raises(BadParameter, match="seconds must be a number above 0"):
        Timed(Lead(), wrong)


@pytest.mark.parametrize("wrong", [Lead, "Lead()", None, 3])
def test_what_is_no_summariser_is_refused(wrong, tmp_path):
    for make in (lambda: Timed(wrong), lambda: Cached(wrong, str(tmp_path))):
        with pytest.raises(BadParameter, match="takes a summariser"):
            make()


def test_a_summariser_around_another_is_the_expression_that_makes_it(tmp_path):
    names = {"Cached": Cached, "Timed": Timed, "Lead": Lead}
    wrapped = Timed(Cached(Lead(), str(tmp_path)), seconds=5)
    assert eval(repr(wrapped), names) == wrapped
