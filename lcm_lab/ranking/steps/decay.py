"""Decay by age in the shapes that systems use; `Recency` is the one to use first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from lcm_lab.columns import NO_TIME
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.ranking import checks
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.run import Run
from lcm_lab.times import duration
from lcm_lab.topics import Topics
from lcm_lab.values import value

__all__ = ["Decay"]

Floats = npt.NDArray[np.float64]

#: What is left at an age, counted in half-lives: 1 at none, a half (at the step: nothing) at one.
SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "exponential": lambda age: np.exp2(-age),
    "hyperbolic": lambda age: 1 / (1 + age),
    "linear": lambda age: np.maximum(1 - age / 2, 0),
    "step": lambda age: np.where(age < 1, 1.0, 0.0),
}


@value
class Decay(Modifier):
    """Weigh hits by age, in one of four shapes.

    Parameters
    ----------
    shape : {"exponential", "hyperbolic", "linear", "step"}
        With the age in half-lives: ``0.5 ** age``, ``1 / (1 + age)``, ``1 - age / 2`` and no less
        than 0, or 1 until one half-life and 0 from there.
    half_life : str
        A duration such as '7D' or '1000h'.
    floor : float in [0, 1]
        What the factor never falls below, so that an exact old match stays within reach; the shape
        is what decays above it.
    undated : float in [0, 1]
        What the shape gives a row without a time: 0 counts it as infinitely old, 1 as new.

    Notes
    -----
    lossless-claw's hybrid order, ``rank / (1 + 0.001 age in hours)``, is ``Decay("hyperbolic",
    "1000h", floor=0)``. Age counts from the moment the topic is asked; what lies in its future has
    age 0. A factor of 0 drops the hit, which only a floor of 0 allows.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "WAL " * n, "time": f"2026-01-0{n}"} for n in (1, 2, 3)]
    >>> search = (lcm.BM25(b=0) >> lcm.Decay("step", "36h")).fit(lcm.Corpus(said))
    >>> search.explain("wal")["Decay('step', '36h')"].tolist()
    [1.0, 1.0, 0.5]
    """

    by_order = False

    shape: Literal["exponential", "hyperbolic", "linear", "step"]
    half_life: str
    floor: float = 0.5
    undated: float = 0.0

    def check(self) -> None:
        """Refuse shapes that are none, and parameters out of range."""
        if self.shape not in SHAPES:
            raise BadParameter(
                f"shape must be one of {', '.join(map(repr, SHAPES))}. Got {self.shape!r}."
                f"{nearest(str(self.shape), SHAPES)}"
            )
        duration(self.half_life, name="half_life")
        checks.number("floor", self.floor, 0, 1)
        checks.number("undated", self.undated, 0, 1)

    def factor(self, topics: Topics, run: Run) -> Floats:
        """Give the factor of each hit; shape (n_hits,), float64 in [floor, 1]."""
        times = run.corpus.numpy("time")[run.rows]
        clock = topics.clock[run.topic]
        known = (times != NO_TIME) & (clock != NO_TIME)
        age = np.where(known, clock.astype(np.float64) - times, 0.0).clip(min=0)
        share = np.where(known, SHAPES[self.shape](age / duration(self.half_life)), self.undated)
        return self.floor + (1 - self.floor) * share
