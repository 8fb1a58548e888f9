"""Transcripts under declared folders: found by the name that the store has for them, and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput, BadParameter, LcmError
from lcm_lab.store.confined import inside
from lcm_lab.transcripts.sources import find

__all__ = ["NOTHING", "Facts", "Roots"]


@dataclass(frozen=True, slots=True)
class Facts:
    """How large a file is: bytes as it lies there, lines, and those of them that are not blank."""

    bytes: int
    lines: int
    filled: int


#: Of a file that is not there.
NOTHING = Facts(0, 0, 0)


class Roots:
    """The folders that may be read, links resolved first.

    Parameters
    ----------
    folders : sequence of str or Path

    Raises
    ------
    BadParameter
        For what is no folder.
    """

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self.folders = [expanded(one) for one in folders]
        for folder in self.folders:
            if not folder.is_dir():
                raise BadParameter(f"roots are folders of transcripts. {str(folder)!r} is none.")
        self._state = 0
        self._facts: dict[tuple[str, int, int], Facts] = {}

    def place(self, path: str) -> Path | None:
        """Give the file that a path names, absolute or under a root; None if it is in no root."""
        for folder in self.folders:
            try:
                found = inside(folder, path)
                if found.is_file():
                    return found
            except (BadInput, OSError, ValueError):  # elsewhere, or what no file can be called
                continue
        return None

    def locate(self, source: str) -> Path | None:
        """Give the file of the name that a store has for it; None unless it is just one."""
        parts = Path(source).parts
        found = [one for one in self._named.get(parts[-1] if parts else "", ()) if one.is_file()]
        found = [one for one in found if one.parts[-len(parts) :] == parts]
        return found[0] if len(found) == 1 else None

    def refresh(self, state: int) -> None:
        """Look again at what there is, unless that was done since the store changed."""
        if state != self._state:
            self.__dict__.pop("_named", None)
            self._state = state

    def files(self) -> list[tuple[Path, Path]]:
        """List the transcripts: root, and path under it."""
        found = []
        for folder in self.folders:
            found += [(folder, path) for path in find([folder]).paths]
        return found

    def facts(self, path: Path) -> Facts:
        """Count bytes and lines of a file, as it lies there; zeros where it is gone."""
        try:
            about = path.stat()
            key = (str(path), about.st_mtime_ns, about.st_size)
            if key not in self._facts:
                from lcm_lab.collection.unpack import unpack

                lines = unpack(path)[0].split(b"\n")
                filled = sum(bool(line.strip()) for line in lines)
                self._facts[key] = Facts(about.st_size, len(lines) - (not lines[-1]), filled)
        except (OSError, LcmError):
            return NOTHING
        return self._facts[key]

    @cached_property
    def _named(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for _, path in self.files():
            found.setdefault(path.name, []).append(path)
        return found
