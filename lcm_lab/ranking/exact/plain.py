"""What a table of FTS5 finds, in Python, for an SQLite that was built without it."""

from __future__ import annotations

import itertools
import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import Stemmer

from lcm_lab.rows import Rows, contains

__all__ = ["Plain", "tokens_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: FTS5's parameters of bm25, and what it gives a phrase that half of the rows or more hold.
K1, B, FLOOR = 1.2, 0.75, 1e-6
PHRASE = re.compile(r'"((?:[^"]|"")*)"')
#: Marks that FTS5 leaves out within a word, as fts5_unicode2.c lists them in two masks of bits;
#: others part words.
MARKS = "".join(chr(0x300 + bit) for bit in range(50) if 0x361F8_08029FDF >> bit & 1)
#: The ascii tokenizer folds no other letters.
LOW = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
#: Tokens that FTS5 stems, by their length.
STEMMED = range(3, 65)


class Plain:
    """Rows in groups, searched and scored as FTS5 does its tables.

    Parameters
    ----------
    groups : iterable of list of (row, text)
        Each with statistics of its own.
    size : int
        Rows of the corpus.
    tokenize : str
        As SQLite writes it.
    """

    def __init__(self, groups: Iterable[list[tuple[int, str]]], size: int, tokenize: str) -> None:
        self.size, self.tokenize = size, tokenize
        self.groups = [_Group(rows, tokenize) for rows in groups]

    def search(self, expression: str, allowed: Rows, k: int | None = None) -> tuple[Ints, Floats]:
        """Give the allowed rows that match, rising, and their scores; ``k`` cuts none."""
        del k
        found = [pair for group in self.groups for pair in group.search(expression)]
        rows = np.array([row for row, _ in sorted(found)], np.int64)
        scores = np.array([score for _, score in sorted(found)], np.float64)
        within = contains(allowed, rows)
        return rows[within], scores[within]


class _Group:
    """Rows with statistics of their own, as one table of FTS5 has them."""

    def __init__(self, rows: list[tuple[int, str]], tokenize: str) -> None:
        self.tokenize = tokenize
        self.lengths: dict[int, int] = {}
        self.places: dict[str, dict[int, list[int]]] = {}
        for row, text in rows:
            tokens = tokens_of(text, tokenize)
            self.lengths[row] = len(tokens)
            for place, token in enumerate(tokens):
                self.places.setdefault(token, {}).setdefault(row, []).append(place)

    def search(self, expression: str) -> Iterator[tuple[int, float]]:
        """Yield the rows that match, and their scores."""
        phrases = [
            tokens_of(part.replace('""', '"'), self.tokenize) for part in PHRASE.findall(expression)
        ]
        asked = [self._counts(phrase) for phrase in phrases if phrase]
        between = PHRASE.sub(" ", expression)
        if not asked or ("AND" in between and len(asked) < len(phrases)):
            return
        join = set.union if "OR" in between else set.intersection
        weights = [self._weight(len(counts)) for counts in asked]
        mean = sum(self.lengths.values()) / len(self.lengths)
        for row in join(*map(set, asked)):
            norm = K1 * (1 - B + B * self.lengths[row] / mean)
            pairs = zip(asked, weights, strict=True)
            yield row, sum(w * f[row] * (K1 + 1) / (f[row] + norm) for f, w in pairs)

    def _counts(self, phrase: Sequence[str]) -> Counter[int]:
        """Count how often each row holds a phrase."""
        first, *rest = (self.places.get(token, {}) for token in phrase)
        found: Counter[int] = Counter()
        for row, places in first.items():
            others = [set(one.get(row, ())) for one in rest]
            found[row] = sum(
                all(place + n in other for n, other in enumerate(others, start=1))
                for place in places
            )
        return +found

    def _weight(self, holding: int) -> float:
        odds = (len(self.lengths) - holding + 0.5) / (holding + 0.5)
        return max(math.log(odds), FLOOR) if odds > 0 else FLOOR


def tokens_of(text: str, tokenize: str) -> list[str]:
    """Part a text as a tokenizer of FTS5 does.

    Examples
    --------
    >>> tokens_of("Café-Running 42", "porter unicode61"), tokens_of("abcd", "trigram")
    (['cafe', 'run', '42'], ['abc', 'bcd'])
    """
    if "trigram" in tokenize:
        low = _low(text)
        return [low[at : at + 3] for at in range(len(low) - 2)]
    if "ascii" in tokenize:
        words = [run.translate(LOW) for run in _runs(text, _ascii)]
    else:
        runs = (run.lstrip(MARKS) for run in _runs(_bare(text, tokenize), _unicode))
        words = [_low(run) for run in runs if run]
    return [_stem(word) for word in words] if "porter" in tokenize else words


def _runs(text: str, is_word: Callable[[str], bool]) -> Iterator[str]:
    return ("".join(run) for held, run in itertools.groupby(text, is_word) if held)


def _low(text: str) -> str:
    """Fold case letter by letter; what would become longer stays as it is."""
    folds = ((char, char.casefold(), char.lower()) for char in text)
    return "".join(next(one for one in (f, low, c) if len(one) == 1) for c, f, low in folds)


def _bare(text: str, tokenize: str) -> str:
    """Leave out what stands over letters."""
    if text.isascii() or "remove_diacritics 0" in tokenize:
        return text
    most = 9 if "remove_diacritics 2" in tokenize else 1
    return "".join(_base(char, most) for char in text)


@cache
def _base(char: str, most: int) -> str:
    """Take its marks from a Latin letter that has no more than ``most``; FTS5 takes no others."""
    if char in MARKS:
        return ""
    parts = unicodedata.normalize("NFD", char)
    return parts[0] if len(parts) <= 1 + most and parts[0].isascii() else char


def _ascii(char: str) -> bool:
    return char.isalnum() or not char.isascii()


def _unicode(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind[0] in "LN" or kind == "Co" or char in MARKS


def _stem(word: str) -> str:
    return _stemmer().stemWord(word) if len(word.encode()) in STEMMED else word


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("porter")
