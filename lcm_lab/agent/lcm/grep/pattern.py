"""Where in a text a pattern matches, on the linear-time engine, in places of the text as stored."""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Iterator
from functools import cached_property

import pyarrow as pa
import re2

from lcm_lab.ranking.exact.regex import MARK, Pattern, marked

__all__ = ["Places"]


class Places:
    r"""A pattern, and where it matches.

    Text is compared in composed form, as `Regex` does; places are those of the text as it is.

    Parameters
    ----------
    pattern : str

    Raises
    ------
    EmptyQuery, BadParameter
        As `Regex` does.

    Examples
    --------
    >>> list(Places(r"\bna\w+").spans("na\u00efve names"))
    [(0, 5), (6, 11)]
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = Pattern.of(pattern)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of each match, first to last."""
        composed = unicodedata.normalize("NFC", text)
        if composed == text:
            yield from self._found(text)
            return
        for start, stop in self._found(composed):
            yield _before(composed, text, start), _before(composed, text, stop)

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        if text.isascii() or not self.pattern.edges:
            yield from (match.span() for match in self._plain.finditer(text))
            return
        with_marks = marked(pa.array([text], pa.large_string()))[0].as_py()
        for match in self._over_marks.finditer(with_marks):
            start = match.start() - with_marks.count(MARK, 0, match.start())
            yield start, start + len(match[0].replace(MARK, ""))

    @cached_property
    def _plain(self) -> re2._Regexp:
        return re2.compile(self.pattern.plain)

    @cached_property
    def _over_marks(self) -> re2._Regexp:
        return re2.compile(self.pattern.over_marks)


def _before(composed: str, text: str, at: int) -> int:
    """Find the place of a text that becomes a place of its composed form.

    No composition goes over the end of a line, so that only one line is tried out.
    """
    line = composed.count("\n", 0, at)
    start = 0
    for _ in range(line):
        start = text.index("\n", start) + 1
    wanted = at - (composed.rfind("\n", 0, at) + 1)
    end = text.find("\n", start)
    rest = text[start : len(text) if end < 0 else end]

    def long(size: int) -> int:
        return len(unicodedata.normalize("NFC", rest[:size]))

    # Marks that follow a letter belong to it.
    return start + bisect.bisect_right(range(len(rest) + 1), wanted, key=long) - 1
