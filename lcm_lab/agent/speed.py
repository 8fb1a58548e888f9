"""What ``bench`` does: time engines side by side, print a block a piece of work, write a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lcm_lab.agent import show
from lcm_lab.agent.group import say
from lcm_lab.agent.source import again, portable, writable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HOME", "timed", "timed_store"]

#: Where a report goes unless it is told.
HOME = "reports/speed"


def timed(size: int, questions: int, seed: int, out: str | None, *, json: bool) -> str:
    """Time BM25 beside the other engines that are installed."""
    from lcm_lab.evaluation.bench import bench_ranking

    folder = writable(out or HOME)
    frame = bench_ranking(size, questions=questions, seed=seed)
    options = [("--size", str(size)), ("--questions", str(questions)), ("--seed", str(seed))]
    if out:
        options.append(("--out", portable(out)))
    say(_written(frame, again("bench ranking", options), folder))
    if json:
        return show.as_json(frame.to_dict("records"))
    told = (
        f"{size:,} made-up messages. Times are of the processor, and wall where given; engines "
        "take turns at blocks of questions, in random order. Ratios are to the first engine."
    )
    return "\n\n".join([*_blocks(frame), told])


def timed_store(size: int, questions: int, seed: int, *, json: bool) -> str:
    """Time a store at a size."""
    from lcm_lab.evaluation.bench_store import bench_store

    frame = bench_store(size, questions=questions, seed=seed)
    if json:
        return show.as_json(frame.to_dict("records"))
    lines = [
        [str(row["what"]), show.count(row["n"]), f"{row['value']:,.2f}", str(row["unit"])]
        for row in frame.to_dict("records")
    ]
    return show.grid(lines, ["store", "n", "value", "unit"])


def _written(frame: pd.DataFrame, command: str, folder: object) -> str:
    from lcm_lab.reporting.speed import speed_report

    return str(speed_report(frame, command).save(str(folder)))


def _blocks(frame: pd.DataFrame) -> list[str]:
    from lcm_lab.reporting.speed import duration

    blocks = []
    for work, rows in frame.groupby("work", sort=False):
        times = ["median", "p95"] if rows["wall"].isna().all() else ["median", "wall"]
        lines = [
            [str(row["engine"]), *(duration(row[name]) for name in times), f"{row['ratio']:.2f}"]
            for row in rows.to_dict("records")
        ]
        what = f"{work} (n = {rows['n'].iloc[0]:,})"
        blocks.append(show.grid(lines, [what, *times, "ratio"]))
    return blocks
