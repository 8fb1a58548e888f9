"""The clock that times are read from, and the state of the machine while they were."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lcm_lab.shown import counted, one_line

__all__ = ["Clock", "Conditions", "Monotonic", "pinned"]

T = TypeVar("T")

#: Nanoseconds before a moment at which sleeping ends and turning round begins: sleep wakes late.
SPIN = 2_000_000


class Clock(Protocol):
    """What times are read from, in whole nanoseconds of no particular origin."""

    def now(self) -> int:
        """Give the time."""

    def wait(self, until: int) -> None:
        """Return at that time, or at once where it has gone by."""


class Monotonic:
    """The clock of the machine that no one sets."""

    def now(self) -> int:
        """Give the time."""
        return time.perf_counter_ns()

    def wait(self, until: int) -> None:
        """Sleep until shortly before that time, then turn round until it is there."""
        left = until - time.perf_counter_ns()
        if left > SPIN:
            time.sleep((left - SPIN) / 1e9)
        while time.perf_counter_ns() < until:
            pass


@dataclass(frozen=True)
class Conditions:
    """The machine while times were taken.

    Attributes
    ----------
    cpu : str
        Model of the processor, as the system names it.
    processors : int
    load : (float, float) or None
        Load average of the last minute, before and after; None where the system has none.
    pools : tuple of str
        Libraries with threads of their own (BLAS, OpenMP), which were held to one thread.
    collector : bool
        Whether the garbage collector was on.
    full : int
        Full passes that it made meanwhile.
    """

    cpu: str
    processors: int
    load: tuple[float, float] | None
    pools: tuple[str, ...]
    collector: bool
    full: int

    def __str__(self) -> str:
        busy = (
            "no load average"
            if self.load is None
            else f"load average {self.load[0]:.2f} before and {self.load[1]:.2f} after"
        )
        pools = ", ".join(self.pools) or "none found"
        return (
            f"{self.cpu}, {counted(self.processors, 'processor')}, {busy}; one thread for BLAS and "
            f"OpenMP ({pools}); the garbage collector was {'on' if self.collector else 'off'} and "
            f"made {self.full:,} full pass{'es' * (self.full != 1)} meanwhile"
        )


def pinned(work: Callable[[], T]) -> tuple[T, Conditions]:
    """Do some work with one thread for BLAS and OpenMP, and tell the conditions.

    Only libraries that are loaded by now are held to it.
    """
    from threadpoolctl import threadpool_info, threadpool_limits

    pools = tuple(sorted({str(one["internal_api"]) for one in threadpool_info()}))
    load, full = _load(), _full()
    with threadpool_limits(limits=1):
        done = work()
    after = _load()
    between = None if load is None or after is None else (load, after)
    here = os.cpu_count() or 1
    return done, Conditions(_cpu(), here, between, pools, gc.isenabled(), _full() - full)


def _load() -> float | None:
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):  # the system keeps none
        return None


def _full() -> int:
    return int(gc.get_stats()[-1]["collections"])


def _cpu() -> str:
    """Name the processor: Linux says its model in a file, others to `platform`."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text("utf-8", "replace").splitlines() if listed.is_file() else []
    models = (line.partition(":")[2] for line in lines if line.startswith("model name"))
    named = one_line(next(models, "")) or one_line(platform.processor())
    return named or platform.machine() or "unknown processor"
