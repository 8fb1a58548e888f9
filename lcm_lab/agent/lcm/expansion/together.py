"""Bounded workers: several conversations are read at once, under one deadline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from lcm_lab.agent.lcm.expansion.budget import Deadline, Late
from lcm_lab.errors import LcmError
from lcm_lab.redact import redact

__all__ = ["Failure", "Phase", "Unread", "together"]

T = TypeVar("T")

Phase = Literal["spawn", "wait", "read_reply", "parse_reply"]

TIMEOUT = "DELEGATED_EXPANSION_TIMEOUT"
CODES: dict[Phase, str] = {
    "spawn": "DELEGATED_EXPANSION_SPAWN_FAILED",
    "wait": "DELEGATED_EXPANSION_WAIT_FAILED",
    "read_reply": "DELEGATED_EXPANSION_REPLY_MISSING",
    "parse_reply": "DELEGATED_EXPANSION_REPLY_INVALID",
}
#: Seconds after which a deadline is looked at again, whatever clock it is on.
SLICE = 0.05


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a worker gave nothing.

    Attributes
    ----------
    phase : {"spawn", "wait", "read_reply", "parse_reply"}
        What it was at.
    code, error : str
        For programs, and for people.
    elapsed : int
        Milliseconds since the work began.
    """

    phase: Phase
    code: str
    error: str
    elapsed: int


class Unread(LcmError):
    """A worker's reply that is missing, or is none."""

    def __init__(self, phase: Phase, message: str) -> None:
        super().__init__(message)
        self.phase: Phase = phase


def together(
    jobs: Sequence[Callable[[], T]], deadline: Deadline, end: Callable[[int], None]
) -> list[T | Failure]:
    """Run jobs at once and give what each found, or why it found nothing, in their order.

    Parameters
    ----------
    jobs : sequence of callable
        Each runs in a thread of its own. One that raises has failed, and the others go on.
    deadline : Deadline
        What is not handed in by then is never taken.
    end : callable
        Called with the place of every job, finished or not, before this returns: takes away what it
        works with, so that one that is still running stops at its next step.

    Examples
    --------
    >>> import time
    >>> together([lambda: 1, lambda: 2], Deadline.within(60_000, time.monotonic), lambda at: None)
    [1, 2]
    """
    desk: _Desk[T] = _Desk(len(jobs), deadline)
    try:
        for at, job in enumerate(jobs):
            desk.begin(at, job)
        return desk.collected()
    finally:
        desk.close()
        for at in range(len(jobs)):
            end(at)


class _Desk(Generic[T]):
    """Where workers hand in what they found, until it closes."""

    def __init__(self, size: int, deadline: Deadline) -> None:
        self.deadline = deadline
        self.turn = threading.Condition()
        self.given: list[T | Failure | None] = [None] * size
        self.closed = False

    def begin(self, at: int, job: Callable[[], T]) -> None:
        """Start a worker, unless its time is over already."""
        if not self.deadline.left:
            self.hand_in(at, self._late("spawn"))
            return
        thread = threading.Thread(target=self._work, args=(at, job), daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # no more threads
            self.hand_in(at, self._failed("spawn", error))

    def hand_in(self, at: int, found: T | Failure) -> None:
        """Take what a worker found, if the desk is still open."""
        with self.turn:
            if not self.closed:
                self.given[at] = found
                self.turn.notify_all()

    def collected(self) -> list[T | Failure]:
        """Wait for all workers, or for the end of the time."""
        with self.turn:
            while any(one is None for one in self.given) and (left := self.deadline.left):
                self.turn.wait(min(left, SLICE))
            self.closed = True
            return [self._late("wait") if one is None else one for one in self.given]

    def close(self) -> None:
        """Take nothing from now on."""
        with self.turn:
            self.closed = True

    def _work(self, at: int, job: Callable[[], T]) -> None:
        try:
            self.hand_in(at, job())
        except Late:
            self.hand_in(at, self._late("wait"))
        except Unread as error:
            self.hand_in(at, self._failed(error.phase, error))
        except Exception as error:  # whatever a reader raises ends this worker alone
            self.hand_in(at, self._failed("wait", error))

    def _late(self, phase: Phase) -> Failure:
        over = "No time was left to begin" if phase == "spawn" else "The time was over"
        told = f"{over}. Ask again (what was indexed is kept), with a higher timeoutMs, or of less."
        return Failure(phase, TIMEOUT, told, self.deadline.elapsed)

    def _failed(self, phase: Phase, error: Exception) -> Failure:
        name = "" if isinstance(error, LcmError) else f"{type(error).__name__}: "
        told = redact(f"{name}{error}").text[:500]
        return Failure(phase, CODES[phase], told, self.deadline.elapsed)
