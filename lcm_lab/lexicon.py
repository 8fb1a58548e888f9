"""A vocabulary as it grows: folded words to terms, stretches of text to runs of terms.

Arrow splits a batch of rows and finds its distinct stretches; Python learns those not met before;
numpy lays the runs of terms end to end. Nothing here is called once per token.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import Stemmer

from lcm_lab.words import pieces, simple, stemmable

__all__ = ["Lexicon", "batches"]

#: Bytes of text analysed at a time, and the longest stretch that is remembered from batch to batch.
BATCH = 1 << 25
REMEMBERED = 64

Ints = npt.NDArray[np.int32]


class Lexicon:
    """The terms met so far.

    Parameters
    ----------
    language : str or None
        Of the Snowball stemmer.
    stop : frozenset of str
        Folded words that keep their form and count no length.
    identifiers : bool
        Whether identifiers are words beside their parts.
    """

    def __init__(self, language: str | None, stop: frozenset[str], identifiers: bool) -> None:
        self.stop, self.identifiers = stop, identifiers
        self.stemmer = Stemmer.Stemmer(language, 0) if language else None  # words are kept here
        self.terms: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._flat, self._starts = array("i"), array("i")
        self._counts, self._content = array("i"), array("i")

    def term(self, word: str) -> str:
        """Stem a folded word of letters; a stem that is a stop word would hide it, so it stays."""
        if self.stemmer is None or word in self.stop or not stemmable(word):
            return word
        stem = str(self.stemmer.stemWord(word))
        return word if stem in self.stop else stem

    def batch(self, rows: pa.LargeStringArray) -> tuple[Ints, Ints, Ints]:
        """Give the ids of the rows end to end, how many each has, and their content lengths."""
        lists = pc.ascii_split_whitespace(pc.fill_null(rows, ""))
        encoded = lists.flatten().dictionary_encode()
        known = self._place(encoded.dictionary.to_pylist())
        ends = lists.offsets.to_numpy() - lists.offsets[0].as_py()
        which = encoded.indices.to_numpy()
        counts, content = _ints(self._counts)[known], _ints(self._content)[known]
        ids, sums = _lay(_ints(self._flat), _ints(self._starts)[known], counts, which)
        return ids, _per_row(sums, ends), _per_row(_sums(content[which]), ends)

    def _place(self, chunks: list[str]) -> npt.NDArray[np.int64]:
        """Give the number of each stretch, after learning those not seen before."""
        seen, found = self._seen, []
        for chunk in chunks:
            place = seen.get(chunk)
            if place is None:
                place = self._learn(chunk)
                if len(chunk) <= REMEMBERED:
                    seen[chunk] = place
            found.append(place)
        return np.array(found, np.int64)

    def _learn(self, chunk: str) -> int:
        start = len(self._flat)
        content = self.part(chunk)
        self._starts.append(start)
        self._counts.append(len(self._flat) - start)
        self._content.append(content)
        return len(self._starts) - 1

    def part(self, chunk: str) -> int:
        """Add the terms of a stretch with `add`; give how many of its positions hold content."""
        word = simple(chunk)
        if word is not None:
            self.add(word)
            return int(word not in self.stop)
        content = 0
        for part in chunk.split():
            for word, kind in pieces(part, self.identifiers):
                self.add(word)
                content += kind != "over" and word not in self.stop
        return content

    def add(self, word: str) -> None:
        """Add a folded word to the stretch being learnt."""
        place = self._words.get(word)
        if place is None:
            place = self._words[word] = self.terms.setdefault(self.term(word), len(self.terms))
        self._flat.append(place)


def batches(column: pa.Array | pa.ChunkedArray) -> Iterator[pa.LargeStringArray]:
    """Cut a column of strings into stretches of rows of about `BATCH` bytes each."""
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        text = chunk.cast(pa.large_string())
        sizes = pc.fill_null(pc.binary_length(text), 0).to_numpy(zero_copy_only=False)
        ends, start = np.cumsum(sizes), 0
        while start < len(text):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + BATCH, side="right")))
            yield text.slice(start, stop - start)
            start = stop


def _ints(numbers: array[int]) -> Ints:
    return np.frombuffer(numbers, np.int32) if numbers else np.empty(0, np.int32)


def _lay(flat: Ints, starts: Ints, counts: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Lay the runs ``flat[starts[i]:starts[i] + counts[i]]``, i in ``which``, end to end.

    Also gives where each begins, and the end. Nearly all runs hold one term, so first terms are
    placed at once (a run without any is overwritten by the next) and only the others expanded.
    """
    number = counts[which]
    sums = _sums(number)
    ids = np.empty(int(sums[-1]) + 1, np.int32)
    first = np.append(flat, np.int32(0))[starts]
    ids[sums[:-1]] = first[which]
    many = np.flatnonzero(number > 1)
    more = number[many] - 1
    inner = np.arange(int(more.sum())) - np.repeat(np.cumsum(more) - more, more) + 1
    source = np.repeat(starts[which[many]], more) + inner
    ids[np.repeat(sums[many], more) + inner] = flat[source]
    return ids[:-1], sums


def _sums(numbers: Ints) -> Ints:
    sums = np.zeros(len(numbers) + 1, np.int32)
    np.cumsum(numbers, out=sums[1:])
    return sums


def _per_row(sums: Ints, ends: npt.NDArray[np.integer]) -> Ints:
    return np.asarray(np.diff(sums[ends]), np.int32)
