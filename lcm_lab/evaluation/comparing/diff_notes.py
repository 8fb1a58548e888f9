"""What a reader must know beside a diff: what is not the same on both sides, and what limits it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from lcm_lab.evaluation.comparing.compare_notes import method
from lcm_lab.evaluation.comparing.paired import units_note
from lcm_lab.evaluation.files.saved import Saved
from lcm_lab.evaluation.statistics.significance import By, Ints
from lcm_lab.measures import Measure
from lcm_lab.shown import counted

__all__ = ["UNKNOWN", "changes", "limits", "losses", "nothing"]

UNKNOWN = (
    "Neither folder says of which conversation a topic is, so topics were taken one by one; those "
    "of one conversation are not independent, and p is too small."
)


def nothing(first: Saved, second: Saved) -> str:
    """Say what each side has, where they have nothing in common."""
    told = [
        f"{side.name!r} has systems {', '.join(side.systems) or 'none'}; measures "
        f"{', '.join(map(str, side.measures)) or 'none to compare'}; "
        f"{counted(len(side.qids), 'topic')}."
        for side in (first, second)
    ]
    return " ".join(["They have nothing to compare in common.", *told])


def changes(first: Saved, second: Saved) -> Iterator[str]:
    """Name what is not the same on both sides."""
    if first.fingerprint != second.fingerprint:
        yield (
            f"The collections differ: {first.collection!r} ({first.fingerprint[:8]}) and "
            f"{second.collection!r} ({second.fingerprint[:8]}). Topics are matched by qid alone."
        )
    for name, made in first.systems.items():
        now = second.systems.get(name, made)
        if now != made:
            yield f"{name} is written otherwise: {now}, before {made}."
    for side, other, where in ((first, second, "before"), (second, first, "after")):
        for what in ("systems", "measures", "qids"):
            there = set(getattr(other, what))
            alone = [str(one) for one in getattr(side, what) if one not in there]
            if alone:
                noun = "topic" if what == "qids" else what[:-1]
                yield f"Only {where}: {counted(len(alone), noun)} ({_listed(alone)})."


def _listed(names: list[str], most: int = 10) -> str:
    more = f", and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def losses(frame: pd.DataFrame) -> Iterator[str]:
    """Name the systems that have no value any more where they had one."""
    gone = zip(frame["system"], frame["measure"], frame["lost"].astype(int), strict=True)
    for system, measure, lost in gone:
        if lost:
            yield (
                f"{system} has no {measure} after on {counted(lost, 'topic')} that it had one on "
                "before: what went wrong there is in no mean."
            )


def limits(measures: Sequence[Measure], units: Ints, by: By, n_systems: int) -> Iterator[str]:
    """Say how the numbers were made, and where units are too few."""
    n_units = len(np.unique(units))
    unit: By = "topic" if n_units == len(units) else by
    yield from method(measures, unit, n_units, n_systems)
    yield from units_note(units, by)
