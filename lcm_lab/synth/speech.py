"""Sentences of one conversation: none too soon again, none with a value that it does not state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lcm_lab.errors import LcmError
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import sentence

__all__ = ["Speech", "holds"]

TRIES = 40
#: After how many of them a sentence may be one that was said before, word for word.
FRESH = 12
#: What stands between the two halves of a pair: a sentence, and what answers it.
ANSWER = " => "


def holds(values: Iterable[str]) -> re.Pattern[str]:
    """Give the pattern that finds any of the values as whole words (anywhere, where not ASCII)."""
    found = [rf"(?<!\w){re.escape(v)}(?!\w)" if v.isascii() else re.escape(v) for v in values if v]
    return re.compile("|".join(found) or "(?!)", re.IGNORECASE)


class Speech:
    """Makes sentences from templates and remembers which were used."""

    def __init__(self, values: Iterable[str], draw: Draw) -> None:
        self.draw = draw
        listed = list(values)
        self._held, self._low = holds(listed), [value.lower() for value in listed if value]
        self._said: dict[str, int] = {}
        self._heard: set[str] = set()
        self._count = 0

    def sentence(self, templates: Sequence[str], fields: Callable[[], dict[str, str]]) -> str:
        """Make a sentence from a template that was not used for long."""
        return sentence(self.template(templates), fields(), self.draw)

    def template(self, templates: Sequence[str]) -> str:
        """Choose a template that was not used for long."""
        some = self.draw.sample(templates, max(2, len(templates) // 2))
        template = min(some, key=lambda one: self._said.get(one, -1))
        self._count += 1
        self._said[template] = self._count
        return template

    def clean(
        self,
        templates: Sequence[str],
        fields: Callable[[], dict[str, str]],
        value: str = "",
    ) -> str:
        """Make a sentence that holds no fact's value but the one it states.

        Raises
        ------
        LcmError
            When 40 sentences in a row hold one: the templates and the lexicon do not go together.
        """
        for tried in range(TRIES):
            found = self.sentence(templates, fields)
            fresh = found not in self._heard or tried >= FRESH
            if fresh and self._holds_only(value.lower(), found):
                self._heard.add(found)
                return found
        raise LcmError(f"Every sentence of {templates[0]!r} holds the value of a fact. Reword one.")

    def _holds_only(self, value: str, text: str) -> bool:
        """Tell whether a text holds no value but one; most hold none, which is quick to see."""
        low = text.lower()
        if not any(other in low for other in self._low if other != value):
            return True
        return {held.lower() for held in self._held.findall(text)} <= {value}

    def pair(
        self, templates: Sequence[str], fields: Callable[[], dict[str, str]]
    ) -> tuple[str, str]:
        """Make a sentence and what answers it, of a template ``sentence => answer``."""
        said, answer = self.clean(templates, fields).split(ANSWER)
        return said, answer
