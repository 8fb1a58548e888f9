"""A database of someone else, as it stood at one instant: read as bytes, never through its locks.

SQLite cannot read a database in WAL mode without writing beside it: even with ``mode=ro`` a reader
marks the shared memory, and makes the log and the index of it where they are not. So the file and
its log are copied, and the log's committed pages are laid over the copy. That is sound while the
log is not begun anew, which its salts tell: every page that changed meanwhile is then in the log.

Not for a database that this very process writes: POSIX drops a process's locks on a file when it
closes any handle of that file.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput, NotFound

__all__ = ["snapshot"]

MAGIC = b"SQLite format 3\x00"
JOURNAL = bytes.fromhex("d9d505f920a163d7")
LOG = (0x377F0682, 0x377F0683)
#: Bytes of the headers of a log and of a frame in it; frames that are looked at together.
HEAD, FRAME, TOGETHER = 32, 24, 1_000
#: How often a copy is begun anew because its owner wrote, and the wait between, in seconds.
TRIES, WAIT = 60, 0.02

Words = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _State:
    """What tells whether a database changed while it was copied."""

    log: bytes
    journal: bool
    file: tuple[int, int, int, bytes]


def snapshot(path: str | Path) -> sqlite3.Connection:
    """Open an SQLite database as it stands now; what its owner writes later is not seen.

    Nothing is written beside the file, no lock is taken, and its owner is never kept waiting. The
    copy goes when the connection is closed, and with the process.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    sqlite3.Connection
        Read-only, usable from any thread but from one at a time.

    Raises
    ------
    NotFound
        Nothing there.
    BadInput
        No SQLite database, or one that was left, or is kept, in the middle of a write.
    """
    place = Path(path).resolve()
    _require(place, str(path))
    with tempfile.TemporaryDirectory(prefix="lcm-lab-", ignore_cleanup_errors=True) as folder:
        copy, log = Path(folder) / "copy.db", Path(folder) / "copy.log"
        _copy(place, copy, log, str(path))
        _overlay(copy, log)
        connection = sqlite3.connect(
            f"{copy.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        try:
            connection.execute("pragma schema_version").fetchone()
            # Whatever its schema says is not to run functions on our behalf.
            connection.execute("pragma trusted_schema = off")
            # What its owner wrote is text or was meant to be: it is read with replacements.
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            connection.close()
            raise BadInput(f"{str(path)!r} is no sound SQLite database: {error}.") from error
    # The open handle keeps the content; the name is gone already.
    return connection


def _require(place: Path, shown: str) -> None:
    if not place.exists():
        raise NotFound(f"No database {shown!r}. Give the path of an lcm.db.")
    if not place.is_file():
        raise BadInput(f"{shown!r} is a folder or a device. Give the path of an lcm.db.")
    with place.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise BadInput(f"{shown!r} is no SQLite database. Transcripts open with lcm_lab.read.")


def _copy(place: Path, copy: Path, log: Path, shown: str) -> None:
    """Copy a database and its log such that the two together are one state of it."""
    for _ in range(TRIES):
        before = _state(place)
        shutil.copyfile(place, copy)
        log.write_bytes(b"")
        if before.log:
            _copy_if_there(_beside(place, "-wal"), log)
        after = _state(place)
        # With the same log all along the file may have changed; else it must have stayed.
        if (before == after and not after.journal) or (
            before.log and before.log == after.log and not after.journal
        ):
            return
        time.sleep(WAIT)
    raise BadInput(
        f"{shown!r} is in the middle of a write: its owner does not rest, or was interrupted. "
        "Let its owner finish or recover it, or copy it with: sqlite3 lcm.db '.backup copy.db'."
    )


def _state(place: Path) -> _State:
    facts = place.stat()
    head = _start_of(_beside(place, "-wal"), HEAD)
    log = head if int.from_bytes(head[:4]) in LOG and len(head) == HEAD else b""
    journal = _start_of(_beside(place, "-journal"), len(JOURNAL)) == JOURNAL
    # Its header counts the transactions: two may end within one tick of the clock.
    file = (facts.st_mtime_ns, facts.st_size, facts.st_ino, _start_of(place, 100))
    return _State(log, journal, file)


def _beside(place: Path, ending: str) -> Path:
    return place.with_name(place.name + ending)


def _start_of(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError:
        return b""


def _copy_if_there(source: Path, copy: Path) -> None:
    try:
        shutil.copyfile(source, copy)
    except FileNotFoundError:  # its owner closed it; the states before and after differ
        return


def _overlay(copy: Path, log: Path) -> None:
    """Lay the committed pages of a log over the copy of its database."""
    frames = _frames(log)
    pages, size = _committed(frames, log) if frames is not None else ({}, 0)
    # A database grows by the pages in its log, and by no more.
    most = (copy.stat().st_size + log.stat().st_size) // 512
    with copy.open("r+b") as file:
        for page, at in pages.items():
            content = frames[at, FRAME // 4 :]  # type: ignore[index]  # there are pages
            if 0 < page <= size <= most:
                file.seek((page - 1) * content.nbytes)
                file.write(content.tobytes())
        if pages and size <= most:
            file.truncate(size * content.nbytes)
        # Read as a plain file: there is no log any more.
        file.seek(18)
        file.write(b"\x01\x01")


def _frames(log: Path) -> npt.NDArray[np.uint32] | None:
    """Give the frames of a log as words, big-endian; None where it has no header or no frame."""
    head = _start_of(log, HEAD)
    page = int.from_bytes(head[8:12])
    if len(head) < HEAD or page < 512 or page > 65_536 or page & (page - 1):
        return None
    count = (log.stat().st_size - HEAD) // (FRAME + page)
    if not count:
        return None
    shape = (count, (FRAME + page) // 4)
    return np.memmap(log, dtype=">u4", mode="r", offset=HEAD, shape=shape)


def _committed(frames: Words, log: Path) -> tuple[dict[int, int], int]:
    """Give the newest frame of each page, up to the last commit that is whole, and the size then.

    A frame counts while its salts are those of the log and its checksum goes on from the one
    before: what follows is of an older round, or is being written.
    """
    head = np.frombuffer(_start_of(log, HEAD), ">u4")
    order = "<u4" if int(head[0]) == LOG[0] else ">u4"
    weights, power = _weights((frames.shape[1] - FRAME // 4) // 2 + 1)
    sums = (int(head[6]), int(head[7]))
    pages: dict[int, int] = {}
    open_pages: dict[int, int] = {}
    size = 0
    for start in range(0, len(frames), TOGETHER):
        some = np.asarray(frames[start : start + TOGETHER])
        words = some.view(order)[:, [0, 1, *range(FRAME // 4, some.shape[1])]]
        added = words.astype(np.uint32) @ weights
        for at, (frame, (one, two)) in enumerate(
            zip(some[:, :6].tolist(), added.tolist(), strict=True)
        ):
            sums = (
                (power[0] * sums[0] + power[1] * sums[1] + one) % 2**32,
                (power[2] * sums[0] + power[3] * sums[1] + two) % 2**32,
            )
            if tuple(frame[2:]) != (int(head[4]), int(head[5]), *sums):
                return pages, size
            open_pages[frame[0]] = start + at
            if frame[1]:
                pages |= open_pages
                open_pages, size = {}, frame[1]
    return pages, size


def _weights(pairs: int) -> tuple[Words, tuple[int, int, int, int]]:
    """Give what each word of a frame adds to the two sums, and what it makes of the sums before.

    The sums of SQLite's log are linear, modulo 2**32: of each pair of words (x, y),
    ``s += x + t; t += y + s``.
    """
    weights = np.empty((2 * pairs, 2), np.uint32)
    a, b, c, d = 1, 0, 0, 1
    for pair in reversed(range(pairs)):
        # What a pair adds, (x, x + y), carried on by the pairs after it.
        weights[2 * pair] = (a + b) % 2**32, (c + d) % 2**32
        weights[2 * pair + 1] = b, d
        a, b, c, d = (a + b) % 2**32, (a + 2 * b) % 2**32, (c + d) % 2**32, (c + 2 * d) % 2**32
    return weights, (a, b, c, d)
