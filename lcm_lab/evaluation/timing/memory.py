"""The memory that an index takes: what a fresh process grows by while the index is built in it.

Sizes of arrays would leave out what is not an array (dictionaries, SQLite, a library's own memory),
and tracing every allocation slows a build down many times. A fresh process has no freed memory yet
that a build could take without growing, and what the build has freed is given back to the system
before it is looked at.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
from pathlib import Path
from typing import NamedTuple

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.systems import Fits
from lcm_lab.evaluation.timing.service import loaded, without_memory

__all__ = ["Grown", "index_memory", "resident"]

STATUS = Path("/proc/self/status")
#: Writing 5 here forgets the most that was reached so far.
FORGET = Path("/proc/self/clear_refs")
MEBI = 1024


class Grown(NamedTuple):
    """What a process grew by, in MiB.

    Attributes
    ----------
    held : float
        Once the index was built, and all that was no longer used was given back.
    peak : float
        At most, while it was built.
    """

    held: float
    peak: float


def resident() -> tuple[float, float] | None:
    """Give the memory of this process now and at most so far, in MiB; None where it is not told.

    Linux tells it in a file.
    """
    if not STATUS.is_file():
        return None
    lines = (line.split() for line in STATUS.read_text("ascii", "replace").splitlines())
    kib = {words[0].rstrip(":"): int(words[1]) for words in lines if words[-1:] == ["kB"]}
    return kib["VmRSS"] / MEBI, kib["VmHWM"] / MEBI


def index_memory(system: Fits, corpus: Corpus) -> Grown | None:
    """Let a fresh process index a corpus, and give what it grew by; None where no system tells.

    The text is there before, and so are the modules that the system imports.

    Raises
    ------
    Exception
        What the system raised there, or because it cannot be sent to another process.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    if resident() is None:
        return None
    with ProcessPoolExecutor(max_workers=1) as fresh:
        grown: Grown | None = fresh.submit(_grown, system, without_memory(corpus)).result()
    return grown


def _grown(system: Fits, corpus: Corpus) -> Grown | None:
    loaded(system, corpus)
    before = _tidied()
    with contextlib.suppress(OSError):  # not every container lets one: the peak is older then
        FORGET.write_text("5", "ascii")
    fitted = system.fit(corpus)
    after = _tidied()
    del fitted  # which is what is weighed, and was alive until now
    if before is None or after is None:
        return None
    return Grown(after[0] - before[0], max(after[1], after[0]) - before[0])


def _tidied() -> tuple[float, float] | None:
    """Give `resident` once what is freed is back with the system, as far as allocators can do so.

    They keep much of it, for a build to come: of BM25 over 20,000 messages more than half.
    """
    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):  # glibc
        libc.malloc_trim(0)
    return resident()
