"""What ``report`` and ``evaluate`` do: load, rank, measure, write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lcm_lab.agent.group import say
from lcm_lab.agent.ladder import MEASURES, systems
from lcm_lab.agent.source import again, portable, slug, writable

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Plan", "evaluated", "folders", "written"]

#: The collection of the report that is asked for without a word, and where that goes.
DEFAULT, HOME = "synth-chat-s", Path("reports/ranking")


@dataclass(frozen=True)
class Plan:
    """What to rank with, what to measure, and what a unit of the corpus is."""

    policies: Sequence[str]
    measures: Sequence[str]
    unit: Literal["turn", "exchange", "session"]

    @property
    def options(self) -> list[tuple[str, str]]:
        """The options that say the same on a command line."""
        given = [("--policy", written) for written in self.policies]
        given += [("--measure", name) for name in self.measures]
        return given + ([("--unit", self.unit)] if self.unit != "turn" else [])


def evaluated(source: str, plan: Plan) -> Evaluation:
    """Load a source and evaluate the systems on it; what cannot be is refused before any work."""
    from lcm_lab.evaluation.harness import evaluate
    from lcm_lab.measures import parse
    from lcm_lab.transcripts.load import load

    ranked, measures = systems(plan.policies), [parse(name) for name in plan.measures or MEASURES]
    return evaluate(ranked, on=load(source).units(plan.unit), measures=measures)


def written(sources: Sequence[str], out: str | None, plan: Plan) -> Iterator[Path]:
    """Write the report of each source, and give the paths of the pages as they are done."""
    from lcm_lab.reporting.report import ranking_report

    chosen = folders(sources, None if out is None else writable(out))
    for folder in chosen:
        writable(folder)
    for source, folder in zip(sources, chosen, strict=True):
        options = [("--on", portable(source)), *plan.options, ("--out", portable(str(folder)))]
        report = ranking_report(evaluated(source, plan), again("report", options))
        page = report.save(folder)
        say(report.headline)
        yield page


def folders(sources: Sequence[str], out: Path | None) -> list[Path]:
    """Choose a folder for each report, no two alike.

    One source has ``out`` to itself and several share it. Without ``out`` the collection of the
    default report goes to ``reports/ranking``, and any other beside it under a name of its own.

    Examples
    --------
    >>> folders(["synth-chat-s"], None) + folders(["a/x.jsonl"], None)
    [PosixPath('reports/ranking'), PosixPath('reports/ranking-x.jsonl')]
    """
    if len(sources) == 1 and (out is not None or sources[0] == DEFAULT):
        return [out or HOME]
    chosen: list[Path] = []
    for source in sources:
        stem = slug(Path(source).name)
        base = out / stem if out is not None else HOME.with_name(f"{HOME.name}-{stem}")
        again_named = (base.with_name(f"{base.name}-{n}") for n in range(2, len(sources) + 2))
        chosen.append(
            base if base not in chosen else next(p for p in again_named if p not in chosen)
        )
    return chosen
