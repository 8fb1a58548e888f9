"""Posting lists that grow: the rows at the end of a corpus are analysed alone and join the lists.

The lists of the new rows are a segment of their own, merged into the old ones at once. What scorers
make of term frequencies depends on the average length and so changes with every row; it is computed
anew from the merged lists, which is what makes the answers exactly those of a full rebuild.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.lexical.postings import Postings, keys, transposed
from lcm_lab.ranking.lexical.proof import sources
from lcm_lab.ranking.lexical.terms import Layered, Listed
from lcm_lab.text import Analysis, Tokens

__all__ = ["carry", "extend"]

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]


def carry(old: Corpus, new: Corpus, analyzer: Analysis, fields: tuple[str, ...]) -> None:
    """Put the postings that one corpus keeps under another that holds its rows and more at the end.

    Raises
    ------
    BadParameter
        For a corpus whose first rows are others.
    """
    lists, tokens = map(old.kept, keys(analyzer, fields))
    if lists is None:
        return
    for name in sources(fields):
        if len(new) < len(old) or new.column(name)[: len(old)] != old.column(name):
            raise BadParameter(
                f"This corpus of {len(new):,} rows does not begin with the {len(old):,} of the one "
                f"fitted: {_first(old, new, name)}. Only rows at the end can be added; messages of "
                "an earlier conversation stand before its end. Fit the policy anew."
            )
    extend(new, fields, lists, tokens)


def _first(old: Corpus, new: Corpus, name: str) -> str:
    """Say where a column differs first."""
    if len(new) < len(old):
        return "it is shorter"
    pairs = zip(old.column(name).to_pylist(), new.column(name).to_pylist(), strict=False)
    row = next(i for i, (was, now) in enumerate(pairs) if was != now)
    return f"{name!r} of row {row:,} differs"


def extend(corpus: Corpus, fields: tuple[str, ...], lists: Postings, tokens: Tokens | None) -> None:
    """Put the postings of a corpus's first rows under it, and of the rows after them."""
    of_lists, of_tokens = keys(lists.analyzer, fields)
    if lists.size < len(corpus):
        more = lists.analyzer.analyze(corpus.view(fields, lists.size))
        more, terms = _numbered(more, lists)
        lists = _merged(lists, more, terms)
        tokens = None if tokens is None else _joined(tokens, more)
    corpus.memo(of_lists, lambda: lists)
    if tokens is not None:
        corpus.memo(of_tokens, lambda: tokens)


def _numbered(more: Tokens, lists: Postings) -> tuple[Tokens, Layered]:
    """Give tokens the numbers of the old terms; new ones follow, as they first appear."""
    known = [lists.terms.get(term, -1) for term in more.vocabulary]
    numbers = np.array(known, np.int32)
    new = np.flatnonzero(numbers < 0)
    numbers[new] = len(lists.terms) + np.arange(len(new))
    added = dict(
        zip((more.vocabulary[i] for i in new.tolist()), numbers[new].tolist(), strict=True)
    )
    terms = Layered(lists.terms, added)
    ids = numbers[more.ids] if len(numbers) else more.ids
    stop = np.concatenate((lists.stop, more.stop[new]))
    return Tokens(ids, more.offsets, more.lengths, Listed(terms), stop), terms


def _merged(lists: Postings, more: Tokens, terms: Layered) -> Postings:
    """Put the segment of new rows behind the old ones, list by list."""
    starts, rows, values = transposed(more, len(terms))
    old = np.append(lists.starts, np.full(len(terms) - len(lists.terms), lists.starts[-1]))
    longer = np.flatnonzero(np.diff(starts))
    ends = old[longer + 1], starts[longer + 1]
    return Postings(
        lists.analyzer,
        terms,
        old + starts,
        _woven(lists.rows, rows + np.int32(lists.size), *ends),
        _woven(lists.values, values, *ends),
        np.concatenate((lists.lengths, more.lengths.astype(np.int64))),
        more.stop,
    )


def _woven(old: Array, new: Array, old_ends: Ints, new_ends: Ints) -> Array:
    """Take up to an end of one, up to an end of the other, and so on, and the rest of the old.

    Whole stretches are copied, most of them long: far fewer lists grow than there are.
    """
    parts, done, begun = [], 0, 0
    for old_end, new_end in zip(old_ends.tolist(), new_ends.tolist(), strict=True):
        parts += [old[done:old_end], new[begun:new_end]]
        done, begun = old_end, new_end
    return np.concatenate([*parts, old[done:]])


def _joined(tokens: Tokens, more: Tokens) -> Tokens:
    return Tokens(
        np.concatenate((tokens.ids, more.ids)),
        np.concatenate((tokens.offsets, tokens.offsets[-1] + more.offsets[1:])),
        np.concatenate((tokens.lengths, more.lengths)),
        more.vocabulary,
        more.stop,
    )
