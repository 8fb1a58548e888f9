"""How alike rows are: the share of terms that two of them have in common."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.corpus import Corpus
from lcm_lab.text import Analysis, Tokens

__all__ = ["alike", "jaccard", "likeness", "sets_of", "term_sets"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Rows of a table of likeness that cost as much one by one as one row of it does with all others.
FEW = 4

_local = threading.local()


def term_sets(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> sparse.csr_array:
    """Give which row holds which term, built once for each analyzer and fields; 1 where it does."""
    key = ("term sets", analyzer, tuple(fields))
    return cast(sparse.csr_array, corpus.memo(key, lambda: _sets(corpus, analyzer, fields)))


def _sets(corpus: Corpus, analyzer: Analysis, fields: Sequence[str]) -> sparse.csr_array:
    return sets_of(analyzer.analyze(corpus.view(fields)))


def sets_of(tokens: Tokens) -> sparse.csr_array:
    """Give which text holds which term; 1 where it does."""
    shape = (len(tokens.offsets) - 1, max(len(tokens.vocabulary), 1))
    ones = np.ones(len(tokens.ids), np.float32)
    sets = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape)
    sets.sum_duplicates()
    sets.data[:] = 1
    return sets


def jaccard(sets: sparse.csr_array) -> Floats:
    """Give the share of terms that each two rows have in common; empty rows have none."""
    return _shares((sets @ sets.T).toarray().astype(np.float64))


def alike(sets: sparse.csr_array, rows: Ints) -> Floats:
    """Give `jaccard` of a few rows, without the sparse arrays of it."""
    starts = sets.indptr[rows]
    counts = sets.indptr[rows + 1] - starts
    ends = np.cumsum(counts)
    places = np.arange(ends[-1], dtype=np.int32)
    of = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    terms = sets.indices[places + (starts - ends + counts)[of]]
    # The last place where a term stands will do as its number; terms of one row alone are left out,
    # which tell nothing but how many the row has.
    last = _scratch(sets.shape[1])
    last[terms] = places
    number = last[terms]
    shared = np.zeros(len(terms), bool)
    shared[number[number != places]] = True
    kept, column = np.flatnonzero(shared[number]), np.cumsum(shared)
    held = np.zeros((len(rows), len(kept) // 2 + 1), np.float32)
    held[of[kept], column[number[kept]] - 1] = 1
    common = (held @ held.T).astype(np.float64)
    np.fill_diagonal(common, counts)
    return _shares(common)


def _shares(common: Floats) -> Floats:
    size = common.diagonal()
    union = size[:, None] + size[None, :] - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0)


def _scratch(size: int) -> npt.NDArray[np.int32]:
    """Lend this thread's array of numbers, whatever they are."""
    if len(getattr(_local, "numbers", ())) < size:
        _local.numbers = np.empty(size, np.int32)
    return cast("npt.NDArray[np.int32]", _local.numbers)


def likeness(sets: sparse.csr_array, times: int) -> Callable[[int], Floats]:
    """Give what tells how alike a row is to each, as `jaccard` does, to be asked so many times."""
    size = sets.shape[0]
    if FEW * times >= size:
        table = jaccard(sets)
        return lambda row: np.asarray(table[row], np.float64)
    counts, mark = np.diff(sets.indptr), np.zeros(sets.shape[1], bool)
    where = np.repeat(np.arange(size), counts)

    def beside(row: int) -> Floats:
        mine = sets.indices[sets.indptr[row] : sets.indptr[row + 1]]
        mark[mine] = True
        common = np.bincount(where[mark[sets.indices]], minlength=size).astype(np.float64)
        mark[mine] = False
        union = counts[row] + counts - common
        share = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        return np.asarray(share, np.float64)

    return beside
