"""Text files in UTF-8, read whole; a byte that is none is told of by its line."""

from __future__ import annotations

from pathlib import Path

from lcm_lab.errors import BadInput, NotFound

__all__ = ["read"]


def read(path: Path) -> str:
    """Read a text file; a byte order mark at its start is left out.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        A file that is not UTF-8.

    Examples
    --------
    >>> read(Path("no-such-file.tsv"))
    Traceback (most recent call last):
    lcm_lab.errors.NotFound: No file 'no-such-file.tsv'.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"No file {str(path)!r}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path.name}:{line} is not UTF-8: {error.reason}.") from None
