"""The rows of what one caller may see, with indexes of their own.

A score says how rare a word is. If it were weighed over all rows, a session could write a word,
search for it, and read off the score whether a session that it may not see has it too.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from lcm_lab.agent.lcm.history import History
from lcm_lab.corpus import Corpus

__all__ = ["seen_of"]


def seen_of(history: History, names: Collection[str]) -> History:
    """Give a history as it stands, of some conversations alone; what is made of it is kept."""
    standing = history.standing()
    corpus = standing.corpus()
    there = corpus.codes("conversation")[1]
    hidden = frozenset(there).difference(names)
    if not hidden:
        return standing
    found: History = corpus.memo(("without", hidden), lambda: _Seen(standing, hidden))
    return found


class _Seen(History):
    """A history without some conversations."""

    def __init__(self, whole: History, hidden: Collection[str]) -> None:
        vars(self).update(vars(whole))
        self._rows = _without(whole.corpus(), hidden)
        self._held = type(self._held)(self._rows)

    def corpus(self) -> Corpus:
        """Give the rows that may be seen."""
        return self._rows


def _without(corpus: Corpus, hidden: Collection[str]) -> Corpus:
    codes, names = corpus.codes("conversation")
    kept = np.array([name not in hidden for name in names], bool)[codes]
    columns = {name: corpus.column(name) for name in corpus.columns}
    return Corpus(pa.table(columns).filter(pa.array(kept)))
