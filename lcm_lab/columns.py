"""Rows as they come, of any shape, made into the typed columns of a corpus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.errors import BadInput
from lcm_lab.instants import dated
from lcm_lab.text import clean
from lcm_lab.times import instant

__all__ = ["NO_TIME", "SCHEMA", "as_table", "in_order"]

#: What an unknown time is in arrays of microseconds.
NO_TIME = int(np.iinfo(np.int64).min)

SCHEMA: dict[str, tuple[pa.DataType, Any]] = {
    "docno": (pa.large_string(), None),
    "text": (pa.large_string(), ""),
    "conversation": (pa.string(), "c1"),
    "session": (pa.string(), ""),
    "seq": (pa.int64(), None),
    "role": (pa.string(), ""),
    "speaker": (pa.string(), ""),
    "scope": (pa.string(), "messages"),
    "kind": (pa.string(), "text"),
    "time": (pa.timestamp("us", "UTC"), None),
    "tokens": (pa.int32(), None),
}


def as_table(rows: Any) -> pa.Table:
    """Read rows given as texts, dicts, a DataFrame or an Arrow table into typed columns, unordered.

    ``docno``, ``seq`` and ``tokens`` may still hold nulls; every other column is filled.

    Raises
    ------
    BadInput
        For rows without a text column, or a value that its column cannot hold.
    """
    given = _given(rows)
    if "text" not in given and any(len(column) for column in given.values()):
        there = ", ".join(given)
        raise BadInput(f"Rows need a 'text'. These have {there}. Rename the column that holds it.")
    size = max((len(column) for column in given.values()), default=0)
    columns = {name: _column(name, given.get(name), size) for name in SCHEMA}
    columns |= {name: _extra(name, column) for name, column in given.items() if name not in SCHEMA}
    return pa.table(columns)


def in_order(table: pa.Table) -> pa.Table:
    """Put rows in (conversation, seq) order, conversations by first appearance, and number them."""
    size = table.num_rows
    codes = table["conversation"].combine_chunks().dictionary_encode()
    conversation = codes.indices.to_numpy(zero_copy_only=False) if size else np.empty(0, np.int32)
    came = np.arange(size)
    seq = pc.fill_null(table["seq"], pa.scalar(-1)).to_numpy()
    seq = np.where(seq < 0, came, seq)
    order = np.lexsort((came, seq, conversation))
    if not np.array_equal(order, came):
        table, seq = table.take(pa.array(order)), seq[order]
    table = table.set_column(table.column_names.index("seq"), "seq", pa.array(seq, pa.int64()))
    return _number(table)


def _number(table: pa.Table) -> pa.Table:
    docno = table["docno"]
    if docno.null_count:
        made = pa.array([f"m{i}" for i in range(1, table.num_rows + 1)], pa.large_string())
        docno = pc.coalesce(docno, made)
    counts = pc.value_counts(docno) if table.num_rows else []
    if len(counts) != table.num_rows:
        twice = next(c["values"].as_py() for c in counts if c["counts"].as_py() > 1)
        raise BadInput(f"Two rows have the docno {twice!r}. Give each row a docno of its own.")
    return table.set_column(table.column_names.index("docno"), "docno", docno)


def _given(rows: Any) -> dict[str, Any]:
    if isinstance(rows, pa.Table):
        return {name: rows[at] for at, name in enumerate(_distinct(rows.column_names))}
    if isinstance(rows, pd.DataFrame):
        return {name: rows.iloc[:, at] for at, name in enumerate(_distinct(rows.columns))}
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise BadInput(f"A corpus is made of rows (texts, dicts, a DataFrame). Got {rows!r:.80}.")
    listed = [row if isinstance(row, Mapping) else {"text": row} for row in rows]
    names = list(dict.fromkeys(name for row in listed for name in row))
    called = zip(_distinct(names), names, strict=True)
    return {text: [row.get(name) for row in listed] for text, name in called}


def _distinct(names: Iterable[Any]) -> list[str]:
    texts = [clean(str(name)) for name in names]
    twice = next((name for name in texts if texts.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"Two columns are called {twice!r}. Keep one of them.")
    return texts


def _column(name: str, given: Any, size: int) -> pa.ChunkedArray | pa.Array:
    kind, default = SCHEMA[name]
    if given is None:
        given = [default] * size
    if name == "time":
        return _times(given)
    if pa.types.is_integer(kind):
        numbers = _whole(name, given, kind)
        if pc.any(pc.less(numbers, 0)).as_py():
            raise BadInput(f"Column {name!r} holds whole numbers, 0 or more. Got a negative one.")
        return numbers
    column = _strings(name, given, kind)
    return column if default is None else pc.fill_null(column, default)


def _extra(name: str, given: Any) -> pa.ChunkedArray | pa.Array:
    if isinstance(given, pa.ChunkedArray | pa.Array) and not pa.types.is_string(given.type):
        return given
    try:
        return pc.fill_null(_strings(name, given, pa.string()), "")
    except BadInput:
        return _typed(name, given)


def _typed(name: str, given: Any) -> pa.Array:
    try:
        return pa.array(given)
    except pa.ArrowException as error:
        raise BadInput(f"Column {name!r} holds values of different types. {error}.") from error
    except (OverflowError, UnicodeError) as error:
        raise BadInput(f"Column {name!r} holds what no column can: {error}.") from error


def _cast(name: str, given: pa.ChunkedArray | pa.Array, kind: pa.DataType) -> Any:
    try:
        return given.cast(kind)
    except pa.ArrowException as error:
        raise BadInput(f"Column {name!r} must be {kind}. {error}.") from error


def _whole(name: str, given: Any, kind: pa.DataType) -> pa.ChunkedArray | pa.Array:
    if isinstance(given, pa.ChunkedArray | pa.Array):
        return _cast(name, given, kind)
    try:
        return pa.array([None if pd.isna(item) else _integer(item) for item in given], kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"Column {name!r} holds whole numbers. {error}.") from error


def _integer(item: Any) -> int:
    number = int(item)
    if isinstance(item, float) and number != item:
        raise ValueError(f"{item!r} is none")
    return number


def _strings(name: str, given: Any, kind: pa.DataType) -> pa.ChunkedArray | pa.Array:
    if isinstance(given, pa.ChunkedArray | pa.Array):
        return _cast(name, given, kind)
    items = [None if _absent(item) else item for item in given]
    wrong = next((item for item in items if not isinstance(item, str | None)), None)
    if wrong is not None and not (name == "docno" and all(isinstance(i, int) for i in items)):
        raise BadInput(f"Column {name!r} holds text. Got {wrong!r:.80} ({type(wrong).__name__}).")
    return pa.array([None if item is None else clean(str(item)) for item in items], kind)


def _absent(item: Any) -> bool:
    return item is None or item is pd.NA or (isinstance(item, float) and math.isnan(item))


def _times(given: Any) -> pa.ChunkedArray | pa.Array:
    kind = SCHEMA["time"][0]
    if isinstance(given, pa.ChunkedArray | pa.Array) and pa.types.is_timestamp(given.type):
        # Naive is UTC; nanoseconds are cut.
        zone = given.type.tz
        found = given.cast(pa.timestamp("us", zone), safe=False).cast(kind)
        for end in pc.min_max(found.cast(pa.int64())).values():
            if end.is_valid:
                dated(end.as_py())
        return found
    items = given.to_pylist() if isinstance(given, pa.ChunkedArray | pa.Array) else given
    return pa.array([instant(item) for item in items], pa.int64()).cast(kind)
