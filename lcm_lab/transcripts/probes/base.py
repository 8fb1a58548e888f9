"""What a kind of topic is, and what it gives before anything is hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lcm_lab.transcripts.probes.history import History

__all__ = ["Draft", "Dropped", "Kind"]

#: Why a topic was dropped, and how often.
Dropped = Counter[str]


@dataclass(frozen=True, slots=True)
class Draft:
    """A topic as it was mined.

    Attributes
    ----------
    query : str
    gold : tuple of int
        Rows that are right, of whatever time; those that the topic may not see are cut later.
    talk : int
        The conversation that it is counted under; -1 for none.
    asked : int or None
        When it is asked, in microseconds; None for after everything.
    answer : str
        What the gold holds, where that can be said.
    item : str
        What kind of thing that is.
    row : int
        Where it was asked, or what it begins from; -1 for nowhere.
    """

    query: str
    gold: tuple[int, ...]
    talk: int
    asked: int | None = None
    answer: str = ""
    item: str = ""
    row: int = -1


class Kind(ABC):
    """A way to mine topics: a value that says how, and a method that does it."""

    #: What the topics are called: their ``type``.
    name: ClassVar[str] = ""
    #: What their qids begin with.
    short: ClassVar[str] = ""
    #: What is asked and what is right, for the card.
    means: ClassVar[str] = ""
    #: Whether topics without anything to find are meant to have nothing.
    answered: ClassVar[bool] = True

    @abstractmethod
    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Give what can be asked, in row order, and count what was dropped and why."""
