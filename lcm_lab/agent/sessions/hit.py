"""Rows that were found, as hits of ``sessions_search``; a secret is neither shown nor a hit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.agent.lcm.grep.fold import message_of
from lcm_lab.agent.lcm.grep.rows import newest
from lcm_lab.agent.lcm.grep.snippet import place_of_words
from lcm_lab.agent.lcm.grep.words import Asked, Piece
from lcm_lab.agent.lcm.text import around
from lcm_lab.agent.sessions.listed import Sessions
from lcm_lab.agent.sessions.result import SessionHit
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.redact import redact
from lcm_lab.rows import Rows

__all__ = ["Looked", "hits_of", "in_order", "literally"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Pieces = tuple[Piece, ...]

#: Characters of an excerpt before and behind its middle.
SIDES = (80, 210)


@dataclass(frozen=True)
class Looked:
    """What a hit may hold, and where it is looked for.

    Attributes
    ----------
    pieces : tuple of Piece
    literally : bool
        Whether a hit holds a piece; one by meaning need not.
    text : str
        Without secrets.
    """

    pieces: Pieces
    literally: bool = True
    text: str = ""

    def held(self) -> tuple[str, ...]:
        """Name the pieces that the text holds; what is no word is in every hit."""
        if any(piece.terms for piece in self.pieces):
            return Asked("", self.pieces).found_in(self.text)
        return tuple(piece.said for piece in self.pieces)


def literally(corpus: Corpus, pieces: Pieces, allowed: Rows) -> tuple[Ints, Floats]:
    """Give the rows that hold every piece, the newest first; each scores 1."""
    lists = [piece.rows(corpus, allowed) for piece in pieces]
    rows = newest(corpus, reduce(np.intersect1d, lists))
    return rows, np.ones(len(rows))


def in_order(
    corpus: Corpus, sessions: Sessions, rows: Ints, scores: Floats
) -> Iterator[tuple[int, float]]:
    """Order rows by score, then the newest first, then by key and message.

    It is done before any cut, so that a short list is the beginning of a longer one.
    """
    codes, names = corpus.codes("conversation")
    which, places = np.unique(codes[rows], return_inverse=True)
    keys = pa.array([sessions.key_of(names[code]) for code in which.tolist()], pa.string())
    found = {
        "score": -scores,
        "time": -corpus.numpy("time")[rows].astype(np.float64),
        "key": keys.take(places),
        "message": corpus.column("docno").take(rows),  # what is said is one row a message
    }
    order = pc.sort_indices(pa.table(found), [(name, "ascending") for name in found])
    yield from zip(rows[order].tolist(), scores[order].tolist(), strict=True)


def hits_of(
    corpus: Corpus, sessions: Sessions, ranked: Iterable[tuple[int, float]], asked: Looked
) -> Iterator[SessionHit]:
    """Make hits of rows, but of those that hold what was asked for in nothing but a secret.

    Else a secret could be found out letter by letter, by asking for what it may begin with.
    """
    for row, score in ranked:
        text = str(corpus.column("text")[row].as_py())
        plain = redact(text)
        secret = bool(plain.found) and asked.literally and _holds(text, asked.pieces)
        if not secret or _holds(plain.text, asked.pieces):
            yield _hit(corpus, sessions, row, replace(asked, text=plain.text), score)


def _hit(corpus: Corpus, sessions: Sessions, row: int, asked: Looked, score: float) -> SessionHit:
    """Make a hit; what an excerpt is cut out of is without secrets before."""
    name, role = (str(corpus.column(one)[row].as_py() or "") for one in ("conversation", "role"))
    time = int(corpus.numpy("time")[row])
    return SessionHit(
        sessions.key_of(name),
        name,
        message_of(corpus, row)[0],
        role,
        around(asked.text, place_of_words(asked.text, asked.pieces), SIDES),
        None if time == NO_TIME else time,
        score,
        asked.held(),
    )


def _holds(text: str, pieces: Pieces) -> bool:
    alone = Corpus([text])
    return any(len(piece.rows(alone, slice(0, 1))) for piece in pieces)
