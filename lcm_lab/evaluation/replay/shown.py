"""What a notebook shows of a replay: what was kept by budget and allowance, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from lcm_lab.compaction.work import named
from lcm_lab.markup import line, page, rows
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.evaluation.replay.result import Replay

__all__ = ["Shown"]


class Shown:
    """A replay as HTML."""

    def _repr_html_(self) -> str:
        found = cast("Replay", self)
        units = found.points["conversation"].nunique()
        caption = (
            f"<b>{counted(units, 'conversation')}</b> of {line(found.source, 80)}: "
            f"<code>{line(repr(found.strategy), 300)}</code>, {line(named(found.summariser), 120)}"
        )
        head = ["budget", "in view", "allowance", "kept", "95 % interval", "n", "units"]
        kept = rows(
            head, map(_cells, _records(found.summary())), caption=caption, numbers=" # ####"
        )
        how = found.split()
        head = ["budget", "allowance", "what became of the facts", "share", "n"]
        split = rows(head, map(_shared, _records(how)), numbers="   ##")
        fold = f"<details><summary>What became of the facts</summary>{split}</details>"
        few = [f"{units} are too few for an interval to mean much."] if units < 20 else []
        notes = "".join(f"<li>{line(note, 400)}</li>" for note in [*few, *found.notes])
        return page(kept, fold, f"<ul class='dim'>{notes}</ul>" if notes else "")


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")


def _cells(row: dict[Any, Any]) -> list[str]:
    known = not pd.isna(row["low"])
    between = f"{row['low']:.3f} to {row['high']:.3f}" if known else "–"
    return [
        line(row["budget"]),
        f"{100 * row['share']:.1f} %",
        line(row["arm"]),
        f"<b>{row['mean']:.3f}</b>",
        between,
        f"{row['n']:,}",
        f"{row['units']:,}",
    ]


def _shared(row: dict[Any, Any]) -> list[str]:
    return [
        line(row["budget"]),
        line(row["arm"]),
        line(row["how"]),
        f"{row['share']:.3f}",
        f"{row['n']:,}",
    ]
