"""An assistant's answer: lists, steps, tables, prose, code and drafts, up to a drawn length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lcm_lab.synth.assistant.phrases import Phrases
from lcm_lab.synth.assistant.snippets import snippet

__all__ = ["Answers"]

#: Answers up to this many words are plain paragraphs.
SHORT = 220
#: Half of the words of a part in the mean: where fewer are missing, one more part is too much.
HALF = 47
#: What an answer is made of, by manner; each part is one of these in turn.
MANNERS: Sequence[tuple[str, ...]] = (
    ("list", "prose"),
    ("steps", "prose", "list"),
    ("prose", "list", "prose"),
    ("heading+prose", "heading+list", "heading+steps", "heading+prose"),
    ("heading+list", "heading+table", "heading+prose"),
    ("prose", "table", "prose", "list"),
    ("draft", "prose", "list"),
    ("prose", "prose", "steps"),
)
CODED: Sequence[tuple[str, ...]] = (
    ("prose", "code", "list", "prose"),
    ("heading+prose", "heading+code", "heading+list"),
    ("steps", "code", "prose"),
    ("list", "prose", "code"),
)


class Answers:
    """Writes the answers of one session."""

    def __init__(self, frames: Mapping[str, Any], templates: str, phrases: Phrases) -> None:
        self.frames, self.templates, self.phrases = frames["assistant"], templates, phrases
        self.draw = phrases.draw
        self._parts: Mapping[str, Callable[[], str]] = {
            "list": self._list,
            "steps": self._steps,
            "prose": self._prose,
            "table": self._table,
            "draft": self._draft,
            "code": self._code,
        }

    def write(self, words: int, said: Sequence[str] = (), focus: Sequence[str] = ()) -> str:
        """Give an answer of about that many words, with these sentences somewhere in it.

        It comes back to every noun phrase of ``focus``.
        """
        self.phrases.focus = focus
        blocks = [self._say("open")]
        end = [self._say("ask_back")] * self.draw.chance(25)
        end += [self._say("close")] * self.draw.chance(60)
        size = sum(map(_words, (*blocks, *said, *end)))
        manner = ("prose",) if words <= SHORT else self.draw.pick(self._manners())
        number = 0
        while size + HALF < words:
            block = self._block(manner[number % len(manner)])
            blocks.append(block)
            size += _words(block)
            number += 1
        for one in said:
            blocks.insert(self.draw.between(1, len(blocks)), one)
        return "\n\n".join(blocks + end)

    def _manners(self) -> Sequence[tuple[str, ...]]:
        return CODED if "code_in" in self.phrases.topic and self.draw.chance(60) else MANNERS

    def _say(self, name: str) -> str:
        return self.phrases.say(self.frames[name])

    def _block(self, kind: str) -> str:
        head, _, part = kind.rpartition("+")
        text = self._parts[part]()
        return f"{'#' * self.draw.between(2, 3)} {self._say('heading')}\n\n{text}" if head else text

    def _list(self) -> str:
        items = [f"- {self._say('bullet')}" for _ in range(self.draw.between(4, 7))]
        return f"{self._say('lead')}\n\n" + "\n".join(items)

    def _steps(self) -> str:
        size = self.draw.between(4, 7)
        items = [f"{number}. {self._say('step')}" for number in range(1, size + 1)]
        return f"{self._say('lead')}\n\n" + "\n".join(items)

    def _prose(self) -> str:
        return " ".join(self._say("para") for _ in range(self.draw.between(3, 5)))

    def _table(self) -> str:
        say = self.phrases
        rows = [
            f"| {say['thing']} | {say[second]} | {say[third]} |"
            for second, third in [self.draw.pick(COLUMNS)]
            for _ in range(self.draw.between(3, 5))
        ]
        return "\n".join([self._say("table"), "| --- | --- | --- |", *rows])

    def _draft(self) -> str:
        return f"{self._say('draft_lead')}\n\n" + "\n".join(
            f"> {line}".rstrip() for line in self._say("draft").split("\n")
        )

    def _code(self) -> str:
        name, block = snippet(self.phrases, self.phrases.topic["code_in"], self.templates)
        after = self.phrases.say(self.frames["code_after"], fn=name)
        return f"{self._say('code_lead')}\n\n{block}\n\n{after}"


COLUMNS = (("act", "risk"), ("why", "risk"), ("when", "span"), ("act", "tool"))


def _words(text: str) -> int:
    return len(text.split())
