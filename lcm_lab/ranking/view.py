"""What one topic may see: its rows and their columns, for rankers that look around."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.topics import Topics

__all__ = ["View"]

Ints = npt.NDArray[np.int64]


class View:
    """The rows that one topic may see, in corpus order.

    Attributes
    ----------
    query : str
    corpus : Corpus
    rows : int64 array of shape (n_rows,), rising
    clock : int
        When the topic is asked, microseconds UTC.
    """

    def __init__(self, topics: Topics, topic: int, rows: Ints) -> None:
        self.corpus: Corpus = topics.corpus
        self.query, self.rows = topics.queries[topic], rows
        self._topics, self._topic = topics, topic

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def clock(self) -> int:
        """When the topic is asked, microseconds UTC."""
        return int(self._topics.clock[self._topic])

    def is_(self, name: str, value: str) -> npt.NDArray[np.bool_]:
        """Tell which rows hold a value in a text column; shape (n_rows,)."""
        codes, names = self.corpus.codes(name)
        if value not in names:
            return np.zeros(len(self), bool)
        return np.asarray(codes[self.rows] == names.index(value))

    @cached_property
    def tokens(self) -> Ints:
        """Length of each row in tokens; shape (n_rows,)."""
        return np.asarray(self.corpus.numpy("tokens")[self.rows], np.int64)

    @cached_property
    def session(self) -> Ints:
        """A number that tells the session, within its conversation; shape (n_rows,)."""
        codes, names = self.corpus.codes("session")
        talks, _ = self.corpus.codes("conversation")
        return talks[self.rows].astype(np.int64) * max(len(names), 1) + codes[self.rows]

    @cached_property
    def asks(self) -> npt.NDArray[np.bool_]:
        """Tell which rows end with a question mark, of any script; shape (n_rows,)."""
        found = self.corpus.memo("asks", lambda: _asks(self.corpus))
        return np.asarray(found[self.rows])

    def shifted(self, scores: npt.NDArray[np.float64], by: int) -> npt.NDArray[np.float64]:
        """Give each row the score of the row ``by`` places before it in its session, else 0.

        A negative ``by`` looks ahead. Rows that the topic may not see score 0.
        """
        moved = np.zeros(len(self))
        size = len(self) - abs(by)
        if size <= 0:
            return moved
        to, of = (slice(by, None), slice(0, size)) if by > 0 else (slice(0, size), slice(-by, None))
        near = (self.rows[to] - self.rows[of] == by) & (self.session[to] == self.session[of])
        moved[to] = np.where(near, scores[of], 0.0)
        return moved


def _asks(corpus: Corpus) -> npt.NDArray[np.bool_]:
    ends = pc.match_substring_regex(corpus.column("text"), r"[?\x{ff1f}\x{61f}]\s*$")
    return np.asarray(ends.to_numpy(), bool)
