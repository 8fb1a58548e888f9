"""The last line of a summary: what was dropped, by name, so that a reader knows what to ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from lcm_lab.identifiers import anchors
from lcm_lab.text import count_tokens

__all__ = ["FOOTER", "footer_room", "with_footer"]

FOOTER = "Expand for details about:"
#: How much of a summary the line may take, in tokens at least and at most.
SHARE, LEAST, MOST = 0.05, 24, 120


def footer_room(tokens: int) -> int:
    """Give how much of a summary of so many tokens the line may take.

    Examples
    --------
    >>> footer_room(2_400), footer_room(100)
    (120, 24)
    """
    return max(LEAST, min(MOST, int(SHARE * tokens)))


def with_footer(text: str, texts: Sequence[str], tokens: int) -> str:
    """Add the line to a summary, within so many tokens for the whole.

    It names paths, errors and identifiers of the sources that the summary does not, the most
    frequent first. Where nothing was dropped, or nothing fits, the summary is given as it is.

    Examples
    --------
    >>> print(with_footer("Fixed the parser.", ["fixed src/parse.py in parseLine()"], 40))
    Fixed the parser.
    Expand for details about: src/parse.py, parseLine
    """
    if not text.strip() or FOOTER in text:
        return text
    line, spent = "", count_tokens(text)
    most = min(tokens - spent, footer_room(tokens))
    for name in _dropped(text, texts):
        longer = f"{line}, {name}" if line else f"\n{FOOTER} {name}"
        if count_tokens(longer) <= most:
            line = longer
    return text + line


def _dropped(text: str, texts: Sequence[str]) -> list[str]:
    """List what the sources name and the summary does not, the most frequent first."""
    counts: Counter[str] = Counter()
    for one in texts:
        counts.update(_names(one))
    found = (name for name, _ in counts.most_common() if name not in text)
    return [name for name, _ in zip(found, range(40), strict=False)]


@lru_cache(maxsize=1 << 14)
def _names(text: str) -> tuple[str, ...]:
    return tuple(name for kind, name in anchors(text) if kind != "error")
