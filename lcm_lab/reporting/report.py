"""The ranking report: an Evaluation as a folder that can be read, sent round, and made again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lcm_lab import whole
from lcm_lab.evaluation.files import saving
from lcm_lab.reporting import manifest
from lcm_lab.reporting.explore import BUDGET
from lcm_lab.reporting.page import Page

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["RankingReport", "ranking_report"]


@dataclass(frozen=True, eq=False, repr=False)
class RankingReport:
    """A report of an Evaluation; computes nothing but layout.

    Attributes
    ----------
    evaluation : Evaluation
    command : str
        What makes the report again, as the page and the manifest print it.
    budget : int
        Bytes of the page that hold questions to open.
    """

    evaluation: Evaluation
    command: str
    budget: int = BUDGET

    @cached_property
    def page(self) -> Page:
        """What the page shows."""
        return Page(self.evaluation, self.command, self.budget)

    @property
    def headline(self) -> str:
        """What the page says first: the best system by the first measure, and how sure that is."""
        return self.page.headline

    def __repr__(self) -> str:
        n = len(self.evaluation.systems)
        systems = f"{n} system{'' if n == 1 else 's'}"
        on = self.evaluation.collection.name
        return f"Ranking report of {systems} on {on!r}; .save(folder) writes it"

    def save(self, folder: str | Path) -> Path:
        """Write the report, and give the path of its page.

        ``index.html`` (self-contained), ``data.parquet`` (the tidy table), ``runs/*.trec``,
        ``figures/`` (SVG and PNG) and ``manifest.json``. The same evaluation gives the same bytes;
        of two evaluations of the same systems only the latencies differ.

        Parameters
        ----------
        folder : str or Path
            Made where missing. Files of an earlier report in it are replaced, all or none.
        """
        target = Path(folder)
        facts = [chart.facts for chart in self.page.charts]
        with whole.folder(target) as work:
            saving.put(self.evaluation, work)
            (work / "figures").mkdir()
            for chart in self.page.charts:
                chart.save(work / "figures")
            _write(work / "manifest.json", manifest.manifest(self.evaluation, self.command, facts))
            _write(work / "index.html", self.page.render())
        saving.leave(target / saving.RUNS, self.evaluation.runs)
        return target / "index.html"


def ranking_report(
    evaluation: Evaluation, command: str | None = None, budget: int = BUDGET
) -> RankingReport:
    """Make the report of an evaluation: one page with tables, figures, and every question.

    A question opens into the first ten hits of every system side by side, the relevant ones marked,
    with the reason of each miss.

    Parameters
    ----------
    evaluation : Evaluation
        As `evaluate` gives it.
    command : str or None
        The one command that makes the report again. Without it, the report shows the Python that
        does.
    budget : int
        Bytes of the page that hold questions to open. Where they are too few, texts are cut
        shorter, and then the questions are left out on which all systems do best; the page says so.

    Returns
    -------
    RankingReport
        ``.save(folder)`` writes it.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> bench = lcm.load("synth-chat-s")
    >>> result = lcm.evaluate({"bm25": lcm.BM25() % 10}, on=bench)
    >>> lcm.ranking_report(result)
    Ranking report of 1 system on 'synth-chat-s'; .save(folder) writes it
    """
    return RankingReport(evaluation, command or manifest.snippet(evaluation), budget)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
