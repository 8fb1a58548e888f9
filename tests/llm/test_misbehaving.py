"""Endpoints that misbehave: asked again where that may help, given up where it cannot."""

import gzip
import logging
import traceback

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.llm import ChatSummariser, Endpoint, NoReply, ledger
from lcm_lab.llm.ask import waits
from lcm_lab.llm.failures import Trouble
from lcm_lab.llm.wire import asked_to_wait
from tests.llm.stand import Answer, Stand, said

KEY = "sk-FAKE-0123456789abcdefghij"
TEXTS = ["[2026-05-01 10:00 UTC | user]\nUse WAL for the journal, please."]


def summary(stand, texts=TEXTS, **given):
    return ChatSummariser("m", stand.endpoint(**given), footer=False)(texts, 100)


def booked():
    (row,) = ledger.frame().to_dict("records")
    return row


@pytest.mark.parametrize(
    "bad",
    [
        Answer({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.001"}),
        Answer({"error": {"message": "broken"}}, 500),
        Answer(b"<html>bad gateway</html>", 502),
        Answer(b"<html>all is well</html>"),
        Answer(b'{"choices": [{"mess', claims=4_000),
        Answer(b""),
        Answer(b"[" * 100_000),
        Answer(["no object"]),
        Answer({"choices": []}),
        Answer({"choices": [{"message": None}]}),
        Answer({"error": {"message": "overloaded", "code": 503}}),
        said(""),
        said(None),
        said("  <think>hm</think>  "),
    ],
)
def test_what_may_pass_is_asked_again(stand, bad):
    stand.answers(bad, bad, said("WAL it is."))
    assert summary(stand) == "WAL it is."
    assert len(stand.asked) == 3
    assert len({str(one.body) for one in stand.asked}) == 1
    assert (booked()["calls"], booked()["again"], booked()["failed"]) == (3, 2, 0)


def test_tries_are_bounded_and_the_last_reason_is_told(stand):
    stand.answers(Answer({"error": {"message": "the disk is full"}}, 500))
    with pytest.raises(NoReply, match=r"no usable answer in 3 tries: HTTP 500: the disk is full\."):
        summary(stand, tries=3)
    assert len(stand.asked) == 3
    assert (booked()["again"], booked()["failed"], booked()["read"]) == (2, 1, 0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_cannot_pass_is_asked_once(stand, status):
    stand.answers(Answer({"error": {"message": "no such model"}}, status))
    with pytest.raises(NoReply, match=rf"in one try: HTTP {status}: no such model"):
        summary(stand)
    assert len(stand.asked) == 1


def test_an_empty_purse_is_not_waited_for(stand):
    stand.answers(Answer({"error": {"message": "pay", "code": "insufficient_quota"}}, 429))
    with pytest.raises(NoReply, match="in one try: HTTP 429: pay"):
        summary(stand)
    assert len(stand.asked) == 1


def test_a_wait_beyond_patience_is_not_waited_for(stand):
    stand.answers(Answer({"error": "later"}, 429, {"Retry-After": "3600"}))
    with pytest.raises(NoReply, match=r"asks to wait 3600 s; patience=60 is less\."):
        summary(stand)
    assert len(stand.asked) == 1


def test_pauses_double_to_eight_seconds_and_never_undercut_what_is_asked_for():
    endpoint = Endpoint("http://127.0.0.1/v1", tries=8)
    plain = [waits(endpoint, place, Trouble("")) for place in range(1, 9)]
    assert plain == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, None]
    asked = [waits(endpoint, 3, Trouble("", wait=wait)) for wait in (0.0, 5.0, 60.0, 60.1)]
    assert asked == [2.0, 5.0, 60.0, None]
    assert waits(endpoint, 1, Trouble("", again=False)) is None
    assert waits(Endpoint("http://127.0.0.1/v1", pause=20.0), 2, Trouble("")) == 20.0


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Fri, 01 May 2026 10:00:09 GMT"}, None),
        (
            {
                "retry-after": "Fri, 01 May 2026 09:00:00 GMT",
                "date": "Fri, 01 May 2026 10:00:00 GMT",
            },
            0.0,
        ),
        ({}, None),
    ],
)
def test_what_an_endpoint_asks_to_wait(headers, wait):
    assert asked_to_wait(headers) == wait


@pytest.mark.parametrize("how", ["hangs", "drips"])
def test_a_try_ends_with_its_time(stand, how):
    stand.answers(Answer(b"{}", claims=10_000, **{how: True}))
    with pytest.raises(NoReply, match=r"in 2 tries: no answer within 0\.15 s"):
        summary(stand, timeout=0.15, tries=2)
    # Both may have been billed, so both are counted as the most that they can have cost.
    assert booked()["guessed"] == 2
    assert booked()["written"] == 2 * (100 + 2_048)


