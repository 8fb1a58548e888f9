"""Snippets: the stretch of a text that holds most of what was asked for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache

from lcm_lab.agent.lcm.grep.pattern import Places
from lcm_lab.agent.lcm.grep.words import Piece
from lcm_lab.agent.lcm.text import SIDES, around, window
from lcm_lab.shown import cut

__all__ = ["beginning", "of_pattern", "of_words", "place_of_words", "shown"]

#: Characters of a text that are looked through, and places in it that are weighed.
LOOK, PLACES = 400_000, 2_000
#: Characters of what matched that are given.
MATCHED = 1_000


def of_pattern(text: str, places: Places) -> tuple[str, str]:
    """Give the snippet around the first match, and what matched; secrets are left out of both."""
    start, stop = next(places.spans(text), (0, 0))
    plain, at = window(text, start)
    return around(plain, at), shown(plain, at, text[start:stop])


def shown(plain: str, at: int, found: str) -> str:
    """Give what matched, or the beginning of it; "" where a secret stands in it."""
    if len(found) <= MATCHED:
        return found if plain.startswith(found, at) else ""
    begun = cut(found, MATCHED)
    return f"{begun}..." if plain.startswith(begun, at) else ""


def of_words(text: str, pieces: Sequence[Piece]) -> str:
    """Give the snippet where most of the pieces stand together."""
    plain, at = window(text, place_of_words(text, pieces))
    return around(plain, at)


def place_of_words(text: str, pieces: Sequence[Piece]) -> int:
    """Find the place from which most pieces stand within the length of a snippet; 0 if none."""
    found = itertools.islice(_pattern(tuple(pieces)).finditer(text, 0, LOOK), PLACES)
    marks = [(match.start(), match.lastindex) for match in found]
    best, place, first = 0, 0, 0
    held: dict[int | None, int] = {}
    for start, piece in marks:
        held[piece] = held.get(piece, 0) + 1
        while start - marks[first][0] > SIDES[1]:
            gone = marks[first][1]
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
            first += 1
        if len(held) > best:
            best, place = len(held), marks[first][0]
    return place


def beginning(piece: Piece) -> str:
    """Give a pattern for what a word begins with: as it was said, and less its end, which stems."""
    stems = (term[:-1] if len(term) > 3 else term for term in piece.terms[:1])
    some = {piece.said} if piece.phrase else {piece.said, *stems}
    return "|".join(map(re.escape, sorted(some, key=lambda one: (-len(one), one))))


@lru_cache(64)
def _pattern(pieces: tuple[Piece, ...]) -> re.Pattern[str]:
    """Make a pattern with a group a piece, in whatever case."""
    return re.compile("|".join(f"({beginning(piece)})" for piece in pieces), re.IGNORECASE)
