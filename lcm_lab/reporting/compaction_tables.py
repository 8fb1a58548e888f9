"""The tables of a compaction report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from lcm_lab.reporting.document import Grid
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.tables import NOTHING, Cell, number

if TYPE_CHECKING:
    from lcm_lab.evaluation.replay.result import Replay

__all__ = ["areas", "claim_table", "costs", "kept", "kinds", "real", "splits", "stale"]

#: What became of a fact, in the order of a table.
FATES = (
    "view", "search", "expand", "not summarised", "not found", "expand budget ended", "no question",
)  # fmt: skip
STATES = ("only new", "both", "only old", "neither")


def mean_cell(row: Any) -> Cell:
    """Give a mean with its interval and its n."""
    told = "" if math.isnan(row.low) else f"[{row.low:.3f}, {row.high:.3f}]"
    ends = (None, None) if math.isnan(row.low) else (row.low, row.high)
    return Cell(number(row.mean), told, int(row.n), row.mean, *ends)


def kept(results: Mapping[str, Replay], budget: str) -> Grid:
    """Lay out strategies by arms, at one budget."""
    found = {name: one.summary() for name, one in results.items()}
    arms = list(dict.fromkeys(arm.name for one in results.values() for arm in one.arms))
    lines = []
    for name, frame in found.items():
        own = {row.arm: row for row in rows(frame[frame["budget"] == budget])}
        if own:
            share = next(iter(own.values())).share
            cells = [mean_cell(own[arm]) if arm in own else Cell(NOTHING) for arm in arms]
            lines.append((name, (Cell(f"{share:.1%}", value=share), *cells)))
    return Grid(("Strategy", "in view", *arms), tuple(lines), f"Share of facts kept, {budget}")


def areas(results: Mapping[str, Replay]) -> Grid:
    """Lay out the area under each frontier."""
    arms = list(dict.fromkeys(arm.name for one in results.values() for arm in one.arms))
    lines, ends = [], set()
    for name, one in results.items():
        own = {row.arm: row for row in rows(one.area()) if not math.isnan(row.mean)}
        if own:
            ends |= {(row.first, row.last) for row in own.values()}
            lines.append(
                (name, tuple(mean_cell(own[a]) if a in own else Cell(NOTHING) for a in arms))
            )
    told = "; ".join(f"{first:.0%} to {last:.0%}" for first, last in sorted(ends))
    return Grid(("Strategy", *arms), tuple(lines), f"Area under the frontier, {told or 'none'}")


def claim_table(found: pd.DataFrame) -> Grid:
    """Lay out the claims, what was compared, and the outcome."""
    lines = []
    for row in rows(found):
        told = "" if math.isnan(row.low) else f"[{row.low:+.3f}, {row.high:+.3f}]"
        difference = NOTHING if math.isnan(row.difference) else f"{row.difference:+.3f}"
        n = int(row.n) or None
        cells = (
            Cell(row.compared or NOTHING),
            Cell(difference, told, n, value=row.difference if n else None),
            Cell(f"{row.units:,}" if n else NOTHING),
            Cell(row.outcome),
        )
        lines.append((row.claim, cells))
    return Grid(("Claim", "compared", "difference", "conversations", "outcome"), tuple(lines))


def splits(results: Mapping[str, Replay], budget: str, arm: str) -> Grid:
    """Lay out what became of the facts, strategies by fates."""
    return _shares(
        ((name, one.split()) for name, one in results.items()), (budget, arm), "how", FATES
    )


def stale(results: Mapping[str, Replay], budget: str, arm: str) -> Grid:
    """Lay out what is left of updated slots, strategies by states."""
    return _shares(
        ((name, one.staleness()) for name, one in results.items()), (budget, arm), "state", STATES
    )


def _shares(
    found: Iterable[tuple[str, pd.DataFrame]],
    at: tuple[str, str],
    column: str,
    names: tuple[str, ...],
) -> Grid:
    lines = []
    for name, frame in found:
        own = frame[(frame["budget"] == at[0]) & (frame["arm"] == at[1])]
        if len(own):
            shares, n = own.set_index(column)["share"], int(own["n"].iloc[0])
            cells = (
                Cell(number(shares.get(one, 0.0)), n=n, value=shares.get(one, 0.0)) for one in names
            )
            lines.append((name, tuple(cells)))
    return Grid(("Strategy", *names), tuple(lines), f"{at[0]}, {at[1]}")


def kinds(results: Mapping[str, Replay], budget: str, arm: str) -> Grid:
    """Lay out kinds of facts by strategies."""
    found = {name: one.by("kind", arm=arm, budget=budget) for name, one in results.items()}
    found = {name: frame for name, frame in found.items() if len(frame)}
    every = dict.fromkeys(kind for frame in found.values() for kind in frame["kind"])
    lines = []
    for kind in every:
        own = (frame[frame["kind"] == kind] for frame in found.values())
        cells = (mean_cell(rows(one)[0]) if len(one) else Cell(NOTHING) for one in own)
        lines.append((safe(kind, 60), tuple(cells)))
    return Grid(("Kind", *found), tuple(lines), f"{budget}, {arm}")


def costs(results: Mapping[str, Replay]) -> Grid:
    """Lay out what compaction costs, over all conversations and cycles, per budget."""
    lines = []
    for name, one in results.items():
        for budget in one.budgets:
            own = one.points[one.points["budget"] == budget]
            told = own["input"][own["cycle"] == one.cycles].sum()
            over = int((own["over"] > 0.02 * own["limit"].fillna(0)).sum())
            counts = (
                own["calls"].sum(), own["read"].sum() / told, own["written"].sum() / told,
                (own["freed"] / own["before"]).mean(), own["prefix"].sum() / own["tokens"].sum(),
                own["rewritten"].sum() / told, own["invented"].sum(), over,
                int((~own["valid"]).sum()),
            )  # fmt: skip
            lines.append((f"{name}, {budget}", tuple(_amount(count) for count in counts)))
    columns = (
        "Strategy", "calls", "read / input", "written / input", "freed a cycle", "prefix kept",
        "rewritten / input", "invented", "over budget", "invalid",
    )  # fmt: skip
    return Grid(columns, tuple(lines))


def _amount(count: Any) -> Cell:
    if isinstance(count, float):
        return Cell(number(count), value=count)
    return Cell(f"{int(count):,}", value=float(count))


def real(recorded: pd.DataFrame) -> Grid:
    """Lay out what summaries of the size of a real one keep, ways by boundaries."""
    names = list(dict.fromkeys(recorded["boundary"]))
    sizes = recorded.groupby("boundary", sort=False)[["limit", "n"]].first()
    lines = []
    for way, part in recorded.groupby("way", sort=False):
        own = part.set_index("boundary")["share"]
        cells = [Cell(number(own[name]), value=own[name]) for name in names]
        lines.append((str(way), (Cell(number(own.mean()), value=own.mean(), n=len(own)), *cells)))
    heads = [
        f"{index} ({row.limit:,} tokens, n = {row.n})" for index, row in enumerate(rows(sizes), 1)
    ]
    return Grid(("Way", "mean", *heads), tuple(lines), "Share of identifiers used again later")
