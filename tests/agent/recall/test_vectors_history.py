"""The vectors of OpenClaw's ``sessions_history``.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import json

import pytest

from lcm_lab.agent.sessions.omitted import paging
from lcm_lab.agent.sessions.page import MOST, Page
from lcm_lab.agent.sessions.shown import Shown
from lcm_lab.agent.sessions.view import around
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Part
from tests.agent.recall.held import MAIN, asked, ids, said

TEN = [said(f"m{n}", f"message {n}", n, role=("user", "assistant")[n % 2]) for n in range(10)]


def test_83_a_session_id_goes_with_a_message_and_is_of_its_session():
    other = said("x1", "other", session="s2")
    tools = asked(*TEN, other, keys=[("s1", MAIN), ("s2", "agent:main:dashboard:x")])
    with pytest.raises(BadParameter, match="sessionId goes with messageId"):
        tools.sessions_history(MAIN, sessionId="s1")
    with pytest.raises(BadParameter, match="does not belong"):
        tools.sessions_history(MAIN, messageId="m1", sessionId="s2")
    assert ids(tools.sessions_history(MAIN, messageId="m1", offset=3, limit=1)) == ["m1"]
    with pytest.raises(BadParameter, match="Leave offset out"):
        asked(*TEN, compat=None).sessions_history(MAIN, messageId="m1", offset=3)


@pytest.mark.parametrize("compat", ["reference", None])
def test_84_a_message_that_there_is_not_is_an_empty_history(compat):
    assert asked(*TEN, compat=compat).sessions_history(MAIN, messageId="nope").messages == ()


@pytest.mark.parametrize(
    ("number", "total", "size", "place", "window", "offset"),
    [
        (85, 10, 4, 0, (0, 4), 6),
        (85, 10, 4, 5, (4, 8), 2),
        (85, 10, 4, 9, (6, 10), 0),
        (86, 10, 5, 5, (3, 8), 2),
        (86, 3, 10, 1, (0, 3), 0),
        (86, 10, 1, 7, (7, 8), 2),
    ],
)
def test_a_window_stands_around_a_message(number, total, size, place, window, offset):
    assert around(total, place, size) == window
    page = asked(*TEN[:total], compat=None).sessions_history(
        MAIN, messageId=f"m{place}", limit=size
    )
    assert ids(page) == [f"m{n}" for n in range(*window)]
    assert page.newer == offset


@pytest.mark.parametrize("compat", ["reference", None])
def test_87_a_long_text_is_cut_and_an_image_is_left_out(compat):
    parts = (Part("text", "x" * 5_000), Part("image", "[image]"))
    made = asked(said("m1", parts), compat=compat).sessions_history(MAIN).to_dict()
    text, image = made["messages"][0]["content"]
    assert (text["text"], made["contentTruncated"]) == ("x" * 4_000 + "\n[cut]", True)
    assert (image["omitted"], "data" in image) == (True, False)


@pytest.mark.parametrize("compat", ["reference", None])
def test_88_results_of_tools_are_there_when_they_are_asked_for(compat):
    result = said("t1", (Part("tool_result", "done"),), 2, role="tool")
    tools = asked(*TEN[:2], result, compat=compat)
    assert ids(tools.sessions_history(MAIN)) == ["m0", "m1"]
    assert ids(tools.sessions_history(MAIN, includeTools=True)) == ["m0", "m1", "t1"]


def test_89_the_newest_that_fit_are_kept_and_one_that_never_does_is_a_placeholder():
    many = asked(*(said(f"m{n}", f"{n} " + "x" * 1_020, n) for n in range(200)))
    made = many.sessions_history(MAIN).to_dict()
    assert made["bytes"] <= MOST
    assert made["droppedMessages"] is True
    assert made["messages"][-1]["id"] == "m199"
    blocks = tuple(Part("text", "x" * 3_900) for _ in range(26))
    (one,) = asked(said("m1", blocks)).sessions_history(MAIN).to_dict()["messages"]
    assert "omitted" in one["content"][0]["text"]


def test_89_is_mended_since_the_beginning_of_a_large_message_is_shown():
    blocks = tuple(Part("text", "x" * 3_900) for _ in range(26))
    page = asked(said("m1", blocks), compat=None).sessions_history(MAIN)
    assert page.messages[0].blocks[0]["text"] == "x" * 3_900
    assert page.messages[0].cut


def with_reset(compat):
    kept = Part("unknown", "", name="reset", raw=json.dumps({"firstKeptEntryId": "ku"}))
    return asked(
        said("old", "old", 0, segment=0),
        said("ku", "kept user", 1, segment=0),
        said("t", (Part("tool_result", "done"),), 2, role="tool", segment=0),
        said("ka", "kept assistant", 3, role="assistant", segment=0),
        said("r", (kept,), 4, role="system", segment=0),
        said("post", "post", 5, segment=1),
        compat=compat,
    ).sessions_history


@pytest.mark.parametrize("compat", ["reference", None])
def test_90_an_interval_before_a_reset_is_shown_by_itself(compat):
    history = with_reset(compat)
    assert ids(history(MAIN, includeTools=True)) == ["ku", "ka", "r", "post"]
    three = history(MAIN, messageId="old", limit=3, includeTools=True)
    assert ids(three) == ["old", "ku", "t"]
    assert ids(history(MAIN, messageId="old", limit=30, includeTools=True)) == [
        *("old", "ku", "t", "ka", "r")
    ]
    assert ids(history(MAIN, messageId="ku", includeTools=True)) == ["ku", "ka", "r", "post"]


def test_91_reading_on_starts_behind_the_oldest_message_that_is_left():
    left = tuple(Shown(f"m{n}", "user", "s1", None, (), n) for n in range(41, 51))
    made = paging(Page("", "", left, 50, None), left, 0, 200)
    assert (made["nextOffset"], made["hasMore"], made["totalMessages"]) == (10, True, 50)
