"""What a table of separated values holds: rows, columns and the first row, with real quoting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lcm_lab.shown import cut, one_line

__all__ = ["delimited", "spans"]

#: Columns that are named, characters of a name, and of the first row.
COLUMNS, NAME, ROW = 30, 60, 180
LINE = re.compile(r"[^\n]++")
#: Up to the quote that ends a field.
QUOTED = re.compile(r'(?:[^"]++|"")*+"')
#: Characters that are read of a record.
KEPT = 1_000_000


def delimited(content: str, delimiter: str, kind: str) -> str:
    r"""Describe separated values. A quoted field may hold delimiters and line breaks.

    Examples
    --------
    >>> print(delimited('a,"b\nc",\n1,"2,3",4\n', ",", "CSV"))
    Structured summary (CSV):
    Rows: 1.
    Columns (3): a, b c, (no name).
    First row sample: 1,"2,3",4.
    """
    found = spans(content, delimiter)
    start, end = next(found, (0, 0))
    if start == end:
        return f"Structured summary ({kind}): no rows found."
    head = content[start : min(end, start + KEPT)].removesuffix("\r")
    start, end = next(found, (0, 0))
    first = content[start : min(end, start + KEPT)]
    rows = (start < end) + sum(1 for _ in found)
    columns = [_shown(name, delimiter) or "(no name)" for name in _fields(head, delimiter)]
    listed = ", ".join(columns[:COLUMNS])
    more = f" and {len(columns) - COLUMNS:,} more" if len(columns) > COLUMNS else ""
    return "\n".join(
        [
            f"Structured summary ({kind}):",
            f"Rows: {rows:,}.",
            f"Columns ({len(columns):,}{' or more' * (len(head) >= KEPT)}): {listed}{more}.",
            f"First row sample: {_row(first)}.",
        ]
    )


def spans(content: str, delimiter: str) -> Iterator[tuple[int, int]]:
    r"""Give where each record begins and ends, those that are not blank, without its line break.

    Examples
    --------
    >>> text = 'a,"b\nc"\n\n5" pipe,1\n'
    >>> [text[start:end] for start, end in spans(text, ",")]
    ['a,"b\nc"', '5" pipe,1']
    """
    whole, closing = _patterns(delimiter)
    begun = -1
    end = 0
    for line in LINE.finditer(content):
        start, end = line.span()
        if begun >= 0:
            if closing.fullmatch(content, start, end):
                yield begun, end
                begun = -1
        elif '"' in line[0] and not whole.fullmatch(content, start, end):
            begun = start
        elif not line[0].isspace():
            yield start, end
    if begun >= 0:
        yield begun, end


@cache
def _patterns(delimiter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Match a line without an open quote at its end: from the margin, and from inside quotes.

    A quote opens a field only where it begins it; what follows its closing one belongs to it.
    """
    rest = f"[^{re.escape(delimiter)}]*+"
    quoted = rf'(?:[^"]++|"")*+"{rest}'
    field = rf'(?:"{quoted}|(?!"){rest})'
    more = f"(?:{re.escape(delimiter)}{field})*+"
    return re.compile(field + more), re.compile(quoted + more)


def _fields(record: str, delimiter: str) -> list[str]:
    found, at, end = [], 0, len(record)
    bare = re.compile(f"[^{re.escape(delimiter)}]*+")
    while at <= end:
        field = ""
        if record.startswith('"', at):
            closed = QUOTED.match(record, at + 1)
            stop = closed.end() if closed else end + 1
            field, at = record[at + 1 : stop - 1].replace('""', '"'), min(stop, end)
        rest = bare.match(record, at)
        stop = rest.end() if rest else end
        found.append(field + record[at:stop])
        at = stop + 1
    return found


def _shown(field: str, delimiter: str) -> str:
    """Write a field of one line, quoted where it would read as two."""
    text = cut(one_line(field), NAME)
    return f'"{text}"' if delimiter in text else text


def _row(record: str) -> str:
    line = one_line(record)
    return (line if len(line) <= ROW else f"{cut(line, ROW)}...") or "(no data rows)"
