"""A path as a person writes it."""

from __future__ import annotations

from pathlib import Path

from lcm_lab.errors import BadInput, NotFound

__all__ = ["called", "expanded"]


def expanded(written: str | Path) -> Path:
    """Give a path with ``~`` filled in.

    Raises
    ------
    BadInput
        For a blank, which would otherwise mean the folder one happens to stand in.
    NotFound
        For the home folder of a user that there is not.

    Examples
    --------
    >>> expanded("chats/a.jsonl")
    PosixPath('chats/a.jsonl')
    """
    if not str(written).strip():
        raise BadInput("The path is blank. Give a file, a folder or a glob; '.' is this folder.")
    try:
        return Path(written).expanduser()
    except RuntimeError:
        user = Path(written).parts[0]
        raise NotFound(f"No home folder {user!r} for {str(written)!r}. Write it out.") from None


def called(written: str | Path) -> str:
    """Name what a path holds: its last part, of ``.`` the folder's, and never whose home it is.

    Examples
    --------
    >>> called("chats/a.jsonl"), called("~")
    ('a.jsonl', 'home')
    """
    path = expanded(written)
    whole = path.resolve()
    if whole == Path.home().resolve():
        return "home"
    return (path.name if path.name not in ("", "..") else whole.name) or "history"
