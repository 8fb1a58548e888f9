"""What is said about a fact, or beside one, as the lines of a thread; their length comes later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lcm_lab.synth.chat.foreign import Second, told
from lcm_lab.synth.chat.friends import Friends
from lcm_lab.synth.chat.voices import about_fact
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language, sentence
from lcm_lab.synth.speech import ANSWER, Speech
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Line", "Threads"]

#: By tier, in percent: facts that are asked for (LoCoMo: 72 of 100 turns with evidence follow a
#: question), answers that leave out what was asked, and facts that are asked about afterwards.
SHARES = {1: (45, 20, 30), 6: (72, 35, 50), 23: (85, 95, 75)}
#: Of 100 facts: how many the friend repeats in wonder.
ECHOES = 8
SWITCH = ("Honestly, ", "So, ", "By the way, ", "OK, ", "Well, ")


@dataclass(frozen=True)
class Line:
    """A turn before it has its full length: who, which theme, and the sentence it is there for.

    ``filler`` says what may stand with it: talk of one's own after it (tell) or before it (lead: a
    question comes last), a greeting (greet), or nothing. ``answers``: it begins with an answer to
    what was said before.
    """

    speaker: str
    domain: str
    core: str = ""
    states: tuple[Fact, ...] = ()
    mentions: tuple[Fact, ...] = ()
    filler: str = "tell"
    answers: bool = False
    lang: str = "en"


class Threads:
    """Makes the threads of one conversation."""

    def __init__(
        self,
        world: Friends,
        words: Language,
        speech: Speech,
        tier: int,
        talk: Callable[[str], dict[str, str]],
    ) -> None:
        self.world, self.words, self.speech, self.talk = world, words, speech, talk
        self.draw: Draw = speech.draw
        self._asked, self._short, self._more = SHARES[tier]

    def of(self, fact: Fact) -> list[Line]:
        """Give the thread that tells a fact."""
        owner, friend = fact.owner, self.world.other(fact.owner).name
        if fact.kind in ("log", "preference", "discussion"):
            return [self._told(fact), *self.tail(friend, owner, fact.domain, 10)]
        after = self._after(fact)
        if not self.draw.chance(self._asked):
            return [self._told(fact), *after]
        ways = self._ways(fact)
        ask = self._about(fact, friend, ways["again" if fact.told == "change" else "ask"])
        if fact.kind == "event":
            ask = Line(friend, fact.domain, ask.core, filler="lead")
        return [ask, self._told(fact, asked=True), *after]

    def plant(self, plant: Plant) -> list[Line]:
        """Give talk about a fact without its value, or beside it."""
        fact, ways = plant.fact, self._ways(plant.fact)
        owner, friend = fact.owner, self.world.other(fact.owner).name
        if fact.kind == "event":
            return self._lately(fact, str(ways["noun"]))
        if plant.manner == "decoy":
            first = self.draw.pick((owner, friend))
            return [Line(first, fact.domain, self.speech.clean(ways["decoy"], self._of(first)))]
        return [
            self._about(fact, friend, ways["again"]),
            self._about(fact, owner, ways["still"]),
            *self.tail(friend, owner, fact.domain, 20),
        ]

    def foreign(self, other: Second, fact: Fact) -> list[Line]:
        """Give the thread that tells a fact in the second language."""
        friend = self.world.other(fact.owner).name
        switch = self.draw.pick(SWITCH) if other.mixed and self.draw.chance(60) else ""
        say = switch + told(other, fact, "say", self.draw)
        out = [self._second(other, fact.owner, say, states=(fact,))]
        if self.draw.chance(self._asked):
            ask = told(other, fact, "ask", self.draw)
            out.insert(0, self._second(other, friend, ask, mentions=(fact,)))
        if self.draw.chance(self._more):
            about, on = told(other, fact, "more", self.draw).split(ANSWER)
            out.append(self._second(other, friend, about, mentions=(fact,)))
            out.append(self._second(other, fact.owner, on, mentions=(fact,)))
        return out

    def foreign_chatter(self, other: Second) -> list[Line]:
        """Give small talk in the second language."""
        first, second = self.draw.shuffle([one.name for one in self.world.speakers])
        said, answer = self.speech.pair(other.talk, dict)
        return [self._second(other, first, said), self._second(other, second, answer)]

    def chatter(self) -> list[Line]:
        """Give small talk on some theme."""
        domain = self.draw.pick(sorted(self.words.talk["pool"]))
        first, second = self.draw.shuffle([one.name for one in self.world.speakers])
        return [Line(first, domain), *self.tail(second, first, domain, 60)]

    def tail(self, friend: str, owner: str, domain: str, percent: int) -> list[Line]:
        """Give a reaction, mostly, and in some cases a little more talk on the theme."""
        if self.draw.chance(38):
            return []
        out = [Line(friend, domain, answers=True)]
        if self.draw.chance(percent):
            out.append(Line(owner, domain, answers=True))
            if self.draw.chance(percent):
                out.append(Line(friend, domain, answers=True))
        return out

    def _after(self, fact: Fact) -> list[Line]:
        """Give what follows a fact: an echo, a question about it with its answer, or a reaction."""
        owner, friend = fact.owner, self.world.other(fact.owner).name
        if fact.kind in ("slot", "event") and self.draw.chance(ECHOES):
            echo = self.words.of("echo", "")["say"]
            said = self.speech.sentence(echo, self._voice(fact, friend))
            return [Line(friend, fact.domain, said, mentions=(fact,)), Line(owner, fact.domain)]
        if fact.kind == "decision" or not self.draw.chance(self._more):
            return self.tail(friend, owner, fact.domain, 20)
        about, on = self._more_of(fact, friend)
        return [
            Line(friend, fact.domain, about, mentions=(fact,), filler=""),
            Line(owner, fact.domain, on, mentions=(fact,)),
        ]

    def _more_of(self, fact: Fact, friend: str) -> tuple[str, str]:
        template = self.speech.template(self._ways(fact)["more"])
        about, on = template.split(ANSWER)
        return (
            self.speech.clean((about,), self._voice(fact, friend)),
            self.speech.clean(
                (on,), lambda: self.talk(fact.owner) | self._voice(fact, fact.owner)()
            ),
        )

    def _told(self, fact: Fact, *, asked: bool = False) -> Line:
        """Give the turn that states a fact."""
        if fact.told and "«" in fact.told:
            template = fact.told.replace("«", "").replace("»", "")
            core = sentence(template, {"plan": fact.entity}, self.draw)
        else:
            ways, manner = self._ways(fact), fact.told or "say"
            plainly = fact.told or fact.kind == "clash"
            if asked and not plainly and "short" in ways and self.draw.chance(self._short):
                manner = "short"
            core = self.speech.clean(ways[manner], self._voice(fact, fact.owner), fact.value)
        return Line(fact.owner, fact.domain, core, states=(fact,))

    def _about(self, fact: Fact, speaker: str, templates: Sequence[str]) -> Line:
        """Give a turn about a fact that does not hold its value."""
        core = self.speech.clean(templates, self._voice(fact, speaker))
        filler = "lead" if core.endswith("?") else "tell"
        return Line(speaker, fact.domain, core, mentions=(fact,), filler=filler)

    def _lately(self, fact: Fact, noun: str) -> list[Line]:
        """Give talk of a kind of event that tells of none."""
        core = self.speech.clean(
            self.words.talk["lately"], lambda: self.talk(fact.owner) | {"noun": noun}
        )
        friend = self.world.other(fact.owner).name
        line = Line(fact.owner, fact.domain, core)
        return [
            line,
            *(self.tail(friend, fact.owner, fact.domain, 0) if self.draw.chance(40) else ()),
        ]

    def _ways(self, fact: Fact) -> dict[str, list[str]]:
        family = fact.about if fact.kind in ("slot", "clash") else fact.kind
        return dict(self.words.of(family, fact.attribute))

    def _voice(self, fact: Fact, speaker: str) -> Callable[[], dict[str, str]]:
        voice = "owner" if speaker == fact.owner else "friend"
        return lambda: about_fact(self.world, fact, voice, self.draw)

    def _of(self, speaker: str) -> Callable[[], dict[str, str]]:
        return lambda: self.talk(speaker)

    def _second(
        self,
        other: Second,
        speaker: str,
        core: str,
        states: tuple[Fact, ...] = (),
        mentions: tuple[Fact, ...] = (),
    ) -> Line:
        return Line(speaker, "", core, states, mentions, filler="", lang=other.lang)
