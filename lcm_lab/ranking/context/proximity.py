"""Proximity: question words that stand together in a text say more than the same words apart."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.lexical.postings import forward, postings
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.view import View
from lcm_lab.text import Tokens
from lcm_lab.values import value

__all__ = ["Proximity"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Words of a question that are paired, the weightiest: a pasted page has thousands.
MOST = 64


@value
class Proximity(Contextual):
    """Raise texts in which words of the question stand close to each other.

    Parameters
    ----------
    inner : BM25
        What is raised; its fields, analyzer and word weights are used.
    share : float, at least 0
        What is added to a very short text that holds all the question's words as the question does.
    window : int, at least 1
        How many words of content apart two words may be; stop words do not count.
    loose : float in [0, 1]
        What a pair is worth that does not follow each other in the question; the reverse of a pair
        that does is worth half.
    slope : float, at least 0
        A pair d words apart is worth ``1 / (1 + slope (d - 1))``.

    Notes
    -----
    Each pair of question words adds the mean of its words' weights times the closeness of its best
    occurrence. The sum is divided by the weight of the whole question and by 1 + BM25's pivot for
    the text's length, since long texts hold pairs by chance. Nothing needs an index of positions:
    the terms of each text are kept in order, 4 bytes a token, and only of texts that BM25 finds are
    they read. After Rasolofo and Savoy (2003), Term proximity scoring for keyword-based retrieval
    systems.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["red wine and a blue car", "a blue wine and a red car"])
    >>> lcm.Proximity(lcm.BM25()).fit(corpus)("the red car")["docno"].tolist()
    ['m2', 'm1']
    """

    inner: BM25
    share: float = 4.0
    window: int = 8
    loose: float = 0.2
    slope: float = 0.5

    def check(self) -> None:
        """Refuse what makes no sense."""
        if not isinstance(self.inner, BM25):
            raise BadParameter(
                f"Proximity weighs words as BM25 does. Got {self.inner!r:.80}. "
                "Write Proximity(BM25())."
            )
        checks.number("share", self.share)
        checks.whole("window", self.window)
        checks.number("loose", self.loose, 0, 1)
        checks.number("slope", self.slope)

    def prepare(self, corpus: Corpus) -> None:
        """Keep the terms of each text in order."""
        forward(corpus, self.inner.analyzer, self.inner.fields)

    def score(self, inner: Floats, view: View) -> Floats:
        """Add the closeness of the question's words; shape (n_rows,)."""
        asked = Asked.of(self.inner, view)
        found = np.flatnonzero(inner > 0)
        if len(asked.weights) < 2 or not len(found):
            return inner
        pivot = view.corpus.memo(("pivot", self.inner), lambda: self.inner.pivot(view.corpus))
        rows = view.rows[found]
        close = self._closeness(asked, rows, view.corpus) / asked.weights.sum()
        scores = inner.copy()
        scores[found] += self.share * close / (1 + pivot[rows])
        return scores

    def _closeness(self, asked: Asked, rows: Ints, corpus: Corpus) -> Floats:
        """Give the weight of the pairs that stand together in each row; shape (n_rows,)."""
        row, place, term = asked.occurrences(
            forward(corpus, self.inner.analyzer, self.inner.fields), rows, self.window
        )
        worth = asked.adjacency(self.loose) * (asked.weights[:, None] + asked.weights) / 2
        pairs = [np.empty((2, 0))]
        for step in range(1, min(self.window, len(row) - 1) + 1):
            apart = place[step:] - place[:-step]
            near = np.flatnonzero((apart <= self.window) & (term[step:] != term[:-step]))
            first, second = term[near], term[near + step]
            close = worth[first, second] / (1 + self.slope * np.maximum(apart[near] - 1, 0))
            pairs.append(np.stack([asked.key(row[near], first, second), close]))
        return asked.best(np.concatenate(pairs, axis=1), len(rows))


@dataclass(frozen=True)
class Asked:
    """The words of a question that a corpus holds.

    Attributes
    ----------
    terms : int64 array of shape (n_words,)
        Numbers of the distinct words, the weightiest first.
    weights : float64 array of shape (n_words,)
    order : list of int
        Places in ``terms`` of the words as the question has them.
    """

    terms: Ints
    weights: Floats
    order: list[int]

    @classmethod
    def of(cls, words: BM25, view: View) -> Asked:
        """Read the question of a view with the analyzer and the weights of a ranker of words."""
        lists = postings(view.corpus, words.analyzer, words.fields)
        worth = words.worth(view.corpus)
        numbers = [lists.terms.get(term, -1) for term in words.analyzer.query(view.query)]
        held = [number for number in numbers if number >= 0 and worth[number] > 0]
        distinct = list(dict.fromkeys(held))
        terms = sorted(distinct, key=lambda number: -worth[number])[:MOST]
        place = {number: i for i, number in enumerate(terms)}
        order = [place[number] for number in held if number in place]
        return cls(np.array(terms, np.int64), worth[np.array(terms, np.int64)], order)

    def occurrences(self, tokens: Tokens, rows: Ints, window: int) -> tuple[Ints, Ints, Ints]:
        """Give (place in rows, position, place in terms) of each occurrence, in text order.

        Positions count words of content, and those of different rows are too far apart to pair.
        """
        where, ids = tokens.of(rows)
        slot = np.zeros(len(tokens.vocabulary), np.int16)
        slot[self.terms] = np.arange(1, len(self.terms) + 1)
        term = slot[ids]
        hits = np.flatnonzero(term)
        row = where[hits]
        place = np.cumsum(~tokens.stop[ids])[hits] + row * (window + 1)
        return row, place, term[hits].astype(np.int64) - 1

    def adjacency(self, loose: float) -> Floats:
        """Give 1 for a pair that the question has, half for its reverse, else ``loose``."""
        size = len(self.terms)
        worth = np.full((size, size), loose)
        for first, second in itertools.pairwise(self.order):
            worth[second, first] = max(worth[second, first], 0.5)
        for first, second in itertools.pairwise(self.order):
            worth[first, second] = 1.0
        return worth

    def key(self, row: Ints, first: Ints, second: Ints) -> Ints:
        """Give a number for a pair of words, whichever comes first, in a row."""
        size = len(self.terms)
        return (row * size + np.minimum(first, second)) * size + np.maximum(first, second)

    def best(self, pairs: Floats, n_rows: int) -> Floats:
        """Add up the closest occurrence of each pair in each row; shape (n_rows,)."""
        keys, close = pairs[0].astype(np.int64), pairs[1]
        order = np.argsort(keys, kind="stable")
        keys, close = keys[order], close[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        if not len(first):
            return np.zeros(n_rows)
        row = keys[first] // len(self.terms) ** 2
        sums = np.bincount(row, np.maximum.reduceat(close, first), minlength=n_rows)
        return np.asarray(sums, np.float64)
