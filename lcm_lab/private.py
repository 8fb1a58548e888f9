"""Files and folders that hold what people said, made for their owner alone.

Agents keep their histories so, and a copy is not to be read by more people than they are. What is
there already keeps the mode that somebody gave it.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["file", "folder"]


def file(path: Path) -> None:
    """Make an empty file that only its owner reads and writes, where there is none.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "memory.db"
    >>> file(path)
    >>> oct(path.stat().st_mode & 0o777)
    '0o600'
    """
    path.touch(mode=0o600)


def folder(path: Path) -> None:
    """Make a folder that only its owner enters, and those above it that are missing."""
    for one in reversed([path, *path.parents]):
        if not one.exists():
            one.mkdir(mode=0o700, exist_ok=True)
