"""Terms that are read once: a corpus that shares rows with an earlier one takes over theirs.

A conversation goes on in the middle of a corpus, since rows stand in the order of conversations.
What costs time is reading texts; the rows that were read already keep their terms, and the others
alone are read. The terms are then numbered as they first appear, as a corpus that is read whole
numbers them, so that all that is made of them is the same to the last bit.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.lexical.postings import keys
from lcm_lab.ranking.lexical.proof import sources
from lcm_lab.text import Analysis, Tokens

__all__ = ["take_over"]

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]


def take_over(old: Corpus, new: Corpus, analyzer: Analysis, fields: tuple[str, ...]) -> int:
    """Put `forward` of an earlier corpus under another, for the rows that both have.

    Rows are the same where their docno and all fields are. Where their order changed, or nothing
    was read of the old corpus, nothing is done.

    Returns
    -------
    int
        How many rows were taken over.

    Examples
    --------
    >>> from lcm_lab.text import Analyzer
    >>> from lcm_lab.ranking.lexical.postings import forward
    >>> rows = [{"docno": "a", "text": "use WAL"}, {"docno": "c", "text": "drop the table"}]
    >>> old = Corpus(rows)
    >>> ids = forward(old, Analyzer(), ("text",)).ids
    >>> new = Corpus([rows[0], {"docno": "b", "text": "the WAL grew"}, rows[1]])
    >>> take_over(old, new, Analyzer(), ("text",))
    2
    """
    key = keys(analyzer, fields)[1]
    read = cast("Tokens | None", old.kept(key))
    if read is None or new.kept(key) is not None:
        return 0
    rows, places = _shared(old, new, fields)
    if not len(rows) or (np.diff(places) <= 0).any():
        return 0
    fresh = np.ones(len(new), bool)
    fresh[places] = False
    more = analyzer.analyze(new.view(fields).take(np.flatnonzero(fresh)))
    found = _numbered(_joined(read, more, rows, fresh))
    new.memo(key, lambda: found)
    return len(rows)


def _shared(old: Corpus, new: Corpus, fields: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Give the old rows that are there again, rising, and where."""
    places = new.row_of(old.column("docno").to_pylist())
    rows = np.flatnonzero(places >= 0)
    for name in sources(fields):
        was, now = old.column(name).take(rows), new.column(name).take(places[rows])
        same = pc.fill_null(pc.equal(was, now), False).to_numpy()
        same |= was.is_null().to_numpy() & now.is_null().to_numpy()
        rows = rows[same]
    return rows, places[rows]


def _joined(read: Tokens, more: Tokens, rows: Ints, fresh: npt.NDArray[np.bool_]) -> Tokens:
    """Lay the terms of old rows and of fresh ones in the order of the rows; not numbered yet."""
    sizes = np.diff(read.offsets)
    kept = np.zeros(len(sizes), bool)
    kept[rows] = True
    ids = read.ids if kept.all() else read.ids[np.repeat(kept, sizes)]
    of_old, of_fresh = sizes[rows], np.diff(more.offsets)
    before = np.cumsum(~fresh)[fresh]  # old rows that stand before each fresh one
    at = np.concatenate(([0], np.cumsum(of_old)))[before]
    vocabulary, numbers = _both(read, more)
    return Tokens(
        np.insert(ids, np.repeat(at, of_fresh), numbers[more.ids]),
        np.concatenate(([0], np.cumsum(_woven(of_old, of_fresh, fresh)))).astype(np.int64),
        _woven(read.lengths[rows], more.lengths, fresh),
        vocabulary,
        np.concatenate((read.stop, more.stop[numbers >= len(read.vocabulary)])),
    )


def _both(read: Tokens, more: Tokens) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Give all terms, the old ones first, and the numbers of the fresh ones among them."""
    terms = {term: number for number, term in enumerate(read.vocabulary)}
    known = [terms.setdefault(term, len(terms)) for term in more.vocabulary]
    return list(terms), np.array(known, np.int32)


def _woven(old: Array, new: Array, fresh: npt.NDArray[np.bool_]) -> Array:
    """Give values of rows, the old ones and the fresh ones in their places."""
    made = np.empty(len(fresh), old.dtype)
    made[~fresh], made[fresh] = old, new
    return made


def _numbered(tokens: Tokens) -> Tokens:
    """Give terms the numbers of their first appearance; those that no row has any more leave."""
    first = np.full(len(tokens.vocabulary), len(tokens.ids), np.int64)
    first[tokens.ids[::-1]] = np.arange(len(tokens.ids))[::-1]
    order = np.argsort(first, kind="stable")
    order = order[: int((first < len(tokens.ids)).sum())]
    numbers = np.zeros(len(first), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    return Tokens(
        numbers[tokens.ids],
        tokens.offsets,
        tokens.lengths,
        [tokens.vocabulary[place] for place in order.tolist()],
        tokens.stop[order],
    )
