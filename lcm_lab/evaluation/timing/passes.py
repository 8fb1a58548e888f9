"""A pass of timing carried out: one search at a time, in one thread, from a plan, by a clock.

Nothing is kept from one search to the next. What is timed is the search: the filters of a topic are
rows already, and no table is made of the hits. A search that raises has no time, and takes none
from any other system.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.systems import Searches
from lcm_lab.evaluation.timing.clock import Clock
from lcm_lab.evaluation.timing.plan import Block
from lcm_lab.evaluation.vetting import Failure
from lcm_lab.topics import Topics

__all__ = ["Taken", "carry_out", "told"]

#: A system that raises on so many searches in a row is asked no more, and has no times.
GIVE_UP = 20

COLUMNS = ["system", "round", "topic", "counts", "due", "started", "ended", "failed"]

Row = tuple[str, int, int, bool, int, int, int, bool]


@dataclass(frozen=True, eq=False)
class Taken:
    """What a pass found.

    Attributes
    ----------
    frame : DataFrame
        A row a search, in the order in which they were done: system, round, topic (its position),
        counts (whether it is past the warm-up), due, started, ended (nanoseconds of the clock),
        failed. Without the systems that were given up.
    failures : dict of system to list of Failure
        What single searches raised, warm-up included.
    lost : dict of system to Failure
        What the systems raised that were given up.
    """

    frame: pd.DataFrame
    failures: dict[str, list[Failure]] = field(default_factory=dict)
    lost: dict[str, Failure] = field(default_factory=dict)

    def counted(self) -> pd.DataFrame:
        """Give the searches that count, and service and latency in milliseconds, NaN if failed."""
        frame = self.frame[self.frame["counts"]].reset_index(drop=True)
        for name, since in (("service", "started"), ("latency", "due")):
            ms = (frame["ended"] - frame[since]).to_numpy(float) / 1e6
            frame[name] = np.where(frame["failed"], np.nan, ms)
        return frame

    def lateness(self) -> npt.NDArray[np.float64]:
        """Give how late searches began that had none to wait for, in ms: the fault of the clock."""
        frame = self.frame
        begins = frame[["system", "round"]].ne(frame[["system", "round"]].shift()).any(axis=1)
        free = begins | (frame["ended"].shift(fill_value=0) <= frame["due"])
        late = (frame["started"] - frame["due"])[free]
        return late.to_numpy(float) / 1e6


def carry_out(
    plan: Iterable[Block], searchers: Mapping[str, Searches], topics: Topics, clock: Clock
) -> Taken:
    """Search as planned, each when it is due or as soon as the one before it is done.

    One search runs at a time, in the order in which they are due, so that one that takes long keeps
    those waiting that are due meanwhile; each block begins with nobody waiting.
    """
    taken, rows = Taken(pd.DataFrame(columns=COLUMNS)), list[Row]()
    in_a_row: dict[str, int] = {}
    for block in progress(plan, "timing searches"):
        if block.system not in taken.lost:
            rows += _block(block, searchers[block.system], topics, clock, (taken, in_a_row))
    frame = pd.DataFrame([row for row in rows if row[0] not in taken.lost], columns=COLUMNS).astype(
        {"counts": bool, "failed": bool, "due": "int64", "started": "int64", "ended": "int64"}
    )
    return Taken(frame, taken.failures, taken.lost)


def _block(
    block: Block,
    searcher: Searches,
    topics: Topics,
    clock: Clock,
    so_far: tuple[Taken, dict[str, int]],
) -> list[Row]:
    (taken, in_a_row), name, rows = so_far, block.system, list[Row]()
    positions = block.topics.tolist()
    asked = [topics.pick([i]) for i in positions]
    begins = clock.now()
    for place, (i, topic) in enumerate(zip(positions, asked, strict=True)):
        if block.due is not None:
            clock.wait(begins + int(block.due[place]))
        started = clock.now()
        due = started if block.due is None else begins + int(block.due[place])
        error = _raised(searcher, topic)
        ended, counts = clock.now(), place >= block.lead
        rows.append((name, block.round, i, counts, due, started, ended, error is not None))
        in_a_row[name] = 0 if error is None else in_a_row.get(name, 0) + 1
        if error is not None:
            failure = Failure.of(name, topic.qids[0], error)
            taken.failures.setdefault(name, []).append(failure)
            if in_a_row[name] >= GIVE_UP:
                taken.lost[name] = failure
                break
    return rows


def _raised(searcher: Searches, topic: Topics) -> Exception | None:
    try:
        searcher.run(topic)
    except Exception as error:
        return error
    return None


def told(taken: Taken) -> list[str]:
    """Say which systems raised while they were timed, a sentence each."""
    said = []
    for name, failures in taken.failures.items():
        why = f"{failures[0].kind}: {failures[0].message}".rstrip(" .:")
        how = (
            f"{name} has no times: it raised on {GIVE_UP} searches in a row while it was timed"
            if name in taken.lost
            else f"{name} raised on {len(failures):,} of its searches while it was timed, warm-up "
            "included, which have no time"
        )
        said.append(f"{how} ({why}).")
    return said
