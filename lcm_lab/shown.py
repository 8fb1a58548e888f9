"""Text as a person is shown it: counts with their noun, and cuts that split no character."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["STYLING", "counted", "cut", "one_line", "splits", "unstyled"]

ZERO_WIDTH_JOINER = "\u200d"
#: What changes the character before it: the form of an emoji, and its skin tone.
SELECTORS = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
#: Colours and the like, which programs print for a terminal.
STYLING = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]")
#: Not printable by itself, yet part of how a word or an emoji is written.
JOINERS = "\u200c" + ZERO_WIDTH_JOINER


def counted(number: int, noun: str) -> str:
    """Give "1 topic", "2 topics".

    Examples
    --------
    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def splits(text: str, at: int) -> bool:
    """Tell whether a cut before this place would part what is read as one character."""
    if not 0 < at < len(text):
        return False
    after = text[at]
    return (
        ZERO_WIDTH_JOINER in (text[at - 1], after)
        or unicodedata.category(after) in ("Mn", "Me", "Mc")
        or SELECTORS.match(after) is not None
    )


def cut(text: str, limit: int) -> str:
    """Give the beginning of a text, at most this long, without half a character at its end.

    Examples
    --------
    >>> cut("see caf" + "e\u0301", 8)
    'see caf'
    """
    at = min(limit, len(text))
    while splits(text, at):
        at -= 1
    return text[:at]


def one_line(text: str) -> str:
    r"""Give a text on one line, without what a terminal would act on.

    Examples
    --------
    >>> one_line("\x1b[31mred\x1b[0m\nline")
    'red line'
    """
    bare = (c if c.isprintable() or c in JOINERS else " " for c in unstyled(text))
    return " ".join("".join(bare).split())


def unstyled(text: str) -> str:
    """Give a text without the colours that a program put into it for a terminal."""
    return STYLING.sub("", text)
