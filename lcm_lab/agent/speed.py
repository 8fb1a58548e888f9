"""What ``bench`` does: time engines side by side, print a block a piece of work, write a report."""

from __future__ import annotations

from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcm_lab.agent import show
from lcm_lab.agent.group import say
from lcm_lab.agent.source import again, portable, writable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HOME", "PARTS", "bench_of", "timed", "timed_all", "timed_store"]

#: Where a report goes unless it is told.
HOME = "reports/speed"

#: What is timed into one table, in the order of ``all``.
PARTS = ("ranking", "dense", "pipeline", "large", "store")

#: At most so many messages of each part of ``all``, and so many times the size of the others.
MOST, TIMES = {"dense": 100_000, "pipeline": 100_000, "large": 5_000_000}, {"large": 5}


def timed(
    size: int,
    questions: int,
    seed: int,
    out: str | None,
    *,
    json: bool,
    what: str = "ranking",
    against: str | None = None,
    curve: bool = False,
) -> str:
    """Time one of `PARTS` or ``all`` of them, and write the report.

    Parameters
    ----------
    against : str, optional
        The ``data.parquet`` of another run, to compare with.
    curve : bool
        Time the engines at a hundredth, a tenth and the whole of the size.
    """
    before = None if against is None else _read(against)
    folder = writable(out or HOME)
    frame = _timed(what, size, questions, seed, curve=curve)
    options = [("--size", str(size)), ("--questions", str(questions)), ("--seed", str(seed))]
    if out:
        options.append(("--out", portable(out)))
    command = again(f"bench {what}", options) + (" --curve" if curve else "")
    say(_written(frame, command, folder))
    if json:
        return show.as_json(frame.to_dict("records"))
    told = (
        f"{size:,} made-up messages. median and p95 are of the processor, wall is on the clock; "
        "everyone takes turns at blocks of questions, in random order. Ratios are to the first "
        "row, with their 95 % interval over blocks; limit is what reading the bytes would take."
    )
    blocks = _blocks(frame) if before is None else [_against(frame, before)]
    return "\n\n".join([*blocks, *_exponents(frame), *_targets(frame), told])


def timed_store(size: int, questions: int, seed: int, *, json: bool) -> str:
    """Time a store at a size."""
    from lcm_lab.evaluation.bench.store import bench_store

    frame = bench_store(size, questions=questions, seed=seed)
    if json:
        return show.as_json(frame.to_dict("records"))
    lines = [
        [str(row["what"]), show.count(row["n"]), f"{row['value']:,.2f}", str(row["unit"])]
        for row in frame.to_dict("records")
    ]
    return show.grid(lines, ["store", "n", "value", "unit"])


def bench_of(
    what: str, size: int, questions: int, seed: int, *, json: bool, out: str | None, **given: Any
) -> str:
    """Time a part of the library, or all of it, and tell what came out."""
    from lcm_lab.agent.lcm.bench import timed_tools

    if what == "tools":
        return timed_tools(size, questions, seed, json=json)
    if what == "store":
        return timed_store(size, questions, seed, json=json)
    if what == "all":
        return timed_all(size, questions, seed, out, json=json, **given)
    return timed(size, questions, seed, out, json=json, what=what, **given)


def timed_all(
    size: int, questions: int, seed: int, out: str | None, *, json: bool, **given: Any
) -> str:
    """Time everything: `PARTS`, and the tools over a store."""
    from lcm_lab.agent.lcm.bench import timed_tools

    parts = {
        "engines": timed(size, questions, seed, out, json=json, what="all", **given),
        "tools": timed_tools(size, questions, seed, json=json),
    }
    if json:
        return show.as_json({name: loads(part) for name, part in parts.items()})
    return "\n\n".join(parts.values())


