"""Priors: what a message is like, or what all messages have, whatever the question."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context.around import check_context, faded, ready
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.view import View, questions
from lcm_lab.values import value

__all__ = ["AboveMean", "Questions"]

Floats = npt.NDArray[np.float64]


@value
class AboveMean(Contextual):
    """Count only what of a score lies above the mean of all rows that the topic may see.

    Parameters
    ----------
    inner : Ranker

    Notes
    -----
    Cosines of sentence vectors are seldom near 0, and what all rows have tells nothing apart; yet
    in a sum, and where neighbours lend, it would count.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["use WAL", "WAL grew", "WAL, WAL"])
    >>> lcm.AboveMean(lcm.BM25()).fit(corpus)("wal")["docno"].tolist()
    ['m3']
    """

    inner: Ranker

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self)

    def score(self, inner: Floats, view: View) -> Floats:
        """Take the mean away; shape (n_rows,)."""
        del view
        return np.maximum(inner - inner.mean(), 0) if len(inner) else inner


@value
class Questions(Contextual):
    """Lower messages that ask rather than tell.

    Parameters
    ----------
    inner : Ranker
    share : float, at least 0
        Of the best score, taken from a message all of whose sentences are questions.
    fade : float or None
        Tokens after which e times less is taken; None, always as much.

    Notes
    -----
    A question shares its words with the question that looks for its answer, and holds none. Let
    the answer borrow first: put this around `Neighbours`.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["Which port is it?", "It is a port."])
    >>> lcm.Questions(lcm.BM25(), 0.5).fit(corpus)("which port?")["docno"].tolist()
    ['m2', 'm1']
    """

    inner: Ranker
    share: float = 0.1
    fade: float | None = None

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self, "share", fade=self.fade)

    def prepare(self, corpus: Corpus) -> None:
        """Count tokens, and how many sentences ask."""
        ready(corpus, self.fade)
        questions(corpus)

    def score(self, inner: Floats, view: View) -> Floats:
        """Take from what asks; shape (n_rows,)."""
        return inner - self.share * faded(view, self.fade) * view.questions
