"""The recommended policy: what finds most on three development sets, with one setting for all."""

from __future__ import annotations

from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context import Neighbours, SessionPrior
from lcm_lab.ranking.feedback import Feedback
from lcm_lab.ranking.lexical import BM25
from lcm_lab.ranking.priors import Questions
from lcm_lab.ranking.proximity import Proximity
from lcm_lab.ranking.speakers import BySpeaker, FirstPerson

__all__ = ["Recommended"]


def Recommended() -> Ranker:
    """Give the recommended policy."""
    words = BM25(b=0.6, average=70.0, rarity=1.6, framing=0.45)
    near = BySpeaker(Proximity(words), 0.15)
    around = Neighbours(near, 0.2, window=2, after_question=0.8, fade=90.0, earlier=0.1, named=0.8)
    together = Feedback(SessionPrior(around, 0.4, fade=170.0), words)
    return Questions(FirstPerson(together), fade=90.0)
