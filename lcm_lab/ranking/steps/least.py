"""A threshold on the score that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.modifier import Modifier, Reranker
from lcm_lab.ranking.nodes import Over, Sum, Then, Top, Weighted
from lcm_lab.ranking.steps.diverse import MMR, Dedupe
from lcm_lab.ranking.steps.fuse import RRF
from lcm_lab.ranking.steps.order import TiesByTime
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.values import Vary, value

__all__ = ["AtLeast", "reachable"]


@value
class AtLeast(Reranker):
    """Drop the hits whose score, as it is shown, is less.

    Parameters
    ----------
    least : float, above 0
        In the units of whatever stands to its left. Where that can never reach it (`RRF` over two
        lists gives at most 2 / 61) the policy is refused when it is written.

    Notes
    -----
    It acts where it stands: behind a decay it sees the decayed score. A topic may keep no hit at
    all, which is how a policy declines to answer.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["use WAL", "the journal is in WAL mode, said someone at length"]
    >>> search = (lcm.BM25() >> lcm.AtLeast(0.1)).fit(lcm.Corpus(said))
    >>> search("wal")["docno"].tolist()
    ['m1']
    """

    least: float

    def check(self) -> None:
        """Refuse what is no score."""
        checks.number("least", self.least)
        if self.least == 0:
            raise BadParameter("least must be above 0: every hit scores more than 0.")

    def rerank(self, searcher: Any, topics: Topics, run: Run) -> Run:
        """Keep the hits that have enough."""
        del searcher, topics  # the hits say all
        return run.take(np.flatnonzero(run.scores >= self.least))


def reachable(steps: Sequence[Ranker]) -> None:
    """Refuse steps of which one wants a score that those before it never give."""
    most = np.inf
    for step in steps:
        if isinstance(step, AtLeast) and not isinstance(step.least, Vary) and step.least > most:
            raise BadParameter(
                f"{step!r} would drop every hit: what stands before it scores at most {most:.4g}. "
                "Choose a lower one, or none."
            )
        most = _most(step, most)


def _most(step: Ranker, before: float = np.inf) -> float:
    """Give a score that no hit of a step exceeds, infinity where that is not known."""
    match step:
        case Then():
            for one in step.steps:
                before = _most(one, before)
            return before
        case Top() | Over():
            return _most(step.ranker, before)
        case Weighted() if not isinstance(step.weight, Vary):
            return step.weight * _most(step.ranker, before)
        case Modifier() | AtLeast() | Dedupe() | TiesByTime():
            return before
    return _bound(step)


def _bound(step: Ranker) -> float:
    """Give the bound of a step that makes scores of its own."""
    match step:
        case Sum():
            return sum(map(_share, step.terms))
        case RRF() if not isinstance(step.k, Vary) and not isinstance(step.weights, Vary):
            return sum(step.weights or [1.0] * len(step.rankers)) / (step.k + 1)
        case MMR():
            return 1.0
    return np.inf


def _share(term: Ranker) -> float:
    """Give the most that a term adds to a sum: its weight, since a scorer's best hit counts one."""
    match term:
        case Weighted():
            return np.inf if isinstance(term.weight, Vary) else term.weight * _share(term.ranker)
        case Top() | Over():
            return _share(term.ranker)
        case Then():
            return max(map(_share, term.steps))
        case Sum():
            return sum(map(_share, term.terms))
    return 1.0
