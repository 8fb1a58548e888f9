"""What a question in full text asks for, piece by piece, and which rows hold each piece."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.query import looks_like_regex, parse
from lcm_lab.ranking.exact.phrase import Phrase
from lcm_lab.ranking.exact.whole import Substring
from lcm_lab.ranking.lexical.postings import postings
from lcm_lab.ranking.lexical.words import FIELDS
from lcm_lab.rows import Rows, count, intersect, rows_of, tidy
from lcm_lab.text import Analyzer, clean

__all__ = ["Asked", "Piece"]

Ints = npt.NDArray[np.int64]

#: The analyzer and the fields of `BM25`, whose postings are used.
ANALYZER = Analyzer()
#: Characters of a question, and pieces of it that are looked for one by one.
LONGEST, MOST_PIECES = 20_000, 64
#: Punctuation around a word.
AROUND = "\"'`()[]{}<>,;:!?\u201c\u201d"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a question that a text holds or does not.

    Attributes
    ----------
    said : str
        As the question has it.
    terms : tuple of str
        What a text is indexed under that holds it; () for what is no word, which is looked for as
        it stands.
    phrase : bool
        Whether it stood in quotes: while any text holds it, none without it is a hit.
    """

    said: str
    terms: tuple[str, ...]
    phrase: bool = False

    def rows(self, corpus: Corpus, allowed: Rows) -> Ints:
        """Give the allowed rows that hold it, rising."""
        if not count(allowed):
            return np.empty(0, np.int64)
        if not self.terms:
            scorer = Substring()
            found = scorer.hits(scorer.index(corpus), self.said, allowed)
            return rows_of(allowed)[found]
        if self.phrase:
            phrase = Phrase()
            hits = phrase.topk(phrase.index(corpus), [f'"{self.said}"'], count(allowed), [allowed])
            return np.sort(hits.rows)
        return _holding(corpus, self.terms, allowed)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in full text as it was read.

    Attributes
    ----------
    text : str
        What a policy is asked; "" where there is no word in it, but emoji.
    pieces : tuple of Piece
        Phrases, words that are no stop words (unless there are no others), and emoji: the first 64.
    """

    text: str
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, question: str) -> Asked:
        """Read a question.

        Raises
        ------
        EmptyQuery
            When there is nothing to look for.
        BadParameter
            When it is plainly a regular expression, or too long.

        Examples
        --------
        >>> [piece.said for piece in Asked.of('the "error handling" of retries').pieces]
        ['error handling', 'retries']
        """
        if len(question) > LONGEST:
            raise BadParameter(
                f"A question has at most {LONGEST:,} characters. Got {len(question):,}: "
                f"{question[:40]!r}... Ask for the words that matter."
            )
        if looks_like_regex(question):
            raise BadParameter(
                f"{question!r:.80} is a regular expression, which full text does not read. Write "
                "mode='regex', or the words themselves; what is meant literally stands in quotes: "
                '"a|b".'
            )
        symbols = [Piece(one, ()) for one in dict.fromkeys(_symbols(clean(question)))]
        try:
            read = parse(question)
        except EmptyQuery:
            if not symbols:
                raise
            return cls("", tuple(symbols[:MOST_PIECES]))
        phrases = [Piece(one, tuple(ANALYZER.positions(one)), True) for one in read.phrases]
        words = _words(read.rest, frozenset(ANALYZER.query(read.text)))
        return cls(read.text, (*phrases, *symbols, *words)[:MOST_PIECES])

    def required(self, corpus: Corpus, allowed: Rows) -> Rows:
        """Give the allowed rows that hold every phrase which any of them holds.

        Where there are phrases alone, and no row holds any, none is left.
        """
        held = [tidy(p.rows(corpus, allowed)) for p in self.pieces if p.phrase]
        there = [rows for rows in held if count(rows)]
        if not there and len(held) == len(self.pieces):
            return slice(0, 0)
        return reduce(intersect, there, allowed)

    def together(self, corpus: Corpus, allowed: Rows) -> tuple[Ints, tuple[str, ...]]:
        """Give the rows that hold every piece which any allowed row holds, and the other pieces."""
        held = [(piece, piece.rows(corpus, allowed)) for piece in self.pieces]
        lost = tuple(piece.said for piece, rows in held if not len(rows))
        lists = sorted((rows for _, rows in held if len(rows)), key=len)
        return reduce(_both, lists) if lists else np.empty(0, np.int64), lost

    def found_in(self, text: str) -> tuple[str, ...]:
        """Name the pieces that a text holds."""
        terms = set(ANALYZER.terms(text))
        return tuple(
            piece.said
            for piece in self.pieces
            if (terms.issuperset(piece.terms) if piece.terms else piece.said in text)
        )


def _words(text: str, content: AbstractSet[str]) -> Iterator[Piece]:
    """Give the words outside quotes that the question asks for."""
    given: dict[tuple[str, ...], str] = {}
    for chunk in text.split():
        terms = tuple(term for term in dict.fromkeys(ANALYZER.query(chunk)) if term in content)
        if terms:
            given.setdefault(terms, chunk.strip(AROUND).rstrip(".") or chunk)
    return (Piece(said, terms) for terms, said in given.items())


def _symbols(text: str) -> Iterator[str]:
    """Give runs of emoji and the like, with what joins and colours them."""
    for is_symbol, run in groupby(text, _is_symbol):
        if is_symbol:
            whole = "".join(run).strip("\u200d\ufe0f")
            if any(unicodedata.category(letter) == "So" for letter in whole):
                yield whole


def _is_symbol(letter: str) -> bool:
    return unicodedata.category(letter) in ("So", "Sk") or letter in "\u200d\ufe0f"


def _holding(corpus: Corpus, terms: tuple[str, ...], allowed: Rows) -> Ints:
    index = postings(corpus, ANALYZER, FIELDS)
    numbers = [index.terms.get(term) for term in terms]
    if None in numbers:
        return np.empty(0, np.int64)
    lists = [index.within(one, allowed)[0] for one in numbers if one is not None]
    return reduce(_both, [one.astype(np.int64) for one in sorted(lists, key=len)])


def _both(left: Ints, right: Ints) -> Ints:
    """Give what two rising lists share."""
    at = np.minimum(right.searchsorted(left.astype(right.dtype)), max(len(right) - 1, 0))
    return left[right[at] == left] if len(right) else left[:0]
