"""Evaluation: one tidy table, and the views of it that people read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, unknown
from lcm_lab.evaluation import saving, tables
from lcm_lab.evaluation.judge import Bench, conversations
from lcm_lab.measures import Judged, Measure, R
from lcm_lab.run import Run
from lcm_lab.shown import counted

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What `evaluate` found: one number for each system, topic and measure.

    Attributes
    ----------
    frame : DataFrame
        system, qid, measure (as it prints), value; NaN where the measure is undefined. Latency has
        rows for the topics that were timed, IndexTime one row of blank qid.
    systems : dict of name to expression
    collection : Collection
    runs : dict of name to Run
    measures : tuple of Measure
    latency : DataFrame
        system, qid, ms of the timing pass; empty where it was not asked for.
    notes : list of str
        What a reader must know beside the numbers, a sentence each.
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> import pandas as pd
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["we chose Postgres", "lunch at noon?"])
    >>> topics = pd.DataFrame({"qid": ["q1"], "query": ["which Postgres?"]})
    >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    >>> bench = lcm.Collection("tiny", corpus, topics, qrels)
    >>> lcm.evaluate({"bm25": lcm.BM25() % 10}, on=bench, measures=[R @ 1])
    Evaluation of 1 system on 1 topic of 'tiny'
    <BLANKLINE>
            R@1
    bm25  1.000
    """

    frame: pd.DataFrame
    systems: dict[str, str]
    collection: Collection
    runs: dict[str, Run]
    measures: tuple[Measure, ...]
    latency: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    seed: int = 0

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

    def summary(self, unit: Literal["conversation", "topic"] = "conversation") -> pd.DataFrame:
        """Average over topics, with 95 % intervals.

        Parameters
        ----------
        unit : {"conversation", "topic"}
            What the bootstrap draws again (2,000 draws). Where all topics are of one
            conversation, topics are drawn.

        Returns
        -------
        DataFrame
            system, measure, mean, low, high, n (topics with a value), undefined (topics without),
            units (conversations or topics drawn from; 0 where the interval is not a bootstrap).
            ``low`` and ``high`` are NaN where one unit is too few to tell.

        Notes
        -----
        Percentiles of the draws, further out the fewer the units (`significance.interval`). A
        percentile (`Latency`) has its interval from order statistics; `IndexTime` has none.
        """
        if unit not in ("conversation", "topic"):
            raise BadParameter(f"unit must be 'conversation' or 'topic'. Got {unit!r}.")
        return tables.summary(self, np.arange(len(self.bench.topics)), by_topic=unit == "topic")

    def by(self, column: str) -> pd.DataFrame:
        """Average within each value of a column of the topics, in order of first appearance.

        Returns
        -------
        DataFrame
            the column, then as `summary`.

        Raises
        ------
        NotFound
            When the topics have no such column.
        """
        topics = self.collection.topics
        if column not in topics:
            raise unknown("column of the topics", column, map(str, topics.columns))
        # Filters may be lists, which are no keys.
        keys = [str(v) if isinstance(v, list | set | dict) else v for v in topics[column]]
        codes, groups = pd.factorize(pd.Series(keys, dtype=object), use_na_sentinel=False)
        parts = [tables.summary(self, np.flatnonzero(codes == i)) for i in range(len(groups))]
        for group, part in zip(groups, parts, strict=True):
            part.insert(0, column, group)
        if not parts:
            parts = [self.summary().head(0).assign(**{column: []})]
        return pd.concat(parts, ignore_index=True)

    def curve(self, ks: Iterable[int] = (1, 2, 3, 5, 10, 20, 50)) -> pd.DataFrame:
        """Average recall at several depths, for every system down to the hits that it gives.

        Returns
        -------
        DataFrame
            system, k, measure ("R"), mean.
        """
        depths = {name: max(np.diff(run.offsets), default=0) for name, run in self.runs.items()}
        rows = [
            (name, k, R.name, (R @ k).average((R @ k).per_topic(judged)))
            for name, judged in self.judged.items()
            for k in ks
            if k <= max(depths[name], 1)
        ]
        return pd.DataFrame(rows, columns=["system", "k", "measure", "mean"])

    def worst(self, system: str, measure: Measure, n: int = 20) -> pd.DataFrame:
        """List the topics on which a system does worst, ties in the order of the topics.

        Returns
        -------
        DataFrame
            qid, query, type, value, gold (docnos of the relevant documents), top (docnos of the
            first ten hits).

        Raises
        ------
        NotFound
            For a system or a measure that was not evaluated.
        """
        if system not in self.systems:
            raise unknown("system", str(system), self.systems)
        if measure not in self.measures:
            raise unknown("measure here", str(measure), map(str, self.measures))
        return tables.worst(self, system, measure, n)

    def values(self, system: str, measure: Measure) -> npt.NDArray[np.float64]:
        """Give the value of every topic, in the order of the topics, NaN where there is none."""
        return self._values[system, str(measure)]

    @cached_property
    def _values(self) -> dict[tuple[str, str], npt.NDArray[np.float64]]:
        found = {}
        for key, part in self.frame.groupby(["system", "measure"], sort=False):
            wide = part.set_index("qid")["value"].reindex(self.bench.topics.qids)
            found[str(key[0]), str(key[1])] = wide.to_numpy(float)
        nothing = np.full(len(self.bench.topics), np.nan)
        asked = ((name, str(measure)) for name in self.systems for measure in self.measures)
        return dict.fromkeys(asked, nothing) | found

    def manifest(self) -> dict[str, Any]:
        """Give what is needed to make the numbers again, ready for JSON; nothing of the machine."""
        return saving.manifest(self)

    def save(self, folder: str | Path) -> Path:
        """Write data.parquet, runs/*.trec and manifest.json, and give the folder.

        The table, the runs and the manifest are those of this evaluation alone: runs that another
        one left in the folder are removed.
        """
        return saving.save(self, Path(folder))

    def __repr__(self) -> str:
        shown = tables.leaderboard(self).map(lambda cell: cell.text)
        systems = counted(len(self.systems), "system")
        topics = counted(len(self.bench.topics), "topic")
        head = f"Evaluation of {systems} on {topics} of {self.collection.name!r}"
        return f"{head}\n\n{shown.to_string()}"

    def _repr_html_(self) -> str:
        return tables.html(self)
