"""What becomes true in a chat: slots, changes of them, events, codes, logs and preferences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from lcm_lab.synth.chat.friends import Friends
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Builder"]

SELF_SLOTS, KIN_SLOTS, PLAN_SLOTS, CHANGES = 8, 3, 3, 8
CODES, LOGS, PREFERENCES, PARAPHRASED = 8, 9, 3, 7
#: Things and amounts that a log repeats: few, so that its messages are hard to tell apart.
SUBJECTS = 4
#: How often a speaker does each of some kinds of thing; some often enough to be asked for all.
TIMES = (4, 3, 2, 2, 1)
#: By tier, in percent: returns to each slot and code without its value, and to each kind of event;
#: and how many decoys a paraphrase gets.
RETURNS = {1: 6, 6: 22, 23: 130}
AGAIN = {1: 0, 6: 100, 23: 850}
DECOYS = {1: 1, 6: 3, 23: 6}


class Builder:
    """Fills a world with facts; every list of values is drawn from without replacement."""

    def __init__(
        self,
        world: Friends,
        tables: tuple[Mapping[str, Any], Mapping[str, Any]],
        words: Language,
        draw: Draw,
    ) -> None:
        self.world, self.draw, self.words = world, draw, words
        self.scheme, self.lexicon = tables
        self._left: dict[str, list[str]] = {}
        self._load = [0] * len(world.starts)

    def fill(self) -> None:
        """Make what is true of each of the two, of their people and of their plans."""
        self._slots()
        self._changes()
        self._events()
        self._codes()
        self._log()
        self._preferences()

    def take(self, name: str) -> str:
        """Give a value of a list that was not given before."""
        if not self._left.get(name):
            self._left[name] = self.draw.shuffle(self.lexicon[name])
        return self._left[name].pop()

    def session(self, low: int = 0, weight: int = 3, high: int | None = None) -> int:
        """Choose a session from ``low`` on, the less loaded of two."""
        last = len(self._load) - 1 if high is None else high
        found = min(
            (self.draw.between(low, last) for _ in range(2)),
            key=lambda s: (self._load[s], s),
        )
        self._load[found] += weight
        return found

    def _slots(self) -> None:
        schemes = {about: [s for s in self.scheme["slot"] if about in s["of"]] for about in ABOUT}
        for speaker in self.world.speakers:
            for scheme in self.draw.sample(schemes["self"], SELF_SLOTS):
                self._slot(scheme, "self", speaker.name, speaker.name)
            for person in self.world.kin[speaker.name]:
                for scheme in self.draw.sample(schemes["kin"], KIN_SLOTS):
                    self._slot(scheme, "kin", person.name, speaker.name)
        for plan in self.world.plans:
            for scheme in self.draw.sample(schemes["plan"], PLAN_SLOTS):
                self._slot(scheme, "plan", plan, self.draw.pick(self.world.speakers).name)

    def _slot(self, scheme: Mapping[str, Any], about: str, entity: str, owner: str) -> None:
        value = self.take(scheme["values"])
        fact = Fact(
            "",
            "slot",
            scheme["name"],
            entity,
            owner,
            value,
            self.session(),
            scheme["domain"],
            about,
        )
        self.world.add(fact)

    def _changes(self) -> None:
        lists = {s["name"]: s["values"] for s in self.scheme["slot"] if s.get("changes")}
        last = len(self.world.starts) - 1
        for first in self.draw.shuffle(self.world.facts)[: 4 * CHANGES]:
            changed = sum(fact.told == "change" for fact in self.world.facts)
            if changed >= CHANGES or first.attribute not in lists or first.session >= last - 1:
                continue
            session = first.session
            for _ in range(1 + self.draw.chance(30)):
                if session < last:
                    session = self.session(session + 1)
                    value = self.take(lists[first.attribute])
                    self.world.add(replace(first, value=value, session=session, told="change"))

    def _events(self) -> None:
        for speaker in self.world.speakers:
            schemes = self.draw.sample(self.scheme["event"], len(TIMES))
            for scheme, times in zip(schemes, TIMES, strict=True):
                terse = set(self.draw.sample(range(times), (times + 1) // 2 if times > 1 else 0))
                sessions = sorted(self.draw.sample(range(len(self._load)), times))
                for i, session in enumerate(sessions):
                    self._load[session] += 3
                    self._event(scheme, speaker.name, session, terse=i in terse)

    def _event(self, scheme: Mapping[str, Any], who: str, session: int, *, terse: bool) -> None:
        ago = self.draw.between(1, 6)
        day = self.world.starts[session].date() - timedelta(days=ago)
        name = DAYS[day.weekday()]
        when = "yesterday" if ago == 1 else self.draw.pick((f"on {name}", f"last {name}"))
        value = self.take(scheme["values"])
        told = "low" if terse else "say"
        self.world.add(
            Fact(
                "", "event", scheme["name"], who, who, value, session, scheme["domain"],
                day=day, told=told, detail=(("when", when),),
            )
        )  # fmt: skip

    def _codes(self) -> None:
        for scheme in self.draw.sample(self.scheme["code"], CODES // 2):
            first = _code(scheme["shape"], self.draw)
            codes = [first, _near(first, scheme["shape"], self.draw)]
            for code, speaker in zip(codes, self.draw.shuffle(self.world.speakers), strict=True):
                thing = self.take(scheme["name"])
                detail = (
                    ("thing", thing), ("bare", thing.removeprefix("the ")),
                    ("noun", scheme["noun"]),
                )  # fmt: skip
                self.world.add(
                    Fact(
                        "", "code", scheme["name"], thing, speaker.name, code, self.session(),
                        "home", detail=detail,
                    )
                )  # fmt: skip

    def _log(self) -> None:
        scheme = self.draw.pick(self.scheme["log"])
        pattern = self.words.of("log", scheme["name"])["result"]
        used: set[str] = set()
        asked: set[tuple[str, str, str]] = set()
        subjects = self.draw.sample(self.lexicon[scheme["subject"]], SUBJECTS)
        amounts = self.draw.sample(range(scheme["amount"][0], scheme["amount"][1] + 1), SUBJECTS)
        for speaker in self.world.speakers:
            for session in self.draw.sample(range(len(self._load)), LOGS):
                detail = {
                    "n": str(self.draw.pick(amounts)),
                    "subject": self.draw.pick(subjects),
                }
                key = (speaker.name, detail["n"], detail["subject"])
                value = _result(pattern, self.draw)
                if value in used or key in asked:
                    continue
                used.add(value)
                asked.add(key)
                self._load[session] += 2
                self.world.add(
                    Fact(
                        "", "log", scheme["name"], speaker.name, speaker.name, value, session,
                        scheme["domain"], detail=(*detail.items(), ("r", value)),
                    )
                )  # fmt: skip

    def _preferences(self) -> None:
        for index, speaker in enumerate(self.world.speakers):
            for aspect in self.draw.sample(range(len(self.words.talk["preference"])), PREFERENCES):
                scheme = self.words.talk["preference"][aspect]
                ways = scheme["of"][index % len(scheme["of"])]
                for way in ways[: 1 + self.draw.chance(50)]:
                    value = way[way.index("«") + 1 : way.index("»")]
                    self.world.add(
                        Fact(
                            "", "preference", str(aspect), speaker.name, speaker.name, value,
                            self.session(), scheme["domain"], told=way,
                        )
                    )  # fmt: skip

    def plant(self, tier: int) -> None:
        """Plan the distractors of a tier."""
        slots = [fact for fact in self.world.facts if fact.kind == "slot"]
        for fact in self.world.facts:
            if fact.kind in ("slot", "code"):
                often = 3 if fact.told == "change" else 1
                self._return(fact, often * RETURNS[tier], fact.session + 1)
            elif fact.kind == "event":
                self._return(fact, AGAIN[tier], 0)
        able = [f for f in slots if "para" in self.words.of(f.about, f.attribute) and not f.told]
        for fact in self.draw.sample(able, PARAPHRASED):
            self.world.plants.append(Plant(fact, -1, "paraphrased"))
            for _ in range(DECOYS[tier]):
                self.world.plants.append(Plant(fact, self.session(weight=1), "decoy"))

    def _return(self, fact: Fact, percent: int, low: int) -> None:
        """Plan to come back to a fact, on average ``percent`` / 100 times."""
        times = percent // 100 + self.draw.chance(percent % 100)
        for _ in range(times if low < len(self._load) else 0):
            self.world.plants.append(Plant(fact, self.session(low, 2), "return"))


ABOUT = ("self", "kin", "plan")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LETTERS, DIGITS = "ABCDEFGHJKLMNPQRTUVWXYZ", "0123456789"


def _code(shape: str, draw: Draw) -> str:
    kinds = {"L": LETTERS, "D": DIGITS}
    return "".join(draw.pick(kinds[c]) if c in kinds else c for c in shape)


def _near(code: str, shape: str, draw: Draw) -> str:
    """Give a code one or two characters away."""
    out = list(code)
    places = [i for i, c in enumerate(shape) if c in "LD"]
    for i in draw.sample(places, draw.between(1, 2)):
        kind = LETTERS if shape[i] == "L" else DIGITS
        out[i] = draw.pick([c for c in kind if c != code[i]])
    return "".join(out)


def _result(pattern: str, draw: Draw) -> str:
    fields = {
        "min": str(draw.between(18, 79)), "sec": f"{draw.below(60):02d}",
        "one": str(draw.between(4, 9)), "dec": str(draw.below(10)),
        "bpm": str(draw.between(60, 180)),
    }  # fmt: skip
    return pattern.format(**fields)
