"""What there is to talk about: the topics, and the sentences of both template sets by topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from lcm_lab.synth.language import Language, table

__all__ = ["FOREIGN", "Topic", "facts_of", "frames", "language", "topics"]

Topic = Mapping[str, Any]
#: Other languages that a user writes in, by what was asked for ("mixed" changes within a sentence),
#: and how many facts are told in each.
FOREIGN: Mapping[str, tuple[tuple[str, ...], int]] = {
    "mix": (("zh", "ja", "ko", "mixed"), 2),
    "en": ((), 0),
    "zh": (("zh",), 3),
    "ja": (("ja",), 3),
    "ko": (("ko",), 3),
}


@cache
def topics() -> Mapping[str, Topic]:
    """Give all topics by name, in the order of their files."""
    return {
        name: topic
        for number in (1, 2, 3, 4)
        for name, topic in table("assistant", f"topics_{number}").items()
    }


def frames(templates: str) -> Mapping[str, Any]:
    """Give the sentences of a template set, "A" or "B", that are about no topic."""
    return table("assistant", templates.lower())


def facts_of(entry: Mapping[str, Any], templates: str) -> Any:
    """Give what a template set has for an entry of a topic (a slot, the event, the claim)."""
    return entry[templates.lower()]


@cache
def language(templates: str) -> Language:
    """Give a template set's questions as the makers of `lcm_lab.synth.cases` look for them."""
    asked = frames(templates)["ask"]
    logs = frames(templates)["log"]
    facts = {
        "self": dict(_slots(templates)),
        "event": {name: _event(topic, templates) for name, topic in topics().items()},
        "clash": {
            f"claim.{name}": {"q": _framed(asked["clash"], facts_of(topic["claim"], templates)[2])}
            for name, topic in topics().items()
        },
        "code": {"q": asked["code"], "q_code": asked["code_back"]},
        "decision": {"q": asked["decision"]},
        "log": {name: {"q": asking} for name, (_, *asking) in logs.items()},
        "foreign": dict(_foreign(templates)),
    }
    wishes = [
        {"q": [f for q in facts_of(topic["wish"], templates)[1] for f in _framed(asked["wish"], q)]}
        for topic in topics().values()
    ]
    return Language(facts, {"preference": wishes})


def _slots(templates: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, topic in topics().items():
        for number, slot in enumerate(topic["slot"]):
            ways = {"q": facts_of(slot, templates)[2]}
            if "p" in slot:
                asking, decoys = facts_of(slot["p"], templates)
                ways |= {"para": [asking], "decoy": decoys}
            yield f"{name}.{number}", ways


def _event(topic: Topic, templates: str) -> dict[str, Any]:
    _, _, which, when, order = facts_of(topic["event"], templates)
    inside = which[0].removesuffix("?") + " in {month}?"
    ordered = _framed(frames(templates)["ask"]["order"], order[0])
    return {"q_all": which, "q_when": when, "q_which": [inside], "q_order": ordered}


def _framed(wordings: Sequence[str], question: str) -> list[str]:
    """Give a question as it is and with what may stand before it."""
    return [one.replace("{q}", question) for one in wordings]


def _foreign(templates: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for lang in FOREIGN["mix"][0]:
        for number, entry in enumerate(table("assistant", "foreign")[lang]["fact"]):
            yield f"{lang}.{number}", {"q": [facts_of(entry, templates)[2]]}
