"""JSON values out of a file one at a time, however long the file: an array's items, or lines.

Only the value that is being read is held, so a benchmark of gigabytes needs no more memory than its
largest question.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Generator
from pathlib import Path
from typing import IO, Any

from lcm_lab.collection.unpack import CORRUPT, opened
from lcm_lab.errors import BadInput

__all__ = ["values"]

#: How much is read at a time, at least; and how long one value may be.
CHUNK, LONGEST = 1 << 20, 1 << 29

_JSON = json.JSONDecoder()


def values(path: Path) -> Generator[Any, None, None]:
    """Read the values of a file in order; if it is one array, the items of that.

    Parameters
    ----------
    path : Path
        JSON or JSON lines in UTF-8; compressed with xz, gzip or bzip2 or not.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        A value that is no JSON, or a file that cannot be read or ends too soon; names the file and
        the number of the record, from 1. What stands before it has been given by then.
    """
    if path.is_fifo():
        raise BadInput(f"{str(path)!r} is a pipe, which can be read but once.")
    with opened(path) as file:
        text = _Text(file, path.name)
        array = text.takes("[")
        while text.at_value(array):
            yield text.value()


class _Text:
    """The part of a file that is being read."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file, self.name = file, name
        self.decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self.held, self.at, self.done, self.number = "", 0, False, 1

    def at_value(self, array: bool) -> bool:
        """Pass over what stands between values, and tell whether there is one more."""
        if array and self.number > 1 and not self.takes(","):
            if self.takes("]"):
                return False
            raise self.wrong("cut short" if self.next() == "" else "no JSON")
        if array and self.number == 1 and self.takes("]"):
            return False
        return array or self.next() != ""

    def takes(self, mark: str) -> bool:
        """Pass over a character if it is the next one that is no space."""
        found = self.next() == mark
        self.at += found
        return found

    def next(self) -> str:
        """Give the next character that is no space, "" at the end of the file."""
        while True:
            while self.at < len(self.held):
                if not self.held[self.at].isspace():
                    return self.held[self.at]
                self.at += 1
            if not self.more():
                return ""

    def value(self) -> Any:
        """Read one value, with as much of the file as it takes."""
        if self.next() not in ("{", "["):
            raise self.wrong("not JSON")
        while True:
            try:
                found, self.at = _JSON.raw_decode(self.held, self.at)
            except RecursionError:
                raise self.wrong("nested too deeply") from None
            except json.JSONDecodeError as error:
                self.unfinished(error)
                continue
            self.number += 1
            return found

    def unfinished(self, error: json.JSONDecodeError) -> None:
        """Read on if a value may only be longer than what is held, else say what is wrong."""
        open_end = "Unterminated" in error.msg or error.pos >= len(self.held) - 16
        if not open_end or len(self.held) - self.at > LONGEST:
            raise self.wrong("not JSON")
        if not self.more():
            raise self.wrong("not JSON: the file ends before it does")

    def more(self) -> bool:
        """Read on, twice as much as is held, and forget what has been read."""
        if self.done:
            return False
        rest = self.held[self.at :]
        try:
            data = self.file.read(max(CHUNK, len(rest)))
        except CORRUPT as error:
            raise self.wrong(f"not there: the file cannot be decompressed ({error})") from error
        self.done = not data
        self.held, self.at = rest + self.decode(data, final=self.done), 0
        return True

    def wrong(self, why: str) -> BadInput:
        return BadInput(f"{self.name}, record {self.number} is {why}.")
