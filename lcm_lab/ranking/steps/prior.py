"""A prior: what a message is worth by a column, before the question is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.values import settle, value

__all__ = ["Prior"]


@value
class Prior(Modifier):
    """Weigh hits by what a column says of them: their role, their kind, how important they are.

    Parameters
    ----------
    column : str
        A column of the corpus.
    factors : dict or tuple of (value, float) pairs
        The factor, in [0, 1], of each value that the column may hold. With no factors, the column
        holds the factors themselves, as an importance between 0 and 1 does.
    other : float in [0, 1]
        The factor of any other value, and of a missing one.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = [{"text": "use WAL", "role": role} for role in ("tool", "user")]
    >>> search = (lcm.BM25() >> lcm.Prior("role", {"tool": 0.5})).fit(lcm.Corpus(said))
    >>> search("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    by_order = False

    column: str
    factors: tuple[tuple[Any, float], ...] = ()
    other: float = 1.0

    def __init__(
        self,
        column: str,
        factors: Mapping[Any, float] | tuple[tuple[Any, float], ...] = (),
        other: float = 1.0,
    ) -> None:
        pairs = factors.items() if isinstance(factors, Mapping) else factors
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "factors", tuple(sorted(map(tuple, pairs), key=repr)))
        object.__setattr__(self, "other", other)
        settle(self)

    def check(self) -> None:
        """Refuse factors out of range, and a value that is given two."""
        checks.texts("column", (self.column,), ("role",))
        for pair in self.factors:
            if len(pair) != 2:
                raise BadParameter(f"factors are pairs of a value and a number. Got {pair!r:.80}.")
            checks.number(f"the factor of {pair[0]!r}", pair[1], 0, 1)
        checks.number("other", self.other, 0, 1)
        if len(dict(self.factors)) < len(self.factors):
            raise BadParameter(f"A value has two factors: {self.factors!r:.80}.")

    def factor(self, topics: Topics, run: Run) -> npt.NDArray[np.float64]:
        """Give the factor of each hit; shape (n_hits,), float64 in [0, 1].

        Raises
        ------
        BadParameter
            For a column that the corpus does not have, or that holds no factors though none are
            given.
        """
        del topics  # a prior does not know the question
        held = run.corpus[self.column].iloc[run.rows]
        if self.factors:
            found = held.map(dict(self.factors))
        else:
            found = pd.to_numeric(held, errors="coerce")
            if len(found) and (found.isna().all() or not found.dropna().between(0, 1).all()):
                raise BadParameter(
                    f"Column {self.column!r} does not hold numbers between 0 and 1. "
                    f"Give each of its values a factor: Prior({self.column!r}, {{...}})."
                )
        return found.fillna(self.other).to_numpy(np.float64)
