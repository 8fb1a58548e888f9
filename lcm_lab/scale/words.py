"""What rankers of words know of a whole corpus, added up from what each shard knows of its own.

Whole numbers are added and weights are worked out once, from the sums; terms are numbered as they
first appear in the order of the shards, which is how one corpus numbers them. So a weight is the
same float on every shard, and a score the same sum in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.lexical.postings import Statistics, transposed
from lcm_lab.ranking.lexical.terms import Hashed
from lcm_lab.text import Analysis, Tokens

__all__ = ["Reads", "Whole", "Words", "added", "counted"]

#: How texts are read: an analyzer, and fields.
Reads = tuple[Analysis, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Words:
    """The terms of one shard, in order of first appearance, and what is known of them."""

    terms: list[str]
    stop: npt.NDArray[np.bool_]
    statistics: Statistics


@dataclass(frozen=True, eq=False)
class Whole:
    """The terms of all shards, as arrays that travel well.

    Attributes
    ----------
    starts, data, table : arrays
        As `Hashed` takes them.
    stop : bool array of shape (n_terms,)
    statistics : Statistics
    """

    starts: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]
    table: npt.NDArray[np.int32]
    stop: npt.NDArray[np.bool_]
    statistics: Statistics

    def terms(self) -> Hashed:
        """Give the terms with their numbers; a view, which costs nothing to make."""
        # Arrays that have travelled may not be aligned, and views of memory cannot read such.
        starts = np.require(self.starts, np.int64, "A")
        return Hashed(starts, self.data, np.require(self.table, np.int32, "A"))

    def numbered(self, tokens: Tokens) -> npt.NDArray[np.int32]:
        """Give the terms of tokens their numbers in the whole; shape (n_tokens,)."""
        terms = self.terms()
        numbers = np.array([terms[term] for term in tokens.vocabulary], np.int32)
        return numbers[tokens.ids] if len(numbers) else tokens.ids


def counted(tokens: Tokens) -> Words:
    """Count what one shard holds."""
    terms = list(tokens.vocabulary)
    starts, _, _ = transposed(tokens, len(terms))
    seen = np.bincount(tokens.ids, minlength=len(terms)).astype(np.float64)
    told = Statistics(len(tokens), int(tokens.lengths.sum()), np.diff(starts), seen)
    return Words(terms, tokens.stop, told)


def added(parts: Sequence[Words]) -> Whole:
    """Add up what the shards hold, in their order."""
    places: dict[str, int] = {}
    numbers = [
        np.array([places.setdefault(term, len(places)) for term in part.terms], np.int64)
        for part in parts
    ]
    stop = np.zeros(len(places), bool)
    frequency, seen = np.zeros(len(places), np.int64), np.zeros(len(places))
    for part, mine in zip(parts, numbers, strict=True):
        stop[mine] = part.stop
        frequency[mine] += part.statistics.frequency
        seen[mine] += part.statistics.occurrences
    documents = sum(part.statistics.documents for part in parts)
    words = sum(part.statistics.words for part in parts)
    whole = Statistics(documents, words, frequency, seen)
    return Whole(*Hashed.arrays(places), stop, whole)
