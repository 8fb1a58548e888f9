"""Character n-grams: what finds misspelt words, parts of words, and scripts without spaces."""

from __future__ import annotations

from collections.abc import Iterator

from lcm_lab.errors import BadParameter
from lcm_lab.lexicon import Lexicon
from lcm_lab.ranking import checks
from lcm_lab.ranking.lexical.words import FIELDS, TfIdf
from lcm_lab.text import Column, Tokens, clean, tokens_of
from lcm_lab.values import value
from lcm_lab.words import fold

__all__ = ["CharGrams", "Grams"]


@value
class Grams:
    """Text as the n-grams of its stretches between white space, each with a blank on either side.

    Parameters
    ----------
    low, high : int
        The shortest and the longest n-gram. A stretch shorter than an n-gram is one, once.

    Notes
    -----
    What scikit-learn calls ``char_wb``, over folded text. There are no stop words and no stems.

    Examples
    --------
    >>> Grams(3, 4).query("Ab c")
    [' ab', 'ab ', ' ab ', ' c ']
    """

    low: int = 3
    high: int = 5

    def check(self) -> None:
        """Refuse lengths below 1 or in the wrong order."""
        checks.whole("low", self.low)
        checks.whole("high", self.high)
        if self.low > self.high:
            raise BadParameter(f"low is at most high. Got {self.low} and {self.high}.")

    def analyze(self, column: Column) -> Tokens:
        """Give the n-grams of every text of a column; nulls have none."""
        return tokens_of(column, _GramLexicon(self))

    def query(self, text: str) -> list[str]:
        """Give the n-grams of a question, in order, with repeats."""
        return [gram for chunk in clean(text).split() for gram in self.grams(chunk)]

    def grams(self, chunk: str) -> Iterator[str]:
        """Give the n-grams of a stretch without white space, the shortest first."""
        for word in fold(chunk).split():
            padded = f" {word} "
            for size in range(self.low, self.high + 1):
                last = max(len(padded) - size, 0)
                yield from (padded[start : start + size] for start in range(last + 1))
                if not last:  # the stretch is one n-gram, and counts once
                    break


class _GramLexicon(Lexicon):
    def __init__(self, grams: Grams) -> None:
        super().__init__(None, frozenset(), identifiers=False)
        self._grams = grams

    def part(self, chunk: str) -> int:
        count = 0
        for gram in self._grams.grams(chunk):
            self.add(gram)
            count += 1
        return count


def CharGrams(low: int = 3, high: int = 5, fields: tuple[str, ...] = FIELDS) -> TfIdf:
    """Rank by shared character n-grams: TF-IDF over `Grams`.

    Finds misspelt words, parts of words, and text in scripts without spaces. The index is about ten
    times that of words.

    Parameters
    ----------
    low, high : int, at least 1
        Characters of the shortest and of the longest gram.
    fields : tuple of str
        What of a row is indexed, as in `BM25`.

    Returns
    -------
    TfIdf
        Scores are cosines: from 0 to 1, higher is better.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.CharGrams().fit(lcm.Corpus(["rotate certificates", "lunch"]))
    >>> search("certifcate")["docno"].tolist()
    ['m1']
    """
    return TfIdf(fields=fields, analyzer=Grams(low, high))
