"""The Dags of a database, lent to rankers that walk them over a corpus that came from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from lcm_lab.errors import LcmError

if TYPE_CHECKING:
    from lcm_lab.dag import Dag

__all__ = ["Dags"]


@dataclass(frozen=True, eq=False)
class Dags:
    """Gives the Dags of what was compacted; kept in a corpus's memo, where most never need them.

    Attributes
    ----------
    read : callable, () -> tuple of Dag
    """

    read: Callable[[], tuple[Dag, ...]]

    def __call__(self) -> tuple[Dag, ...]:
        """Read them."""
        return self.read()

    def __reduce__(self) -> Any:
        """Go to another process as the Dags themselves, or as why they cannot be read."""
        try:
            return tuple, (self.read(),)
        except LcmError as error:
            return Dags, (Refused(error),)


@dataclass(frozen=True)
class Refused:
    """What raises an error when it is asked for Dags, which most policies never do."""

    error: LcmError

    def __call__(self) -> NoReturn:
        """Raise it."""
        raise self.error
