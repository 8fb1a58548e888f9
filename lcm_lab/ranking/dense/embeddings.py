"""Embeddings kept on disk, so that no text is encoded twice.

There is one file for each encoder with all its parameters and its version, in the folder that the
environment variable ``LCM_LAB_CACHE`` names; without it nothing is kept. Vectors are found by the
text they stand for and carry a checksum: what a crash or a disk has damaged is encoded anew.
Several processes may use one folder.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lcm_lab import private
from lcm_lab.ids import digest

__all__ = ["FOLDER", "Shelf"]

Vectors = npt.NDArray[np.float32]
T = TypeVar("T")

#: The environment variable that names the folder.
FOLDER = "LCM_LAB_CACHE"

#: What the files hold; another layout gets other files.
LAYOUT = "unit vectors, little-endian float32, 1"

#: Seconds to wait for another process that writes.
PATIENCE = 60

_TABLES = """
create table if not exists about (one integer primary key check (one = 1), encoder text not null);
create table if not exists vectors (text blob primary key, vector blob not null, sum integer)
without rowid;
"""


class Shelf:
    """The kept vectors of one encoder.

    Parameters
    ----------
    folder : str or Path
        Made when it is not there.
    encoder : str
        Everything that decides what vector a text gets.
    """

    def __init__(self, folder: str | Path, encoder: str) -> None:
        self.encoder = encoder
        self.path = Path(folder) / f"embeddings-{digest(LAYOUT, encoder)}.sqlite"
        self._usable = True

    @classmethod
    def given(cls, encoder: str) -> Shelf | None:
        """Open the shelf of an encoder where ``LCM_LAB_CACHE`` says, if it says anything."""
        folder = os.environ.get(FOLDER)
        return cls(folder, encoder) if folder else None

    def get(self, texts: Sequence[str]) -> list[Vectors | None]:
        """Give the vector of each text, None where there is none that is whole."""
        keys = [_key(text) for text in texts]
        found = self._try(lambda base: _read(base, keys)) or {}
        kept = [_whole(key, found.get(key)) for key in keys]
        damaged = len(found) - sum(vector is not None for vector in kept)
        if damaged:
            self._warn(f"{damaged:,} kept embeddings are damaged and are made anew")
        return kept

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of texts, all or none of them."""
        rows = []
        for text, vector in zip(texts, vectors, strict=True):
            key, blob = _key(text), vector.astype("<f4").tobytes()
            rows.append((key, blob, zlib.crc32(blob, zlib.crc32(key))))
        self._try(lambda base: _write(base, rows))

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do some work; a folder or a file that cannot be used is reported once and then left."""
        if not self._usable:
            return None
        try:
            private.folder(self.path.parent)
            private.file(self.path)
            with closing(sqlite3.connect(self.path, timeout=PATIENCE)) as base, base:
                self._open(base)
                return work(base)
        except (sqlite3.Error, OSError) as error:
            self._usable = False
            self._warn(f"embeddings are not kept: {error}. Delete it to start anew")
            return None

    def _open(self, base: sqlite3.Connection) -> None:
        base.executescript(_TABLES)
        base.execute("insert or ignore into about values (1, ?)", (self.encoder,))
        (whose,) = base.execute("select encoder from about").fetchone()
        if whose != self.encoder:
            raise sqlite3.DatabaseError(f"it holds those of {whose!r:.80}")

    def _warn(self, what: str) -> None:
        warnings.warn(f"{self.path.name} in {FOLDER}: {what}.", RuntimeWarning, stacklevel=6)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _read(base: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, tuple[Any, Any]]:
    found: dict[bytes, tuple[Any, Any]] = {}
    for start in range(0, len(keys), 500):  # old builds of SQLite take 999 parameters
        some = keys[start : start + 500]
        marks = ",".join("?" * len(some))
        asked = f"select text, vector, sum from vectors where text in ({marks})"
        found |= {key: (vector, check) for key, vector, check in base.execute(asked, some)}
    return found


def _write(base: sqlite3.Connection, rows: Iterable[tuple[bytes, bytes, int]]) -> None:
    base.executemany("insert or replace into vectors values (?, ?, ?)", rows)


def _whole(key: bytes, kept: tuple[Any, Any] | None) -> Vectors | None:
    vector, check = kept or (None, None)
    if not isinstance(vector, bytes):  # what is damaged may be of any type
        return None
    whole = len(vector) % 4 == 0 and zlib.crc32(vector, zlib.crc32(key)) == check
    return np.frombuffer(vector, "<f4").astype(np.float32) if whole else None
