"""A path as a person writes it."""

from __future__ import annotations

import re
from pathlib import Path

from lcm_lab.errors import BadInput, NotFound

__all__ = ["FOLDED", "called", "expanded"]

#: How the name of a folder begins that an agent made of a project's path, each sign a dash.
FOLDED = re.compile(r"(?<![^/])((?:[A-Za-z]-)?-(?:Users|home)-)[^-/]+")


def expanded(written: str | Path) -> Path:
    """Give a path with ``~`` filled in.

    Raises
    ------
    BadInput
        For a blank, which would otherwise mean the folder one happens to stand in, and for what no
        path can hold.
    NotFound
        For the home folder of a user that there is not.

    Examples
    --------
    >>> expanded("chats/a.jsonl")
    PosixPath('chats/a.jsonl')
    """
    if not str(written).strip():
        raise BadInput("The path is blank. Give a file, a folder or a glob; '.' is this folder.")
    if "\0" in str(written):
        raise BadInput(f"No path holds a NUL character. Got {str(written)!r:.80}.")
    try:
        return Path(written).expanduser()
    except RuntimeError:
        user = Path(written).parts[0]
        raise NotFound(f"No home folder {user!r} for {str(written)!r}. Write it out.") from None


def called(written: str | Path) -> str:
    """Name what a path holds: its last part, of ``.`` the folder's, and never whose home it is.

    Of a folder in which an agent keeps the history of a project, the project.

    Examples
    --------
    >>> called("chats/a.jsonl"), called("~"), called("~/.claude/projects/-Users-alice-order-api")
    ('a.jsonl', 'home', 'order-api')
    """
    path = expanded(written)
    whole = path.resolve()
    if whole == Path.home().resolve():
        return "home"
    return _unfolded(path.name if path.name not in ("", "..") else whole.name) or "history"


def _unfolded(name: str) -> str:
    mine = re.sub(r"[^A-Za-z0-9]", "-", str(Path.home()))
    if name == mine or name.startswith(f"{mine}-"):
        return name[len(mine) + 1 :] or "home"
    return FOLDED.sub("", name)[1:] or "home" if FOLDED.match(name) else name
