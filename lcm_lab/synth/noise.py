"""Noise that real histories have: typos, emoji, decomposed letters, clocks that stumble.

What a fact's answer rests on is never touched: values, names, numbers and codes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.message import Message

__all__ = ["Noise", "noisy"]

WORD = re.compile(r"(?<![\w'@/.\\-])[a-z]{4,}(?![\w'@/\\-]|\.\w)")
#: Neighbours on a keyboard, one each: enough to slip.
KEYS = dict(zip("abcdefghijklmnopqrstuvwxyz", "svxfrghjoklknmpowtayibezux", strict=True))
EMOJI = (
    "\U0001f602",
    "\U0001f44d",
    "\U0001f389",
    "\U0001f64f",
    "\U0001f605",
    "\u2764\ufe0f",
)
#: Of 1000 messages: how many end with an emoji, decompose their letters, share the second of the
#: one before, and are stamped before it. At the usual noise; they go with it.
EMOJIS, DECOMPOSED, TIES, EARLIER = 50, 200, 5, 5
USUAL = 30


@dataclass(frozen=True)
class Noise:
    """How much, and in whose messages.

    Attributes
    ----------
    level : int
        Thousandths of the tokens of user text that are mistyped; all else goes with it.
    keep : iterable of str
        Values that stay as they are.
    mistypes : function of a Message
        Whether its text is typed by a person.
    emoji : bool
        Whether these people use them.
    """

    level: int
    keep: Iterable[str]
    mistypes: Callable[[Message], bool]
    emoji: bool = False


def noisy(messages: Sequence[Message], noise: Noise, draw: Draw) -> list[Message]:
    """Give the messages with noise; at level 0 as they are."""
    if not noise.level:
        return list(messages)
    kept = sorted({value.lower() for value in noise.keep if value})
    out: list[Message] = []
    for message in messages:
        text = message.text
        if noise.mistypes(message) and message.kind == "text":
            text = _typed(text, noise, kept, draw)
        if not text.isascii() and _happens(DECOMPOSED, noise.level, draw):
            text = unicodedata.normalize("NFD", text)
        out.append(_stamped(replace(message, text=text), out[-1:], noise.level, draw))
    return out


def _typed(text: str, noise: Noise, kept: Sequence[str], draw: Draw) -> str:
    low = text.lower()

    def slip(found: re.Match[str]) -> str:
        if draw.below(1000) >= noise.level or _inside(low, found.span(), kept):
            return found.group()
        return _slip(found.group(), draw)

    text = WORD.sub(slip, text)
    if noise.emoji and _happens(EMOJIS, noise.level, draw):
        text = f"{text} {draw.pick(EMOJI)}"
    return text


def _inside(low: str, span: tuple[int, int], kept: Sequence[str]) -> bool:
    """Tell whether a stretch of a text overlaps with one of the values in it."""
    for value in filter(low.__contains__, kept):
        at = low.find(value)
        while at >= 0:
            if at < span[1] and span[0] < at + len(value):
                return True
            at = low.find(value, at + 1)
    return False


def _slip(word: str, draw: Draw) -> str:
    """Swap two letters, leave one out, double one, or hit the key beside; the first one stays."""
    at = draw.between(1, len(word) - 2)
    way = draw.below(4)
    if way == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == 1:
        return word[:at] + word[at + 1 :]
    if way == 2:
        return word[:at] + word[at] + word[at:]
    return word[:at] + KEYS[word[at]] + word[at + 1 :]


def _stamped(message: Message, before: list[Message], level: int, draw: Draw) -> Message:
    """Give a message the second of the one before it, or an earlier one, in some cases."""
    if not before or before[0].session != message.session:
        return message
    if _happens(TIES, level, draw):
        return replace(message, time=before[0].time)
    if _happens(EARLIER, level, draw):
        return replace(message, time=before[0].time - timedelta(seconds=draw.between(1, 9)))
    return message


def _happens(thousandths: int, level: int, draw: Draw) -> bool:
    return draw.below(1000 * USUAL) < thousandths * level
