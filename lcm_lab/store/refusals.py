"""What SQLite refuses to do, said as a store says it: what is wrong, and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from lcm_lab.errors import BadInput, BadParameter, LcmError, OverBudget

__all__ = ["CLOSED", "DAMAGED", "PATIENCE", "explained", "refusal"]

#: Seconds that a writer waits for another one.
PATIENCE = 30.0

CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)

DAMAGED = "{path!r} is damaged: {error}. lcm-lab check tells more, if it can be read."
_HELD = (
    f"Another process has kept {{path!r}} to itself for {PATIENCE:g} seconds. "
    "Try again when it is done."
)
_SHUT = (
    "Cannot open {path!r} as a store, or write to it: {error}. "
    "It must be a file, and it and its folder this user's to write."
)
#: By SQLite's primary code.
REFUSALS: dict[int, tuple[type[LcmError], str]] = {
    sqlite3.SQLITE_FULL: (
        OverBudget,
        "The disk is full: {path!r} has all that was committed and nothing of what was being "
        "written. Make room and do it again; an import goes on where it was.",
    ),
    sqlite3.SQLITE_BUSY: (OverBudget, _HELD),
    sqlite3.SQLITE_LOCKED: (OverBudget, _HELD),
    **dict.fromkeys(CLOSED, (BadInput, _SHUT)),
    sqlite3.SQLITE_IOERR: (
        BadInput,
        "{path!r} cannot be read or written: {error}. See to the disk.",
    ),
    sqlite3.SQLITE_NOTADB: (BadInput, "{path!r} is no store: {error}."),
    sqlite3.SQLITE_CORRUPT: (BadInput, DAMAGED),
    sqlite3.SQLITE_CONSTRAINT: (BadInput, DAMAGED),
    sqlite3.SQLITE_MISMATCH: (BadInput, DAMAGED),
}
#: What SQLite says of a schema that is not the one that was made; it has no code of its own.
OTHER_SCHEMA = (
    *("no such table", "no such column", "has no column named", "vtable constructor failed"),
    *("invalid fts5 file format", "no such module", "malformed", "may not be modified"),
    *("Could not decode to UTF-8", "duplicate column name"),
)


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Raise what SQLite refuses inside as an error of lcm_lab that names its cause.

    Raises
    ------
    OverBudget
        The disk is full, or another process keeps the store for longer than one waits.
    BadInput
        The store is damaged, or may not be read or written.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        found = refusal(error, path)
        if found is None:
            raise
        raise found from error
    except PermissionError as error:
        raise BadInput(_SHUT.format(path=path, error=error.strerror)) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it cannot read
        told = "it holds bytes that are no text"
        raise BadInput(DAMAGED.format(path=path, error=told)) from error


def refusal(error: sqlite3.DatabaseError, path: str) -> LcmError | None:
    """Give the error to raise for one of SQLite's; None for what is no matter of the file.

    Examples
    --------
    >>> refusal(sqlite3.OperationalError("no such table: docs"), "m.db")
    BadInput("'m.db' is damaged: no such table: docs. lcm-lab check tells more, if it can be read.")
    """
    # Some errors have no code: those that the module itself raises.
    if "closed database" in str(error):
        return BadParameter(f"The store {path!r} was closed. Open it again with Store(path).")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code not in REFUSALS and not any(one in str(error) for one in OTHER_SCHEMA):
        return None
    kind, words = REFUSALS.get(code, (BadInput, DAMAGED))
    return kind(words.format(path=path, error=error))
