"""Which passages an answer rests on: what it says must stand in what it cites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from lcm_lab.compaction.summarise import units
from lcm_lab.text import Analyzer

__all__ = ["resting", "shares", "supports"]

ANALYZER = Analyzer()
#: The share of a sentence's words that a text must hold to support it, and how many at least, where
#: it has so many.
LEAST, FEW = 0.5, 2

Terms = AbstractSet[str]


def supports(text: str, answer: str) -> bool:
    """Tell whether a text holds at least half the words of a sentence of an answer.

    Stop words do not count; where a sentence has more than one other, two must be there.

    Examples
    --------
    >>> supports("We chose Postgres in May.", "Postgres, in May."), supports("Lunch?", "No.")
    (True, False)
    """
    terms = frozenset(ANALYZER.terms(text))
    return any(_enough(said, terms) for said in _sentences(answer))


def resting(answer: str, texts: Sequence[str]) -> list[int]:
    """Find what each sentence of an answer rests on: the texts that hold most of its words.

    Returns
    -------
    list of int
        Places of the texts, rising.
    """
    held = [frozenset(ANALYZER.terms(text)) for text in texts]
    places: set[int] = set()
    for said in _sentences(answer):
        counts = {at: len(said & terms) for at, terms in enumerate(held) if _enough(said, terms)}
        most = max(counts.values(), default=0)
        places.update(at for at, count in counts.items() if count == most)
    return sorted(places)


def shares(texts: Sequence[str], pieces: Iterable[str]) -> list[float]:
    """Give the share of each text's words that one of the pieces shows, the best of them.

    Returns
    -------
    list of float
        Between 0 and 1; 1 for a text without words.

    Examples
    --------
    >>> shares(["We chose Postgres.", "Lunch at noon?"], ["... chose Postgres, after all"])
    [1.0, 0.0]
    """
    shown = [frozenset(ANALYZER.terms(piece)) for piece in pieces]
    wanted = [frozenset(ANALYZER.query(text)) for text in texts]
    return [
        max((len(terms & some) / len(terms) for some in shown), default=0.0) if terms else 1.0
        for terms in wanted
    ]


def _sentences(answer: str) -> list[frozenset[str]]:
    """Give the words of each sentence, stop words left out."""
    made = (frozenset(ANALYZER.query(unit)) for unit in units(answer))
    return [terms for terms in made if terms]


def _enough(said: Terms, held: Terms) -> bool:
    both = len(said & held)
    return both >= min(FEW, len(said)) and both >= LEAST * len(said)
