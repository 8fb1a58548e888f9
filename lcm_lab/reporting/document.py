"""A report in sections: what a result shows as tables, figures and sentences, on one page.

`RankingReport` has a page of its own; the other reports are documents.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcm_lab import whole
from lcm_lab.reporting import manifest
from lcm_lab.reporting.render import rendered
from lcm_lab.reporting.svg import Chart
from lcm_lab.reporting.tables import Cell

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Document", "Grid", "Section"]


@dataclass(frozen=True)
class Grid:
    """A table of a section: the first column names the row, the others are cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a document.

    Attributes
    ----------
    name : str
        Its anchor; that of the first is "result".
    title, say : str
        Heading, and a paragraph on how to read what follows.
    tables, charts : tuple of Grid, of Chart
    wide : tuple of str
        Names of charts that take the whole width.
    points, notes, texts : tuple of str
        A list, a list that stands out, and preformatted blocks.
    folds : tuple of str
        HTML that is escaped already, such as a Dag's outline.
    """

    name: str
    title: str
    say: str = ""
    tables: tuple[Grid, ...] = ()
    charts: tuple[Chart, ...] = ()
    wide: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """A report that can be read, sent round, and made again; computes nothing.

    Attributes
    ----------
    kind, question, subject, lede : str
        "speed", the title as a question, what the answer names first, and the answer.
    sections : tuple of Section
    command : str
        What makes it again.
    data : dict of str to DataFrame
        Written beside the page, each as ``name.parquet``.
    strip : tuple of (str, str)
        Figures under the answer: what, how many.
    facts : dict
        What else belongs into the manifest.
    """

    kind: str
    question: str
    lede: str
    sections: tuple[Section, ...]
    command: str
    data: Mapping[str, pd.DataFrame]
    subject: str = ""
    strip: tuple[tuple[str, str], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.kind.capitalize()} report: {self.headline}; .save(folder) writes it"

    @property
    def headline(self) -> str:
        """What the page says first."""
        return f"{self.subject} {self.lede}".strip()

    @property
    def charts(self) -> list[Chart]:
        """Every figure, in order."""
        return [chart for section in self.sections for chart in section.charts]

    def save(self, folder: str | Path) -> Path:
        """Write ``index.html`` (self-contained), the data, ``figures/``, ``manifest.json``.

        Parameters
        ----------
        folder : str or Path
            Made where missing. Files of an earlier report in it are replaced, all or none.

        Returns
        -------
        Path
            Of the page.
        """
        target = Path(folder)
        drawings = {"figures": [chart.facts for chart in self.charts]}
        head = {"report": self.kind, "command": self.command}
        facts = {**head, **self.facts, **drawings, **self._made()}
        with whole.folder(target) as work:
            for name, frame in self.data.items():
                frame.to_parquet(work / f"{name}.parquet", index=False)
            (work / "figures").mkdir()
            for chart in self.charts:
                chart.save(work / "figures")
            _write(work / "manifest.json", json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
            _write(work / "index.html", self.render())
        return target / "index.html"

    def render(self) -> str:
        """Give the page as HTML."""
        made = self._made()
        shown = {"machine": made["machine"], **made["versions"]}
        context = {name: getattr(self, name) for name in CONTEXT}
        version = made["versions"]["lcm-lab"]
        title = f"{self.kind.capitalize()} report: {self.question}"
        facts = [(name, str(item)) for name, item in {**self.facts, **shown}.items()]
        return rendered(
            "document.html", {**context, "title": title, "version": version, "facts": facts}
        )

    def _made(self) -> dict[str, Any]:
        from lcm_lab import __version__

        versions = {"lcm-lab": __version__, "python": platform.python_version()}
        return {"machine": manifest.machine(), "versions": versions}


#: What the template takes as it stands.
CONTEXT = ("kind", "question", "subject", "lede", "strip", "sections", "command")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
