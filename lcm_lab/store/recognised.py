"""Which database a file is, opened to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lcm_lab.store.lcm.database import LcmDatabase
    from lcm_lab.store.store import Store

__all__ = ["database", "is_database"]

#: What every file of SQLite begins with.
SQLITE = b"SQLite format 3\0"
#: Where its header has the number of the program that it is of.
APPLICATION_AT = 68


def is_database(path: Path) -> bool:
    """Tell whether a path is a file of SQLite."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def database(path: str | Path) -> Store | LcmDatabase:
    """Open a store to read, or a lossless-claw database.

    Raises
    ------
    NotFound
        Nothing there.
    BadInput
        Neither of them; says what it is.
    """
    from lcm_lab.collection.paths import expanded
    from lcm_lab.errors import NotFound
    from lcm_lab.store.lcm.database import open_lcm
    from lcm_lab.store.lcm.schema import IsStore
    from lcm_lab.store.opening import APPLICATION
    from lcm_lab.store.store import Store

    place = expanded(path)
    if not place.exists():
        raise NotFound(
            f"No store {str(path)!r}. Make one with lcm-lab import PATH --into {path}, or give the "
            "lcm.db of lossless-claw."
        )
    if _program(place) == APPLICATION:
        return Store(place, readonly=True)
    try:
        return open_lcm(place)
    except IsStore:  # a young one, whose header is in its log so far
        return Store(place, readonly=True)


def _program(place: Path) -> int:
    """Give which program an SQLite file says that it is of; 0 for other files, and for none."""
    if not place.is_file():
        return 0
    with place.open("rb") as file:
        head = file.read(100)
    return int.from_bytes(head[APPLICATION_AT : APPLICATION_AT + 4])
