"""Sentences of one conversation: none too soon again, none with a value that it does not state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lcm_lab.errors import LcmError
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import sentence
from lcm_lab.synth.voices import small_talk
from lcm_lab.synth.world import World

__all__ = ["Speech"]

TRIES = 40


class Speech:
    """Makes sentences from templates and remembers which were used."""

    def __init__(self, world: World, lexicon: Mapping[str, Any], draw: Draw) -> None:
        self.world, self.lexicon, self.draw = world, lexicon, draw
        held = "|".join(re.escape(value) for value in world.values())
        self._held = re.compile(rf"(?<!\w)(?:{held})(?!\w)", re.IGNORECASE)
        self._said: dict[str, int] = {}
        self._count = 0

    def talk(self, speaker: str) -> dict[str, str]:
        """Give the fields of small talk."""
        return small_talk(self.world, speaker, self.lexicon, self.draw)

    def sentence(self, templates: Sequence[str], fields: Callable[[], dict[str, str]]) -> str:
        """Make a sentence from a template that was not used for long."""
        some = self.draw.sample(templates, max(2, len(templates) // 2))
        template = min(some, key=lambda one: self._said.get(one, -1))
        self._count += 1
        self._said[template] = self._count
        return sentence(template, fields(), self.draw)

    def clean(
        self, templates: Sequence[str], fields: Callable[[], dict[str, str]], value: str = ""
    ) -> str:
        """Make a sentence that holds no fact's value but the one it states.

        Raises
        ------
        LcmError
            When 40 sentences in a row hold one: the templates and the lexicon do not go together.
        """
        for _ in range(TRIES):
            found = self.sentence(templates, fields)
            if {held.lower() for held in self._held.findall(found)} <= {value.lower()}:
                return found
        raise LcmError(f"Every sentence of {templates[0]!r} holds the value of a fact. Reword one.")
