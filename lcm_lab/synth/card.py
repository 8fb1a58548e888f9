"""The card of a synthetic collection: how it was made, what it measures, what is weak."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from statistics import fmean, median
from typing import Any

from lcm_lab.synth.ask import Exam, Topic
from lcm_lab.synth.render import Message

__all__ = ["card", "card_text"]

NOTES = (
    "Template language: every turn is made of hand-written sentences with choices. A model "
    "that has seen the templates would find them easy; small talk repeats in form, not in words.",
    "The small talk does not answer what was said before it: reactions fit the theme only.",
    "Every answer stands word for word in its messages and in no other of the conversation; "
    "real people repeat each other.",
    "No typos, no other language than English, no images or captions, no contradiction, "
    "ordering, rationale, quotation or adjacency questions.",
    "Preference questions always share the speaker's name with their answer (real sets: one in "
    "ten shares nothing).",
    "Turn lengths, the share of facts that are asked for and the overlap were set from five "
    "conversations of LoCoMo, and the level of BM25 was looked at there: it is no blind test.",
    "Over 22 lexical systems it orders as LoCoMo's turns do (tau-b .85 at seed 0, bootstrap "
    "interval .80 to .90), but that was watched while parameters were changed: it is agreement in "
    "sample.",
    "A ranker that lends an answer the score of the question before it gains on LoCoMo and loses "
    "here: what stands around a message is less telling than in real chats.",
)


def card(
    name: str, made: dict[str, Any], messages: Sequence[Message], exams: Sequence[Exam]
) -> dict[str, Any]:
    """Give the facts about a collection, all of them measured on it."""
    topics = [topic for exam in exams for topic in exam.topics]
    words = sorted(len(message.text.split()) for message in messages)
    sessions = _sizes(messages)
    dropped = {kind: sum(exam.dropped[kind] for exam in exams) for kind in _kinds(topics)}
    judged = [topic for topic in topics if topic.case.gold]
    return {
        "source": "lcm_lab.generate",
        "parameters": made,
        "licence": "MIT",
        "unit": "turn",
        "canary": _canary(name, made),
        "messages": len(messages),
        "sessions": len(sessions),
        "words_per_message": {"mean": round(fmean(words), 1), "quartiles": _quartiles(words)},
        "messages_per_session": {
            "mean": round(fmean(sessions), 1),
            "quartiles": _quartiles(sessions),
        },
        "overlap": round(fmean(topic.overlap for topic in judged) / 1000, 3),
        "tie_or_beat_median": median(topic.beaten for topic in judged),
        "types": {kind: _about(kind, topics) for kind in _kinds(topics)},
        "dropped": dropped,
        "notes": list(NOTES),
    }


def card_text(card: dict[str, Any]) -> str:
    """Give the card as Markdown for a reader."""
    made = card["parameters"]
    head = [
        f"# synth-{made['profile']}-{made['size'].lower()}",
        "",
        "Two friends chat over 25 sessions; people, dates, plans and figures are invented. A state",
        "machine decided what is true and when; sentences were made from it, questions and answers",
        "computed from it.",
        "",
        f"Made by `lcm.generate({made['profile']!r}, size={made['size']!r}, seed={made['seed']}, "
        f"tier={made['tier']}, templates={made['templates']!r})`. Licence {card['licence']}.",
        f"Canary {card['canary']}: please keep it out of training data.",
        "",
        f"- {card['messages']:,} messages in {card['sessions']} sessions; words a message: "
        f"{_spread(card['words_per_message'])}; messages a session: "
        f"{_spread(card['messages_per_session'])}. LoCoMo: mean 23 words, quartiles 15, 22 and 31; "
        "22 messages a session.",
        f"- The gold holds {card['overlap']:.2f} of a question's content stems (LoCoMo .54); a "
        f"median of {card['tie_or_beat_median']:g} other messages hold as many or more (LoCoMo 6).",
        "- Grades: 3 states the answer, 2 is one part of several, 1 is a superseded value (stale)",
        "  or talk of the same thing without its value. Binary measures count from 2.",
        "",
        "| type | topics | overlap, mean | tie or beat, median | gold messages, mean | left out |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = [
        f"| {kind} | {row['topics']} | {row['overlap']:.2f} | {row['tie_or_beat_median']:g} | "
        f"{row['gold']:.1f} | {card['dropped'][kind]} |"
        for kind, row in card["types"].items()
    ]
    notes = [
        "",
        "*Left out*: no wording in the band of its type after 20 tries. For abstention, where",
        "nothing answers, the overlap is that of the best message.",
        "",
        "Known weaknesses:",
        "",
        *(f"- {note}" for note in card["notes"]),
    ]
    return "\n".join([*head, *rows, *notes]) + "\n"


def _spread(of: dict[str, Any]) -> str:
    return f"mean {of['mean']}, quartiles {_listed(of['quartiles'])}"


def _about(kind: str, topics: Sequence[Topic]) -> dict[str, Any]:
    some = [topic for topic in topics if topic.case.kind == kind]
    return {
        "topics": len(some),
        "overlap": round(fmean(topic.overlap for topic in some) / 1000, 3),
        "tie_or_beat_median": median(topic.beaten for topic in some),
        "gold": round(fmean(len(topic.spans) for topic in some), 2),
    }


def _kinds(topics: Sequence[Topic]) -> list[str]:
    return list(dict.fromkeys(topic.case.kind for topic in topics))


def _sizes(messages: Sequence[Message]) -> list[int]:
    counts: dict[str, int] = {}
    for message in messages:
        session = message.docno.rsplit("/", 1)[0]
        counts[session] = counts.get(session, 0) + 1
    return sorted(counts.values())


def _quartiles(ordered: Sequence[int]) -> list[int]:
    return [ordered[len(ordered) * share // 4] for share in (1, 2, 3)]


def _listed(numbers: Sequence[int]) -> str:
    return f"{numbers[0]}, {numbers[1]} and {numbers[2]}"


def _canary(name: str, made: dict[str, Any]) -> str:
    digits = blake2b(f"lcm_lab canary {name} {sorted(made.items())}".encode(), digest_size=16)
    found = digits.hexdigest()
    return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))
