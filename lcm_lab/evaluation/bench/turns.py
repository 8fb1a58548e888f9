"""Work timed in turns, so that a busy moment of the machine falls on all alike.

A ratio of two medians that took turns is what a shared machine can tell; its interval comes from
drawing the blocks of turns again, since questions of one block share their moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.evaluation.progress import progress

__all__ = ["COLUMNS", "Rows", "bandwidth", "ratios", "resident", "spent", "take_turns", "told"]

Floats = npt.NDArray[np.float64]
Rows = list[dict[str, Any]]

#: Of a row: who did what, how often; milliseconds of processor time and on the clock; the ratio to
#: the first with its 95 % interval; megabytes it took; and milliseconds that nothing could beat.
COLUMNS = (
    "engine", "work", "n", "median", "p95", "wall", "ratio", "low", "high", "memory", "limit"
)  # fmt: skip

#: Questions asked of all before any is timed, and in a row before another has its turn.
WARM, BLOCK = 20, 25

#: Times that blocks are drawn again.
DRAWN = 500


def spent(work: Callable[[], Any]) -> tuple[float, float]:
    """Give the seconds that work took: of the processor, and on the clock."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - processor, time.perf_counter() - wall


def take_turns(
    doers: Sequence[Callable[[Any], Any]],
    asked: Sequence[Any],
    what: str,
    rng: np.random.Generator,
    block: int = BLOCK,
) -> Floats:
    """Put every question to everyone, a block of questions at a time, in an order drawn anew.

    Returns
    -------
    ndarray of shape (2, n_doers, n_questions), float64
        Seconds, of the processor and on the clock.
    """
    for question in asked[:WARM]:
        for do in doers:
            do(question)
    times = np.zeros((2, len(doers), len(asked)))
    for start in progress(range(0, len(asked), block), what):
        for place in rng.permutation(len(doers)):
            for i in range(start, min(start + block, len(asked))):
                times[:, place, i] = spent(partial(doers[place], asked[i]))
    return times


def told(
    names: Sequence[str],
    work: str,
    times: Floats,
    block: int = BLOCK,
    limit: float = np.nan,
    clock: int = 0,
) -> Rows:
    """Give a row for everyone who took turns.

    Parameters
    ----------
    names : sequence of str
    times : float64 array of shape (2, n_names, n_questions)
        As `take_turns` gives them.
    limit : float
        Milliseconds that nothing could beat.
    clock : {0, 1}
        Whether ratios are of processor time or, where other processes did the work, of the clock.
    """
    milli = times * 1e3
    ratio, low, high = ratios(milli[clock], block)
    return [
        {
            "engine": name,
            "work": work,
            "n": times.shape[2],
            "median": np.nan if clock else float(np.median(milli[0, i])),
            "p95": float(np.percentile(milli[clock, i], 95)),
            "wall": float(np.median(milli[1, i])),
            "ratio": ratio[i],
            "low": low[i],
            "high": high[i],
            "memory": np.nan,
            "limit": limit,
        }
        for i, name in enumerate(names)
    ]


def ratios(times: Floats, block: int = BLOCK, seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """Give each one's median over that of the first, and its 95 % interval over blocks of turns.

    Examples
    --------
    >>> [x.tolist() for x in ratios(np.array([[2.0, 2.0, 2.0], [4.0, 4.0, 4.0]]), block=1)]
    [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """
    medians = np.median(times, axis=1)
    blocks = [times[:, i : i + block] for i in range(0, times.shape[1], block)]
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(DRAWN):
        chosen = rng.integers(len(blocks), size=len(blocks))
        again = np.median(np.concatenate([blocks[i] for i in chosen], axis=1), axis=1)
        drawn.append(_over(again))
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return _over(medians), np.asarray(low), np.asarray(high)


def _over(medians: Floats) -> Floats:
    """Divide by the first, which may be too short for the clock to see."""
    return medians / max(float(medians[0]), 1e-9)


def resident() -> float:
    """Give the megabytes of memory that this process holds, NaN where that is not known."""
    told = Path("/proc/self/status")
    lines = told.read_text(encoding="ascii").splitlines() if told.exists() else []
    held = [int(line.split()[1]) for line in lines if line.startswith("VmRSS:")]
    return held[0] / 1e3 if held else np.nan


def bandwidth(megabytes: int = 256) -> float:
    """Measure how many bytes a second one thread reads from memory, at best of five."""
    block = np.ones(megabytes * 125_000)
    best = min(spent(block.sum)[0] for _ in range(5))
    return block.nbytes / max(best, 1e-9)
