"""The compaction report: what strategies keep of a conversation, and where the rest went."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.replay.claims import CLAIMS, claims
from lcm_lab.evaluation.replay.result import Replay
from lcm_lab.reporting import compaction_figures as figures
from lcm_lab.reporting import compaction_tables as tables
from lcm_lab.reporting.axes import marks
from lcm_lab.reporting.compaction_words import LIMITS, SECTIONS, lost, snippet, told
from lcm_lab.reporting.document import Document, Section
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import Chart
from lcm_lab.shown import counted

__all__ = ["compaction_report"]

#: At which share the tables are read, where there are several.
SHARE = 0.05
CLOSED = "closed book"


def compaction_report(results: Mapping[str, Replay], command: str | None = None) -> Document:
    """Make the report of replays of the same conversations, a strategy each.

    Parameters
    ----------
    results : mapping of name to Replay
        As `replay` gives them; one alone may be given too.
    command : str, optional
        What makes it again; without it, the Python that does.

    Returns
    -------
    Document
        ``.save(folder)`` writes ``index.html`` (self-contained), the tables as parquet, the figures
        and ``manifest.json``.

    Examples
    --------
    >>> import pandas as pd
    >>> import lcm_lab as lcm
    >>> from lcm_lab.compaction.strategies import Window
    >>> from lcm_lab.evaluation.replay.run import replay
    >>> corpus = lcm.Corpus([f"Service {n} listens on port {5000 + n}." for n in range(20)])
    >>> asked = pd.DataFrame({"qid": ["q1"], "query": ["port of service 3?"], "answer": ["5003"]})
    >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m4"], "relevance": [1]})
    >>> bench = lcm.Collection("ports", corpus, asked, qrels)
    >>> found = {"window": replay(bench, Window(), budgets=[0.2, 0.5])}
    >>> compaction_report(found).headline
    'window keeps 0.000 of 1 fact in view at 20 %, and 1.000 with 3 + 3 searches and expansions.'
    """
    given = {"strategy": results} if isinstance(results, Replay) else dict(results)
    if not given or not all(isinstance(one, Replay) for one in given.values()):
        raise BadParameter(
            "compaction_report takes replays by name: {'lossless': replay(bench, Lossless())}. "
            f"Got {results!r:.80}."
        )
    return _Page({safe(str(name), 60): one for name, one in given.items()}).document(command)


class _Page:
    """What the report shows of some replays; chosen once."""

    def __init__(self, results: Mapping[str, Replay]) -> None:
        self.results = results
        self.looks = marks(list(results))
        self.main = {n: one for n, one in results.items() if any(a.searches for a in one.arms)}
        self.main = self.main or dict(results)
        first = next(iter(self.main.values()))
        known = first.points.groupby("budget")["share"].mean().reindex(first.budgets)
        self.budget = str((known - SHARE).abs().fillna(9).idxmin())
        searching = [arm for arm in first.arms if arm.searches and arm.scope is None]
        best = max(searching, key=lambda arm: arm.searches + arm.expansions, default=first.arms[0])
        self.arm = best.name
        self.units = first.points["conversation"].nunique()
        self.n = first.final["fact"].nunique()
        summaries = {name: one.summary() for name, one in self.main.items()}
        self.means = {
            (name, row.arm): row.mean
            for name, frame in summaries.items()
            for row in rows(frame[frame["budget"] == self.budget])
        }
        self.summaries = summaries

    def document(self, command: str | None) -> Document:
        """Lay the report out."""
        made = (
            self._result(), self._frontier(), self._claims(), self._curves(), self._fates(),
            self._real(), self._cost(), self._dag(), self._lost(),
        )  # fmt: skip
        sections = [one for one in made if one is not None]
        strip = (
            ("facts", f"{self.n:,}"),
            ("conversations", f"{self.units:,}"),
            ("strategies", f"{len(self.results):,}"),
        )
        return Document(
            kind="compaction",
            question="What does a compaction keep, and what can be brought back?",
            subject=self.best,
            lede=self._lede(),
            sections=(*sections, Section("limits", "What it does not show", points=LIMITS)),
            command=command or snippet(self.results),
            data=self._data(),
            strip=strip,
            facts={"replays": {name: one.manifest() for name, one in self.results.items()}},
        )

    @cached_property
    def best(self) -> str:
        """The strategy that keeps most with the greatest allowance, at the budget of the tables."""
        found = {name: self.means.get((name, self.arm), math.nan) for name in self.main}
        known = {name: mean for name, mean in found.items() if not math.isnan(mean)}
        return max(known, key=known.__getitem__) if known else ""

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The claims with their outcome."""
        return claims(self.results)

    def _lede(self) -> str:
        if not self.best:
            return "No point is valid: every view is as long as its conversation."
        view = self.means.get((self.best, CLOSED), math.nan)
        held = f"keeps {view:.3f} of {counted(self.n, 'fact')} in view at {self.budget}"
        if self.arm == CLOSED:
            return f"{held}."
        reached = self.means[self.best, self.arm]
        return f"{held}, and {reached:.3f} with {self.arm} searches and expansions."

    def _result(self) -> Section:
        first = next(iter(self.results.values()))
        few = (f"{counted(self.units, 'conversation')}: too few for an interval to mean much.",) * (
            self.units < 20
        )
        notes = dict.fromkeys(
            (*few, *(note for one in self.results.values() for note in one.notes))
        )
        meant = f"A search is {first.search!r} over messages and summaries."
        grids = (tables.kept(self.main, self.budget), tables.areas(self.main))
        whole = tuple(grid for grid in grids if grid.rows)
        return self._section("result", meant, tables=whole, notes=tuple(map(safe, notes)))

    def _frontier(self) -> Section | None:
        charts: list[Chart] = []
        for arm in dict.fromkeys((CLOSED, self.arm)):
            frames = {
                name: frame[(frame["arm"] == arm) & (frame["budget"] != "own")]
                for name, frame in self.summaries.items()
            }
            chart = figures.frontier(frames, arm, self.looks, f"frontier-{len(charts) + 1}")
            charts += [chart] if chart is not None else []
        return self._section("frontier", charts=tuple(charts)) if charts else None

    def _claims(self) -> Section:
        points = tuple(f"{name}: {said}" for name, said in CLAIMS.items())
        return self._section("claims", tables=(tables.claim_table(self.claims),), points=points)

    def _curves(self) -> Section | None:
        drawn = []
        for column, arm, name, words in told(self.budget, self.arm):
            frames = {
                one: result.by(column, arm=arm, budget=self.budget)
                for one, result in self.main.items()
            }
            drawn.append(figures.curve(frames, column, self.looks, (name, *words)))
        drawn.append(self._freed())
        charts = tuple(chart for chart in drawn if chart is not None)
        return self._section("curves", charts=charts) if charts else None

    def _freed(self) -> Chart | None:
        frames = {}
        for name, one in self.results.items():
            own = one.points[(one.points["budget"] == "own") & (one.cycles > 2)]
            shares = (own["freed"] / own["before"]).groupby(own["cycle"]).mean()
            if len(shares):
                nothing = {"low": math.nan, "high": math.nan}
                frames[name] = shares.rename("mean").reset_index().assign(**nothing)
        words = (
            "freed", "Freed by each cycle",
            "Share of the view that a compaction frees, without a budget; mean over conversations.",
            "cycle", "share of the view freed",
        )  # fmt: skip
        return figures.curve(frames, "cycle", self.looks, words)

    def _fates(self) -> Section:
        arms, at = dict.fromkeys((CLOSED, self.arm)), (self.main, self.budget)
        grids = [make(*at, arm) for make in (tables.splits, tables.stale) for arm in arms]
        grids += [tables.kinds(self.main, self.budget, self.arm)]
        return self._section("fates", tables=tuple(grid for grid in grids if grid.rows))

    def _real(self) -> Section | None:
        found = next((one.recorded for one in self.results.values() if len(one.recorded)), None)
        return None if found is None else self._section("real", tables=(tables.real(found),))

    def _cost(self) -> Section:
        return self._section("cost", tables=(tables.costs(self.results),))

    def _dag(self) -> Section | None:
        """Draw the Dag with the most summaries in it, of the budget of the tables."""
        found = [
            (len(dag.summaries), -len(dag.messages), name, dag)
            for name, one in self.main.items()
            for (_, budget), dag in one.dags.items()
            if budget == self.budget and dag.summaries
        ]
        if not found:
            return None
        name, dag = max(found, key=lambda one: one[:3])[2:]
        shown = f"{name}, {safe(dag.conversation, 40)}, {self.budget}"
        chart = figures.icicle(dag, "dag", shown)
        return self._section("dag", charts=(chart,), wide=("dag",), folds=(figures.folds(dag),))

    def _lost(self) -> Section | None:
        if not self.best:
            return None
        one = self.main[self.best]
        found = one.losses(self.arm, self.budget)
        points = tuple(lost(row) for row in rows(found))
        head = f"{self.best}, {self.arm}, {self.budget}"
        say = f"{head}. {SECTIONS['lost'][1]}" if points else f"{head}: none was lost."
        return replace(self._section("lost", points=points), say=say)

    def _section(self, name: str, more: str = "", **shown: Any) -> Section:
        title, say = SECTIONS[name]
        return Section(name, title, f"{say} {more}".strip(), **shown)

    def _data(self) -> dict[str, pd.DataFrame]:
        """Give the tidy tables, each with the strategy in front."""
        parts = {
            "points": [(name, one.points) for name, one in self.results.items()],
            "data": [(name, one.facts) for name, one in self.results.items()],
            "changes": [(name, one.changes) for name, one in self.results.items()],
        }
        found = {
            name: pd.concat([frame.assign(strategy=one) for one, frame in part], ignore_index=True)
            for name, part in parts.items()
        }
        return {**found, "claims": self.claims}
