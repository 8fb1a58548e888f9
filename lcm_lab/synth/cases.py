"""What can be asked of a world, by type, before it is worded: computed, never written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language
from lcm_lab.synth.message import Message
from lcm_lab.synth.world import Fact, World

__all__ = [
    "MONTHS", "Case", "Cases", "Judged", "Source", "identifier", "multi", "near_duplicate",
    "of_one", "paraphrase", "preference", "single", "temporal", "update",
]  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A message that is relevant as such, not for a fact: its grade, and what shows it."""

    docno: str
    grade: int
    span: str = ""


@dataclass(frozen=True)
class Case:
    """A question before it has words.

    ``gold`` are the facts that answer it after session ``asked``; ``spans`` the strings that show
    the answer in the message of each, ``grades`` the grade of each where they differ from
    ``grade``; ``stale`` older values of the same slot; ``judged`` further messages. ``fact`` fills
    the fields of the templates, ``fields`` add to them.
    """

    kind: str
    fact: Fact
    gold: tuple[Fact, ...]
    templates: tuple[str, ...]
    answer: str
    asked: int
    spans: tuple[str, ...] = ()
    stale: tuple[Fact, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    grade: int = 3
    grades: tuple[int, ...] = ()
    judged: tuple[Judged, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether anything answers it."""
        return bool(self.gold or self.judged)


@dataclass(frozen=True)
class Source:
    """What the case makers look at; ``voice`` gives the fields of a question about a fact."""

    world: World
    messages: Sequence[Message]
    words: Language
    draw: Draw
    voice: Callable[[Fact, Draw], Mapping[str, str]]

    @property
    def last(self) -> int:
        """The last session."""
        return len(self.world.starts) - 1

    def after(self, session: int) -> int:
        """Give when it is asked: mostly at the end, else after some session from ``session`` on."""
        return self.last if self.draw.chance(70) else self.draw.between(session, self.last)

    def kind(self, name: str) -> list[Fact]:
        """Give the facts of a kind, in random order."""
        return self.draw.shuffle([fact for fact in self.world.facts if fact.kind == name])


#: Makers by type, each with how many questions a conversation gets of it.
Cases = Mapping[str, tuple[Callable[[Source], Iterator[Case]], int]]


def of_one(source: Source, kind: str, fact: Fact, templates: Sequence[str]) -> Case:
    """Ask for the value of one fact."""
    asked = source.after(fact.session)
    return Case(kind, fact, (fact,), tuple(templates), fact.value, asked, (fact.value,))


def single(source: Source) -> Iterator[Case]:
    """Ask for a slot that never changed."""
    used = {p.fact.ref for p in source.world.plants if p.manner == "paraphrased"}
    for fact in source.kind("slot"):
        if len(source.world.history(fact.slot, source.last)) == 1 and fact.ref not in used:
            yield of_one(source, "single", fact, source.words.of(fact.about, fact.attribute)["q"])


def update(source: Source) -> Iterator[Case]:
    """Ask for a slot that changed: the value that holds then, before its last change or after."""
    for fact in source.kind("slot"):
        if fact.told != "change":
            continue
        asked = source.after(fact.session)
        history = source.world.history(fact.slot, asked)
        now, older = history[-1], tuple(history[:-1])
        templates = tuple(source.words.of(now.about, now.attribute)["q"])
        yield Case("update", now, (now,), templates, now.value, asked, (now.value,), older)


def paraphrase(source: Source) -> Iterator[Case]:
    """Ask for a slot in words that the message does not use."""
    for plant in source.draw.shuffle(source.world.plants):
        fact = plant.fact
        if plant.manner == "paraphrased":
            history = source.world.history(fact.slot, source.last)
            until = history[1].session - 1 if len(history) > 1 else source.last
            if until >= fact.session:
                templates = source.words.of(fact.about, fact.attribute)["para"]
                case = of_one(source, "paraphrase", fact, templates)
                yield replace(case, asked=min(case.asked, until))


def multi(source: Source) -> Iterator[Case]:
    """Ask for everything of a kind that a speaker did, over several sessions."""
    events = sorted(source.kind("event"), key=lambda fact: (fact.slot, fact.session))
    groups = [tuple(group) for _, group in groupby(events, key=lambda fact: fact.slot)]
    for group in source.draw.shuffle([g for g in groups if len(g) > 1]):
        asked = source.after(group[1].session)
        gold = tuple(fact for fact in group if fact.session <= asked)
        values = tuple(fact.value for fact in gold)
        templates = tuple(source.words.of("event", group[0].attribute)["q_all"])
        yield Case(
            "multi-session",
            gold[0],
            gold,
            templates,
            "; ".join(values),
            asked,
            values,
            grade=2,
        )


def temporal(source: Source) -> Iterator[Case]:
    """Ask when something happened, or which of several happened in a month."""
    for number, fact in enumerate(source.kind("event")):
        if fact.day is None:
            continue
        ways = source.words.of("event", fact.attribute)
        if number % 2:
            case = of_one(source, "temporal", fact, ways["q_when"])
            yield replace(case, answer=_in_words(fact.day), spans=(fact.details["when"],))
        elif _only(source.world, fact):
            month = f"{MONTHS[fact.day.month - 1]} {fact.day.year}"
            case = of_one(source, "temporal", fact, ways["q_which"])
            yield replace(case, fields=(("month", month),))


def identifier(source: Source) -> Iterator[Case]:
    """Ask for a code, or what a given one is for."""
    for number, fact in enumerate(source.kind("code")):
        ways = source.words.of("code", fact.attribute)
        case = of_one(source, "identifier", fact, ways["q_code" if number % 2 else "q"])
        thing = fact.details["thing"]
        yield replace(case, answer=thing, spans=(thing,)) if number % 2 else case


def near_duplicate(source: Source) -> Iterator[Case]:
    """Ask for one of many messages of the same form."""
    for fact in source.kind("log"):
        yield of_one(source, "near-duplicate", fact, source.words.of("log", fact.attribute)["q"])


def preference(source: Source) -> Iterator[Case]:
    """Ask what would suit somebody, who has shown it without being asked."""
    facts = sorted(source.kind("preference"), key=lambda fact: (fact.slot, fact.session))
    groups = [tuple(group) for _, group in groupby(facts, key=lambda fact: fact.slot)]
    for group in source.draw.shuffle(groups):
        asked = source.after(group[0].session)
        gold = tuple(fact for fact in group if fact.session <= asked)
        scheme = source.words.talk["preference"][int(group[0].attribute)]
        spans = tuple(fact.value for fact in gold)
        yield Case("preference", gold[0], gold, tuple(scheme["q"]), spans[0], asked, spans)


def _only(world: World, fact: Fact) -> bool:
    """Tell whether the speaker did this kind of thing once in that month."""
    same = [
        other
        for other in world.facts
        if other.slot == fact.slot
        and other.day
        and fact.day
        and (other.day.year, other.day.month) == (fact.day.year, fact.day.month)
    ]
    return len(same) == 1


def _in_words(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