def _timed(what: str, size: int, questions: int, seed: int, *, curve: bool) -> pd.DataFrame:
    import pandas as pd

    from lcm_lab.evaluation.bench import lexical as bench
    from lcm_lab.evaluation.bench.dense import bench_dense
    from lcm_lab.evaluation.bench.large import bench_large
    from lcm_lab.evaluation.bench.pipeline import bench_pipeline
    from lcm_lab.evaluation.bench.store import stored

    made = {
        "dense": bench_dense,
        "large": bench_large,
        "pipeline": bench_pipeline,
        "ranking": bench.bench_ranking,
        "store": stored,
    }
    parts = []
    for one in PARTS if what == "all" else (what,):
        several = min(size * TIMES.get(one, 1), MOST.get(one, size)) if what == "all" else size
        if curve and one == "ranking":
            parts.append(bench.curve(bench.sizes(size), questions=questions, seed=seed))
        else:
            parts.append(made[one](several, questions=questions, seed=seed))
    return pd.concat(parts, ignore_index=True)


def _read(path: str) -> pd.DataFrame:
    import pandas as pd

    from lcm_lab.errors import BadInput, NotFound

    if not Path(path).is_file():
        raise NotFound(f"No table of another run at {path}. A run writes {HOME}/data.parquet.")
    try:
        before = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is no parquet: {str(error).splitlines()[0]:.120}") from None
    lacking = [name for name in ("engine", "work", "median", "ratio") if name not in before]
    if lacking:
        raise BadInput(f"{path} has no column {lacking[0]!r}. Give the data.parquet of a bench.")
    return before


def _written(frame: pd.DataFrame, command: str, folder: object) -> str:
    from lcm_lab.reporting.speed import speed_report

    return str(speed_report(frame, command).save(str(folder)))


def _blocks(frame: pd.DataFrame) -> list[str]:
    from lcm_lab.reporting.speed import duration

    blocks = []
    for work, rows in frame.groupby("work", sort=False):
        times = [n for n in ("median", "p95", "wall", "limit") if rows[n].notna().any()]
        sized = rows["memory"].notna().any()
        lines = [
            [
                str(row["engine"]),
                *(duration(row[name]) for name in times),
                *([f"{row['memory']:,.0f}"] if sized else []),
                _ratio(row),
            ]
            for row in rows.to_dict("records")
        ]
        what = f"{work} (n = {rows['n'].iloc[0]:,})"
        blocks.append(show.grid(lines, [what, *times, *(["MB"] if sized else []), "ratio"]))
    return blocks


def _ratio(row: dict[Any, Any]) -> str:
    told = f"{row['ratio']:.2f}"
    return f"{told} [{row['low']:.2f}, {row['high']:.2f}]" if row["low"] < row["high"] else told


def _against(frame: pd.DataFrame, before: pd.DataFrame) -> str:
    """Set each figure beside that of another run: its time, and its ratio, which travels better."""
    from lcm_lab.evaluation.bench.lexical import compared

    names = ("ratio", "then", "change", "time")
    lines = [
        [f"{row['work']}: {row['engine']}", *(f"{row[name]:.2f}" for name in names)]
        for row in compared(frame, before).to_dict("records")
    ]
    head = ["work: engine", "ratio", "ratio then", "change of ratio", "time over then"]
    return show.grid(lines, head) if lines else "Nothing here was timed in the other run."


def _targets(frame: pd.DataFrame) -> list[str]:
    from lcm_lab.evaluation.bench.targets import against_targets

    lines = [
        [row["work"], row["figure"], row["target"], "met" if row["met"] else "missed"]
        for row in against_targets(frame).to_dict("records")
    ]
    return [show.grid(lines, ["promised", "figure", "target", ""])] if lines else []


def _exponents(frame: pd.DataFrame) -> list[str]:
    from lcm_lab.evaluation.bench.lexical import exponents

    if "size" not in frame:
        return []
    lines = [
        [f"{row['work']}: {row['engine']}", f"{row['n']}", f"{row['exponent']:.2f}"]
        for row in exponents(frame.dropna(subset="size")).to_dict("records")
    ]
    return [show.grid(lines, ["work: engine", "sizes", "exponent"])]
