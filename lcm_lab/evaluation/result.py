"""Evaluation: one tidy table, and the views of it that people read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.comparing.compare import Comparison, compare
from lcm_lab.evaluation.files import exports
from lcm_lab.evaluation.files.written import Written
from lcm_lab.evaluation.measured import Failing
from lcm_lab.evaluation.statistics.significance import By
from lcm_lab.evaluation.views import tables
from lcm_lab.evaluation.views.diagnosed import Diagnosed
from lcm_lab.evaluation.views.grouping import groups
from lcm_lab.measures import Measure, R
from lcm_lab.shown import counted

__all__ = ["Evaluation"]


class Evaluation(Diagnosed, Written):
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
    failures : DataFrame
        system, qid (blank: the system as a whole), kind and message of what was raised. Such a
        topic has the value NaN; `summary` counts it.
    policies : dict of name to system
        As they were given; empty where the evaluation was loaded.
    ranks_only : bool
        Whether the scores of the runs are lost, as where it was loaded.

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

    def summary(
        self,
        unit: Literal["conversation", "topic"] = "conversation",
        failures: Failing = "apart",
    ) -> pd.DataFrame:
        """Average over topics, with 95 % intervals.

        Parameters
        ----------
        unit : {"conversation", "topic"}
            What the bootstrap draws again (2,000 draws). Where all topics are of one
            conversation, topics are drawn.
        failures : {"apart", "worst"}
            How a topic counts on which a system raised: not at all, or as the worst value that
            there is, which is what somebody got who asked it. A mean "apart" flatters a system
            that fails where it is hard; where ``failed`` is 0 the two are the same.

        Returns
        -------
        DataFrame
            system, measure, mean, low, high, n (topics with a value), undefined (topics without),
            units (conversations or topics drawn from; 0 where the interval is not a bootstrap),
            failed (topics on which the system raised and that would have had a value).
            ``low`` and ``high`` are NaN where one unit is too few to tell.

        Notes
        -----
        Percentiles of the draws, further out the fewer the units (`significance.interval`). A
        percentile (`Latency`) has its interval from order statistics; `IndexTime` has none.
        """
        if unit not in ("conversation", "topic"):
            raise BadParameter(f"unit must be 'conversation' or 'topic'. Got {unit!r}.")
        every = np.arange(len(self.bench.topics))
        return tables.summary(self, every, by_topic=unit == "topic", failures=failures)

    def by(self, column: str, failures: Failing = "apart") -> pd.DataFrame:
        """Average within groups of topics.

        Parameters
        ----------
        column : str
            A column of the topics (its values in order of first appearance), or what follows from
            question and answer, in bins that rise: "length" and "gold_length" (tokens), "age"
            (days), "language" (script of the question), "conversation", "answerable";
            `evaluation.views.grouping` defines each.
        failures : {"apart", "worst"}
            As in `summary`.

        Returns
        -------
        DataFrame
            the column, then as `summary`.

        Raises
        ------
        NotFound
            When the topics have no such column.
        """
        names, codes = groups(self.bench, column)
        parts = [
            tables.summary(self, np.flatnonzero(codes == i), failures=failures)
            for i in range(len(names))
        ]
        for name, part in zip(names, parts, strict=True):
            part.insert(0, column, name)
        if not parts:
            parts = [self.summary().head(0).assign(**{column: []})]
        return pd.concat(parts, ignore_index=True)

    def curve(self, ks: Iterable[int] = (1, 2, 3, 5, 10, 20, 50)) -> pd.DataFrame:
        """Average recall at several depths, for every system down to the hits that it gives.

        Returns
        -------
        DataFrame
            system, k, measure ("R"), mean (over the topics on which the system did not fail).
        """
        depths = {name: max(np.diff(run.offsets), default=0) for name, run in self.runs.items()}
        rows = [
            (name, k, R.name, (R @ k).average(self._kept(name, (R @ k).per_topic(judged))))
            for name, judged in self.judged.items()
            for k in ks
            if k <= max(depths[name], 1)
        ]
        return pd.DataFrame(rows, columns=["system", "k", "measure", "mean"])

    def _kept(self, system: str, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Take the values from the topics on which a system failed: an empty list is not its."""
        return np.where(self.failed(system), np.nan, values)

    def compare(
        self,
        baseline: str,
        by: By = "conversation",
        measures: Measure | Iterable[Measure] | None = None,
        margin: float | None = None,
    ) -> Comparison:
        """Set every system against one of them: differences, intervals, adjusted p, a verdict.

        Parameters
        ----------
        baseline : str
            A system.
        by : {"conversation", "topic"}
            What is flipped and drawn again as a whole; topics, where all are of one conversation.
        measures : Measure or iterable of Measure, optional
            The first is the primary one, the others are secondary. All that have a value for each
            topic, where not given; times are not compared.
        margin : float, optional
            A difference below it does not matter: the verdict may then be "equal within ±margin".
            For measures that are shares.

        Returns
        -------
        Comparison
            ``.frame`` and ``.notes``.

        Raises
        ------
        NotFound
            For a system or a measure that was not evaluated.
        BadParameter
            For a measure that cannot be compared, another ``by``, or a margin that is none.

        Notes
        -----
        p is of paired randomisation over whole units, intervals are of a bootstrap over them;
        Holm's family is all systems on one measure. "Cannot tell" is said of p above .05.
        """
        return compare(self, baseline, by, measures, margin)

    def __repr__(self) -> str:
        shown = tables.leaderboard(self).map(lambda cell: cell.text)
        shown = pd.concat([shown, tables.limits(self)])
        systems = counted(len(self.systems), "system")
        topics = counted(len(self.bench.topics), "topic")
        head = f"Evaluation of {systems} on {topics} of {self.collection.name!r}"
        return f"{head}\n\n{shown.to_string()}"

    def _repr_html_(self) -> str:
        return exports.html(self)
