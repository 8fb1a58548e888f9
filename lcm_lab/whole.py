"""Files that are written whole or not at all, alone or as a folder of files that belong together.

A file is written beside its place and renamed. The files of a folder are written into a folder
inside it, which is given its final name once all of them are there. From then on they count: should
their writer be killed, whoever comes next puts them in their places.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from lcm_lab.errors import BadInput, BadParameter, LcmError

__all__ = ["PART", "READY", "file", "folder", "identity", "read", "runs", "settle"]

T = TypeVar("T")

#: How the folder of files begins that are being written, and what it is called when all are there.
PART, READY = ".part-", ".ready"

#: How the names begin of what a process has open, which is written to as it stands.
OPEN = ("/dev/fd/", "/dev/std", "/proc/")

#: How often a folder is read that is replaced meanwhile, and one is emptied that others fill.
TRIES = 20


@contextmanager
def file(path: Path) -> Iterator[Path]:
    """Give a place to write a file at, which takes the place of ``path`` if nothing is raised.

    What a link leads to is replaced, not the link. A device or a pipe is written to as it stands.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.trec"
    >>> with file(path) as part:
    ...     written = part.write_text("1 Q0 m1 1 -1 bm25")
    >>> path.exists(), part.exists()
    (True, False)
    """
    if path.exists() and (not path.is_file() or path.absolute().as_posix().startswith(OPEN)):
        yield path
        return
    place = Path(os.path.realpath(path))
    part = place.with_name(f"{PART}{os.getpid()}-{threading.get_ident()}-{place.name[-40:]}")
    try:
        yield part
        if place.exists():
            shutil.copymode(place, part)
        _flush(part)
        part.replace(place)
    except OSError as error:
        if error.filename == str(part):
            error.filename = str(path)
        raise
    finally:
        with suppress(FileNotFoundError, NotADirectoryError):
            part.unlink()


@contextmanager
def folder(path: Path) -> Iterator[Path]:
    """Give a folder to write into, whose files take the places of those of ``path``, all or none.

    ``path`` is made where missing; other files in it stay.

    Raises
    ------
    BadParameter
        Where a file stands at ``path``, or above it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp())
    >>> with folder(path) as work:
    ...     written = (work / "card.json").write_text("{}")
    >>> [one.name for one in path.iterdir()]
    ['card.json']
    """
    made = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BadParameter(f"{str(path)!r} is no folder: a file stands there. Name one.") from None
    _sweep(path)
    work = path / f"{PART}{os.getpid()}-{threading.get_ident()}"
    try:
        work.mkdir()
        yield work
        for one in _files(work):
            _flush(one)
        _commit(work, path)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if made:
            with suppress(OSError):  # it holds something by now
                path.rmdir()
    settle(path)


def identity(path: Path) -> tuple[int, int] | None:
    """Tell which file stands at a path; None where there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino


def settle(path: Path) -> None:
    """Finish the saving of a folder whose writer was killed after all was written.

    Raises
    ------
    BadInput
        When that cannot be done.
    """
    ready = path / READY
    for _ in range(TRIES):
        if not _is_pending(path):
            return
        try:
            for one in _files(ready):
                _move(one, _place(one, ready, path))
            for one in sorted(filter(Path.is_dir, ready.rglob("*")), reverse=True):
                one.rmdir()
            ready.rmdir()
        except FileNotFoundError:  # another process was quicker
            continue
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # it was filled again
                continue
            raise BadInput(
                f"{str(path)!r} was being saved, and that cannot be finished: {error.strerror}. "
                f"Make it this user's to write, or delete {READY!r} in it and save it again."
            ) from error
    raise BadInput(f"{READY!r} in {str(path)!r} is no saving of ours. Delete it.")


def read(path: Path, head: str, work: Callable[[], T]) -> T:
    """Read files that belong together: anew where they are replaced meanwhile.

    Parameters
    ----------
    path : Path
        The folder.
    head : str
        A file of it that every saving replaces.
    work : callable
        Reads them.
    """
    for _ in range(TRIES):
        with _held(path / head) as before:
            settle(path)  # a saving that this does not see gives another head later
            try:
                found = work()
            except (LcmError, OSError):
                if _is_still(path, head, before):
                    raise
                continue
            if _is_still(path, head, before):
                return found
    raise BadInput(f"{str(path)!r} is being replaced again and again. Read it when that is done.")


def _commit(work: Path, path: Path) -> None:
    """Give what was written its final name, after what another process has committed."""
    for _ in range(TRIES):
        settle(path)
        try:
            work.rename(path / READY)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    raise BadInput(f"{str(path)!r} is being replaced again and again. Save it when that is done.")


def _files(path: Path) -> list[Path]:
    return [one for one in sorted(path.rglob("*")) if not one.is_dir()]


def _move(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    file.replace(place)


def _place(file: Path, ready: Path, path: Path) -> Path:
    """Give the place of a file; a folder from elsewhere may hold links that lead out of it."""
    place = path / file.relative_to(ready)
    if not place.parent.resolve().is_relative_to(path.resolve()):
        raise BadInput(f"{str(place.parent)!r} leads out of {str(path)!r}. Delete it.")
    return place


@contextmanager
def _held(path: Path) -> Iterator[tuple[int, int] | None]:
    """Give the identity of a file, which no other one gets as long as this one is open."""
    with ExitStack() as stack:
        found = None
        with suppress(OSError):
            about = os.fstat(stack.enter_context(path.open("rb")).fileno())
            found = about.st_dev, about.st_ino
        yield found


def _is_still(path: Path, head: str, before: tuple[int, int] | None) -> bool:
    return not _is_pending(path) and identity(path / head) == before


def _is_pending(path: Path) -> bool:
    return (path / READY).is_dir() and not (path / READY).is_symlink()


def _flush(path: Path) -> None:
    """Have the disk hold a file before its name does."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sweep(path: Path) -> None:
    """Remove what runs that were killed left unfinished; those that still run keep theirs."""
    for left in path.glob(f"{PART}*"):
        found = re.match(r"\d+", left.name.removeprefix(PART))
        if found and not runs(int(found[0])):
            shutil.rmtree(left, ignore_errors=True)  # leaves links, and what is no folder, alone


def runs(pid: int) -> bool:
    """Tell whether a process runs; where signal 0 is not harmless, that it may."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
