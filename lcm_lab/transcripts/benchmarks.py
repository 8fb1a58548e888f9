"""Benchmark files: recognised by what they hold, several of a kind read as one collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput
from lcm_lab.transcripts import beam, haystacks, locomo, longmemeval
from lcm_lab.transcripts.stream import values

__all__ = ["benchmark"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A benchmark: what tells one of its records, and what makes a collection of all of them."""

    name: str
    is_one: Callable[[Any], bool]
    collection: Callable[[Iterator[Any], str], Collection]


KINDS = (
    _Kind("LoCoMo", locomo.is_locomo, lambda all_, name: locomo.collection(list(all_), name)),
    _Kind("BEAM", beam.is_beam, lambda all_, name: beam.collection(list(all_), name)),
    _Kind(
        "LongMemEval evidence",
        longmemeval.is_longmemeval,
        lambda all_, name: longmemeval.collection(list(all_), name),
    ),
    _Kind("LongMemEval", haystacks.is_haystack, haystacks.collection),
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
        A record that is not of the benchmark of the first, or no JSON; names the file and the
        record. Half a benchmark is none: its figures would pass for those of the whole.
    """
    kind = _kind(paths[0]) if paths else None
    if kind is None:
        return None
    for path in paths[1:]:
        if _kind(path) != kind:
            raise BadInput(
                f"{path.name} is not {kind.name}, as {paths[0].name} is. Load it by itself."
            )
    return kind.collection(_records(paths, kind), name)


def _kind(path: Path) -> _Kind | None:
    """Tell the benchmark of a file by its first record."""
    try:
        with closing(values(path)) as records:
            first = next(records, None)
    except BadInput:  # `read` says what is wrong with it, and reads the others
        return None
    return next((kind for kind in KINDS if first is not None and kind.is_one(first)), None)


def _records(paths: Sequence[Path], kind: _Kind) -> Iterator[Any]:
    for path in paths:
        for number, record in enumerate(values(path), 1):
            if not kind.is_one(record):
                raise BadInput(f"{path.name}, record {number} is not of {kind.name}.")
            yield record
