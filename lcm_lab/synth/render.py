"""From a world to the messages of a chat: threads of a few turns, filled up to drawn lengths.

A fact is asked for and answered, or told of one's own accord; the talk around it is on the same
theme and names the same people, so that the turn with the most words of a question is often not the
one with the answer. No other sentence may hold the value of a fact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from lcm_lab.synth.draw import CHAT_WORDS, Draw
from lcm_lab.synth.language import Language
from lcm_lab.synth.speech import Speech
from lcm_lab.synth.voices import about_fact
from lcm_lab.synth.world import Fact, World

__all__ = ["Message", "render"]

#: Messages a session: the spread of the counterpart, LoCoMo (13 to 43, quartiles 17, 20 and 23).
SESSION = (13, 15, 16, 17, 18, 18, 19, 20, 20, 21, 22, 22, 23, 25, 28, 33)
#: In LoCoMo a turn with evidence has 36 words in the mean, all turns 26: here it gets the longest
#: of three draws, and the others do without the longest eighth.
USUAL = len(CHAT_WORDS) * 7 // 8
#: By tier, in percent: facts that are asked for (LoCoMo: 72 of 100 turns with evidence follow a
#: question), and answers that leave out what was asked.
SHARES = {1: (45, 20), 6: (72, 35), 23: (85, 95)}


@dataclass(frozen=True)
class Line:
    """A turn before it has its full length: who, which theme, and the sentence it is there for.

    ``filler`` says what may stand with it: talk of one's own after it (tell) or before it (lead: a
    question comes last), an answer to the other's talk (react), or nothing.
    """

    speaker: str
    domain: str
    core: str = ""
    fact: Fact | None = None
    manner: str = ""
    filler: str = "tell"


@dataclass(frozen=True)
class Message:
    """A turn as it stands in the corpus; ``manner`` says whether it states or mentions its fact."""

    docno: str
    session: int
    speaker: str
    time: datetime
    text: str
    fact: Fact | None = None
    manner: str = ""


def render(
    world: World, words: Language, lexicon: Mapping[str, Any], draw: Draw, tier: int
) -> list[Message]:
    """Give the messages of a conversation, in order; a higher tier answers in fewer words."""
    return _Chat(world, words, lexicon, draw, tier).messages()


class _Chat:
    def __init__(
        self, world: World, words: Language, lexicon: Mapping[str, Any], draw: Draw, tier: int
    ) -> None:
        self._asked, self._short = SHARES[tier]
        self.world, self.words, self.draw = world, words, draw
        self.speech = Speech(world, lexicon, draw)

    def messages(self) -> list[Message]:
        out: list[Message] = []
        for session, start in enumerate(self.world.starts):
            time = start
            for number, line in enumerate(self._session(session), 1):
                docno = f"{self.world.name}/s{session + 1:02d}/{number:02d}"
                text = self._fill_up(line)
                out.append(
                    Message(docno, session, line.speaker, time, text, line.fact, line.manner)
                )
                time += timedelta(seconds=self.draw.between(15, 140))
        return out

    def _session(self, session: int) -> list[Line]:
        first, second = self.draw.shuffle([one.name for one in self.world.speakers])
        threads = [self._thread(f) for f in self.world.facts if f.session == session]
        threads += [
            self._plant(plant.fact, plant.manner)
            for plant in self.world.plants
            if plant.session == session
        ]
        size = self.draw.pick(SESSION)
        while sum(map(len, threads)) + 4 < size:
            threads.append(self._chatter())
        opening = [self._free(first, "hello"), self._free(second, "hello_back")]
        closing = [self._free(second, "bye"), self._free(first, "bye_back")]
        closing = closing[: self.draw.between(0, 2)]
        return opening + self._joined(self.draw.shuffle(threads)) + closing

    def _joined(self, threads: Sequence[list[Line]]) -> list[Line]:
        """Put threads one after the other; between two turns of one speaker the other may react."""
        out: list[Line] = []
        for thread in threads:
            first = thread[0]
            if out and out[-1].speaker == first.speaker and self.draw.chance(45):
                out.append(self._reaction(self.world.other(first.speaker).name, out[-1].domain))
            if out and first.core and self.draw.chance(35):
                link = self.speech.sentence(self.words.talk["link"], dict)
                first = replace(first, core=f"{link} {first.core}")
            out += [first, *thread[1:]]
        return out

    def _thread(self, fact: Fact) -> list[Line]:
        owner, friend = fact.owner, self.world.other(fact.owner).name
        if fact.kind in ("log", "preference"):
            return [self._told(fact), *self._tail(friend, owner, fact.domain, 10)]
        ways = self.words.of(fact.about if fact.kind == "slot" else fact.kind, fact.attribute)
        if fact.told == "change" or not self.draw.chance(self._asked):
            return [self._told(fact), *self._tail(friend, owner, fact.domain, 25)]
        ask = self._about(fact, friend, ways["ask"])
        if fact.kind == "event":
            ask = Line(friend, fact.domain, ask.core, filler="lead")
        return [ask, self._told(fact, asked=True), *self._tail(friend, owner, fact.domain, 22)]

    def _told(self, fact: Fact, *, asked: bool = False) -> Line:
        """Give the turn that states a fact."""
        if fact.kind == "preference":
            core = fact.told.replace("«", "").replace("»", "")
        else:
            ways = self.words.of(fact.about if fact.kind == "slot" else fact.kind, fact.attribute)
            manner = fact.told or "say"
            if asked and "short" in ways and self.draw.chance(self._short):
                manner = "short"
            core = self.speech.clean(
                ways[manner], lambda: about_fact(self.world, fact, "owner", self.draw), fact.value
            )
        return Line(fact.owner, fact.domain, core, fact, "states")

    def _about(self, fact: Fact, speaker: str, templates: Sequence[str]) -> Line:
        """Give a turn about a fact that does not hold its value."""
        voice = "owner" if speaker == fact.owner else "friend"
        core = self.speech.clean(templates, lambda: about_fact(self.world, fact, voice, self.draw))
        filler = "lead" if core.endswith("?") else "tell"
        return Line(speaker, fact.domain, core, fact, "mentions", filler)

    def _plant(self, fact: Fact, manner: str) -> list[Line]:
        owner, friend = fact.owner, self.world.other(fact.owner).name
        ways = self.words.of(fact.about if fact.kind == "slot" else fact.kind, fact.attribute)
        if fact.kind == "event":
            return self._lately(fact, ways["noun"])
        if manner == "decoy":
            first = self.draw.pick((owner, friend))
            core = self.speech.clean(ways["decoy"], lambda: self.speech.talk(first))
            return [Line(first, fact.domain, core)]
        return [
            self._about(fact, friend, ways["again"]),
            self._about(fact, owner, ways["still"]),
            *self._tail(friend, owner, fact.domain, 20),
        ]

    def _lately(self, fact: Fact, noun: str) -> list[Line]:
        """Give talk of a kind of event that tells of none."""
        core = self.speech.clean(
            self.words.talk["lately"], lambda: self.speech.talk(fact.owner) | {"noun": noun}
        )
        line = Line(fact.owner, fact.domain, core)
        return [line, *self._tail(self.world.other(fact.owner).name, fact.owner, fact.domain, 10)]

    def _tail(self, friend: str, owner: str, domain: str, percent: int) -> list[Line]:
        """Give a reaction, mostly, and in some cases a little more talk on the theme."""
        if self.draw.chance(15):
            return []
        out = [self._reaction(friend, domain)]
        if self.draw.chance(percent):
            out.append(Line(owner, domain))
            if self.draw.chance(percent):
                out.append(self._reaction(friend, domain))
        return out

    def _reaction(self, speaker: str, domain: str) -> Line:
        pools = (self.words.talk["react"], self.words.talk["pool"][domain]["react"])
        core = self.speech.clean(self.draw.pick(pools), lambda: self.speech.talk(speaker))
        return Line(speaker, domain, core, filler="react")

    def _chatter(self) -> list[Line]:
        domain = self.draw.pick(sorted(self.words.talk["pool"]))
        first, second = self.draw.shuffle([one.name for one in self.world.speakers])
        return [Line(first, domain), *self._tail(second, first, domain, 60)]

    def _free(self, speaker: str, pool: str) -> Line:
        core = self.speech.clean(self.words.talk[pool], lambda: self.speech.talk(speaker))
        domain = self.draw.pick(sorted(self.words.talk["pool"]))
        return Line(speaker, domain, core, filler="tell" if "hello" in pool else "")

    def _fill_up(self, line: Line) -> str:
        """Add sentences on the theme until the turn has about the length that was drawn for it."""
        wanted = self.draw.pick(CHAT_WORDS[:USUAL])
        if line.manner == "states":
            wanted = max(self.draw.pick(CHAT_WORDS) for _ in range(3))
        parts = [line.core] if line.core else []
        while not parts or (line.filler and sum(len(p.split()) for p in parts) + 5 < wanted):
            templates = self.words.talk["pool"][line.domain]["tell"]
            if line.filler == "react" and len(parts) < 3:
                templates = self.words.talk["pool"][line.domain]["react"]
            if parts and self.draw.chance(8):
                templates = self.words.talk["wonder"]
            parts.append(self.speech.clean(templates, lambda: self.speech.talk(line.speaker)))
        if line.filler == "lead":
            parts = [*parts[1:], *parts[:1]]
        return " ".join(parts)
