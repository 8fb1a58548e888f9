"""Topics mined from one's own history: what is asked, what is hidden, what is dropped (ME-15)."""

import numpy as np
import pytest

from lcm_lab.errors import BadInput
from lcm_lab.identifiers import anchors
from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.base import Skipped, Transcripts
from lcm_lab.transcripts.probes import GAP, PER_SESSION, mine
from lcm_lab.transcripts.question import question

MINUTE = 60_000_000


def history(*texts, session="s1", role="user", start=0):
    return tuple(
        Message(f"{session}-{i}", session, role, (Part("text", text),), (start + i) * MINUTE)
        for i, text in enumerate(texts)
    )


FILLER = [f"something else entirely number {i}" for i in range(GAP)]
ASK = "Remember that the retry limit lives somewhere in parseRetryAfter today."


def test_a_later_repeat_becomes_a_question_about_the_earlier_message():
    made = mine(Transcripts(history("I wrote parseRetryAfter() just now.", *FILLER, ASK)))
    topic = made.topics.iloc[0]
    assert len(made.topics) == 1
    assert topic["query"] == "Remember that the limit lives somewhere in today."
    assert (topic["type"], topic["answer"]) == ("identifier", "parseRetryAfter")
    assert made.qrels.to_numpy().tolist() == [[topic["qid"], "s1-0", 1]]
    seen = made.corpus.rows(before=topic["asked_at"])
    assert made.corpus["docno"].to_numpy()[seen].tolist() == [f"s1-{i}" for i in range(GAP + 1)]
    assert made.card["topics"] == "known items, mined from this history (first version)"
    assert made.card["types"] == {"identifier": 1}


def test_the_item_and_its_parts_are_not_in_the_question():
    sentence = (
        "Set the retry limit in src/net/client.ts, since net/client.ts and client were too low."
    )
    assert (
        question(sentence, "src/net/client.ts")[1]
        == "Set the retry limit in since and were too low."
    )


def test_what_is_repeated_at_once_or_everywhere_is_no_known_item():
    soon = [*FILLER, "see parseRetryAfter here", ASK]
    assert len(mine(Transcripts(history("parseRetryAfter()", *soon))).topics) == 0
    often = [f"again parseRetryAfter {i}" for i in range(6)]
    assert len(mine(Transcripts(history(*often, *FILLER, ASK))).topics) == 0


def test_a_question_with_too_few_words_or_that_echoes_its_answer_is_dropped_and_counted():
    short = mine(Transcripts(history("parseRetryAfter()", "ok", *FILLER, "and parseRetryAfter?")))
    assert len(short.topics) == 0
    assert short.card["dropped"] == {"question with fewer than 3 words of content": 1}
    echo = mine(Transcripts(history(f"He said: {ASK}", *FILLER, ASK)))
    assert len(echo.topics) == 0
    assert echo.card["dropped"] == {"question that stands word for word in what it looks for": 1}


def test_an_error_line_that_comes_up_again_is_asked_for_by_what_is_said_around_it():
    line = "TypeError: cannot read properties of undefined"
    paste = f"The nightly deploy broke again.\n{line}\nWhat did we do last time?"
    made = mine(Transcripts(history(f"$ make\n{line}\nexit 1", *FILLER, paste)))
    assert made.topics[["type", "answer", "query"]].to_numpy().tolist() == [
        ["error", line, "The nightly deploy broke again."]
    ]
    assert made.qrels["docno"].tolist() == ["s1-0"]


def test_a_question_may_look_in_other_sessions_and_only_before_it():
    early = history("parseRetryAfter() is mine.", session="s1")
    late = history(ASK, session="s2", start=100)
    after = history("parseRetryAfter() came later.", session="s3", start=200)
    made = mine(Transcripts((*after, *late, *early)))
    assert made.qrels["docno"].tolist() == ["s1-0"]


def test_subagents_and_printed_commands_do_not_ask():
    said = history("parseRetryAfter() is mine.", *FILLER, f"<local-command-stdout>{ASK}")
    assert len(mine(Transcripts(said)).topics) == 0
    side = Message("x", "s1", "user", (Part("text", ASK),), 99 * MINUTE, sidechain=True)
    assert len(mine(Transcripts((*said[:-1], side))).topics) == 0


def test_a_session_gives_a_bounded_number_of_topics_spread_over_it():
    count = PER_SESSION + 15
    first = [f"parseThing{i}x() is defined" for i in range(count)]
    later = [
        f"Remember number {i} where colourful {w} of parseThing{i}x lives"
        for i, w in enumerate("abcdefghijklmnopqrstuvwxyzabcdefghi")
    ]
    made = mine(Transcripts(history(*first, *FILLER, *later)))
    assert len(made.topics) == PER_SESSION
    assert made.card["dropped"]["beyond 20 from one session"] == 15
    asked = made.topics["answer"].str.extract(r"(\d+)")[0].astype(int).to_numpy()
    assert asked[0] == 0
    assert asked[-1] > count - 3
    assert (np.diff(asked) > 0).all()


def test_anchors_are_errors_paths_and_identifiers():
    text = (
        "TypeError: x is not a function\n"
        "in /srv/app/main.py and README.md, and/or see `npm-run-all`; "
        "call getUser() or HTTP_TIMEOUT, OPS-417, http://example.org/some/page, version 1.2"
    )
    assert list(anchors(text)) == [
        ("error", "TypeError: x is not a function"),
        ("path", "/srv/app/main.py"),
        ("path", "README.md"),
        ("identifier", "TypeError"),
        ("identifier", "getUser"),
        ("identifier", "HTTP_TIMEOUT"),
        ("identifier", "OPS-417"),
        ("identifier", "npm-run-all"),
    ]


def test_nothing_to_mine_is_an_error_that_says_what_was_skipped():
    skipped = (Skipped("a.jsonl", 1, "not a message: summary"),)
    with pytest.raises(BadInput, match=r"No messages in a.jsonl \(1 x not a message: summary\)"):
        mine(Transcripts((), skipped, {"a.jsonl": "Claude Code JSONL"}))


def test_mining_twice_gives_the_same_collection():
    said = Transcripts(history("I wrote parseRetryAfter() just now.", *FILLER, ASK))
    assert mine(said).fingerprint == mine(said).fingerprint
