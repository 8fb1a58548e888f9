"""What an evaluation holds: the tidy table, the runs, the failures, and arrays of values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, unknown
from lcm_lab.evaluation import failures as failing
from lcm_lab.evaluation.judge import Bench, conversations
from lcm_lab.measures import Judged, Measure
from lcm_lab.run import Run

__all__ = ["Failing", "Measured", "worst_value"]

#: How topics on which a system raised count: not at all, or as the worst that they could have been.
Failing = Literal["apart", "worst"]


def worst_value(measure: Measure) -> float:
    """Give the worst value that a topic can have, NaN where a measure has no such.

    Examples
    --------
    >>> from lcm_lab.measures import Stale, Tokens, nDCG
    >>> worst_value(nDCG @ 10), worst_value(Stale @ 5), worst_value(Tokens @ 5)
    (0.0, 1.0, nan)
    """
    if measure.needs == "stale":
        return 1.0
    return 0.0 if measure.needs == "qrels" and measure.higher_is_better else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """The data of an evaluation; `Evaluation` documents it, and adds the views."""

    frame: pd.DataFrame
    systems: dict[str, str]
    collection: Collection
    runs: dict[str, Run]
    measures: tuple[Measure, ...]
    latency: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    seed: int = 0
    failures: pd.DataFrame = field(default_factory=lambda: failing.frame([]))
    policies: dict[str, Any] = field(default_factory=dict)
    ranks_only: bool = False

    @cached_property
    def bench(self) -> Bench:
        """The topics and judgements, ready to judge a run."""
        return Bench.of(self.collection)

    @cached_property
    def judged(self) -> dict[str, Judged]:
        """The runs joined with the judgements, by system."""
        return {name: self.bench.judge(run) for name, run in self.runs.items()}

    @cached_property
    def conversation(self) -> npt.NDArray[np.int64]:
        """The unit of each topic that intervals resample, numbered; shape (n_topics,)."""
        return conversations(self.bench)

    @property
    def n_judged(self) -> tuple[int, int]:
        """How many topics have something to find, and of how many conversations these are."""
        judged = self.bench.n_relevant > 0
        return int(judged.sum()), len(np.unique(self.conversation[judged]))

    def values(
        self, system: str, measure: Measure, failures: Failing = "apart"
    ) -> npt.NDArray[np.float64]:
        """Give the value of every topic, in the order of the topics, NaN where there is none.

        Parameters
        ----------
        system : str
        measure : Measure
        failures : {"apart", "worst"}
            What a topic has on which the system raised: no value, or the worst that there is (0,
            or 1 of `Stale`), where the topic has something to find and the measure has a worst.

        Raises
        ------
        NotFound
            For a system or a measure that was not evaluated.
        BadParameter
            For another way to count failures.
        """
        if failures not in ("apart", "worst"):
            raise BadParameter(f"failures count 'apart' or as the 'worst'. Got {failures!r}.")
        self._require(system, measure)
        found = self._values[system, str(measure)]
        if failures == "apart" or measure.per != "topic":
            return found
        return np.where(self.failed(system, measure), worst_value(measure), found)

    def failed(self, system: str, measure: Measure | None = None) -> npt.NDArray[np.bool_]:
        """Tell on which topics a system raised; shape (n_topics,).

        Parameters
        ----------
        system : str
        measure : Measure, optional
            Given one, only topics are named that would have had a value of it.
        """
        lost = failing.failing(self.failures, system, self.bench.topics.qids)
        if measure is None or measure.needs not in ("qrels", "stale"):
            return lost
        return lost & ~np.isnan(measure.ceiling(self.bench.unranked))

    def _require(self, system: str, measure: Measure | None = None) -> None:
        if system not in self.systems:
            raise unknown("system", str(system), self.systems)
        if measure is not None and measure not in self.measures:
            raise unknown("measure here", str(measure), map(str, self.measures))

    @cached_property
    def _values(self) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
        found = {}
        for key, part in self.frame.groupby(["system", "measure"], sort=False):
            wide = part.set_index("qid")["value"].reindex(self.bench.topics.qids)
            found[str(key[0]), str(key[1])] = wide.to_numpy(float)
        nothing = np.full(len(self.bench.topics), np.nan)
        asked = ((name, str(measure)) for name in self.systems for measure in self.measures)
        return dict.fromkeys(asked, nothing) | found
