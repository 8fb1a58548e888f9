"""JSON records out of a file that may hold anything: what can be read, and what cannot, by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["INCOMPLETE", "Bad", "Record", "decode", "records"]

#: A line that is still written, or was when the writer ended; it may become whole.
INCOMPLETE = "incomplete last line"
CUT_SHORT = "cut short"
MALFORMED = "not JSON"

#: What stands before an item of an array.
NEXT = re.compile(r"[\s,]*(?=\S)")

_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Record:
    """A value and the line where it begins, from 1."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that is no JSON, or only in part."""

    line: int
    reason: str
    text: str


def decode(data: bytes) -> str:
    """Read bytes as text: UTF-8 or, where a mark says so, UTF-16; what is neither is U+FFFD."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def records(text: str, *, ends: bool = True) -> Iterator[Record | Bad]:
    """Read JSON values one after the other.

    A value a line is the rule; several on one line and one over several lines are read too. A line
    that is broken costs itself and nothing beside it. Of an array in the last line that is cut
    short, the objects that are whole are given one by one.

    Parameters
    ----------
    text : str
    ends : bool
        False when the file is known to be cut off; then its last line may be incomplete even if
        there is a line break at its end.

    Yields
    ------
    Record or Bad
        In order. A broken last line without a line break is one that is still being written.
    """
    at, line = 0, 1
    while at < len(text):
        found, bad, stop = _values(text, at)
        last = stop >= len(text) or not (ends or text[stop:].strip())
        yield from (Record(line, value) for value in found)
        if bad is not None:
            reason = INCOMPLETE if last and bad == CUT_SHORT else bad
            yield Bad(line, reason, text[at:stop].strip())
        line += text.count("\n", at, stop) + 1
        at = stop + 1


def _values(text: str, at: int) -> tuple[list[Any], str | None, int]:
    """Read the values that begin on a line; gives them, what is wrong, and where the line ends."""
    found: list[Any] = []
    stop = _line_end(text, at)
    while True:
        while at < stop and text[at].isspace():
            at += 1
        if at >= stop:
            return found, None, stop
        try:
            value, at = _JSON.raw_decode(text, at)
        except (RecursionError, ValueError) as error:
            unfinished = _unfinished(error, stop)
            if unfinished and text[at] == "[" and not text[stop:].strip():
                found += _items(text, at + 1)
            objects = [value for value in found if isinstance(value, dict)]
            return objects, CUT_SHORT if unfinished else MALFORMED, stop
        found.append(value)
        stop = stop if at <= stop else _line_end(text, at)


def _unfinished(error: Exception, stop: int) -> bool:
    """Tell whether a value may only lack its end: it breaks off there, or in a text or escape."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    escape = "escape" in error.msg and error.pos >= stop - len("\\u000")
    return error.pos >= stop - 1 or "Unterminated" in error.msg or escape


def _items(text: str, at: int) -> list[Any]:
    """Read the items of an array that is cut short: an export of many conversations is one line."""
    found: list[Any] = []
    while (start := NEXT.match(text, at)) is not None:
        try:
            value, at = _JSON.raw_decode(text, start.end())
        except (RecursionError, ValueError):
            break
        found.append(value)
    return found


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
