"""What a text holds: its size, its headings, its beginning and its end; and what is no text."""

from __future__ import annotations

import re

from lcm_lab.shown import cut, one_line

__all__ = ["EXCERPT", "binary", "is_binary", "text"]

#: Headings that are shown, characters of a heading, and of the excerpts.
HEADINGS, HEADING, EXCERPT = 18, 160, 500
#: A line of Markdown that is a heading, or one in capitals.
HEADED = re.compile(
    r"^[ \t]*(?=(#{1,6}[ \t]+\S[^\n]*|[A-Z0-9][A-Z0-9 \t:_-]{6,}(?=[ \t\r]*$)))", re.MULTILINE
)
#: Characters of a beginning that is looked at, and the share of them that no text has.
LOOKED, STRANGE = 8_192, 0.1
WORD = re.compile(r"\S++")
UNTEXTUAL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def text(content: str, name: str = "") -> str:
    r"""Describe a text by its size, its headings, and how it begins and ends.

    Examples
    --------
    >>> print(text("# Plan\n\nShip it.\n", "plan.md"))
    Text exploration summary (plan.md):
    Characters: 17.
    Words: 4.
    Lines: 4.
    Detected section headers: # Plan.
    Opening excerpt: # Plan Ship it.
    Closing excerpt: # Plan Ship it.
    """
    return "\n".join(
        [
            f"Text exploration summary{_called(name)}:",
            f"Characters: {len(content):,}.",
            f"Words: {sum(1 for _ in WORD.finditer(content)):,}.",
            f"Lines: {content.count(chr(10)) + 1:,}.",
            f"Detected section headers: {' | '.join(_headings(content)) or 'none detected'}.",
            f"Opening excerpt: {one_line(cut(content, EXCERPT)) or '(empty)'}",
            f"Closing excerpt: {one_line(content[-EXCERPT:]) or '(empty)'}",
        ]
    )


def is_binary(content: str) -> bool:
    r"""Tell whether a content is data that only passed for text: control characters, or no UTF-8.

    Examples
    --------
    >>> is_binary("\x00\x01PNG"), is_binary("plain\ttext\n"), is_binary("")
    (True, False, False)
    """
    start = content[:LOOKED]
    return "\x00" in start or len(UNTEXTUAL.findall(start)) > STRANGE * len(start)


def binary(content: str, name: str = "") -> str:
    r"""Describe what is no text: how long it is, and how it begins.

    Examples
    --------
    >>> print(binary("\x00\x01PNG"))
    Binary data, not text:
    Characters: 5.
    Begins with: PNG.
    """
    begins = " ".join(re.findall(r"[\x21-\x7e]+", content[:EXCERPT]))[:80]
    return "\n".join(
        [
            f"Binary data, not text{_called(name)}:",
            f"Characters: {len(content):,}.",
            f"Begins with: {begins or '(nothing printable)'}.",
        ]
    )


def _called(name: str) -> str:
    return f" ({cut(one_line(name), HEADING)})" if name.strip() else ""


def _headings(content: str) -> list[str]:
    """Give the first different headings."""
    found: dict[str, None] = {}
    for line in HEADED.finditer(content):
        found.setdefault(cut(one_line(line[1][: 2 * HEADING]), HEADING))
        if len(found) == HEADINGS:
            break
    return list(found)
