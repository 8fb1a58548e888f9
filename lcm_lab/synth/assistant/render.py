"""From a user's world to the messages of all sessions, user and assistant in turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from lcm_lab.synth.assistant.answers import Answers
from lcm_lab.synth.assistant.foreign import exchange
from lcm_lab.synth.assistant.lengths import ANSWER_WORDS, SESSION, USER_WORDS
from lcm_lab.synth.assistant.phrases import Phrases
from lcm_lab.synth.assistant.requests import Requests
from lcm_lab.synth.assistant.topics import frames, topics
from lcm_lab.synth.assistant.user import User
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import table
from lcm_lab.synth.message import Message
from lcm_lab.synth.world import Fact, Plant

__all__ = ["render"]

#: Of 100 facts and returns that have a name: how many the answer comes back to, without the value,
#: and by tier in how many of 1000 places it then speaks of that and not of something else.
TAKEN_UP = 70
FOCUS = {1: 80, 6: 180, 23: 450}
#: In how many of 1000 places the rest of a message with a fact is about the same.
MATTER = 250


@dataclass
class Turn:
    """A message of user and the answer to it before they have words: what each is there to say."""

    facts: list[Fact] = field(default_factory=list)
    plants: list[Plant] = field(default_factory=list)
    lang: str = "en"


@dataclass
class Draft:
    """A message as it grows: its sentences so far, and what they tell."""

    said: list[str] = field(default_factory=list)
    states: list[Fact] = field(default_factory=list)
    mentions: list[Fact] = field(default_factory=list)
    focus: list[str] = field(default_factory=list)


def render(world: User, templates: str, draw: Draw, tier: int) -> list[Message]:
    """Give the messages of a user's history, in order; in a higher tier answers echo more."""
    told: dict[int, list[Fact | Plant]] = defaultdict(list)
    for fact in world.facts:
        told[fact.session].append(fact)
    for plant in world.plants:
        told[plant.session].append(plant)
    voices = {name: _Voices(name, templates, draw, tier) for name in dict.fromkeys(world.about)}
    out: list[Message] = []
    for session, start in enumerate(world.starts):
        one = _Session(world, session, voices[world.about[session]], draw)
        out += one.messages(start, told[session])
    return out


class _Voices:
    """How user and assistant speak of a topic; they remember what was said in earlier sessions."""

    def __init__(self, name: str, templates: str, draw: Draw, tier: int) -> None:
        self.templates, self.words = templates, frames(templates)
        topic, lexicon = topics()[name], table("assistant", "lexicon")
        self.requests = Requests(self.words, templates, Phrases(topic, lexicon, draw, own=True))
        self.answers = Answers(self.words, templates, Phrases(topic, lexicon, draw, own=False))
        self.requests.phrases.share, self.answers.phrases.share = MATTER, FOCUS[tier]


