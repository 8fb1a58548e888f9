"""What ``lcm-lab check`` prints of a collection: whether it keeps what such collections promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcm_lab.agent import show

if TYPE_CHECKING:
    from lcm_lab.collection import Collection

__all__ = ["checked_collection", "collection_at"]

#: How many of what fails a check are named.
NAMED = 3


def collection_at(path: str) -> Path | None:
    """Give the folder of a collection, by its name if it ships; None for anything else."""
    from lcm_lab.collection.files import is_collection
    from lcm_lab.collection.paths import expanded
    from lcm_lab.transcripts.load import shipped

    place = shipped().get(path) or expanded(path)
    return place if place.is_dir() and is_collection(place) else None


def checked_collection(folder: Path, *, json: bool) -> tuple[str, int]:
    """Check a collection's folder and write what was found.

    Returns
    -------
    str
        A table of the checks, those that fail with their first examples; or JSON.
    int
        How many checks fail.
    """
    from lcm_lab.collection import Collection
    from lcm_lab.synth.checks import check, check_collection
    from lcm_lab.synth.folder import WORLD, read_world

    collection = Collection.open(folder)
    world = read_world(folder) if (folder / WORLD).is_file() else None
    found = check_collection(collection, world)
    failed = {name: lines for name, lines in check(collection, world).items() if lines}
    if json:
        facts = {"collection": repr(collection), "checks": found.to_dict("records")}
        return show.as_json(facts | {"failed": failed}), len(failed)
    return _written(collection, found.to_dict("records"), failed, logged=world is not None), len(
        failed
    )


def _written(
    collection: Collection, rows: list[Any], failed: dict[str, list[str]], *, logged: bool
) -> str:
    note = "" if logged else "No state log beside it: checks that need one are left out."
    table = [
        [row["check"], f"{row['value']:g}", row["wanted"], "" if row["passed"] else "fails"]
        for row in rows
    ]
    told = []
    for name, lines in failed.items():
        more = len(lines) - NAMED
        rest = f"\n  and {more:,} more" if more > 0 else ""
        told.append(f"{name}:\n  " + "\n  ".join(lines[:NAMED]) + rest)
    shown = show.grid(table, ["check", "found", "wanted", ""])
    return "\n\n".join(filter(None, [repr(collection), note, shown, "\n".join(told) or "clean"]))
