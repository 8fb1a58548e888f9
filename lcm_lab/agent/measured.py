"""What ``report`` and ``evaluate`` do: load, rank, measure, write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lcm_lab.agent.group import say
from lcm_lab.agent.ladder import MEASURES, systems
from lcm_lab.agent.source import again, history, portable, slug, writable
from lcm_lab.collection.paths import called
from lcm_lab.shown import one_line

if TYPE_CHECKING:
    from lcm_lab.collection import Collection
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Plan", "carded", "evaluated", "folders", "without_value", "written"]

#: The collection of the report that is asked for without a word, and where that goes.
DEFAULT, HOME = "synth-chat-s", Path("reports/ranking")


@dataclass(frozen=True)
class Plan:
    """What to rank with, what to measure, what a unit of the corpus is, and what is asked."""

    policies: Sequence[str]
    measures: Sequence[str]
    unit: Literal["turn", "exchange", "session"]
    topics: Sequence[str] = ()
    questions: Sequence[str] = ()

    @property
    def options(self) -> list[tuple[str, str]]:
        """The options that say the same on a command line."""
        given = [("--policy", written) for written in self.policies]
        given += [("--measure", name) for name in self.measures]
        given += [("--topics", kind) for kind in self.topics]
        given += [("--questions", portable(table)) for table in self.questions]
        return given + ([("--unit", self.unit)] if self.unit != "turn" else [])


def evaluated(source: str, plan: Plan) -> Evaluation:
    """Load a source and evaluate the systems on it; what cannot be is refused before any work.

    Of a history that has no questions of its own, topics are mined. Its notes then also tell what
    the systems would seem to find if nothing were hidden from a question.
    """
    from lcm_lab.evaluation.harness import evaluate
    from lcm_lab.measures import parse

    ranked, measures = systems(plan.policies), [parse(name) for name in plan.measures or MEASURES]
    made = _collection(source, plan).units(plan.unit)
    result = evaluate(ranked, on=made, measures=measures)
    return _both_scores(result) if "reach" in made.topics else result


def _collection(source: str, plan: Plan) -> Collection:
    """Load a source, or mine of it what was asked for."""
    from lcm_lab.store.loading import load
    from lcm_lab.transcripts.probes.handmade import HandMade
    from lcm_lab.transcripts.probes.mine import mine, named

    if not plan.topics and not plan.questions:
        return load(source)
    kinds = [*map(named, dict.fromkeys(plan.topics)), *map(HandMade, plan.questions)]
    with history(source) as held:
        return mine(held, kinds, name=called(source))


def _both_scores(result: Evaluation) -> Evaluation:
    from lcm_lab.errors import BadInput
    from lcm_lab.evaluation.hindsight import hindsight, told

    try:
        note = told(hindsight(result))
    except BadInput:  # nothing is hidden: there is one score
        return result
    return replace(result, notes=[*result.notes, note])


def carded(made: Collection) -> list[str]:
    """Say of mined topics how much of each question its gold holds, a line a kind.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> carded(lcm.load("synth-chat-s"))
    []
    """
    lines = []
    for kind, found in made.card.get("overlap", {}).items() if "kinds" in made.card else ():
        share = f"gold {found['gold']:.2f}, " if "gold" in found else ""
        lines.append(
            f"{kind}: n = {found['n']:,}; of a question's words hold {share}"
            f"the best other message {found['best_distractor']:.2f}"
        )
    return lines


def without_value(result: Evaluation) -> list[str]:
    """Name the systems that failed as a whole, and say so; a program is told by the exit code."""
    failures = result.failures
    lost = [str(name) for name in dict.fromkeys(failures.loc[failures["qid"] == "", "system"])]
    if lost:
        say(f"failed as a whole: {', '.join(map(one_line, lost))}; the notes tell why")
    return lost


def written(
    sources: Sequence[str], out: str | None, plan: Plan
) -> Iterator[tuple[Path, list[str]]]:
    """Write the report of each source, and give its page and who failed, as they are done."""
    from lcm_lab.reporting.report import ranking_report

    chosen = folders(sources, None if out is None else writable(out))
    for folder in chosen:
        writable(folder)
    for source, folder in zip(sources, chosen, strict=True):
        options = [("--on", portable(source)), *plan.options, ("--out", portable(str(folder)))]
        result = evaluated(source, plan)
        report = ranking_report(result, again("report", options))
        page = report.save(folder)
        for line in carded(result.collection):
            say(line)
        say(report.headline)
        yield page, without_value(result)


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
        stem = slug(called(source))
        base = out / stem if out is not None else HOME.with_name(f"{HOME.name}-{stem}")
        again_named = (base.with_name(f"{base.name}-{n}") for n in range(2, len(sources) + 2))
        chosen.append(
            base if base not in chosen else next(p for p in again_named if p not in chosen)
        )
    return chosen
