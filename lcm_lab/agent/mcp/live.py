"""Tools over a file that is replaced, taken away or written to by its owner while they serve."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lcm_lab.agent.checking import database
from lcm_lab.agent.schema import Tool
from lcm_lab.collection.paths import expanded
from lcm_lab.errors import NotFound

if TYPE_CHECKING:
    from lcm_lab.store.lcm.database import LcmDatabase
    from lcm_lab.store.store import Store

__all__ = ["Live"]

#: Makes tools of a store or a database.
Make = Callable[["Store | LcmDatabase"], Mapping[str, Tool]]


@dataclass
class _Opened:
    """What is open, the state of the file then, and how many calls stand on it."""

    held: Store | LcmDatabase
    tools: Mapping[str, Tool]
    state: tuple[int, ...]
    calls: int = 0


class Live:
    """Tools that are made anew when the file is another one than it was.

    A store that is open is read as it grows. One that was put in its place is another file; and a
    lossless-claw database is a copy of what it held, which its owner may have written to since.

    Parameters
    ----------
    path : str
    make : callable, (Store or LcmDatabase) -> mapping of str to Tool

    Raises
    ------
    NotFound, BadInput, OverBudget
        As the file cannot be opened.
    """

    def __init__(self, path: str, make: Make) -> None:
        self.path, self._make = path, make
        self._turn = threading.Lock()
        self._now = self._opened()

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools as they were made last."""
        return self._now.tools

    @contextmanager
    def lent(self) -> Iterator[Mapping[str, Tool]]:
        """Give the tools for one call, over the file as it is.

        Raises
        ------
        NotFound
            The file is gone.
        BadInput, OverBudget
            What stands in its place cannot be opened; the next call tries again.
        """
        with self._turn:
            if self._state(self._now.held) != self._now.state:
                before, self._now = self._now, self._opened()
                self._close(before)
            now = self._now
            now.calls += 1
        try:
            yield now.tools
        finally:
            with self._turn:
                now.calls -= 1
                self._close(now)

    def close(self) -> None:
        """Close the file, unless a call still stands on it, which is not waited for."""
        with self._turn:
            if not self._now.calls:
                self._now.held.close()

    def _close(self, one: _Opened) -> None:
        """Close what is no longer the newest, when the last call is done with it."""
        if one is not self._now and not one.calls:
            one.held.close()

    def _opened(self) -> _Opened:
        held = database(self.path)
        try:
            return _Opened(held, self._make(held), self._state(held))
        except BaseException:
            held.close()
            raise

    def _state(self, held: Store | LcmDatabase) -> tuple[int, ...]:
        from lcm_lab.store.store import Store

        place = expanded(self.path)
        try:
            about = place.stat()
        except FileNotFoundError:
            raise NotFound(
                f"The store {self.path!r} is gone since it was opened. Make it again with lcm-lab "
                f"import PATH --into {self.path}, and ask again."
            ) from None
        one = (about.st_dev, about.st_ino)
        if isinstance(held, Store):
            return one
        log = place.with_name(f"{place.name}-wal")
        return (*one, about.st_mtime_ns, about.st_size, *_written(log))


def _written(log: Path) -> tuple[int, ...]:
    """Tell when a log was written, and how long it is; nothing where there is none."""
    try:
        about = log.stat()
    except FileNotFoundError:
        return ()
    return about.st_mtime_ns, about.st_size
