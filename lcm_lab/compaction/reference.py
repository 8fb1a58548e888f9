"""Tokens as lossless-claw estimates them, for ``compat="reference"``; `count_tokens` is ours."""

from __future__ import annotations

import math
import re

__all__ = ["estimate_tokens", "truncate"]

_WIDE = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b820-\U0002ceaf\U0002ceb0-\U0002ebef\u3000-\u303f\u3040-\u30ff\uac00-\ud7af\uff00-\uffef"
)
WIDE = re.compile(f"[{_WIDE}]")
ASTRAL = re.compile(f"[^\\x00-\\uffff{_WIDE}]")


def estimate_tokens(text: str) -> int:
    """Estimate tokens by code point: 1.5 for CJK, 2 above U+FFFF, a quarter for others, rounded up.

    Examples
    --------
    >>> estimate_tokens("Hello world"), estimate_tokens("你好世界")
    (3, 6)
    """
    return math.ceil(_quarters(text) / 4)


def truncate(text: str, tokens: int) -> str:
    """Give the longest beginning of a text of at most so many estimated tokens.

    Examples
    --------
    >>> truncate("abcdefghij", 2), truncate("你好世界", 3)
    ('abcdefgh', '你好')
    """
    left, low = 4 * tokens, 0
    for char in text:
        left -= _quarters(char)
        if left < 0:
            break
        low += 1
    return text[:low]


def _quarters(text: str) -> int:
    """Count in quarters of a token, which are whole numbers."""
    if text.isascii():
        return len(text)
    wide, astral = len(WIDE.findall(text)), len(ASTRAL.findall(text))
    return len(text) + 5 * wide + 7 * astral
