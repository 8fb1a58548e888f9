"""What a user writes: a request, some background, and in between what is worth remembering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lcm_lab.synth.assistant.phrases import Phrases
from lcm_lab.synth.assistant.topics import Topic, facts_of, topics
from lcm_lab.synth.language import expand
from lcm_lab.synth.world import Fact

__all__ = ["Requests"]


class Requests:
    """Writes the user's messages of one session."""

    def __init__(self, frames: Mapping[str, Any], templates: str, phrases: Phrases) -> None:
        self.frames, self.templates, self.phrases = frames, templates, phrases
        self.draw = phrases.draw

    def write(self, part: str, words: int, said: Sequence[str], focus: Sequence[str]) -> str:
        """Give a message of about that many words with these sentences in it.

        ``part`` is how it sets out: ask, follow or thanks. What is in ``focus`` is what the rest of
        the message tends to be about: evidence stands in messages on the same matter.
        """
        self.phrases.focus = focus
        parts = [self._say(part)] if part != "thanks" or not said else []
        size = sum(len(one.split()) for one in (*parts, *said))
        background: list[str] = []
        while size + 6 < words:
            background.append(self._say("more"))
            size += len(background[-1].split())
        for one in said:
            background.insert(self.draw.between(0, len(background)), one)
        return " ".join(parts + background if self.draw.chance(60) else background + parts)

    def _say(self, name: str, **fields: str) -> str:
        return self.phrases.say(self.frames["user"][name], **fields)

    def state(self, fact: Fact) -> str:
        """Give the sentence that states a fact."""
        return getattr(self, f"_{fact.kind}")(fact)  # type: ignore[no-any-return]

    def _slot(self, fact: Fact) -> str:
        name, number = fact.attribute.split(".")
        said, changed, _ = facts_of(topics()[name]["slot"][int(number)], self.templates)
        return self._aside(changed if fact.told == "change" else said, v=fact.value)

    def _event(self, fact: Fact) -> str:
        said, terse, *_ = facts_of(self._topic(fact)["event"], self.templates)
        fields = {"v": fact.value, "when": fact.details["when"]}
        if fact.told == "low":
            return self.phrases.say(terse, **fields)
        return self._aside(said, **fields)

    def _aside(self, clauses: Sequence[str], **fields: str) -> str:
        clause = expand(self.draw.pick(clauses), self.draw).format(**fields)
        return self._say("aside", c=clause)

    def _clash(self, fact: Fact) -> str:
        return self._aside([fact.value])

    def _preference(self, fact: Fact) -> str:
        clause = fact.told.replace("«", "").replace("»", "")
        return self._say("wish", c=clause, title=topics()[fact.domain]["title"])

    def _code(self, fact: Fact) -> str:
        return self._say("code", n=fact.details["n"], v=fact.value)

    def _decision(self, fact: Fact) -> str:
        return self._say("decide", x=fact.details["x"], r=fact.value)

    def _log(self, fact: Fact) -> str:
        return self.phrases.say(self.frames["log"][fact.attribute][:1], **fact.details)

    def _quote(self, fact: Fact) -> str:
        return self._say("quote", p=fact.details["p"], s=fact.details["s"])

    def doubt(self, fact: Fact) -> str:
        """Ask what to think of something that is decided later."""
        return self._say("doubt", x=fact.details["x"])

    def wish(self, fact: Fact) -> str:
        """Ask for something to be recommended."""
        return self._say("rec", cat=fact.details["cat"])

    def plant(self, fact: Fact, manner: str) -> str:
        """Give talk beside a fact: a return to it without its value, a decoy, an echo."""
        if manner == "echo":
            return self._say("echo", p=fact.details["p"], s=fact.details["s"])
        if manner == "decoy":
            name, number = fact.attribute.split(".")
            _, decoys = facts_of(topics()[name]["slot"][int(number)]["p"], self.templates)
            return self.phrases.say(decoys) + "."
        if fact.kind == "event":
            return self._say("again_event", k=fact.details["k"])
        return self._say("again_code" if fact.kind == "code" else "again", n=fact.details["n"])

    def _topic(self, fact: Fact) -> Topic:
        return topics()[fact.domain]
