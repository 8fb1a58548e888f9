"""Benchmark files: recognised by what they hold, several of a kind read as one collection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from lcm_lab.collection import Collection
from lcm_lab.collection.unpack import unpack
from lcm_lab.errors import BadInput
from lcm_lab.transcripts import beam, locomo, longmemeval

__all__ = ["benchmark"]

#: Each reader with what tells its records.
READERS = (
    ("LoCoMo", locomo, locomo.is_locomo),
    ("BEAM", beam, beam.is_beam),
    ("LongMemEval", longmemeval, longmemeval.is_longmemeval),
)


def benchmark(paths: Sequence[Path], name: str) -> Collection | None:
    """Give the collection that benchmark files hold together.

    Parameters
    ----------
    paths : sequence of Path
        JSON, or JSON Lines where a line is a record; compressed or not.
    name : str
        Of the collection.

    Returns
    -------
    Collection or None
        None where the first file is of no benchmark.

    Raises
    ------
    BadInput
        A later file that is not of the benchmark of the first.
    """
    records = _records(paths[0]) if paths else None
    kind = _kind(records)
    if kind is None:
        return None
    what, reader = kind
    for path in paths[1:]:
        more = _records(path)
        if _kind(more) != kind:
            raise BadInput(f"{path.name} is not {what}, as {paths[0].name} is. Load it by itself.")
        records = [*cast("list[Any]", records), *cast("list[Any]", more)]
    return cast(Collection, reader.collection(records, name))


def _kind(records: list[Any] | None) -> tuple[str, ModuleType] | None:
    if records is None:
        return None
    return next(((what, reader) for what, reader, is_one in READERS if is_one(records)), None)


def _records(path: Path) -> list[Any] | None:
    """Give the file's records, or None where it holds no JSON or its first line is no record."""
    try:
        data, _ = unpack(path)
    except BadInput:  # `read` says what is wrong with it, and reads the others
        return None
    whole = _parsed(data)
    if whole is not None:
        return whole if isinstance(whole, list) else [whole]
    lines = [line for line in data.split(b"\n") if line.strip()]
    first = _parsed(lines[0]) if lines else None
    if first is None or _kind([first]) is None:  # transcripts are long: do not parse them here
        return None
    found = [_parsed(line) for line in lines]
    for number, record in enumerate(found, 1):
        if record is None:
            raise BadInput(f"{path.name}, record {number} is not JSON.")
    return found


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
