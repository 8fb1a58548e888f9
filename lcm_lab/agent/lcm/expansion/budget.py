"""The time and the tokens of a delegated expansion: one deadline, one cap, shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lcm_lab.errors import LcmError

__all__ = ["HEADROOM", "Deadline", "Late", "Timer", "cap_split", "work_until"]

#: Milliseconds that are kept for cleaning up and handing over.
HEADROOM = 30_000

#: Gives seconds on a clock that only rises.
Timer = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of some work, on a clock that only rises.

    Attributes
    ----------
    timer : callable
        Gives seconds.
    begun, ends : float
        In seconds of that clock.
    """

    timer: Timer
    begun: float
    ends: float

    @classmethod
    def within(cls, milliseconds: int, timer: Timer) -> Deadline:
        """Give the deadline that lies so many milliseconds ahead."""
        now = timer()
        return cls(timer, now, now + milliseconds / 1000)

    @property
    def left(self) -> float:
        """Seconds until it ends; 0 when it has."""
        return max(self.ends - self.timer(), 0.0)

    @property
    def elapsed(self) -> int:
        """Milliseconds since the work began."""
        return max(round((self.timer() - self.begun) * 1000), 0)

    def check(self) -> None:
        """Stop work whose time is over."""
        if not self.left:
            raise Late


class Late(LcmError):
    """The time for some work is over."""


def work_until(total: int, delegation: int, headroom: int = HEADROOM, now: int = 0) -> int:
    """Give when work must end so that an answer still arrives, in milliseconds.

    Parameters
    ----------
    total : int
        What the host waits for an answer; less than 1 counts as 1.
    delegation : int
        What a worker may take.
    headroom : int
        What is kept for cleaning up and handing over.
    now : int

    Examples
    --------
    >>> work_until(150_000, 120_000), work_until(60_000, 120_000), work_until(20_000, 120_000)
    (120000, 30000, 0)
    """
    ends = now + max(total, 1)
    return min(now + max(delegation, 0), max(now, ends - headroom))


def cap_split(workers: int, cap: int) -> list[int]:
    """Share tokens among workers; those that would get none are left out.

    Examples
    --------
    >>> cap_split(3, 10), cap_split(3, 2), cap_split(3, 0)
    ([4, 3, 3], [1, 1], [1])
    """
    cap = max(cap, 1)
    running = min(max(workers, 0), cap)
    if not running:
        return []
    share, rest = divmod(cap, running)
    return [share + (place < rest) for place in range(running)]
