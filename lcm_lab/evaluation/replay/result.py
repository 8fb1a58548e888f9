"""Replay: what is still there after compaction, and the views of it that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.work import Summariser, named
from lcm_lab.dag import Dag
from lcm_lab.errors import unknown
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.evaluation.replay.facts import Fact
from lcm_lab.evaluation.replay.means import Floats, Ints, area, by_boundary, means, units_of
from lcm_lab.evaluation.replay.shown import Shown
from lcm_lab.evaluation.statistics.significance import RESAMPLES, bootstrap, interval
from lcm_lab.ranking.base import Ranker
from lcm_lab.shown import counted

__all__ = ["Replay"]

#: The columns by which facts can be grouped.
GROUPS = ("kind", "type", "age", "condensations", "cycle", "conversation", "how")


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Shown):
    """What `replay` found.

    Attributes
    ----------
    source : str
    strategy, summariser, search
    arms : tuple of Arm
    cycles : int
    points : DataFrame
        A row a conversation, budget and cycle: ``input`` and ``tokens`` (of all messages so far,
        and of what is in view), ``before`` and ``freed``, ``limit`` and ``over``, ``calls``,
        ``read`` and ``written`` (of the summariser), ``prefix`` (tokens in front that did not
        change) and ``rewritten``, ``summaries`` and ``depth``, ``invented`` (identifiers in view
        that no message holds), ``valid``, ``failed`` (it was cancelled) and ``reason``.
    facts : DataFrame
        A row a fact, arm, budget and cycle: ``kind``, ``type``, ``age`` (0 newest to 1 oldest, by
        tokens), ``condensations`` (how many summaries lie over it), ``kept`` and ``how``: view,
        search, expand; not summarised, not found, expand budget ended, no question.
    changes : DataFrame
        A row an updated slot: ``state`` is only new, both, only old, or neither.
    known : dict of id to Fact
    dags : dict of (conversation, budget) to Dag
        As each ended.
    recorded : DataFrame
        Of transcripts, what real summaries and others of their size keep (`at_boundaries`).
    notes : list of str
    seed : int
        Of the bootstrap.

    Examples
    --------
    >>> bench, seen = lcm.load("synth-chat-s"), [lcm.Arm()]
    >>> found = lcm.replay(bench, lcm.Window(500), budgets=[None], arms=seen)
    >>> found.split()["how"].tolist()
    ['not summarised', 'view']
    """

    source: str
    strategy: Compactor
    summariser: Summariser
    search: Ranker
    arms: tuple[Arm, ...]
    cycles: int
    points: pd.DataFrame
    facts: pd.DataFrame
    changes: pd.DataFrame
    known: Mapping[str, Fact]
    dags: Mapping[tuple[str, str], Dag]
    recorded: pd.DataFrame = field(default_factory=pd.DataFrame)
    notes: Sequence[str] = field(default=())
    seed: int = 0

    @property
    def budgets(self) -> list[str]:
        """The budgets, smallest first; that of a strategy's own parameters last."""
        sizes = self.points.groupby("budget", sort=False)["share"].mean()
        return [str(name) for name in sizes.sort_values(kind="stable").index]

    @property
    def final(self) -> pd.DataFrame:
        """The facts after the last cycle, of valid points."""
        return self.facts[self.facts["valid"] & (self.facts["cycle"] == self.cycles)]

    def summary(self) -> pd.DataFrame:
        """Average what was kept after the last cycle, with 95 % intervals.

        Returns
        -------
        DataFrame
            budget, share (mean of view over input, in tokens), arm, mean, low, high, n (facts),
            units (conversations, which the bootstrap draws again).
        """
        points = self.points[self.points["valid"] & (self.points["cycle"] == self.cycles)]
        shares = (points["tokens"] / points["input"]).groupby(points["budget"]).mean()
        found = means(self.final, ["budget", "arm"], self.seed)
        found.insert(1, "share", found["budget"].map(shares))
        return self._ordered(found)

    def by(self, column: str, arm: str | None = None, budget: str | None = None) -> pd.DataFrame:
        """Average what was kept by kind, type, age, condensations or cycle.

        Parameters
        ----------
        column : str
            ``age`` comes in tenths, the newest first.
        arm, budget : str, optional
            That one alone; all when not given.

        Returns
        -------
        DataFrame
            the column, budget, arm, mean, low, high, n, units.
        """
        if column not in GROUPS:
            raise unknown("column of facts", column, GROUPS)
        facts = self.facts[self.facts["valid"]] if column == "cycle" else self.final
        facts = facts[(facts["arm"] == arm) | (arm is None)]
        facts = facts[(facts["budget"] == budget) | (budget is None)]
        if column == "age":
            facts = facts.assign(age=np.minimum(9, np.floor(10 * facts["age"])) / 10)
        return means(facts, [column, "budget", "arm"], self.seed)

    def area(self) -> pd.DataFrame:
        """Give the area under each frontier: mean retention over the logarithm of the budget.

        Returns
        -------
        DataFrame
            arm, mean, low, high, n, units, ``first`` and ``last`` (the shares it spans). Budgets
            with an invalid point, and those of a strategy's own, are left out; NaN with fewer than
            two.
        """
        rows = []
        for arm in self.arms:
            wide, units, shares = self._frontier(arm.name)
            if len(shares) < 2:
                rows.append((arm.name, *(np.nan,) * 3, len(wide), 0, np.nan, np.nan))
                continue
            draws = bootstrap(wide, units, seed=self.seed)
            areas = area(np.append(wide.mean(axis=0)[None, :], draws, 0), shares)
            n_units = int(units.max()) + 1
            low, high = interval(areas[1:, None], [n_units])
            ends = (low[0], high[0]) if n_units > 1 else (np.nan, np.nan)
            rows.append((arm.name, areas[0], *ends, len(wide), n_units, shares[0], shares[-1]))
        columns = ["arm", "mean", "low", "high", "n", "units", "first", "last"]
        return pd.DataFrame(rows, columns=columns)

    def _frontier(self, arm: str) -> tuple[Floats, Ints, Floats]:
        """Give what was kept, facts by budgets; the unit of each fact; and the shares asked for."""
        own = self.final[(self.final["arm"] == arm) & self.final["share"].notna()]
        wide = own.pivot_table(
            index=["conversation", "fact"], columns="budget", values="kept", aggfunc="first"
        ).astype(float)
        wide = wide.dropna(axis=1)
        shares = own.groupby("budget")["share"].mean().reindex(wide.columns).sort_values()
        wide = wide[shares.index]
        units = units_of(wide.index.get_level_values("conversation"))
        return wide.to_numpy(float), units, shares.to_numpy(float)

    def split(self, budget: str | None = None) -> pd.DataFrame:
        """Share out the facts by what became of them, after the last cycle.

        Returns
        -------
        DataFrame
            budget, arm, how, share, n (facts of that budget and arm).
        """
        facts = self.final[(self.final["budget"] == budget) | (budget is None)]
        counts = facts.groupby(["budget", "arm", "how"], sort=False).size().rename("count")
        frame = counts.reset_index()
        frame["n"] = frame.groupby(["budget", "arm"])["count"].transform("sum")
        frame["share"] = frame["count"] / frame["n"]
        return self._ordered(frame[["budget", "arm", "how", "share", "n"]])

    def staleness(self) -> pd.DataFrame:
        """Share out the updated slots by what is left of them, after the last cycle.

        Returns
        -------
        DataFrame
            budget, arm, state (only new, both, only old, neither), share, n.
        """
        last = self.changes[self.changes["valid"] & (self.changes["cycle"] == self.cycles)]
        frame = last.groupby(["budget", "arm", "state"], sort=False).size().rename("count")
        found = frame.reset_index()
        found["n"] = found.groupby(["budget", "arm"])["count"].transform("sum")
        found["share"] = found["count"] / found["n"]
        return self._ordered(found[["budget", "arm", "state", "share", "n"]])

    def losses(self, arm: str, budget: str, n: int = 10) -> pd.DataFrame:
        """List facts that were lost, spread evenly over all that were.

        Returns
        -------
        DataFrame
            fact, kind, value, query, conversation, source, age, condensations, how.
        """
        own = self.final
        lost = own[(own["arm"] == arm) & (own["budget"] == budget) & ~own["kept"].astype(bool)]
        even = np.linspace(0, max(0, len(lost) - 1), min(n, len(lost)))
        some = lost.iloc[even.round().astype(int)]
        facts = [self.known[name] for name in some["fact"]]
        return some[["fact", "kind", "conversation", "age", "condensations", "how"]].assign(
            value=[one.value for one in facts],
            query=[one.query for one in facts],
            source=[one.sources[-1] for one in facts],
        )

    def manifest(self) -> dict[str, Any]:
        """Give what is needed to make the numbers again, ready for JSON."""
        return {
            "source": self.source,
            "strategy": repr(self.strategy),
            "summariser": named(self.summariser),
            "search": repr(self.search),
            "arms": [repr(arm) for arm in self.arms],
            "cycles": self.cycles,
            "budgets": self.budgets,
            "bootstrap": {"unit": "conversation", "resamples": RESAMPLES, "seed": self.seed},
        }

    def __repr__(self) -> str:
        units = self.points["conversation"].nunique()
        few = "; too few for an interval to mean much" if units < 20 else ""
        head = (
            f"Replay of {counted(units, 'conversation')}{few}: {self.strategy!r}, "
            f"{named(self.summariser)}"
        )
        tables = [self.summary().round(3).to_string(index=False)]
        if not self.recorded.empty:
            tables.append(by_boundary(self.recorded).round(3).to_string())
        notes = "".join(f"\n- {note}" for note in self.notes)
        return "\n\n".join([head, *tables]) + notes

    def _ordered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Put rows in the order of budgets and arms."""
        arms = [arm.name for arm in self.arms]
        key = frame["budget"].map(self.budgets.index) * len(arms) + frame["arm"].map(arms.index)
        return frame.iloc[np.argsort(key.to_numpy(), kind="stable")].reset_index(drop=True)
