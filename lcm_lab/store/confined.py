"""Files inside one folder: written and read nowhere else, links resolved first."""

from __future__ import annotations

from pathlib import Path

from lcm_lab import private, whole
from lcm_lab.errors import BadInput

__all__ = ["content_of", "inside", "put"]


def inside(folder: Path, path: str) -> Path:
    """Give the real place of a path under a folder.

    Raises
    ------
    BadInput
        When it lies elsewhere: an absolute path, one that climbs out, or a link that leads out. The
        message does not tell whether anything is there.
    """
    if "\x00" not in path:
        try:
            root = folder.resolve()
            found = (root / path).resolve()
        except (OSError, RuntimeError):  # a loop of links
            found = root = folder
        if found != root and found.is_relative_to(root):
            return found
    raise BadInput(f"{path!r:.80} is not inside the folder of files. Give a path under it.")


def content_of(folder: Path, path: str, most: int) -> bytes | None:
    """Read a file under a folder, up to one byte more than ``most``; None where there is none.

    Raises
    ------
    BadInput
        When the path lies elsewhere.
    """
    place = inside(folder, path)
    if not place.is_file():
        return None
    with place.open("rb") as file:
        return file.read(most + 1)


def put(folder: Path, path: str, content: bytes) -> None:
    """Write a file under a folder, whole or not at all; one that is there already stays.

    Raises
    ------
    BadInput
        When the path lies elsewhere.
    """
    place = inside(folder, path)
    if place.exists():
        return
    private.folder(place.parent)
    with whole.file(place) as part:
        private.file(part)
        part.write_bytes(content)
