"""What a search shows of a long text: the lines that hold most of a question, as grep does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lcm_lab.compaction.summarise import beginning
from lcm_lab.dag.nodes import token_counts
from lcm_lab.text import Analyzer

__all__ = ["AROUND", "GAP", "excerpt"]

#: Letters of a term that stand in every form of its word.
BEGIN = 3
#: Lines that are shown on either side of a line, where they fit.
AROUND = 2
#: What stands where lines are left out, and its tokens with what parts it.
GAP, GAP_SIZE = "...", 4


def excerpt(text: str, query: str, tokens: int) -> str:
    r"""Give the lines of a text that a question is about, in so many tokens.

    A line is worth the terms of the question that it holds, the rarer in this text the more; each
    comes with the two lines before and after it, where they fit. A line longer than two fifths of
    the limit is parted at blanks. Where no line holds a term it is the beginning.

    Examples
    --------
    >>> excerpt("NAME SIZE\none two\nthree four\nfive six\nproxy 39 MB\nnine ten", "proxy size", 18)
    'NAME SIZE\none two\nthree four\n...\nproxy 39 MB'
    """
    units, sizes = _read(text, max(16, 2 * tokens // 5))
    worth = _worth(units, query)
    order = sorted((at for at, one in enumerate(worth) if one), key=lambda at: (-worth[at], at))
    taken, left = set[int](), tokens
    for at in order or range(len(units)):
        apart = bool(taken) and taken.isdisjoint((at - 1, at, at + 1))
        room = left - GAP_SIZE if apart else left
        if at not in taken and sizes[at] > room:
            continue
        for one in _near(at, len(units)):
            beside = one == at or not taken.isdisjoint((one - 1, one + 1))
            if one not in taken and beside and sizes[one] <= room:
                taken.add(one)
                room -= sizes[one]
        left = room
    return _shown(units, taken) or beginning(units[order[0]] if order else text, tokens)


def _near(at: int, stop: int) -> Iterator[int]:
    """Yield a place, then those on either side, the nearest first."""
    yield at
    for offset in range(1, AROUND + 1):
        yield from (one for one in (at + offset, at - offset) if 0 <= one < stop)


def _worth(units: Sequence[str], query: str) -> list[float]:
    """Give what each line is worth to a question; most lines hold the beginning of no term."""
    asked = frozenset(Analyzer().query(query))
    starts = {term[:BEGIN] for term in asked}
    found = [
        sorted(asked & _terms(unit)) if any(one in unit.casefold() for one in starts) else []
        for unit in units
    ]
    counts = {term: sum(term in terms for terms in found) for term in sorted(asked)}
    rarity = {term: math.log(1 + len(units) / n) for term, n in counts.items() if n}
    return [round(sum(rarity[term] for term in terms), 9) for terms in found]


@lru_cache(maxsize=1 << 15)
def _terms(unit: str) -> frozenset[str]:
    return frozenset(Analyzer().terms(unit))


@lru_cache(maxsize=1 << 12)
def _read(text: str, words: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Part a text into lines, and count what each costs."""
    units = tuple(_units(text, words))
    return units, tuple(size + 1 for size in token_counts(units))


def _units(text: str, words: int) -> Iterator[str]:
    """Yield lines, long ones in parts of so many words."""
    for line in text.splitlines():
        parts = line.split()
        if len(parts) <= words:
            yield line
        else:
            yield from (" ".join(parts[at : at + words]) for at in range(0, len(parts), words))


def _shown(units: Sequence[str], taken: set[int]) -> str:
    """Write lines in their order, with a mark where some between them are left out."""
    lines: list[str] = []
    for at in sorted(taken):
        if lines and at - 1 not in taken:
            lines.append(GAP)
        lines.append(units[at])
    return "\n".join(lines)
