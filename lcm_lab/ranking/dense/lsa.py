"""LSA: vectors learned from the corpus itself, with no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from lcm_lab.errors import needing
from lcm_lab.ranking import checks
from lcm_lab.ranking.dense.embedder import Kind
from lcm_lab.text import Analyzer
from lcm_lab.values import value

__all__ = ["LSA"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Rows that it learns from, spread evenly; more teach the same and take their time.
SAMPLE = 100_000

#: Directions with less than this share of the strongest are rounding errors, and so are vectors
#: that are so much shorter than their text's.
NOISE = 1e-6


@value
class LSA:
    """Latent semantic analysis: TF-IDF vectors seen along the main directions of the corpus.

    Needs no model, knows only words that the corpus holds, and finds by words that occur together.
    Alone it is a weak ranker; use it where nothing may be installed.

    Parameters
    ----------
    dimensions : int
        At most so many; never more than there are texts or words.
    analyzer : Analyzer
        How text becomes terms; stop words are left out.
    seed : int
        Of the randomised decomposition.

    Notes
    -----
    The truncated singular value decomposition [1]_ of scikit-learn, over weights
    ``(1 + log(tf)) (1 + log((1 + N) / (1 + df)))`` of rows of length 1. It learns from at most
    100,000 texts, spread evenly.

    References
    ----------
    .. [1] Deerwester et al. (1990), Indexing by latent semantic analysis, JASIS 41(6); Halko,
       Martinsson and Tropp (2011), Finding structure with randomness, SIAM Review 53(2).

    Examples
    --------
    >>> encoder = LSA(2)
    >>> state = encoder.fit(["cats purr", "cats sleep", "stocks fall", "stocks rise"])
    >>> cat, stock = encoder.encode(state, ["purr", "fall"])
    >>> bool(abs(cat @ stock) < 1e-9)
    True
    """

    dimensions: int = 256
    analyzer: Analyzer = field(default_factory=Analyzer)
    seed: int = 0

    def check(self) -> None:
        """Refuse parameters out of range."""
        checks.whole("dimensions", self.dimensions)
        checks.whole("seed", self.seed, low=0)

    def fit(self, texts: Sequence[str]) -> Directions:
        """Learn the main directions of texts; those of none are none."""
        picked = np.linspace(0, len(texts) - 1, min(len(texts), SAMPLE)).astype(np.int64)
        tokens = self.analyzer.analyze(pa.array([texts[i] for i in picked], pa.large_string()))
        kept = np.flatnonzero(~tokens.stop)
        terms = {tokens.vocabulary[term]: i for i, term in enumerate(kept.tolist())}
        counts = _counts(tokens.ids, tokens.offsets, _places(tokens.vocabulary, terms), len(terms))
        df = np.bincount(counts.indices, minlength=len(terms))
        worth = 1 + np.log((1 + len(picked)) / (1 + df))
        return Directions(terms, worth, self._directions(_weighted(counts, worth)))

    def encode(self, state: Directions, texts: Sequence[str], kind: Kind = "document") -> Floats:
        """Give the vectors of texts; shape (n_texts, n_directions), float64.

        Zeros for a text of which nothing was learned.
        """
        counts = self._asked(state, texts) if kind == "query" else self._said(state, texts)
        made = np.asarray(_weighted(counts, state.worth) @ state.directions)
        made[np.linalg.norm(made, axis=1) < NOISE] = 0
        return made

    def _directions(self, weights: sparse.csr_array) -> Floats:
        """Give the directions as columns, one of zeros where there is nothing to learn."""
        if not weights.nnz:
            return np.zeros((weights.shape[1], 1))
        with needing("scikit-learn", "LSA()"):
            from sklearn.utils.extmath import randomized_svd
        from threadpoolctl import threadpool_limits

        # Threads would add up in another order, and one seed would not give one result.
        with threadpool_limits(limits=1):
            size = min(self.dimensions, *weights.shape)
            _, strength, directions = randomized_svd(weights, size, random_state=self.seed)
        return np.ascontiguousarray(directions[strength > NOISE * strength[0]].T)

    def _said(self, state: Directions, texts: Sequence[str]) -> sparse.csr_array:
        tokens = self.analyzer.analyze(pa.array(list(texts), pa.large_string()))
        places = _places(tokens.vocabulary, state.terms)
        return _counts(tokens.ids, tokens.offsets, places, len(state.terms))

    def _asked(self, state: Directions, texts: Sequence[str]) -> sparse.csr_array:
        known = [
            Counter(state.terms[t] for t in self.analyzer.query(text) if t in state.terms)
            for text in texts
        ]
        ids = np.array([term for asked in known for term in sorted(asked.elements())], np.int32)
        offsets = np.cumsum([0, *(asked.total() for asked in known)])
        return _counts(ids, offsets, np.arange(len(state.terms)), len(state.terms))


@dataclass(frozen=True, eq=False)
class Directions:
    """What LSA learned.

    Attributes
    ----------
    terms : dict
        Term to its row.
    worth : float64 array of shape (n_terms,)
    directions : float64 array of shape (n_terms, n_directions)
    """

    terms: dict[str, int]
    worth: Floats
    directions: Floats


def _places(vocabulary: Sequence[str], terms: dict[str, int]) -> Ints:
    """Give the column of each word, -1 of an unknown one."""
    return np.fromiter((terms.get(word, -1) for word in vocabulary), np.int64, len(vocabulary))


def _counts(ids: Any, offsets: Any, places: Ints, width: int) -> sparse.csr_array:
    """Count how often each text has each term; ids without a place are left out."""
    columns = places[ids] if len(ids) else np.empty(0, np.int64)
    known = columns >= 0
    starts = np.append(0, np.cumsum(known))[offsets]
    data = (np.ones(int(known.sum())), columns[known], starts)
    table = sparse.csr_array(data, shape=(len(offsets) - 1, width))
    table.sum_duplicates()
    return table


def _weighted(counts: sparse.csr_array, worth: Floats) -> sparse.csr_array:
    """Give TF-IDF weights, rows of length 1."""
    values = (1 + np.log(counts.data)) * worth[counts.indices]
    sizes = np.diff(counts.indptr)
    texts = np.repeat(np.arange(len(sizes)), sizes)
    norm = np.sqrt(np.bincount(texts, values**2, minlength=len(sizes)))
    return sparse.csr_array((values / norm[texts], counts.indices, counts.indptr), counts.shape)
