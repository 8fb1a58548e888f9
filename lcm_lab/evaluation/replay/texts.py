"""Whether a text holds a value: as a whole word, whatever the case, the line breaks, the folder."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

from lcm_lab.compaction.anchors import unfolded

__all__ = ["Texts", "holds", "plain", "whole_at"]


def plain(text: str) -> str:
    """Bring a text into the form in which values are looked for.

    Folders of an index are written out, case is folded, and runs of blanks are one.

    Examples
    --------
    >>> plain("Named (path): src/{a.py, B.py}")
    'named (path): src/a.py, src/b.py'
    """
    whole = unfolded(text) if "/{" in text else text
    return " ".join(whole.casefold().split())


def holds(text: str, value: str) -> bool:
    """Tell whether a plain text holds a plain value as a whole, and not within a longer word.

    Examples
    --------
    >>> holds("port 13952 is taken", "3952"), holds("port=3952.", "3952")
    (False, True)
    """
    at = text.find(value) if value else -1
    while at >= 0 and not whole_at(text, at, at + len(value)):
        at = text.find(value, at + 1)
    return at >= 0


def whole_at(text: str, start: int, stop: int) -> bool:
    """Tell whether a piece of a text is parted from its neighbours."""
    return not (_joined(text, start) or _joined(text, stop))


def _joined(text: str, at: int) -> bool:
    """Tell whether a cut here would part a word; scripts without spaces have none to part."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isascii() and before.isalnum() and after.isascii() and after.isalnum()


class Texts:
    """Texts in one string, so that a value is looked for in all of them at once.

    Examples
    --------
    >>> Texts({"m1": "Port 3952.", "m2": "port 13952"}).holding("3952")
    ('m1',)
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._names = list(texts)
        told = [plain(text) for text in texts.values()]
        self._starts = [0, *accumulate(len(text) + 1 for text in told)]
        self._whole = "\n".join(told)

    def __len__(self) -> int:
        return len(self._names)

    def holding(self, value: str) -> tuple[str, ...]:
        """Give the names of the texts that hold a value, in order."""
        wanted, found, at = plain(value), dict[str, None](), 0
        while wanted and (at := self._whole.find(wanted, at)) >= 0:
            if whole_at(self._whole, at, at + len(wanted)):
                text = bisect_right(self._starts, at) - 1
                found[self._names[text]] = None
                at = self._starts[text + 1]  # one is enough
            else:
                at += 1
        return tuple(found)
