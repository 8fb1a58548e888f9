"""Files as they were before they were compressed: read whole, as far as they go, or as a stream."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from lcm_lab.errors import BadInput, NotFound

__all__ = ["CORRUPT", "LARGEST", "opened", "unpack"]

#: How a file begins, and what undoes it; each reads one stream after the other, as they may be
#: concatenated.
MAGIC: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
}
CORRUPT = (lzma.LZMAError, zlib.error, EOFError, OSError)
#: Bytes of a file that is read whole: a few kilobytes may claim to be any number of them.
LARGEST, CHUNK = 1 << 31, 1 << 20


def unpack(path: Path) -> tuple[bytes, bool]:
    """Read a file; xz, gzip and bzip2 are known by how it begins, not by its name.

    Returns
    -------
    bytes
        The content, as far as it could be read.
    bool
        False when a compressed stream stops before its end.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        The file cannot be read, is a device (which need not end), is larger than `LARGEST`, packed
        or not, or its compressed stream is corrupt from the start.
    """
    with opened(path) as file:
        if isinstance(file, BufferedReader):
            return _plain(file, path), True
        pieces, size, whole = list[bytes](), 0, True
        try:
            # By `read1`, since `read` loses what stands before a fault.
            for piece in iter(lambda: file.read1(CHUNK), b""):
                pieces.append(piece)
                size += len(piece)
                _refuse_large(size, path)
        except CORRUPT as error:
            if not pieces and not isinstance(error, EOFError):
                raise BadInput(f"{str(path)!r} cannot be decompressed: {error}.") from error
            whole = False
        return b"".join(pieces), whole


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader | Any]:
    """Open a file to be read in pieces, decompressed on the way.

    Raises
    ------
    NotFound, BadInput
        As `unpack`; what is corrupt raises one of `CORRUPT` where it is read.
    """
    with _raw(path) as file:
        begins = _start(file, path)
        make = next((make for magic, make in MAGIC.items() if begins.startswith(magic)), None)
        if make is None:
            yield file
        else:
            with make(file) as unpacked:
                yield unpacked


def _raw(path: Path) -> BufferedReader:
    if path.is_char_device() or path.is_block_device():
        raise BadInput(f"{str(path)!r} is a device, not a file.")
    try:
        with _readable(path):
            return path.open("rb")
    except FileNotFoundError:
        raise NotFound(f"No file {str(path)!r}.") from None


def _start(file: BufferedReader, path: Path) -> bytes:
    with _readable(path):
        return file.peek(6)


def _plain(file: BufferedReader, path: Path) -> bytes:
    _refuse_large(os.fstat(file.fileno()).st_size, path)
    with _readable(path):
        return file.read()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadInput(f"Cannot read {str(path)!r}: {error.strerror}.") from error


def _refuse_large(size: int, path: Path) -> None:
    if size > LARGEST:
        raise BadInput(
            f"{str(path)!r} holds more than {LARGEST:,} bytes, packed or not, the most that is "
            "read of a file at once. Split it."
        )
