"""What becomes true for a user, and the talk that is planted beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from lcm_lab.synth.assistant.codes import code, near, reading
from lcm_lab.synth.assistant.places import Places
from lcm_lab.synth.assistant.topics import FOREIGN, facts_of, frames, topics
from lcm_lab.synth.assistant.user import User
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import expand, table
from lcm_lab.synth.profile import Setting
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Builder"]

#: Of 100 slots: how many are filled; the others are asked for in vain. Of those filled that can
#: change: how many do, and how many of these more than once.
FILLED, CHANGES, AGAIN_CHANGES = 74, 45, 35
#: How often each kind of event happens, dealt out over the topics.
TIMES = (5, 4, 3, 3, 2, 2, 1, 4)
LOGS, LOG_LENGTH, SUBJECTS, QUOTES = 2, 9, 4, 5
#: By tier, in percent: returns to each slot and code and to each kind of event without a value;
#: and how many decoys of a paraphrase are planted.
RETURNS = {1: 15, 6: 60, 23: 250}
RETURNS_EVENT = {1: 30, 6: 100, 23: 450}
DECOYS = {1: 1, 6: 2, 23: 2}
FOREIGN_RETURNS = {1: 1, 6: 2, 23: 4}


class Builder:
    """Fills a user's world with facts; a value stands for one fact in a conversation."""

    def __init__(self, world: User, setting: Setting, draw: Draw) -> None:
        self.world, self.draw, self.setting = world, draw, setting
        self.templates, self.tier = setting.templates, setting.tier
        self.lexicon = table("assistant", "lexicon")
        self.places = Places(world, draw)
        self._values: set[str] = set()

    def fill(self) -> User:
        """Make everything that is true, and the distractors of a tier."""
        for number, name in enumerate(dict.fromkeys(self.world.about)):
            topic = topics()[name]
            self._slots(name, topic)
            self._event(name, topic, TIMES[number % len(TIMES)])
            self._claims(name, topic)
            self._wishes(name, topic)
            self._codes(name, topic)
            self._decisions(name, topic)
            self._recommended(name, topic)
        self._logs()
        self._quotes()
        self._foreign()
        self._plants()
        return self.world

    def _add(self, kind: str, key: tuple[str, str], value: str, session: int, **more: Any) -> Fact:
        """Take in a fact; ``key`` are topic and attribute."""
        owner = more.pop("owner", "user")
        entity = more.pop("entity", "user")
        return self.world.add(Fact("", kind, key[1], entity, owner, value, session, key[0], **more))

    def _slots(self, name: str, topic: Mapping[str, Any]) -> None:
        for number, slot in enumerate(topic["slot"]):
            detail = (("n", slot["n"]),)
            key = name, f"{name}.{number}"
            if not self.draw.chance(FILLED):
                open_slot = Fact("", "slot", key[1], "user", "user", "", 0, name, detail=detail)
                self.world.open.append(open_slot)
                continue
            values = self.draw.shuffle(slot["v"])
            session = self.places.session(name)
            fact = self._add("slot", key, values.pop(), session, told="say", detail=detail)
            if facts_of(slot, self.templates)[1] and self.draw.chance(CHANGES):
                self._change(fact, values)

    def _change(self, fact: Fact, values: list[str]) -> None:
        last = len(self.world.starts) - 1
        for _ in range(1 + self.draw.chance(AGAIN_CHANGES)):
            if fact.session < last and values:
                session = self.places.session(fact.domain, fact.session + 1)
                told = replace(fact, value=values.pop(), session=session, told="change")
                fact = self.world.add(told)

    def _event(self, name: str, topic: Mapping[str, Any], times: int) -> None:
        values = self.draw.shuffle(topic["event"]["v"])
        terse = set(self.draw.sample(range(times), int(times > 2)))
        before: date | None = None
        for i, session in enumerate(self.places.series(times)):
            day, when = self.places.day(session)
            if before and day <= before:
                continue
            before = day
            told = "low" if i in terse else "say"
            detail = (("when", when), ("k", topic["event"]["k"]))
            self._add("event", (name, name), values[i], session, day=day, told=told, detail=detail)

    def _claims(self, name: str, topic: Mapping[str, Any]) -> None:
        said, denied, _ = facts_of(topic["claim"], self.templates)
        for clause in self.draw.shuffle([said, denied]):
            self._add(
                "clash", (name, f"claim.{name}"), clause, self.places.session(name), about="clash"
            )

    def _wishes(self, name: str, topic: Mapping[str, Any]) -> None:
        place = str(list(topics()).index(name))
        for way in facts_of(topic["wish"], self.templates)[0][: 1 + self.draw.chance(50)]:
            value = way[way.index("«") + 1 : way.index("»")]
            detail = (("title", topic["title"]),)
            session = self.places.session(name)
            self._add("preference", (name, place), value, session, told=way, detail=detail)

    def _codes(self, name: str, topic: Mapping[str, Any]) -> None:
        thing, shape = topic["code"]
        first = code(shape, self.draw)
        other = thing.replace("the ", "the old ", 1)
        for n, value in ((thing, first), (other, near(first, shape, self.draw))):
            detail = (("thing", n), ("n", n))
            session = self.places.session(name)
            self._add("code", (name, name), value, session, entity=n, detail=detail)

    def _decisions(self, name: str, topic: Mapping[str, Any]) -> None:
        reasons = self.draw.shuffle(topic["drop"]["r"])
        stances = frames(self.templates)["assistant"]["stance"]
        for x in self.draw.sample(topic["drop"]["x"], 2):
            key, detail = (name, name), (("x", x),)
            talk = self.places.session(name)
            taken = self.places.session(name, min(talk + 1, len(self.world.starts) - 1))
            stance = self._unheard(partial(self._stance, stances, topic))
            self._add("discussion", key, stance, talk, entity=x, owner="assistant", detail=detail)
            self._add("decision", key, reasons.pop(), taken, entity=x, detail=detail)

    def _recommended(self, name: str, topic: Mapping[str, Any]) -> None:
        for cat in topic["rec"]:
            bare = cat.removeprefix("an ").removeprefix("a ")
            praise = expand(self.draw.pick(self.lexicon["praise"]), self.draw)
            detail = (("n", cat), ("cat", cat), ("bare", bare), ("praise", praise))
            key = name, f"{name}.{bare}"
            session, value = self.places.session(name), self._unheard(self._firm)
            self._add("rec", key, value, session, owner="assistant", detail=detail)

    def _stance(self, stances: Sequence[str], topic: Mapping[str, Any]) -> str:
        fields = {name: self.draw.pick(topic[name]) for name in ("why", "risk", "tool")}
        return expand(self.draw.pick(stances), self.draw).format(**fields)

    def _firm(self) -> str:
        first, second = self.lexicon["maker_a"], self.lexicon["maker_b"]
        return f"{self.draw.pick(first)} {self.draw.pick(second)}"

    def _unheard(self, make: Callable[[], str]) -> str:
        """Give a value that stands for nothing yet."""
        value = make()
        while value in self._values:
            value = make()
        self._values.add(value)
        return value

    def _logs(self) -> None:
        for scheme in self.draw.sample(self.lexicon["log"], LOGS):
            subjects = self.draw.sample(scheme["subject"], SUBJECTS)
            pattern, (low, high) = scheme["result"], scheme["amount"]
            amounts = self.draw.sample(range(low, high + 1), SUBJECTS)
            cells = [(s, str(n)) for s in subjects for n in amounts]
            for subject, n in self.draw.sample(cells, LOG_LENGTH):
                value = self._unheard(partial(reading, pattern, self.draw))
                detail = (("subject", subject), ("n", n), ("r", value))
                key = "", scheme["name"]
                self._add("log", key, value, self.places.session(), detail=detail)

    def _quotes(self) -> None:
        people = self.draw.shuffle(self.lexicon["relation"])
        for said, other in self.draw.sample(frames(self.templates)["sayings"]["pairs"], QUOTES):
            p, second = people.pop(), people.pop()
            detail = (("p", p), ("s", said))
            fact = self._add(
                "quote", ("", said), said, self.places.session(), entity=p, detail=detail
            )
            echo = replace(fact, detail=(("p", second), ("s", other)))
            self.world.plants.append(Plant(echo, self.places.session(), "echo"))

    def _foreign(self) -> None:
        spoken, count = FOREIGN[self.setting.lang]
        for lang in spoken:
            entries = table("assistant", "foreign")[lang]["fact"]
            for number in self.draw.sample(range(len(entries)), count):
                value = self.draw.pick(entries[number]["v"])
                key = "", f"{lang}.{number}"
                fact = self._add(
                    "foreign", key, value, self.places.session(), about="foreign", told=lang
                )
                for _ in range(FOREIGN_RETURNS[self.tier]):
                    self.world.plants.append(Plant(fact, self.places.session(), "foreign"))

    def _plants(self) -> None:
        slots = [fact for fact in self.world.facts if fact.kind == "slot"]
        named = [f for f in self.world.facts if f.kind in ("slot", "code", "rec")]
        for fact in [*named, *self.world.open]:
            self._return(fact, RETURNS[self.tier])
        for name in dict.fromkeys(self.world.about):
            events = [f for f in self.world.facts if f.kind == "event" and f.domain == name]
            if events:
                self._return(events[0], RETURNS_EVENT[self.tier])
        for fact in slots:
            name, number = fact.attribute.split(".")
            if "p" in topics()[name]["slot"][int(number)] and fact.told == "say":
                self.world.plants.append(Plant(fact, -1, "paraphrased"))
                for _ in range(DECOYS[self.tier]):
                    self.world.plants.append(Plant(fact, self.places.session(), "decoy"))

    def _return(self, fact: Fact, percent: int) -> None:
        """Plan to come back to a fact, on average ``percent`` / 100 times."""
        for _ in range(percent // 100 + self.draw.chance(percent % 100)):
            self.world.plants.append(Plant(fact, self.places.session(fact.domain), "return"))
