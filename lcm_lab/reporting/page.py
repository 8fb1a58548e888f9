"""The page of a ranking report: gathers what it shows and renders the one template."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting import anchors, cost, figures, manifest, parts, tables, words
from lcm_lab.reporting.axes import marks
from lcm_lab.reporting.explore import BUDGET, SHOWN, Explorer, explorer
from lcm_lab.reporting.reasons import reasons, searchers
from lcm_lab.reporting.render import rendered
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.silence import columns
from lcm_lab.reporting.svg import Chart
from lcm_lab.reporting.worst import worst_questions

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Page"]

#: How notes begin that say how time was measured; they stand beside the times.
TIMED = ("Latency:", "IndexTime:")
STYLE, SCRIPT = ("page.css", "explore.css"), ("page.js", "explore.js")


class Page:
    """What a ranking report shows of an Evaluation, laid out once and rendered on demand."""

    def __init__(self, evaluation: Evaluation, command: str, budget: int = BUDGET) -> None:
        self.evaluation, self.command, self.budget = evaluation, command, budget
        looks = marks(list(evaluation.systems))
        self.finding = [m for m in evaluation.measures if m.needs in ("qrels", "stale")]
        self.costing = [m for m in evaluation.measures if m not in self.finding]
        self.primary = next(iter(self.finding), None)
        summary = evaluation.summary()
        self.summary = summary[summary["measure"] == str(self.primary)]
        self.names = self._best_first()
        self.looks = {name: looks[name] for name in self.names}
        self.board = tables.leaderboard(evaluation, self.finding, self.names)
        self.times = cost.timings(evaluation)
        self.points = cost.points(self.times, self.summary)
        self.silence = parts.silent(evaluation, self.primary, self.looks, self.names)
        self.breakdowns = self._breakdowns()
        best = next(iter(self.names), "")
        self.told = parts.told(evaluation, self.primary, self.looks, best)
        self.drawn = {chart.name: chart for chart in self._charts() if chart is not None}

    @property
    def charts(self) -> list[Chart]:
        """Every figure, in order."""
        return list(self.drawn.values())

    def render(self) -> str:
        """Give the page as HTML."""
        return rendered("page.html", self.context(), STYLE, SCRIPT)

    def context(self) -> dict[str, Any]:
        """Give what the template shows, by name."""
        collection = self.evaluation.collection
        limits = words.limits(self.evaluation, self.conversations)
        return {
            "kind": "ranking",
            "title": f"Ranking report: {safe(collection.name)}",
            "question": f"Which policy finds the right message in {safe(collection.name)}?",
            "strip": self._strip(),
            "systems": {name: self.evaluation.systems[name] for name in self.names},
            "order": {name: at for at, name in enumerate(self.evaluation.systems)},
            "looks": self.looks,
            "meanings": [(str(m), m.meaning) for m in self.finding],
            "charts": self.drawn,
            "not_drawn": {k: v for k, v in words.NOT_DRAWN.items() if k not in self.drawn},
            "primary": str(self.primary),
            "board": self.board,
            "bounds": parts.bounds(self.evaluation, self.finding).rows if self.finding else (),
            "breakdowns": self.breakdowns,
            "silence": self.silence,
            "silence_columns": columns(self.silence.measure),
            "beyond_of": words.BEYOND,
            "shown": SHOWN,
            "limits": [safe(limit) for limit in limits],
            "command": self.command,
            **self._words(),
            **self._anchors(),
            **self._explored(),
            **self._made(),
        }

    @property
    def headline(self) -> str:
        """The sentence under the title."""
        told = self._words()
        return f"{told['subject']} {told['lede']}".strip()

    @property
    def conversations(self) -> int:
        """How many conversations the questions with something to find are about."""
        return self.evaluation.n_judged[1]

    def _best_first(self) -> list[str]:
        """Order the systems by the first measure; those without a mean last."""
        known = dict(zip(self.summary["system"], self.summary["mean"], strict=True))
        sign = -1 if self.primary is None or self.primary.higher_is_better else 1
        means = {name: sign * known.get(name, math.nan) for name in self.evaluation.systems}
        return sorted(means, key=lambda name: (math.isnan(means[name]), means[name]))

    def _words(self) -> dict[str, Any]:
        told = [note for note in self.evaluation.notes if not note.startswith(TIMED)]
        method = [note for note in self.evaluation.notes if note.startswith(TIMED)]
        best = next(iter(self.names), "")
        return {
            "subject": best if self.summary["mean"].notna().any() else "",
            "lede": words.answer(self.summary, self.primary, self._near(best), self.conversations),
            "interval_method": words.interval(self.conversations),
            "notes": [safe(note) for note in told],
            "told_notes": [safe(note) for note in self.told.notes],
            "failures": parts.failures(self.evaluation),
            "latency": cost.costs(self.evaluation, self.times, self.costing, self.names),
            "latency_method": [*method, words.machine(manifest.machine())] if method else [],
            "frontier": parts.frontier(self.points),
        }

    def _near(self, system: str) -> tuple[str, ...] | None:
        """Name what a system was not told from; nothing only where it may be called the best."""
        sure = any(name == system and cells[0].best for name, cells in self.board.rows if cells)
        return self.told.near if sure or self.told.near else None

    def _strip(self) -> list[tuple[str, str]]:
        collection = self.evaluation.collection
        counts = [
            ("questions", len(collection.topics)),
            ("with something to find", len(collection.judged().topics)),
            ("messages searched", len(collection.corpus)),
            ("conversations", collection.corpus["conversation"].nunique()),
            ("systems", len(self.names)),
        ]
        return [(name, f"{count:,}") for name, count in counts]

    def _breakdowns(self) -> list[parts.Breakdown]:
        if self.primary is None or self.summary["mean"].isna().all():
            return []
        return parts.breakdowns(self.evaluation, self.primary, self.names)

    def _charts(self) -> list[Chart | None]:
        if self.primary is None:
            return []
        name = str(self.primary)
        kinds = next((part.frame for part in self.breakdowns if part.name == "type"), None)
        return [
            self.told.chart,
            figures.by_depth(self.evaluation.curve(), self.looks),
            figures.against_latency(self.points, name, self.looks),
            figures.by_type(kinds, name, self.looks) if kinds is not None else None,
            self.silence.chart,
        ]

    @cached_property
    def explorer(self) -> Explorer | None:
        """The questions as data; None where nothing is measured that they have a value of."""
        if self.primary is None or not self.names or not len(self.evaluation.collection.topics):
            return None
        return explorer(self.evaluation, self.primary, self._why, self.budget)

    @cached_property
    def _searchers(self) -> Any:
        return searchers(self.evaluation)

    @cached_property
    def _why(self) -> Any:
        return reasons(self.evaluation, self._searchers, SHOWN)

    def _explored(self) -> dict[str, Any]:
        nothing: dict[str, Any] = {"explorer": None, "worst": [], "worst_of": "", "worst_why": ""}
        if self.primary is None or not self.names:
            return nothing
        best = self.names[0]
        why = ", the system with the best mean" if len(self.names) > 1 else ""
        known = (self._why[best], self._searchers.get(best))
        questions = worst_questions(self.evaluation, best, self.primary, *known)
        return {
            "explorer": self.explorer,
            "worst": questions,
            "worst_of": best,
            "worst_why": why,
        }

    def _anchors(self) -> dict[str, Any]:
        here = anchors.here(self.evaluation)
        return {"anchors": anchors.anchors(), "here": here, "anchors_say": words.ANCHORS}

    def _made(self) -> dict[str, Any]:
        collection, made = self.evaluation.collection, self.evaluation.manifest()
        head = {
            "name": collection.name,
            "fingerprint": collection.fingerprint,
            "relevant from grade": collection.relevant_from,
        }
        card = {k: v for k, v in collection.card.items() if k not in (*head, *words.WEAKNESSES)}
        intervals = ", ".join(f"{name} {given}" for name, given in made["bootstrap"].items())
        return {
            "card": tables.facts(head | card),
            "versions": [("intervals", intervals), *made["versions"].items()],
            "version": made["versions"]["lcm-lab"],
        }
