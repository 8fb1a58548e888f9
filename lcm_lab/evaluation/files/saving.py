"""An evaluation on disk: the tidy table, the runs, and what is needed to make them again."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcm_lab import whole
from lcm_lab.evaluation.statistics.significance import RESAMPLES
from lcm_lab.run import Run

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["RUNS", "file_names", "leave", "manifest", "put", "save", "trec"]

#: The folder of the runs.
RUNS = "runs"

#: What the numbers may depend on.
PACKAGES = ("lcm-lab", "numpy", "scipy", "pandas", "pyarrow", "PyStemmer", "scikit-learn")


def manifest(result: Evaluation) -> dict[str, Any]:
    """Give expressions, fingerprint, measures, seed, versions, failures and notes.

    ``conversations`` names that of each topic which has one, so that two saved evaluations can be
    set against each other without the collection.
    """
    collection, files = result.collection, file_names(result.systems)
    return {
        "collection": {
            "name": collection.name,
            "fingerprint": collection.fingerprint,
            "rows": len(collection.corpus),
            "topics": len(collection.topics),
            "judgements": len(collection.qrels),
            "relevant_from": collection.relevant_from,
        },
        "systems": [
            {"name": name, "expression": expression, "run": f"{RUNS}/{files[name]}"}
            for name, expression in result.systems.items()
        ],
        "measures": [
            {"name": str(m), "meaning": m.meaning, "unit": m.unit} for m in result.measures
        ],
        "bootstrap": {
            "unit": "topic" if result.n_judged[1] == 1 else "conversation",
            "resamples": RESAMPLES,
            "seed": result.seed,
        },
        "versions": {"python": platform.python_version(), **_versions()},
        # The unit of every topic, without which `diff` could not keep conversations whole.
        "conversations": dict(
            zip(result.bench.topics.qids, result.conversation.tolist(), strict=True)
        ),
        "failures": result.failures.to_dict("records"),
        "notes": list(result.notes),
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a checkout that was not installed
            found[name] = "not installed"
    return found


def save(result: Evaluation, folder: Path) -> Path:
    """Write the files, all or none."""
    with whole.folder(folder) as work:
        put(result, work)
    leave(folder / RUNS, result.runs)
    return folder


def put(result: Evaluation, folder: Path) -> None:
    """Write the files into a folder that is empty."""
    (folder / RUNS).mkdir()
    _write(result.runs, folder / RUNS)
    result.frame.to_parquet(folder / "data.parquet", index=False)
    text = json.dumps(manifest(result), indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def trec(runs: Mapping[str, Run], folder: Path) -> Path:
    """Write a TREC run a system, named after it, all or none; runs of others are removed."""
    with whole.folder(folder) as work:
        _write(runs, work)
    leave(folder, runs)
    return folder


def leave(folder: Path, systems: Iterable[str]) -> None:
    """Remove the runs of other systems from a folder."""
    names = set(file_names(systems).values())
    for path in folder.glob("*.trec"):
        if path.name not in names:
            path.unlink(missing_ok=True)


def _write(runs: Mapping[str, Run], folder: Path) -> None:
    files = file_names(runs)
    for name, run in runs.items():
        run.to_trec(folder / files[name], tag=Path(files[name]).stem)


def file_names(systems: Iterable[str]) -> dict[str, str]:
    """Give each system a file name that any file system takes, no two alike in any case.

    Examples
    --------
    >>> file_names(["BM25() % 10", "bm25-10"])
    {'BM25() % 10': 'bm25-10.trec', 'bm25-10': 'bm25-10-2.trec'}
    """
    names: dict[str, str] = {}
    for system in systems:
        plain = re.sub(r"[^a-z0-9]+", "-", system.lower()).strip("-")[:60] or "system"
        stem, count = plain, 2
        while f"{stem}.trec" in names.values():
            stem, count = f"{plain}-{count}", count + 1
        names[system] = f"{stem}.trec"
    return names
