"""Pieces of a file: lines of it, within a limit, from the copy on disk or the row that holds it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from lcm_lab.errors import BadInput, unknown
from lcm_lab.ids import digest
from lcm_lab.store.confined import content_of
from lcm_lab.store.excerpt import GIVEN, excerpt, lines_in

__all__ = ["MEANINGS", "Extract", "extracted", "faults", "listed", "read"]

#: Bytes that a row may claim of its content; SQLite holds no more in one value.
LARGEST = 1_000_000_000

GONE = "the copy on disk is gone"
CHANGED = "the copy on disk is not what was stored"
OUTSIDE = "the path leads out of the folder of files"


@dataclass(frozen=True, slots=True)
class Extract:
    """A piece of a file.

    Attributes
    ----------
    id : str
    text : str
    first, last : int
        The lines that it holds, from 1; where ``truncated`` the last one may be there in part.
    lines : int
        How many lines the file has.
    truncated : bool
        Whether the limit cut what was asked for.
    origin : {"disk", "row"}
        Where the content came from.
    fault : str
        Why it did not come from the disk; "" where it did, or where the store is in memory.
    """

    id: str
    text: str
    first: int
    last: int
    lines: int
    truncated: bool
    origin: Literal["disk", "row"] = "row"
    fault: str = ""


def listed(connection: sqlite3.Connection) -> pd.DataFrame:
    """List the files of a store.

    Returns
    -------
    DataFrame
        id, conversation, name, mime, bytes, lines, path (under the folder of files) and explored,
        by conversation as they came.
    """
    ask = """
        select f.id, c.name as conversation, f.name, f.mime, f.bytes, f.lines, f.path, f.explored
        from files f join conversations c on c.number = f.conversation
        order by f.conversation, f.rowid
    """
    cursor = connection.execute(ask)
    return pd.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description])


def read(
    connection: sqlite3.Connection,
    folder: Path | None,
    name: str,
    lines: tuple[int, int | None] | None = None,
    limit: int = GIVEN,
) -> Extract:
    """Read lines of a file of a store.

    The copy on disk is used while it is what was stored; else the row is, and ``fault`` says why.

    Parameters
    ----------
    connection : sqlite3.Connection
    folder : Path, optional
        Where the copies lie; None for a store in memory.
    name : str
        The file's id.
    lines, limit
        As in `excerpt`.

    Raises
    ------
    NotFound
        For an id that there is not.
    BadInput
        When the row's content is not what was stored either.
    BadParameter
        For lines or a limit that cannot be.
    """
    ask = "select path, bytes, digest, content from files where id = ? order by conversation"
    row = connection.execute(ask, (name,)).fetchone()
    if row is None:
        near = connection.execute("select id from files order by id limit 20")
        raise unknown("file", name, [found for (found,) in near])
    path, size, wanted, content = row
    kept, fault = _copy(folder, path, size, wanted)
    if kept is None:
        kept = _stored(name, content, size, wanted)
    made = extracted(name, kept.decode(), lines, limit, fault)
    return replace(made, origin="row") if folder is None else made


def extracted(
    name: str, text: str, lines: tuple[int, int | None] | None, limit: int, fault: str
) -> Extract:
    """Give a piece of a content; ``fault`` is why it did not come from the disk."""
    piece, first, truncated = excerpt(text, lines, limit)
    held, total = lines_in(piece), lines_in(text)
    origin: Literal["disk", "row"] = "row" if fault else "disk"
    return Extract(name, piece, first, first + held - 1, total, truncated, origin, fault)


def faults(connection: sqlite3.Connection, folder: Path | None) -> Iterator[tuple[str, str]]:
    """Yield (rule, id) for files whose copy or row is not what was stored, or lies elsewhere."""
    ask = "select id, path, bytes, digest, content from files order by id"
    for name, path, size, wanted, content in connection.execute(ask):
        if folder is not None:
            fault = _copy(folder, path, size, wanted)[1]
            if fault:
                yield RULES[fault], name
        try:
            _stored(name, content, size, wanted)
        except BadInput:
            yield ROW, name


RULES = {
    GONE: "a file has its copy on disk",
    CHANGED: "the copy of a file is what was stored",
    OUTSIDE: "a file lies in the folder of files",
}
ROW = "the row of a file holds what was stored"

#: What a breach of each rule of `faults` means.
MEANINGS = {
    RULES[GONE]: "It is read from the row instead; other programs do not find it.",
    RULES[CHANGED]: "Someone wrote to it; what is read comes from the row.",
    RULES[OUTSIDE]: "Its path, or a link on the way, leads elsewhere, and is not followed.",
    ROW: "The row was changed: without its copy on disk the content is lost.",
}


def _copy(folder: Path | None, path: str, size: int, wanted: str) -> tuple[bytes | None, str]:
    """Give the copy on disk, or why it is not to be used."""
    if folder is None:
        return None, ""
    try:
        found = content_of(folder, path, size)
    except BadInput:
        return None, OUTSIDE
    except OSError:
        return None, GONE
    if found is None:
        return None, GONE
    return (found, "") if digest(found) == wanted else (None, CHANGED)


def _stored(name: str, content: bytes, size: int, wanted: str) -> bytes:
    """Give the content of a row, of no more bytes than it claims."""
    try:
        found = zlib.decompressobj().decompress(content, min(max(size, 0), LARGEST) + 1)
    except zlib.error:
        found = b""
    if len(found) != size or digest(found) != wanted:
        raise BadInput(
            f"The content of {name!r} is not what was stored: the store was changed from outside. "
            "Run lcm-lab check on it, and import its source again."
        )
    return found
