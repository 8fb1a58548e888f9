"""Tables of messages: CSV, TSV and parquet with a column of text and one of role, speaker or time.

Columns are known by the names that `plain.NAMES` lists, however they are spelled ("Session ID" is
``session_id``); the rest is passed over. A table is read where it is named, by its path or by a
glob. In a folder of transcripts it is passed over, since few tables there are histories.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from lcm_lab.collection.unpack import LARGEST
from lcm_lab.errors import BadInput
from lcm_lab.transcripts import plain
from lcm_lab.transcripts.draft import Draft, Format
from lcm_lab.transcripts.lines import Bad, Record, decode

__all__ = ["FORMAT", "Row", "delimited", "parquet"]

DELIMITERS = (",", "\t", ";", "|")
#: How a line of JSON begins.
JSON = ("{", "[")
#: How much of a file tells whether it is a table.
HEAD = 1 << 16
#: Rows of parquet that are unpacked together.
TOGETHER = 64
NO_COLUMNS = "a table, but not of messages. It needs a column of text (content, text, message) and "


class Row(dict[str, Any]):
    """A row of a table, with the fields of `plain.NAMES`."""


def delimited(data: bytes) -> list[Record | Bad] | None:
    """Read CSV or TSV: the lines of its messages; None for what is no such table.

    Quoted fields may hold delimiters, quotes and line breaks. A row that is broken costs itself and
    nothing beside it.

    Raises
    ------
    BadInput
        A table without the columns that a history has; names those there are.
    """
    head = decode(data[:HEAD])
    by = max(DELIMITERS, key=lambda one: _fitness(head, one))
    if _fitness(head, by) < 2 or head.lstrip()[:1] in JSON:
        return None
    rows = _rows(list(io.StringIO(decode(data), newline="")), by)
    header = next(rows, None)
    if header is None or isinstance(header, Bad):
        return None
    if not _is_history(_known(header[1])) and any(one[:1] in JSON for one in head.splitlines()[:9]):
        return None  # broken JSON lines, whose first may look like a heading
    names = _fields(header[1])
    found = [one if isinstance(one, Bad) else _record(*one, names) for one in rows]
    if not found:
        raise BadInput("a table without rows")
    return found


def parquet(data: bytes) -> list[Record | Bad] | None:
    """Read parquet: a record a row; None for other files.

    A column that holds lists of messages is read as such.

    Raises
    ------
    BadInput
        A file that cannot be read, or one without the columns that a history has.
    """
    if not data.startswith(b"PAR1"):
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(data)) as file:
            table = pa.Table.from_batches(_bounded(file), file.schema_arrow)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"parquet that cannot be read: {str(error).splitlines()[0]:.120}") from None
    lists = any(pa.types.is_list(one.type) for one in table.schema)
    if lists and "content" not in _known(table.column_names):
        return [Record(line, row) for line, row in enumerate(table.to_pylist(), 1)]
    names = _fields(table.column_names)
    kept = table.select([place for place, name in enumerate(names) if name])
    kept = kept.rename_columns([name for name in names if name])
    return [Record(line, Row(row)) for line, row in enumerate(kept.to_pylist(), 1)]


def _bounded(file: Any) -> Iterator[Any]:
    """Read the rows, few at a time: a dictionary may say one long text a million times."""
    size = 0
    for batch in file.iter_batches(batch_size=TOGETHER):
        size += batch.nbytes
        if size > LARGEST:
            raise BadInput(f"parquet of more than {LARGEST:,} bytes when it is unpacked. Split it")
        yield batch


def _parse(found: Iterator[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for line, row in found:
        plain.add(out, row, line, session)
    return out


def _fitness(head: str, by: str) -> int:
    """Rate a delimiter: how many columns the header has, those that we know ten times; 0 for none.

    A header is short names, and the row below it has as many fields.
    """
    try:
        top = list(islice(csv.reader(io.StringIO(head, newline=""), delimiter=by), 2))
    except csv.Error:  # a quoted field that is longer than the head
        return 0
    columns = top[0] if top else []
    if not all(name.strip() and len(name) <= 40 and name[-1] not in ".!?" for name in columns):
        return 0
    known = sum(1 for name in _known(columns) if name)
    even = len(top) < 2 or len(top[1]) == len(columns)
    return len(columns) + 9 * known if even or known > 1 else 0


def _known(columns: Sequence[str]) -> list[str]:
    """Give the field that each column is, "" for none; of two for one field the usual name wins."""
    places = {_plain(name): place for place, name in reversed(list(enumerate(columns)))}
    found = [""] * len(columns)
    for name, names in plain.NAMES.items():
        place = next((places[key] for one in names if (key := _plain(one)) in places), None)
        if place is not None:
            found[place] = name
    return found


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _fields(columns: Sequence[str]) -> list[str]:
    """Give the field of each column, or refuse a table that has no text or nothing beside it."""
    found = _known(columns)
    if not _is_history(found):
        lacks = "one of role, speaker, time or session" if "content" in found else "has none"
        listed = ", ".join(str(name) for name in columns[:12])
        raise BadInput(f"{NO_COLUMNS}{lacks}. Its columns are {listed:.200}")
    return found


def _is_history(fields: Sequence[str]) -> bool:
    return "content" in fields and not {"role", "speaker", "time", "session"}.isdisjoint(fields)


def _rows(lines: list[str], by: str) -> Iterator[tuple[int, list[str]] | Bad]:
    """Read rows with the line where each begins; after a broken one go on with the next line."""
    longest = csv.field_size_limit(max(map(len, lines), default=0) + sum(map(len, lines)))
    at = 0
    try:
        while at < len(lines):
            reader = csv.reader(islice(lines, at, None), delimiter=by, strict=True)
            start = at
            try:
                for row in reader:
                    if row:
                        yield start + 1, row
                    start = at + reader.line_num
                return
            except csv.Error as error:
                yield Bad(start + 1, f"not a row: {error}", lines[start].strip())
                at = start + 1
    finally:
        csv.field_size_limit(longest)


def _record(line: int, row: list[str], names: list[str]) -> Record | Bad:
    if len(row) > len(names):
        return Bad(line, f"{len(row)} fields for {len(names)} columns", ",".join(row))
    return Record(line, Row({name: cell for name, cell in zip(names, row, strict=False) if name}))


FORMAT = Format("table of messages", lambda item: isinstance(item, Row), _parse)
