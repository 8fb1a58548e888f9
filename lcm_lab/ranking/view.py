"""What one topic may see: its rows and their columns, for rankers that look around."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.rows import distinct
from lcm_lab.topics import Topics
from lcm_lab.words import FRAMING, STOPS, fold

__all__ = ["View", "asks", "questions"]

Ints = npt.NDArray[np.int64]

_WORD = re.compile(r"\w+")

#: What ends a question and any sentence, where a line ends without, and what may close behind; for
#: Arrow's regexes.
_ASKS = r"[?\x{ff1f}\x{61f}]"
_ENDS = r"[.!?\x{3002}\x{ff01}\x{ff1f}\x{61f}]"
_BROKEN = r"[^\s.!?\x{3002}\x{ff01}\x{ff1f}\x{61f}\"')\]*_`][ \t]*(?:[\r\n]|$)"
_CLOSED = r"[\"')\]*_`]*"


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
        return np.asarray(codes[self.rows] == _place(names, value))

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
        return np.asarray(asks(self.corpus)[self.rows])

    @cached_property
    def questions(self) -> npt.NDArray[np.float64]:
        """The share of each row's sentences that are questions; shape (n_rows,), in [0, 1]."""
        return np.asarray(questions(self.corpus)[self.rows])

    @cached_property
    def named(self) -> npt.NDArray[np.bool_]:
        """Tell which rows are said by the one speaker whom the question names; shape (n_rows,).

        None of them where it names nobody, or several.
        """
        codes, names = self.corpus.codes("speaker")
        mine = codes[self.rows]
        who = [code for code in distinct(mine).tolist() if _is_named(names[code], self._asked)]
        return np.asarray(mine == who[0]) if len(who) == 1 else np.zeros(len(self), bool)

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The question's words: as written where capitalised, and folded where no stop word."""
        written = _WORD.findall(self.query)
        lower = {fold(word) for word in written} - STOPS["question"] - FRAMING
        return frozenset(lower | {word for word in written if not word.islower()})

    @cached_property
    def replies(self) -> npt.NDArray[np.bool_]:
        """Tell which rows are said by somebody else than the row before; shape (n_rows,).

        Somebody unknown is somebody else.
        """
        (speaker, names), (role, roles) = map(self.corpus.codes, ("speaker", "role"))
        speaker, role = speaker[self.rows], role[self.rows]
        known = (speaker != _place(names, "")) | (role != _place(roles, ""))
        same = (speaker[1:] == speaker[:-1]) & (role[1:] == role[:-1]) & known[1:]
        return np.append(True, ~same)[: len(self)]

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


def _is_named(name: str, asked: frozenset[str]) -> bool:
    """Tell whether a question names a speaker, by the first word of the name."""
    first = next(iter(_WORD.findall(name)), "")
    return first != "" and (first in asked or fold(first) in asked)


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


def asks(corpus: Corpus) -> npt.NDArray[np.bool_]:
    """Tell which texts end with a question mark, of any script; shape (n_docs,)."""
    return np.asarray(corpus.memo("asks", lambda: _asks(corpus)))


def questions(corpus: Corpus) -> npt.NDArray[np.float64]:
    """Give the share of each text's sentences that are questions; shape (n_docs,), in [0, 1].

    A sentence ends with a full stop, a question or an exclamation mark before white space, or with
    its line.
    """
    return np.asarray(corpus.memo("questions", lambda: _questions(corpus)))


def _asks(corpus: Corpus) -> npt.NDArray[np.bool_]:
    ends = pc.match_substring_regex(corpus.column("text"), rf"{_ASKS}\s*$")
    return np.asarray(ends.to_numpy(), bool)


def _questions(corpus: Corpus) -> npt.NDArray[np.float64]:
    text = corpus.column("text")
    asked = pc.count_substring_regex(text, rf"{_ASKS}{_CLOSED}(?:\s|$)").to_numpy()
    ended = pc.count_substring_regex(text, rf"{_ENDS}{_CLOSED}(?:\s|$)").to_numpy()
    broken = pc.count_substring_regex(text, _BROKEN).to_numpy()
    return np.asarray(asked / np.maximum(ended + broken, 1), np.float64)