def test_nobody_there_costs_nothing(stand):
    stand.close()
    with pytest.raises(NoReply, match="in 2 tries: no connection"):
        summary(stand, tries=2)
    assert (booked()["calls"], booked()["read"], booked()["guessed"]) == (2, 0, 0)


def test_an_answer_without_end_is_not_read_to_its_end(stand):
    stand.answers(Answer(b" " * ((1 << 26) + 1)))
    with pytest.raises(NoReply, match="more than 67,108,864 bytes"):
        summary(stand, tries=1)


def test_an_answer_that_is_packed_unasked_is_not_unpacked(stand):
    twice = gzip.compress(gzip.compress(b" " * (1 << 24)))
    stand.answers(Answer(twice, headers={"Content-Encoding": "gzip, gzip"}))
    with pytest.raises(NoReply, match="an answer packed as gzip, gzip, unasked"):
        summary(stand, tries=1)
    assert stand.asked[0].headers["Accept-Encoding"] == "identity"


def test_a_refusal_is_told_and_not_repeated(stand):
    stand.answers(said(None, refusal="I would rather not."))
    with pytest.raises(NoReply, match=r"the model refused: I would rather not\."):
        summary(stand)
    assert len(stand.asked) == 1


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere(stand, monkeypatch):
    monkeypatch.setenv("STAND_KEY", KEY)
    other = Stand()
    stand.answers(Answer(b"", 307, {"Location": f"{other.url}/chat/completions"}))
    with pytest.raises(NoReply, match=r"HTTP 307, a redirect to http://127\.0\.0\.1, which is not"):
        summary(stand, key="STAND_KEY")
    assert (len(stand.asked), other.asked) == (1, [])
    other.close()


@pytest.mark.parametrize("where", ["http://[", "/elsewhere", "", "//ghp_x/y"])
def test_a_redirect_to_nowhere_is_told_too(stand, where):
    stand.answers(Answer(b"", 302, {"Location": where}))
    with pytest.raises(NoReply, match="HTTP 302, a redirect to "):
        summary(stand)


def test_the_key_is_sent_and_shown_nowhere(stand, monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("STAND_KEY", f" {KEY}\n")
    caplog.set_level(logging.DEBUG)
    echo = Answer({"error": {"message": f"no such key: {KEY}"}}, 401)
    folder = tmp_path / "kept"
    writer = ChatSummariser("m", stand.endpoint(key="STAND_KEY", folder=str(folder)), footer=False)
    stand.answers(echo)
    with pytest.raises(NoReply) as failed:
        writer(TEXTS, 100)
    stand.answers(said(f"They use {KEY}."))
    text = writer(TEXTS, 100)
    assert [one.headers["Authorization"] for one in stand.asked] == [f"Bearer {KEY}"] * 2
    assert text == "They use [redacted:key]."
    ours = failed.value.__traceback__.tb_next  # beneath this function, which holds the key itself
    told = traceback.TracebackException(NoReply, failed.value, ours, capture_locals=True)
    shown = [
        "".join(told.format()),
        caplog.text,
        repr(writer),
        repr(ledger),
        *(file.read_text("utf-8") for file in folder.iterdir()),
    ]
    assert [KEY in one for one in shown] == [False] * len(shown)
    assert "no such key: [redacted" in str(failed.value)
    assert failed.value.__context__ is None


def test_a_short_key_is_no_secret_and_stays_in_texts(stand, monkeypatch):
    monkeypatch.setenv("STAND_KEY", "EMPTY")
    stand.answers(said("The list is EMPTY."))
    assert summary(stand, key="STAND_KEY") == "The list is EMPTY."


@pytest.mark.parametrize(
    ("held", "told"), [(None, "has no STAND_KEY"), ("  ", "has no STAND_KEY"), ("a b", "no key")]
)
def test_a_key_that_is_missing_is_said_before_anything_is_sent(stand, monkeypatch, held, told):
    monkeypatch.delenv("STAND_KEY", raising=False)
    if held is not None:
        monkeypatch.setenv("STAND_KEY", held)
    with pytest.raises(BadParameter, match=told):
        summary(stand, key="STAND_KEY")
    assert stand.asked == []


def test_no_key_is_sent_where_none_is_named(stand, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    summary(stand)
    assert "Authorization" not in stand.asked[0].headers
