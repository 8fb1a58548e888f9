"""The large files of a lossless-claw database: their rows, and content from a declared folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import pandas as pd

from lcm_lab.errors import BadInput, NotFound, unknown
from lcm_lab.store.confined import content_of, inside
from lcm_lab.store.extract import GONE, LARGEST, OUTSIDE, RULES, Extract, extracted
from lcm_lab.store.files import REFERENCE
from lcm_lab.store.lcm.reading import Tables, time_of
from lcm_lab.text import clean

__all__ = ["MEANINGS", "faults", "listed", "read"]

COLUMNS = (
    *("file_id", "conversation_id", "file_name", "mime_type", "byte_size", "line_count"),
    *("storage_uri", "exploration_summary", "created_at"),
)


LOST = "the content of a file can be read"

#: What a breach of each rule of `faults` means.
MEANINGS = {
    RULES[GONE]: "Its copy is not in the folder of files; a message may hold its content.",
    RULES[OUTSIDE]: "Its path, or a link on the way, leads elsewhere, and is not followed.",
    LOST: "Neither a copy nor a message holds it: only what was told of it is left.",
}


def listed(tables: Tables) -> pd.DataFrame:
    """List the large files; see `LcmDatabase.files`."""
    found = [
        {
            "id": row["file_id"],
            "conversation": str(row["conversation_id"]),
            "name": clean(row["file_name"] or ""),
            "mime": clean(row["mime_type"] or ""),
            "bytes": row["byte_size"],
            "lines": row["line_count"],
            "path": clean(row["storage_uri"] or ""),
            "explored": clean(row["exploration_summary"] or ""),
            "created": time_of(row["created_at"]),
        }
        for row in tables.rows("large_files", COLUMNS, "order by created_at, file_id")
    ]
    names = ["id", "conversation", "name", "mime", "bytes", "lines", "path", "explored", "created"]
    frame = pd.DataFrame(found, columns=names)
    sizes = {name: frame[name].astype("Int64") for name in ("bytes", "lines")}
    return frame.assign(created=pd.to_datetime(frame["created"], unit="us", utc=True), **sizes)


def read(
    tables: Tables,
    folder: Path,
    name: str,
    lines: tuple[int, int | None] | None,
    limit: int,
) -> Extract:
    """Read lines of a large file; see `LcmDatabase.read`."""
    row = next(tables.rows("large_files", COLUMNS, "where file_id = ?", name), None)
    if row is None:
        there = [one["file_id"] for one in tables.rows("large_files", COLUMNS, "limit 20")]
        raise unknown("file", name, there)
    content, fault = _copy(folder, row)
    if content is None:
        content = _recovered(tables, name)
    if content is None:
        raise NotFound(
            f"The content of {name!r} is gone: {fault} ({folder}), and no message holds it. "
            "Say where the large files lie: open_lcm(path, files=...)."
        )
    return extracted(name, content, lines, limit, fault)


def faults(tables: Tables, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (rule, id) for large files whose copy is not there, or not as long as recorded."""
    for row in tables.rows("large_files", COLUMNS, "order by file_id"):
        fault = _copy(folder, row)[1]
        if fault:
            yield RULES[fault], row["file_id"]
            if fault != OUTSIDE and _recovered(tables, row["file_id"]) is None:
                yield LOST, row["file_id"]


def _copy(folder: Path, row: Any) -> tuple[str | None, str]:
    """Give the content on disk, or why there is none.

    A path of the machine that wrote it is sought by its last two names under the folder.
    """
    written = str(row["storage_uri"] or "")
    if written.startswith("file:"):
        written = unquote("/" + written.removeprefix("file:").lstrip("/"))
    written = written.replace("\\", "/")
    try:
        found = content_of(folder, _place(folder, written), LARGEST)
    except BadInput:
        return None, OUTSIDE
    except OSError:
        return None, GONE
    return (None, GONE) if found is None else (found.decode(errors="replace"), "")


def _place(folder: Path, written: str) -> str:
    path = PurePosixPath(written)
    if not path.is_absolute() or ".." in path.parts:
        return written
    try:
        inside(folder, written)
    except BadInput:
        return "/".join(path.parts[-2:])
    return written


def _recovered(tables: Tables, name: str) -> str | None:
    """Give the text of the message that names the file as its content, where it is all there."""
    if not tables.schema.has("messages", "large_content"):
        return None
    ask = "select content from messages where large_content = ? order by message_id"
    for (content,) in tables.connection.execute(ask, (name,)):
        if content and not REFERENCE.match(content):
            return str(content)
    return None
