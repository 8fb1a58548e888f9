"""Rankers that look around: a message is judged by its neighbours, its session, its role.

Short messages lean on what stands around them, long ones speak for themselves: each share that is
borrowed fades as ``exp(-tokens / fade)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.view import View, asks
from lcm_lab.values import value

__all__ = ["ByRole", "Neighbours", "SessionPrior"]

Floats = npt.NDArray[np.float64]


def faded(view: View, fade: float | None) -> Floats:
    """Give the share that each row borrows from around it; 1 without fading; shape (n_rows,)."""
    return np.ones(len(view)) if fade is None else np.exp(-view.tokens / fade)


def ready(corpus: Corpus, fade: float | None) -> None:
    """Count tokens where they will be needed."""
    if fade is not None:
        corpus.numpy("tokens")


def check_context(ranker: Any, *numbers: str, fade: float | None = None) -> None:
    """Refuse an inner ranker that cannot score every row, and numbers that make no sense."""
    name = type(ranker).__name__
    if not isinstance(ranker.inner, Ranker):
        raise BadParameter(f"{name} looks around the hits of a policy. Got {ranker.inner!r:.80}.")
    if ranker.inner.by_depth or not ranker.inner.retrieves:
        raise BadParameter(
            f"{name} needs a ranker that brings candidates and can score any row. "
            f"{ranker.inner!r} does not. Write {name}(BM25())."
        )
    for name in numbers:
        checks.number(name, getattr(ranker, name))
    if fade is not None and not 0 < fade < np.inf:
        raise BadParameter(f"fade must be a number of tokens above 0, or None. Got {fade!r}.")


@value
class Neighbours(Contextual):
    """Lend a message part of the scores of those next to it in its session.

    Parameters
    ----------
    inner : Ranker
    share : float, at least 0
        Of the scores one message before and after; each place further lends ``falloff`` of that.
    window : int, at least 1
        How many places away may lend.
    falloff : float, at least 0
    after_question : float, at least 0
        Of the score of the message before when that ends with a question mark and somebody else
        said it: an answer is found by its question.
    fade : float or None
        Tokens after which a message borrows e times less; None, always as much.
    earlier : float, at least 0
        Of the score two messages before, on top of its share: where two take turns, the last thing
        that the same person said.
    named : float, at least 0
        How much more is borrowed by what the one speaker said whom the question names.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["which port do we use?", "8443, as ever", "lunch", "what else?"])
    >>> search = lcm.Neighbours(lcm.BM25(), 0.3).fit(corpus)
    >>> search("which port")["docno"].tolist()
    ['m1', 'm2']
    """

    inner: Ranker
    share: float = 0.3
    window: int = 1
    falloff: float = 0.3
    after_question: float = 0.0
    fade: float | None = None
    earlier: float = 0.0
    named: float = 0.0

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(
            self, "share", "falloff", "after_question", "earlier", "named", fade=self.fade
        )
        checks.whole("window", self.window)

    def prepare(self, corpus: Corpus) -> None:
        """Count tokens, and see which texts ask."""
        ready(corpus, self.fade)
        if self.after_question:
            asks(corpus)

    def score(self, inner: Floats, view: View) -> Floats:
        """Add what is borrowed; shape (n_rows,)."""
        lent, share = np.zeros(len(view)), self.share
        for far in range(1, self.window + 1):
            lent += share * (view.shifted(inner, far) + view.shifted(inner, -far))
            share *= self.falloff
        if self.earlier:
            lent += self.earlier * view.shifted(inner, 2)
        if self.after_question:
            asked = view.shifted(np.where(view.asks, inner, 0.0), 1)
            lent += self.after_question * np.where(view.replies, asked, 0.0)
        if self.named:
            lent *= 1 + self.named * view.named
        return inner + faded(view, self.fade) * lent


@value
class SessionPrior(Contextual):
    """Raise the messages of a session that holds good hits.

    Parameters
    ----------
    inner : Ranker
    share : float, at least 0
        Of the mean of the session's best scores.
    best : int, at least 1
        How many of its best scores are averaged; missing ones count 0.
    fade : float or None
        Tokens after which a message borrows e times less; None, always as much.
    own : float, at least 0
        The power of a message's own score that multiplies what it borrows: 0, all borrow alike;
        1, in proportion.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [("port 8443", "a"), ("hm", "a"), ("hm", "b")]
    >>> corpus = lcm.Corpus([{"text": text, "session": session} for text, session in said])
    >>> search = lcm.SessionPrior(lcm.BM25(), 0.4).fit(corpus)
    >>> search("which port")["docno"].tolist()
    ['m1', 'm2']
    """

    inner: Ranker
    share: float = 0.4
    best: int = 3
    fade: float | None = None
    own: float = 0.0

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self, "share", "own", fade=self.fade)
        checks.whole("best", self.best)

    def prepare(self, corpus: Corpus) -> None:
        """Count tokens."""
        ready(corpus, self.fade)

    def score(self, inner: Floats, view: View) -> Floats:
        """Add a share of the session's best; shape (n_rows,)."""
        _, session = np.unique(view.session, return_inverse=True)
        order = np.lexsort((-inner, session))
        place = np.arange(len(view)) - np.searchsorted(session[order], session[order])
        top = order[place < self.best]
        mean = np.bincount(session[top], inner[top]) / self.best
        return inner + self.share * faded(view, self.fade) * mean[session] * inner**self.own


@value
class ByRole(Contextual):
    """Make scores of different roles comparable: each is standardised within its role.

    Parameters
    ----------
    inner : Ranker
    column : str
        The text column whose values part the rows.

    Notes
    -----
    Scores become how many standard deviations they lie above the mean of their role, among the rows
    the topic may see, moved so that the least is 0; a row without a hit stays none.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> rows = [{"text": "use WAL", "role": role} for role in ("user", "assistant")]
    >>> lcm.ByRole(lcm.BM25()).fit(lcm.Corpus(rows))("wal")["docno"].tolist()
    ['m1', 'm2']
    """

    inner: Ranker
    column: str = "role"

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self)

    def score(self, inner: Floats, view: View) -> Floats:
        """Standardise within each role; shape (n_rows,)."""
        if not len(view):
            return inner
        _, role = np.unique(self.codes(view), return_inverse=True)
        size = np.bincount(role)
        mean = np.bincount(role, inner) / size
        spread = np.sqrt(np.maximum(np.bincount(role, inner**2) / size - mean**2, 0))
        scores = (inner - mean[role]) / np.where(spread > 0, spread, 1.0)[role]
        return np.where(inner > 0, scores - scores.min() + np.finfo(float).tiny, 0.0)

    def codes(self, view: View) -> npt.NDArray[np.int32]:
        """Give a number for each row that tells its role; shape (n_rows,)."""
        return view.corpus.codes(self.column)[0][view.rows]
