"""The second language of two friends: what they tell in it, how, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lcm_lab.synth.cases import Case, Source
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import sentence, table
from lcm_lab.synth.world import Fact, World

__all__ = ["LANGS", "Second", "add_foreign", "cross_lingual", "second"]

#: What ``lang`` may be. "mix" is English for the most part: of 15 pairs 5 share Chinese, 4
#: Japanese, 3 Korean, and 3 put English words into one of them.
LANGS = ("mix", "en", "zh", "ja", "ko")
SHARES = ("zh",) * 5 + ("ja",) * 4 + ("ko",) * 3 + ("zh+", "ja+", "ko+")
#: Facts told in it, and threads of small talk.
FACTS, TALK = 9, 14
#: Of 100 questions: in the language, in English, in both, by a number in full-width digits.
ASKED = ("q",) * 50 + ("en",) * 20 + ("mixed",) * 30
WIDE = {ord(c): chr(ord(c) + 0xFEE0) for c in "0123456789"}


@dataclass(frozen=True)
class Second:
    """A pair's second language: its tables in a template set, and whether English gets in."""

    lang: str
    ways: Mapping[str, Any]
    values: Mapping[str, list[str]]
    mixed: bool

    @property
    def talk(self) -> list[str]:
        """Small talk, each with its answer."""
        found: list[str] = self.ways["talk"]
        return found


def second(lang: str, templates: str, draw: Draw) -> Second | None:
    """Give the second language of a conversation; None where there is none."""
    if lang == "en":
        return None
    name = draw.pick(SHARES) if lang == "mix" else lang
    tables = table("chat", name[:2])
    return Second(name[:2], tables[templates.lower()], tables["values"], name.endswith("+"))


def add_foreign(world: World, speakers: list[str], other: Second, draw: Draw) -> None:
    """Let both tell facts in their second language; every value stands for one fact."""
    slots = [(who, name) for who in speakers for name in other.ways["fact"]]
    left = {name: draw.shuffle(values) for name, values in other.values.items()}
    for who, name in draw.sample(slots, FACTS):
        session = draw.below(len(world.starts))
        world.add(
            Fact("", "foreign", name, who, who, left[name].pop(), session, "", told=other.lang)
        )


def cross_lingual(source: Source, other: Second | None) -> Iterator[Case]:
    """Ask for what was told in the second language, in it, in English or in both."""
    for number, fact in enumerate(source.kind("foreign") if other else ()):
        ways = other.ways["fact"][fact.attribute] if other else {}
        way = source.draw.pick(ASKED)
        if other and other.mixed and way == "q":
            way = "mixed"
        if "code" in ways and number % 2:
            way = "code"
        yield Case(
            "cross-lingual", fact, (fact,), tuple(ways[way]), fact.value,
            source.after(fact.session), (fact.value,),
            fields=(("w", fact.value.translate(WIDE)),),
        )  # fmt: skip


def told(other: Second, fact: Fact, way: str, draw: Draw) -> str:
    """Give a sentence about a fact."""
    fields = {"v": fact.value, "O": fact.owner}
    return sentence(draw.pick(other.ways["fact"][fact.attribute][way]), fields, draw)
