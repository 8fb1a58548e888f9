"""No-answer probes: questions from another history, which this one cannot answer.

A search that gives ten hits for every question looks as good as one that knows when it has nothing;
these tell them apart. That there is no answer is checked as far as words can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, unknown
from lcm_lab.synth.overlap import stems
from lcm_lab.transcripts.load import shipped
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.language import LEAST
from lcm_lab.values import value

__all__ = ["NoAnswer"]

#: No message may hold more of the stems of a question.
MOST_HELD = 0.6

ANSWERABLE = "question of another history that a message here may answer"
FEW = f"question of another history with fewer than {LEAST} words of content"


@value
class NoAnswer(Kind):
    """Take questions of another history that nothing here answers.

    Parameters
    ----------
    of : str or Collection, default "synth-agent-s"
        The other history: a collection that ships, the folder of a saved one, or a Collection, such
        as another history that topics were mined from.
    n : int, default 40
        How many at most; those of which a message here holds the most words come first.

    Examples
    --------
    >>> NoAnswer(n=10)
    NoAnswer(n=10)
    """

    of: Any = "synth-agent-s"
    n: int = 40
    name: ClassVar[str] = "no answer"
    short: ClassVar[str] = "none"
    means: ClassVar[str] = (
        "a question of another history, of which a word is nowhere here and no message holds more "
        f"than {100 * MOST_HELD:.0f} % of the others; nothing is right"
    )
    answered: ClassVar[bool] = False

    def check(self) -> None:
        """Refuse what is no collection, and a count of none."""
        if not isinstance(self.of, str | Path | Collection):
            raise BadParameter(
                f"NoAnswer(of) is a name, a folder or a Collection. Got {type(self.of).__name__}."
            )
        n: Any = self.n
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise BadParameter(f"NoAnswer(n) is how many, 1 or more. Got {self.n!r}.")

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Go through the questions of the other history, the nearest to this one first."""
        asked = dict.fromkeys(map(str, _other(self.of).topics["query"]))
        near: list[tuple[float, str]] = []
        for query in asked:
            wanted = stems(query)
            if len(wanted) < LEAST:
                dropped[FEW] += 1
                continue
            held, missing = _held(history, query, wanted)
            if missing and held <= MOST_HELD:
                near.append((held, query))
            else:
                dropped[ANSWERABLE] += 1
        order = rng.permutation(len(near))  # those that are equally near in no order of their own
        ranked = sorted((near[i] for i in order), key=lambda one: -one[0])
        yield from (Draft(query, (), -1) for _, query in ranked[: self.n])


def _held(history: History, query: str, wanted: frozenset[str]) -> tuple[float, bool]:
    """Give the share of a question that the best message holds, and whether a word is nowhere."""
    best, _ = history.overlap.of(query, (), len(history.texts))
    return best / 1000, any(not history.overlap.knows(one) for one in wanted)


def _other(of: str | Path | Collection) -> Collection:
    if isinstance(of, Collection):
        return of
    there = shipped()
    if str(of) in there:
        return Collection.open(there[str(of)])
    if Path(of).is_dir():
        return Collection.open(of)
    raise unknown("collection", str(of), list(there))
