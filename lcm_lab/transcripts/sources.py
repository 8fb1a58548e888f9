"""Which files a source means: paths, folders without their links, globs."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lcm_lab.collection.files import is_collection
from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.text import clean
from lcm_lab.transcripts.base import Skipped

__all__ = ["Sources", "archived", "find"]

#: What a transcript's name holds somewhere; other files of a folder are passed over.
NAMES = (".json", ".traj", ".ndjson")
#: Copies that programs leave beside the file they write, with or without a time at their end.
ASIDE = re.compile(r"(\.(bak|tmp|lock|swp)(\.\d[\w:.-]*)?|~)$")
#: What was a session's file until the session was reset or deleted.
ARCHIVE = re.compile(r"\.jsonl\.(reset|deleted)(?=\.|$)")
#: What OpenClaw records beside a session's own file.
TRACE = re.compile(r"\.trajectory(\.jsonl|-path\.json)$")
OTHER = "file of another kind, passed over"


@dataclass
class Sources:
    """Files to read, in order, and what was left out on the way."""

    asked: list[str]
    paths: list[Path] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def name(self, path: Path) -> str:
        """Name a file as briefly as is clear among these: its name, or more of its path."""
        parts = path.parts
        rivals = [other.parts for other in self._namesakes.get(path.name, [])]
        for size in range(1, len(parts) + 1):
            if sum(other[-size:] == parts[-size:] for other in rivals) <= 1:
                return clean("/".join(parts[-size:]))
        return clean(str(path))

    def session(self, path: Path) -> str:
        """Name the session of a file that names none: the file without its endings.

        What stands in a folder ``subagents`` is of the session that this folder belongs to.
        """
        if path.parent.name == "subagents":
            return clean(path.parent.parent.name)
        name = self.name(path)
        folder, _, base = name.rpartition("/")
        stem = base.split(".")[0] or base
        return f"{folder}/{stem}" if folder else stem

    @cached_property
    def _namesakes(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for path in self.paths:
            found.setdefault(path.name, []).append(path)
        return found


def archived(name: str) -> str:
    """Say why a file of this name is no longer the one its session writes; "" if it may be.

    Examples
    --------
    >>> archived("a.jsonl.reset.2026-03-01"), archived("a.jsonl")
    ('reset', '')
    """
    found = ARCHIVE.search(name)
    return found[1] if found else ""


def find(asked: Sequence[str | Path]) -> Sources:
    """Find the files that paths, folders and globs mean, each once.

    Raises
    ------
    NotFound
        A path that does not exist, or a glob that matches nothing.
    BadInput
        Nothing asked for.
    """
    if not asked:
        raise BadInput("No source to read. Give a file, a folder or a glob.")
    sources = Sources([str(one) for one in asked])
    for one in sources.asked:
        for path in _matches(one):
            if path.is_dir():
                _refuse_collection(path)
                _walk(path, sources)
            elif path.is_file() or path == expanded(one):
                sources.paths.append(path)
            else:  # a pipe that is named is read; one that a glob matches may never end
                sources.skipped.append(Skipped(clean(path.name), 0, "not a regular file"))
    sources.paths = list({path.resolve(): path for path in reversed(sources.paths)}.values())[::-1]
    return sources


def _refuse_collection(path: Path) -> None:
    """Refuse a saved collection, whose rows would pass for messages and lose their questions."""
    if is_collection(path):
        raise BadInput(f"{str(path)!r} is a saved collection. Open it with lcm_lab.load.")


def _matches(asked: str) -> list[Path]:
    path = expanded(asked)
    if path.exists():
        return [path]
    base, pattern = _split(path)
    found = sorted(base.glob(pattern)) if pattern else []
    if found:
        return found
    if pattern:
        raise NotFound(f"No file matches {asked!r}. Give a file, a folder or a glob.")
    raise NotFound(f"No file or folder {asked!r}. Give a file, a folder or a glob.")


def _split(path: Path) -> tuple[Path, str]:
    """Split a path at its first wildcard: the folder above, and the pattern ("" if none)."""
    parts = path.parts
    at = next((i for i, part in enumerate(parts) if any(m in part for m in "*?[")), len(parts))
    return Path(*parts[:at]), "/".join(parts[at:])


def _walk(root: Path, sources: Sources) -> None:
    """Add the files below a folder in order of their paths.

    A link is never followed, and what a saved collection holds was said before.
    """

    def unreadable(error: OSError) -> None:
        sources.skipped.append(Skipped(clean(str(error.filename)), 0, "folder that cannot be read"))

    for folder, folders, files in os.walk(root, onerror=unreadable, followlinks=False):
        if is_collection(Path(folder)):
            name = clean(str(Path(folder).relative_to(root)))
            sources.skipped.append(Skipped(name, 0, "saved collection"))
            folders.clear()
            continue
        folders.sort()
        for name in sorted([*folders, *files]):
            path = Path(folder, name)
            if path.is_symlink():
                link = clean(str(path.relative_to(root)))
                sources.skipped.append(Skipped(link, 0, "symbolic link"))
            elif name in files:
                _consider(path, sources)


def _consider(path: Path, sources: Sources) -> None:
    name = path.name.lower()
    if not any(mark in name for mark in NAMES):
        sources.notes[OTHER] += 1
    elif not path.is_file():
        sources.skipped.append(Skipped(clean(path.name), 0, "not a regular file"))
    elif ASIDE.search(name):
        sources.skipped.append(Skipped(clean(path.name), 0, "backup or temporary file"))
    elif TRACE.search(name) and path.with_name(TRACE.sub(".jsonl", path.name)).exists():
        sources.skipped.append(Skipped(clean(path.name), 0, "trace beside a session's own file"))
    else:
        sources.paths.append(path)
