"""Where the data of a command comes from, and how a command is written down again."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcm_lab.collection import Collection
    from lcm_lab.corpus import Corpus
    from lcm_lab.transcripts.base import Transcripts

__all__ = ["again", "history", "opened", "portable", "searchable", "slug", "writable"]


def opened(source: str) -> Transcripts | Collection:
    """Open a name or a path: a collection as such, transcripts without looking for questions."""
    from lcm_lab.collection.files import is_collection
    from lcm_lab.collection.paths import expanded
    from lcm_lab.errors import BadInput, NotFound
    from lcm_lab.transcripts.beir import is_beir
    from lcm_lab.transcripts.load import load, shipped
    from lcm_lab.transcripts.read import read

    path = expanded(source)
    if source in shipped() or (path.is_dir() and (is_collection(path) or is_beir(path))):
        return load(source)
    try:
        return read(source)
    except (BadInput, NotFound):
        # No transcripts: a benchmark, or nothing that is known, which load says best.
        return load(source)


def searchable(source: str) -> tuple[Corpus, list[str]]:
    """Give the corpus behind a name or a path: a store and an LCM database have one too.

    Returns
    -------
    Corpus
    list of str
        The conversations of a store of which it is still to be found out what stands.
    """
    from lcm_lab.collection import Collection
    from lcm_lab.collection.paths import expanded
    from lcm_lab.store.recognised import database, is_database

    if is_database(expanded(source)):
        with database(source) as held:
            return held.corpus(), getattr(held, "indexing", [])
    found = opened(source)
    return (found.corpus if isinstance(found, Collection) else found.corpus()), []


@contextmanager
def history(source: str) -> Iterator[Any]:
    """Give what topics can be mined from: transcripts, a collection, or a database opened to read.

    Raises
    ------
    NotFound, BadInput
        As `lcm_lab.load` does.
    """
    from lcm_lab.collection.paths import expanded
    from lcm_lab.store.recognised import database, is_database

    if is_database(expanded(source)):
        with database(source) as held:
            yield held
    else:
        yield opened(source)


def writable(out: str | Path) -> Path:
    """Give the folder to write, refused before any work when it could not be written after it.

    Raises
    ------
    BadInput
        For a blank, a file where a folder must be, or a folder that is not for this user to change.
    """
    from lcm_lab.collection.paths import expanded
    from lcm_lab.errors import BadInput

    path = expanded(out)
    there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not there.is_dir():
        raise BadInput(f"{str(there)!r} is a file, so no folder {str(out)!r} can be written.")
    if not os.access(there, os.W_OK):
        raise BadInput(f"{str(there)!r} may not be written to. Choose another folder.")
    return path


def portable(path: str) -> str:
    """Write a path so that it names no machine: relative, from ``~``, or its last part alone.

    Whose home it is in the name of a project's folder becomes a ``*``, which finds it all the same.

    Examples
    --------
    >>> portable("../shared/data"), portable("/somewhere/else/chat.jsonl")
    ('../shared/data', '<path>/chat.jsonl')
    >>> portable("~/.claude/projects/-Users-alice-order-api")
    '~/.claude/projects/-Users-*-order-api'
    """
    from lcm_lab.collection.paths import FOLDED

    return FOLDED.sub(r"\1*", _from_here(path))


def _from_here(path: str) -> str:
    if not Path(path).is_absolute():
        return path
    for start, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
        if Path(path).is_relative_to(start):
            return f"{sign}{Path(path).relative_to(start).as_posix()}"
    return f"<path>/{Path(path).name}"


def again(command: str, options: Sequence[tuple[str, str]]) -> str:
    """Write the command that makes a result again.

    Examples
    --------
    >>> again("report", [("--on", "my chats"), ("--policy", "BM25() % 10")])
    "lcm-lab report --on 'my chats' --policy 'BM25() % 10'"
    """
    words = [f"{name} {shlex.quote(given)}" for name, given in options]
    return " ".join(["lcm-lab", command, *words])


def slug(name: str) -> str:
    """Make a folder name of any text: letters, digits, dots and dashes.

    Examples
    --------
    >>> slug("../../obra_*.xz")
    'obra_-.xz'
    """
    return re.sub(r"[^\w.]+", "-", name).strip("-._")[:60] or "collection"
