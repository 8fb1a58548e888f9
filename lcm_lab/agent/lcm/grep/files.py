"""Places in large files: the first 512,000 bytes of each, ten places at most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.grep.pattern import Places
from lcm_lab.agent.lcm.grep.reference import regex_allowed
from lcm_lab.agent.lcm.grep.result import Hit
from lcm_lab.agent.lcm.grep.snippet import MATCHED, beginning, shown
from lcm_lab.agent.lcm.grep.words import ANALYZER, Asked, Piece
from lcm_lab.agent.lcm.text import around, window
from lcm_lab.ranking.exact.match import like_terms
from lcm_lab.redact import redact

__all__ = [
    "MOST_PLACES",
    "SCANNED",
    "Place",
    "is_searchable",
    "pattern_places",
    "place_hit",
    "reference_places",
    "word_places",
]

#: Bytes of a file that are looked at, and places of it that are given.
SCANNED, MOST_PLACES = 512_000, 10
#: Characters before and behind a match.
SIDES = (80, 80)
#: Characters of a stretch without white space that are looked at on either side.
LONGEST = 256
_WORD, _STRETCH = re.compile(r"\w*"), re.compile(rf"\S{{0,{2 * LONGEST}}}")
_TEXTUAL = re.compile(r"json|javascript|xml|ya?ml|toml")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """A match in a file.

    Attributes
    ----------
    line, offset : int
        The line, from 1, and the bytes of UTF-8 before the match.
    found, snippet : str
        Secrets are left out of both.
    """

    line: int
    offset: int
    found: str
    snippet: str


def is_searchable(mime: str | None, *, unknown: bool = True) -> bool:
    """Tell whether a file of this type is text.

    Parameters
    ----------
    mime : str or None
        None where it is not known.
    unknown : bool
        What to say of "".

    Examples
    --------
    >>> is_searchable("image/svg+xml"), is_searchable("application/pdf"), is_searchable(None)
    (True, False, True)
    """
    if not mime:
        return mime is None or unknown
    lowered = mime.lower()
    return lowered.startswith("text/") or _TEXTUAL.search(lowered) is not None


def pattern_places(text: str, places: Places) -> list[Place]:
    """Give the first places where a pattern matches."""
    return _placed(text, places.spans(text))


def word_places(text: str, asked: Asked) -> tuple[list[Place], tuple[str, ...]]:
    """Give the lines that hold most of a question, in order, and what of it the text holds.

    Nothing where a phrase in quotes does not occur.
    """
    spans = {piece: list(_spans(text, piece)) for piece in asked.pieces}
    held = tuple(piece.said for piece in asked.pieces if spans[piece])
    if any(piece.phrase and not spans[piece] for piece in asked.pieces):
        return [], ()
    lines: dict[int, dict[Piece, Span]] = {}
    for piece, found in spans.items():
        for span in found:
            lines.setdefault(text.rfind("\n", 0, span[0]), {}).setdefault(piece, span)
    best = sorted(lines, key=lambda line: (-len(lines[line]), line))[:MOST_PLACES]
    return _placed(text, (min(lines[line].values()) for line in sorted(best))), held


def _spans(text: str, piece: Piece) -> Iterator[Span]:
    """Yield where a text holds a piece: words as the index knows them, the rest as it stands."""
    if piece.phrase or not piece.terms:
        pattern = r"\s+".join(map(re.escape, piece.said.split()))
        yield from (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))
        return
    begins, known, at = re.compile(beginning(piece), re.IGNORECASE), dict[str, bool](), 0
    while match := begins.search(text, at):
        start, chunk = _chunk(text, match.start())
        if chunk not in known:
            known[chunk] = set(ANALYZER.terms(chunk)).issuperset(piece.terms)
        if known[chunk]:
            stop = _WORD.match(text, match.end())
            yield match.start(), stop.end() if stop else match.end()
        at = max(match.end(), start + len(chunk))  # one place of a stretch says it all


def _chunk(text: str, at: int) -> tuple[int, str]:
    """Give the stretch without white space around a place, as far as a word may reach."""
    start = max(text.rfind(space, max(at - LONGEST, 0), at) for space in " \n\t\r") + 1
    start = max(start, at - LONGEST)
    found = _STRETCH.match(text, start)
    return start, found[0] if found else ""


def reference_places(text: str, query: str, mode: str) -> list[Place]:
    """Give places as the reference does: of the first word, where all of them occur."""
    if mode == "regex":
        if not regex_allowed(query):
            return []
        if not query:
            return _placed(text, ((at, at) for at in range(len(text) + 1)))
        return pattern_places(text, Places(query))
    terms, lowered = like_terms(query), text.lower()
    if not terms or any(term not in lowered for term in terms):
        return []
    ahead = re.compile(f"(?=({re.escape(terms[0])}))")
    return _placed(text, (match.span(1) for match in ahead.finditer(lowered)))


def _placed(text: str, spans: Iterable[Span]) -> list[Place]:
    made = []
    for start, stop in spans:
        plain, at = window(text, start)
        found = shown(plain, at, text[start:stop]) if stop > start else ""
        told = found if found or stop == start else "[redacted]"
        line = 1 + text.count("\n", 0, start)
        snippet = around(plain, at, (SIDES[0], SIDES[1] + min(stop - start, MATCHED)))
        made.append(Place(line, len(text[:start].encode()), told, snippet))
        if len(made) == MOST_PLACES:
            break
    return made


def place_hit(file: Any, place: Place, time: int | None, *, cut: bool) -> Hit:
    """Make the hit of a place in a file."""
    return Hit(
        str(file.id),
        "file",
        place.snippet,
        str(file.conversation),
        time,
        matched=(place.found,),
        name=redact(str(file.name or "")).text,
        line=place.line,
        offset=place.offset,
        cut=cut,
    )