class _Session:
    def __init__(self, world: User, session: int, voices: _Voices, draw: Draw) -> None:
        self.session, self.draw, self.templates = session, draw, voices.templates
        self.name = f"{world.name}/s{session + 1:0{max(2, len(str(len(world.starts))))}d}"
        self.words, self.requests, self.answers = voices.words, voices.requests, voices.answers
        self._lately: list[str] = []

    def messages(self, time: datetime, told: Sequence[Fact | Plant]) -> list[Message]:
        out: list[Message] = []
        for number, turn in enumerate(self._turns(told)):
            asked, answered = self._pair(number, turn)
            for role, (text, draft) in (("user", asked), ("assistant", answered)):
                out.append(self._message(len(out) + 1, role, time, text, draft, turn.lang))
                time += timedelta(seconds=self.draw.between(20, 240))
        return out

    def _message(
        self, number: int, role: str, time: datetime, text: str, draft: Draft, lang: str
    ) -> Message:
        docno = f"{self.name}/{number:02d}"
        parent = f"{self.name}/{number - 1:02d}" if number > 1 else ""
        return Message(
            docno, self.session, "", time, text, tuple(draft.states), tuple(draft.mentions),
            role=role, parent=parent, lang=lang,
        )  # fmt: skip

    def _turns(self, told: Sequence[Fact | Plant]) -> list[Turn]:
        """Deal out what is to be told over the turns; other languages have turns of their own."""
        turns = [Turn() for _ in range(self.draw.pick(SESSION) // 2)]
        extra: list[Turn] = []
        for one in told:
            if _foreign(one):
                fact = one.fact if isinstance(one, Plant) else one
                extra.append(Turn(lang=fact.told))
            turn = extra[-1] if _foreign(one) else self.draw.pick(turns)
            if isinstance(one, Plant):
                turn.plants.append(one)
            else:
                turn.facts.append(one)
        return turns + extra

    def _pair(self, number: int, turn: Turn) -> tuple[tuple[str, Draft], tuple[str, Draft]]:
        if turn.lang != "en":
            return self._elsewhere(turn)
        ours, theirs = self._drafts(turn)
        part = "ask" if not number else self.draw.pick(("follow",) * 4 + ("ask", "thanks"))
        about = [name for fact in ours.states if (name := _named(fact))]
        text = self.requests.write(part, self.draw.pick(USER_WORDS), ours.said, about)
        self._lately = [*self._lately, *theirs.focus][-3:]
        answer = self.answers.write(self.draw.pick(ANSWER_WORDS), theirs.said, self._lately)
        return (text, ours), (answer, theirs)

    def _drafts(self, turn: Turn) -> tuple[Draft, Draft]:
        """Say each thing where it belongs: with the user, or as a reply to a question for it."""
        ours, theirs = Draft(), Draft()
        for fact in turn.facts:
            if fact.kind in ("rec", "discussion"):
                asked = self.requests.wish if fact.kind == "rec" else self.requests.doubt
                ours.said.append(asked(fact))
                ours.mentions.append(fact)
                theirs.said.append(self._reply(fact))
                theirs.states.append(fact)
                theirs.focus += [_named(fact)] * (fact.kind == "discussion")
            else:
                ours.said.append(self.requests.state(fact))
                ours.states.append(fact)
                self._take_up(fact, theirs)
        for plant in turn.plants:
            ours.said.append(self.requests.plant(plant.fact, plant.manner))
            if plant.manner == "return":
                ours.mentions.append(plant.fact)
                self._take_up(plant.fact, theirs)
        return ours, theirs

    def _reply(self, fact: Fact) -> str:
        if fact.kind == "rec":
            return self.answers.phrases.say(
                self.words["assistant"]["rec"], v=fact.value, **fact.details
            )
        discuss = self.words["assistant"]["discuss"]
        return self.answers.phrases.say(discuss, x=fact.details["x"], s=fact.value)

    def _take_up(self, fact: Fact, theirs: Draft) -> None:
        """Let the answer come back to what a fact is about, where that has a name."""
        name = _named(fact)
        if name and self.draw.chance(TAKEN_UP):
            if fact.kind in ("slot", "code"):
                about = self.words["assistant"]["about"]
                theirs.said.append(self.answers.phrases.say(about, n=name))
            theirs.focus.append(name)
            theirs.mentions.append(fact)

    def _elsewhere(self, turn: Turn) -> tuple[tuple[str, Draft], tuple[str, Draft]]:
        ours, theirs = Draft(), Draft()
        fact = turn.facts[0] if turn.facts else turn.plants[0].fact
        (ours.states if turn.facts else ours.mentions).append(fact)
        text, answer = exchange(fact, self.templates, self.draw, states=bool(turn.facts))
        return (text, ours), (answer, theirs)


def _foreign(one: Fact | Plant) -> bool:
    return one.manner == "foreign" if isinstance(one, Plant) else one.kind == "foreign"


def _named(fact: Fact) -> str:
    """Give the noun phrase for what a fact is about; empty where there is none."""
    return "" if fact.kind == "log" else next(filter(None, map(fact.details.get, NAMES)), "")


#: Under which details a fact has the noun phrase for what it is about.
NAMES = ("n", "k", "x")
