"""What an evaluation leaves on disk, or gives to other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from lcm_lab import whole
from lcm_lab.collection import Collection
from lcm_lab.collection.paths import expanded
from lcm_lab.evaluation.files import exports, loading, saving
from lcm_lab.evaluation.measured import Measured

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Written"]


class Written(Measured):
    """How an evaluation is saved, opened again, and exported; `Evaluation` is one."""

    def manifest(self) -> dict[str, Any]:
        """Give what is needed to make the numbers again, ready for JSON; nothing of the machine."""
        return saving.manifest(self._whole)

    def save(self, folder: str | Path) -> Path:
        """Write data.parquet, runs/*.trec and manifest.json, and give the folder.

        The table, the runs and the manifest are those of this evaluation alone: runs that another
        one left in the folder are removed.
        """
        return saving.save(self._whole, expanded(folder))

    @classmethod
    def load(cls, folder: str | Path, on: Collection) -> Self:
        """Open what `save` wrote, over the collection that it was made on.

        Policies are not saved, nor are scores: `miss` then knows lists alone, and `ties` and
        `abstention` are refused. To set two folders against each other no collection is needed:
        `diff` reads them as they are.

        Raises
        ------
        NotFound
            For a folder without an evaluation.
        BadInput
            For another collection, files that are damaged, or the run of a `Memory`, which lists
            summaries that the collection does not hold.
        """
        return cast("Self", loading.load(cast("type[Evaluation]", cls), folder, on))

    def to_trec(self, folder: str | Path) -> Path:
        """Write a TREC run a system, and give the folder; other runs in it are removed.

        The score is minus the rank, so that tools which break ties in their own way read our order.
        """
        return saving.trec(self.runs, expanded(folder))

    def to_parquet(self, path: str | Path) -> Path:
        """Write the tidy table, a row a system, topic and measure, and give the path."""
        with whole.file(expanded(path)) as part:
            self.frame.to_parquet(part, index=False)
        return expanded(path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Give the tidy table as CSV, every digit of it, and write it where a path is given."""
        return _given(self.frame.to_csv(index=False, lineterminator="\n"), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Give systems by measures in Markdown, with 95 % intervals and n.

        Bold is what is better than every other system beyond doubt, as everywhere.
        """
        return _given(exports.markdown(self._whole), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Give systems by measures as a LaTeX table for the package booktabs, names escaped."""
        return _given(exports.latex(self._whole), path)

    @property
    def _whole(self) -> Evaluation:
        return cast("Evaluation", self)


def _given(text: str, path: str | Path | None) -> str:
    if path is not None:
        with whole.file(expanded(path)) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    return text
