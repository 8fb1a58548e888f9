"""What ``bench`` prints: engines side by side, a block a piece of work."""

from __future__ import annotations

import math

from lcm_lab.agent import show

__all__ = ["timed"]


def timed(size: int, questions: int, seed: int, *, json: bool) -> str:
    """Time BM25 beside the other engines that are installed."""
    from lcm_lab.evaluation.bench import bench_ranking

    frame = bench_ranking(size, questions=questions, seed=seed)
    if json:
        return show.as_json(frame.to_dict("records"))
    blocks = []
    for work, rows in frame.groupby("work", sort=False):
        times = ["median", "p95"] if rows["wall"].isna().all() else ["median", "wall"]
        lines = [
            [str(row["engine"]), *(_time(row[name]) for name in times), f"{row['ratio']:.2f}"]
            for row in rows.to_dict("records")
        ]
        what = f"{work} (n = {rows['n'].iloc[0]:,})"
        blocks.append(show.grid(lines, [what, *times, "ratio"]))
    told = (
        f"{size:,} made-up messages. Times are of the processor, and wall where given; engines "
        "take turns at blocks of questions, in random order. Ratios are to the first engine."
    )
    return "\n\n".join([*blocks, told])


def _time(milliseconds: float) -> str:
    if math.isnan(milliseconds):
        return ""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.3f} ms"
