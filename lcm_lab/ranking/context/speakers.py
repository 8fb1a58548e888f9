"""Rankers that ask who speaks: the one whom the question names, or the user who asks it."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context.around import check_context
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.view import View
from lcm_lab.values import value

__all__ = ["BySpeaker", "FirstPerson"]

Floats = npt.NDArray[np.float64]

#: Words by which one who asks speaks of oneself.
SELF = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)


@value
class BySpeaker(Contextual):
    """Raise what the one speaker said whom the question names.

    Parameters
    ----------
    inner : Ranker
    share : float, at least 0
        Of its own score, added to each message of that speaker.

    Notes
    -----
    A speaker is named by the first word of the name. Where the question names nobody, or several
    who speak in what it may see, nothing changes.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "I like tea", "speaker": who} for who in ("Bo Ek", "Ann Lind")]
    >>> search = lcm.BySpeaker(lcm.BM25()).fit(lcm.Corpus(said))
    >>> search("does Ann like tea?")["docno"].tolist()
    ['m2', 'm1']
    """

    inner: Ranker
    share: float = 0.3

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self, "share")

    def score(self, inner: Floats, view: View) -> Floats:
        """Raise the named speaker's messages; shape (n_rows,)."""
        return inner * (1 + self.share * view.named)


@value
class FirstPerson(Contextual):
    """Raise what users said when the question says I, me, my, we or our.

    Parameters
    ----------
    inner : Ranker
    share : float, at least 0
        Of the best score, added to each hit of that role.
    role : str

    Notes
    -----
    Whoever asks "when is my deadline?" told the assistant so; what the assistant said at length
    about deadlines matches the words better and knows less.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "the deadline", "role": role} for role in ("assistant", "user")]
    >>> search = lcm.FirstPerson(lcm.BM25()).fit(lcm.Corpus(said))
    >>> search("when is my deadline?")["docno"].tolist()
    ['m2', 'm1']
    >>> search("when is the deadline?")["docno"].tolist()
    ['m1', 'm2']
    """

    inner: Ranker
    share: float = 0.3
    role: str = "user"

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_context(self, "share")
        if not isinstance(self.role, str):
            raise BadParameter(f"role must be a text. Got {self.role!r}.")

    def score(self, inner: Floats, view: View) -> Floats:
        """Raise the users' hits, if the question is theirs; shape (n_rows,)."""
        if not SELF.search(view.query):
            return inner
        return inner + self.share * ((inner > 0) & view.is_("role", self.role))
