"""Phrases on a topic, drawn as they are needed: none again before all have been used."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import expand, sentence

__all__ = ["Phrases"]

#: Before which a filled-in word turns "a" into "an".
VOWEL = re.compile(r"([Aa]) (?<!\w[Aa] )(?=(?!one\b|one-)[aeio])")


class Phrases(dict[str, str]):
    """The fields of sentences about a topic: every look at one gives the next of its phrases.

    ``thing``, ``act`` and the like come from the topic, ``adj``, ``when`` and the like from the
    lexicon; a final 2 asks for another of the same kind. What is in ``focus`` takes the place of
    every ``thing`` in ``share`` of 1000 cases: what an answer was asked about comes up again.
    """

    def __init__(
        self, topic: Mapping[str, Any], lexicon: Mapping[str, Any], draw: Draw, *, own: bool
    ) -> None:
        """Make the phrases of a topic; ``own`` for the user's, else "my" is said as "your"."""
        super().__init__()
        self.topic, self.lexicon, self.draw, self._own = topic, lexicon, draw, own
        self.focus: Sequence[str] = ()
        self.share = 0
        self._decks: dict[object, list[str]] = {}

    def __missing__(self, field: str) -> str:
        name = field.removesuffix("2")
        if name == "thing" and self.focus and self.draw.below(1000) < self.share:
            return self.draw.pick(self.focus)
        if name == "person":
            return f"{self['first']} {self['last']}"
        if name == "title":
            return str(self.topic["title"])
        if name in self.topic:
            return self.deal(name, self.topic[name])
        found = self.deal(name, self.lexicon[name])
        if not self._own and found.startswith("my "):
            found = f"your {found[3:]}"
        return expand(found, self.draw)

    def deal(self, key: object, items: Sequence[str]) -> str:
        """Give the next of the items; ``key`` names the deck that they were shuffled into."""
        deck = self._decks.get(key)
        if not deck:
            deck = self._decks[key] = self.draw.shuffle(items)
        return deck.pop()

    def say(self, templates: Sequence[str], **fields: str) -> str:
        """Make a sentence from the next of the templates; ``fields`` add to those of the topic."""
        self.update(fields)
        text = sentence(self.deal(templates[0], templates), self, self.draw)
        text = VOWEL.sub(r"\1n ", text)
        for name in fields:
            del self[name]
        return text
