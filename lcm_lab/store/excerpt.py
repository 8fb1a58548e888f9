"""Lines cut out of a text, byte-exact, within a limit."""

from __future__ import annotations

import re
from typing import Literal

from lcm_lab.errors import BadParameter

__all__ = ["GIVEN", "excerpt", "lines_in"]

#: Bytes that are given unless asked otherwise, and the least and most that can be asked for.
GIVEN, LEAST, MOST = 32_768, 1_024, 512_000


def excerpt(
    text: str,
    lines: tuple[int, int | None] | None = None,
    limit: int = GIVEN,
    compat: Literal["reference"] | None = None,
) -> tuple[str, int, bool]:
    r"""Cut lines out of a text, byte-exact, within a limit.

    Parameters
    ----------
    text : str
    lines : (int, int or None), optional
        The first and the last line, from 1; to the end where the last is None.
    limit : int
        Bytes of UTF-8, at most; no character is cut.
    compat : "reference", optional
        Serve lines only from the first ``limit`` bytes, joined anew, as the reference does.

    Returns
    -------
    (str, int, bool)
        The piece, its first line, and whether the limit cut it (for the reference also: whether the
        text ended before the last line asked for).

    Raises
    ------
    BadParameter
        For lines that are none, or a limit that is out of bounds.

    Examples
    --------
    >>> excerpt("a\nb\nc\n", (2, 3))
    ('b\nc\n', 2, False)
    """
    first, last = _range(lines)
    if compat == "reference":
        return _reference(text, lines, min(max(limit, LEAST), MOST))
    if not 1 <= limit <= MOST:
        raise BadParameter(f"limit is 1 to {MOST:,} bytes. Got {limit!r}; ask for fewer lines.")
    start = _start_of(text, first)
    stop = len(text) if last is None else _start_of(text, last + 1)
    piece = _head(text[start : min(stop, start + limit)], limit)
    return piece, first, len(piece) < stop - start


def lines_in(text: str) -> int:
    """Count lines; a last one without a line break counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _range(lines: tuple[int, int | None] | None) -> tuple[int, int | None]:
    if lines is None:
        return 1, None
    first, last = lines
    if first < 1 or (last is not None and last < first):
        raise BadParameter(f"lines are (first, last), from 1. Got {lines!r}.")
    return first, last


def _start_of(text: str, line: int) -> int:
    """Give where a line begins; the end of the text where it has fewer."""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def _head(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")


def _reference(
    text: str, lines: tuple[int, int | None] | None, limit: int
) -> tuple[str, int, bool]:
    head = _head(text, limit)
    cut = len(head) < len(text)
    if lines is None:
        return head, 1, cut
    there = re.split(r"\r?\n", head)
    first, last = lines
    short = last is not None and last > len(there)
    return "\n".join(there[first - 1 : last]), first, cut or short
