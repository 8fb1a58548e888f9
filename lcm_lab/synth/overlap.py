"""How much of a question a document holds: the statistic by which difficulty is controlled.

Share of the question's distinct content stems that occur in the document, which is the speaker and
the text of a turn. The stemmer is a plain suffix stripper of our own, frozen with the collections:
a new release of a real one must not change which question is asked. The checks measure again with
Snowball (`lcm_lab.synth.checks`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = ["Overlap", "plain", "stems"]

#: Words that ask rather than name, and what is left of clitics once the apostrophe is cut.
STOP = frozenset(
    (
        "s", "t", "d", "m", "ll", "re", "ve",
        "a", "about", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can",
        "could", "did", "do", "does", "done", "for", "from", "had", "has", "have", "he", "her",
        "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no",
        "not", "of", "on", "or", "our", "she", "should", "so", "such", "that", "the", "their",
        "them", "then", "there", "these", "they", "this", "to", "us", "was", "we", "were",
        "what", "when", "where", "which", "who", "whom", "why", "will", "with", "would", "you",
        "your",
    )
)  # fmt: skip
WORD = re.compile(r"[^\W_]+")
#: Characters of scripts that put no space between words, or (Hangul) glue endings to them.
DENSE = re.compile(r"[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
RUN = re.compile(rf"{DENSE.pattern}+|[^{DENSE.pattern[1:-1]}]+")
NOWHERE = np.empty(0, np.int64)
SUFFIXES = (
    "ingly",
    "edly",
    "ings",
    "ing",
    "ies",
    "ied",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)


class Overlap:
    """The stems of a conversation's documents, in order, ready to be compared with questions."""

    def __init__(self, documents: Iterable[str]) -> None:
        where: dict[str, list[int]] = defaultdict(list)
        number = -1
        for number, document in enumerate(documents):
            for one in stems(document):
                where[one].append(number)
        self._where = {one: np.array(places, np.int64) for one, places in where.items()}
        self._size = number + 1

    def of(self, question: str, gold: Sequence[int], size: int) -> tuple[int, int]:
        """Give the overlap with the gold, and how many others of the first ``size`` reach its best.

        The overlap is the mean over the gold documents, in thousandths and rounded down, so that no
        float decides anything; without gold it is that of the best document.
        """
        asked = stems(question)
        held = self._held(asked, size)
        unit = max(len(asked), 1)
        if not gold:
            return int(held.max(initial=0)) * 1000 // unit, 0
        own = np.array([held[i] if i < size else 0 for i in gold])  # what comes later holds nothing
        share = int(own.sum()) * 1000 // (unit * len(gold))
        top = own.max()
        return share, int((held >= top).sum() - (own >= top).sum())

    def rival(self, question: str, gold: Sequence[int], size: int) -> int:
        """Give the share that the best of the first ``size`` but the gold holds, in thousandths."""
        asked = stems(question)
        held = self._held(asked, size)
        held[[i for i in gold if i < size]] = 0
        return int(held.max(initial=0)) * 1000 // max(len(asked), 1)

    def knows(self, one: str) -> bool:
        """Tell whether a stem is in any document."""
        return one in self._where

    def holding(self, question: str) -> list[int]:
        """Give the documents that hold every stem of a question."""
        asked = stems(question)
        return np.flatnonzero(self._held(asked, self._size) == len(asked)).tolist()

    def _held(self, asked: frozenset[str], size: int) -> npt.NDArray[np.int64]:
        """Count the stems that each of the first documents holds."""
        found = [self._where[one] for one in asked if one in self._where]
        held = [p[: p.searchsorted(size)] for p in found] if size < self._size else found
        return np.bincount(np.concatenate([*held, NOWHERE]), minlength=size)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Strip one English suffix where enough letters remain, and a doubled last letter."""
    for suffix in SUFFIXES:
        least = 2 if suffix == "ing" else 3
        if word.endswith(suffix) and len(word) - len(suffix) >= least and not word.endswith("ss"):
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word


def stems(text: str) -> frozenset[str]:
    """Give the distinct content stems of a text; of scripts without spaces, pairs of characters.

    Compatibility forms are folded first, so that full-width digits are digits and decomposed
    letters are letters.
    """
    if text.isascii():
        return frozenset(map(stem, set(WORD.findall(text.lower())) - STOP))
    words = set(WORD.findall(unicodedata.normalize("NFKC", text).lower()))
    return frozenset(one for word in words - STOP for one in _terms(word))


def _terms(word: str) -> Iterator[str]:
    if word.isascii():
        yield stem(word)
        return
    for part in RUN.findall(word):
        if DENSE.match(part):
            yield from (part[i : i + 2] for i in range(max(1, len(part) - 1)))
        else:
            yield stem(part)


def plain(text: str) -> str:
    """Give a text's words alone, in lower case: what two texts share that say the same."""
    return " ".join(WORD.findall(text.lower()))
