"""Reading a file whole, whatever it is compressed with, as far as it goes."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lcm_lab.errors import BadInput, NotFound

__all__ = ["unpack"]

#: How a file begins, and what undoes it; gzip is zlib with a window of 16 + 15 bits.
MAGIC: dict[bytes, Callable[[], Any]] = {
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"BZh": bz2.BZ2Decompressor,
}
CORRUPT = (lzma.LZMAError, zlib.error, OSError)


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
        The file cannot be read, is a device (which need not end), or its compressed stream is
        corrupt from the start.
    """
    if path.is_char_device() or path.is_block_device():
        raise BadInput(f"{str(path)!r} is a device, not a file.")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"No file {str(path)!r}.") from None
    except OSError as error:
        raise BadInput(f"Cannot read {str(path)!r}: {error.strerror}.") from error
    make = next((make for magic, make in MAGIC.items() if data.startswith(magic)), None)
    return (data, True) if make is None else _streams(data, make, path)


def _streams(data: bytes, make: Callable[[], Any], path: Path) -> tuple[bytes, bool]:
    """Undo one compressed stream after the other, since such files may be concatenated."""
    out, whole = [], True
    while data and whole:
        stream = make()
        try:
            out.append(stream.decompress(data))
        except CORRUPT as error:
            if not out:
                raise BadInput(f"{str(path)!r} cannot be decompressed: {error}.") from error
            return b"".join(out), False
        whole, data = stream.eof, stream.unused_data
    return b"".join(out), whole
