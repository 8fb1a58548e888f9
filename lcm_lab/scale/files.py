"""The files of shards: conversations kept whole, neighbours together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter

__all__ = ["edges", "named", "table", "write"]

#: Endings of files that are mapped rather than read.
MAPPED = (".arrow", ".feather")


def table(path: str) -> pa.Table:
    """Read the rows of a file: parquet, or Arrow, which is mapped and costs no memory of its own.

    Raises
    ------
    BadInput
        For a file that is neither, or that is damaged: a wrong offset leads out of the memory.
    """
    try:
        found = _read(path)
        found.validate(full=True)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        told = str(error).split("\n", 1)[0]
        raise BadInput(f"{path} is no table of messages: {told:.200}") from None
    return found


def _read(path: str) -> pa.Table:
    if path.endswith(MAPPED):
        return pa.ipc.open_file(pa.memory_map(path)).read_all()
    import pyarrow.parquet as pq

    return pq.read_table(path)


def named(paths: Iterable[Any]) -> list[str]:
    """Give the paths of shards as the workers are to open them.

    Raises
    ------
    BadParameter
        For none, or one that is neither parquet nor Arrow.
    """
    listed = [str(path) for path in paths]
    if not listed:
        raise BadParameter("shard() was given no paths. Give one file a shard.")
    for path in listed:
        if not path.endswith((".parquet", *MAPPED)):
            raise BadParameter(f"A shard is a file .parquet, .arrow or .feather. Got {path!r}.")
    return [path if urlsplit(path).scheme else str(Path(path).absolute()) for path in listed]


def edges(corpus: Corpus, n: int) -> list[int]:
    """Give where to cut a corpus into n stretches of whole conversations, about equally long.

    Fewer where there are fewer conversations.

    Examples
    --------
    >>> edges(Corpus([{"text": "a", "conversation": c} for c in "xxxyz"]), 2)
    [0, 3, 5]
    """
    starts = np.array([talk.start for talk in corpus.conversations.values()] or [0])
    wanted = np.arange(1, n) * len(corpus) / n
    after = np.searchsorted(starts, wanted)
    before = starts[np.maximum(after - 1, 0)]
    after = np.append(starts, len(corpus))[after]
    near = np.where(wanted - before <= after - wanted, before, after)
    return sorted({0, *near.tolist(), len(corpus)}) if len(corpus) else [0, 0]


def write(corpus: Corpus, n: int, folder: Path) -> list[str]:
    """Write a corpus as so many shards."""
    folder.mkdir(parents=True, exist_ok=True)
    cut, paths = edges(corpus, n), []
    for number, (start, stop) in enumerate(itertools.pairwise(cut)):
        path = folder / f"shard-{number:05d}.arrow"
        rows = corpus._table.slice(start, stop - start)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        paths.append(str(path.absolute()))
    return paths
