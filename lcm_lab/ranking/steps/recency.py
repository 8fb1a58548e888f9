"""Modifiers and rerankers: what acts on hits that something else found."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lcm_lab.columns import NO_TIME
from lcm_lab.ranking import checks
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.run import Run
from lcm_lab.times import duration
from lcm_lab.topics import Topics
from lcm_lab.values import value

__all__ = ["Recency"]


@value
class Recency(Modifier):
    """Weigh hits by age: the part above the floor halves with every half-life.

    Parameters
    ----------
    half_life : str
        A duration such as '7D' or '12h'.
    floor : float in [0, 1]
        What the factor never falls below, so that an exact old match stays within reach.

    Notes
    -----
    The factor is ``floor + (1 - floor) 0.5 ** (age / half_life)``. Age counts from the moment the
    topic is asked; what lies in its future has age 0, and a row without a time gets the floor.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> days = ["2026-01-01", "2026-03-01"]
    >>> corpus = lcm.Corpus([{"text": "use WAL", "time": day} for day in days])
    >>> search = (lcm.BM25() >> lcm.Recency("30D") % 10).fit(corpus)
    >>> search("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    by_order = False

    half_life: str
    floor: float = 0.5

    def check(self) -> None:
        """Refuse a half-life that is no duration and a floor out of range."""
        duration(self.half_life, name="half_life")
        checks.number("floor", self.floor, 0, 1)

    def factor(self, topics: Topics, run: Run) -> npt.NDArray[np.float64]:
        """Give the factor of each hit; shape (n_hits,), float64 in [floor, 1]."""
        times = run.corpus.numpy("time")[run.rows]
        clock = topics.clock[run.topic]
        known = (times != NO_TIME) & (clock != NO_TIME)
        age = np.where(known, clock.astype(np.float64) - times, np.inf).clip(min=0)
        share = np.exp2(-age / duration(self.half_life))
        return self.floor + (1 - self.floor) * share
