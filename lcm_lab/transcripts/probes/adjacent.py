"""Adjacency: what was said right after a message; no label is needed, the order of it is one.

The words of the successor are forbidden in the question, so that it is found by where it stands and
not by what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

import numpy as np

from lcm_lab.text import Analyzer
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.language import (
    LEAST,
    blanked,
    content,
    prose,
    reads,
    sentences,
    terms,
)
from lcm_lab.values import value

__all__ = ["Adjacency"]

#: More rows of tools between the two, and it is no longer right after.
BETWEEN = 8
#: A successor with fewer stems of content says nothing that could be looked for.
SAYS = 4
#: Words of the sentence that is asked with, at most.
WORDS = 30
#: At least this share of its content must be left once the successor's words are blank.
KEPT = 0.5
#: How it is asked; the first of which the successor holds no word.
LEADS = ("What was said right after this:", "What came next after this:", "What followed this:")

SHORT = "message whose successor says too little"
SHARED = "message that shares too many words with its successor"
TWICE = "message that is not the only one said to hold the words of the question"


@value
class Adjacency(Kind):
    """Mine what was said right after a message: "What came right after: ...".

    Examples
    --------
    >>> Adjacency().name
    'adjacency'
    """

    name: ClassVar[str] = "adjacency"
    short: ClassVar[str] = "next"
    means: ClassVar[str] = (
        "what was said right after a message, asked with words of that message that are not in its "
        "successor; right is the successor, and any copy of it"
    )

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Go through what was said and what was said next."""
        del rng
        copies: dict[str, list[int]] = {}
        for row in history.said:
            copies.setdefault(history.texts[row], []).append(row)
        for row, after in pairwise(history.said):
            if history.talks[row] != history.talks[after] or after - row > BETWEEN + 1:
                continue
            draft = _draft(history, row, after, dropped)
            if draft is not None:
                gold = tuple(copies[history.texts[after]])
                yield Draft(draft, gold, int(history.talks[row]), row=row)


def _draft(history: History, row: int, after: int, dropped: Dropped) -> str | None:
    said, held = history.texts[row], history.texts[after]
    if len(content(held)) < SAYS:
        dropped[SHORT] += 1
        return None
    forbidden = terms(held)
    lead = next((one for one in LEADS if forbidden.isdisjoint(Analyzer().query(one))), None)
    clue = _clue(said, forbidden)
    if lead is None or not clue:
        dropped[SHARED] += 1
        return None
    if not _only(history, row, clue):
        dropped[TWICE] += 1
        return None
    return f"{lead} {clue}"


def _clue(said: str, forbidden: frozenset[str]) -> str:
    """Give the sentence of a message that says most without the forbidden terms; "" for none."""
    best = ("", LEAST - 1)
    for sentence in sentences(said):
        if not prose(sentence) or len(sentence.split()) > WORDS:
            continue
        clue = blanked(sentence, forbidden)
        left = len(content(clue))
        if left > best[1] and left >= KEPT * len(content(sentence)) and reads(clue):
            best = (clue, left)
    return best[0]


def _only(history: History, row: int, clue: str) -> bool:
    """Tell whether nothing else that was said holds all words of a question, copies included.

    What a tool wrote may hold them, a page of it holds nearly any: "right after this" is not that.
    """
    held = history.order[history.overlap.holding(clue)]
    return bool((held[history.spoken[held]] == row).all())
