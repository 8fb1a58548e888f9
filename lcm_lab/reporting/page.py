"""The page of a ranking report: gathers what it shows and renders the one template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lcm_lab.reporting import cost, figures, manifest, tables, words
from lcm_lab.reporting.render import rendered
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import Chart
from lcm_lab.reporting.worst import worst_questions

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Page"]

#: How notes begin that say how time was measured; they stand beside the times.
TIMED = ("Latency:", "IndexTime:")


class Page:
    """What a ranking report shows of an Evaluation, laid out once and rendered on demand."""

    def __init__(self, evaluation: Evaluation, command: str) -> None:
        self.evaluation, self.command = evaluation, command
        self.names = list(evaluation.systems)
        self.looks = figures.marks(self.names)
        self.finding = [m for m in evaluation.measures if m.needs in ("qrels", "stale")]
        self.costing = [m for m in evaluation.measures if m not in self.finding]
        self.primary = next(iter(self.finding), None)
        summary = evaluation.summary()
        self.summary = summary[summary["measure"] == str(self.primary)]
        self.board = tables.leaderboard(evaluation, self.finding)
        self.times = cost.timings(evaluation)
        self.types = self._types()
        self.charts = [chart for chart in self._charts() if chart is not None]

    def render(self) -> str:
        """Give the page as HTML."""
        return rendered("page.html", self.context())

    def context(self) -> dict[str, Any]:
        """Give what the template shows, by name."""
        collection = self.evaluation.collection
        return {
            "kind": "ranking",
            "title": f"Ranking report: {safe(collection.name)}",
            "question": f"Which policy finds the right message in {safe(collection.name)}?",
            "strip": self._strip(),
            "systems": self.evaluation.systems,
            "looks": self.looks,
            "meanings": [(str(m), m.meaning) for m in self.finding],
            "charts": self.charts,
            "not_drawn": self._not_drawn(),
            "primary": str(self.primary),
            "board": self.board,
            "types": self._type_table(),
            "limits": [safe(limit) for limit in words.limits(self.evaluation, self.conversations)],
            "command": self.command,
            **self._words(),
            **self._worst(),
            **self._made(),
        }

    @property
    def headline(self) -> str:
        """The sentence under the title."""
        told = self._words()
        return f"{told['subject']} {told['lede']}".strip()

    @property
    def conversations(self) -> int:
        """How many conversations the questions are about."""
        return len(set(self.evaluation.conversation.tolist()))

    def _words(self) -> dict[str, Any]:
        told = [note for note in self.evaluation.notes if not note.startswith(TIMED)]
        method = [note for note in self.evaluation.notes if note.startswith(TIMED)]
        best = self._best()
        return {
            "subject": best if self.summary["mean"].notna().any() else "",
            "lede": words.answer(self.summary, self.primary, self._sure(best), self.conversations),
            "interval_method": words.INTERVAL,
            "notes": [safe(note) for note in told],
            "latency": cost.costs(self.evaluation, self.times, self.costing),
            "latency_method": [*method, words.machine(manifest.machine())] if method else [],
        }

    def _best(self) -> str:
        """Name the system with the best mean; the first where none has one."""
        if self.primary is None or self.summary["mean"].isna().all():
            return next(iter(self.names), "")
        up = self.primary.higher_is_better
        means = self.summary.set_index("system")["mean"]
        return str(means.idxmax() if up else means.idxmin())

    def _sure(self, system: str) -> bool:
        """Tell whether a system was found better than every other by the first measure."""
        return any(name == system and cells[0].best for name, cells in self.board.rows if cells)

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

    def _types(self) -> pd.DataFrame:
        if self.primary is None or (self.evaluation.collection.topics["type"] == "").all():
            return self.summary.assign(type="").head(0)
        frame = self.evaluation.by("type")
        kinds = [safe(kind) or "no type" for kind in frame["type"]]
        return frame.assign(type=kinds)[frame["measure"] == str(self.primary)]

    def _type_table(self) -> tables.Table:
        if self.primary is None or self.types.empty:
            return tables.Table((), ())
        return tables.per_type(self.types, self.primary, self.names)

    def _charts(self) -> list[Chart | None]:
        if self.primary is None:
            return []
        name, points = str(self.primary), cost.points(self.times, self.summary)
        return [
            figures.by_depth(self.evaluation.curve(), self.looks),
            figures.against_latency(points, name, self.looks),
            figures.by_type(self.types, name, self.looks),
        ]

    def _not_drawn(self) -> list[str]:
        drawn = {chart.name for chart in self.charts}
        return [why for name, why in words.NOT_DRAWN.items() if name not in drawn]

    def _worst(self) -> dict[str, Any]:
        best = self._best()
        if self.primary is None or not self.names:
            return {"worst": [], "worst_of": "", "worst_why": ""}
        why = ", the system with the best mean" if len(self.names) > 1 else ""
        questions = worst_questions(self.evaluation, best, self.primary)
        return {"worst": questions, "worst_of": best, "worst_why": why}

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
