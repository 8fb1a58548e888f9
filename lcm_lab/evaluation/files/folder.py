"""The folder of a saved evaluation, read: its manifest and its tidy table, or why they are none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lcm_lab.errors import BadInput, LcmError, NotFound
from lcm_lab.measures import Measure, parse

__all__ = ["Head", "head", "manifest", "table"]

#: What every manifest of an evaluation tells.
FACTS = ("collection", "systems", "measures")
COLUMNS = ["system", "qid", "measure", "value"]


class Head(NamedTuple):
    """What a manifest says that its values are of.

    ``systems`` are expressions by name.
    """

    collection: str
    fingerprint: str
    systems: dict[str, str]
    measures: tuple[Measure, ...]


def manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest.

    Raises
    ------
    NotFound
        Where there is none.
    BadInput
        Where it cannot be read, or is of something else.
    """
    try:
        found = json.loads(_there(folder, "manifest.json").read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise _unread(folder, f"manifest.json is not JSON: {error!s:.200}") from error
    if not isinstance(found, dict):
        raise _unread(folder, f"manifest.json is no manifest. Got {found!r:.60}")
    return found


def table(folder: Path) -> pd.DataFrame:
    """Read the tidy table; errors as of `manifest`."""
    path = _there(folder, "data.parquet")
    try:
        found = pd.read_parquet(path)
    except (ValueError, OSError) as error:  # pyarrow's errors are one or the other
        raise _unread(folder, f"data.parquet is damaged: {error!s:.200}") from error
    if list(found.columns) != COLUMNS:
        told = f"data.parquet has {', '.join(found.columns)}, not {', '.join(COLUMNS)}"
        raise _unread(folder, told)
    return found


def head(name: str, facts: Mapping[str, Any]) -> Head:
    """Give what a manifest says that its values are of; ``name`` is for the error.

    Raises
    ------
    BadInput
        Where the manifest is of another report, or contradicts itself.
    """
    lacks = [key for key in FACTS if key not in facts]
    if lacks:
        raise BadInput(
            f"{name!r} is no evaluation of search policies: its manifest lacks "
            f"{', '.join(lacks)}. Reports of compaction, speed and validation hold none."
        )
    try:
        about = facts["collection"]
        return Head(
            str(about["name"]),
            str(about["fingerprint"]),
            {str(one["name"]): str(one["expression"]) for one in facts["systems"]},
            tuple(parse(str(one["name"])) for one in facts["measures"]),
        )
    except (KeyError, TypeError, ValueError, LcmError) as error:
        raise _unread(name, f"{type(error).__name__} {error}".rstrip(".")) from error


def _there(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise NotFound(
            f"{str(folder)!r} holds no {name}. Give a folder that report or Evaluation.save wrote."
        )
    return path


def _unread(folder: Path | str, why: str) -> BadInput:
    return BadInput(f"{str(folder)!r} cannot be read as an evaluation: {why}.")
