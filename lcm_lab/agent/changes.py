"""How ``lcm-lab diff`` prints what changed: text for people, facts for programs."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from lcm_lab.agent.show import WIDTH, grid
from lcm_lab.evaluation.comparing.compare import figures
from lcm_lab.shown import counted, one_line

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.comparing.diff import Diff

__all__ = ["facts", "told"]


def told(found: Diff, fallen: pd.DataFrame | None) -> str:
    """Print a table of changes, then what to know about it; who has fallen, where that was asked.

    Parameters
    ----------
    found : Diff
    fallen : DataFrame or None
        What `Diff.fallen` gave, where a threshold was given.
    """
    table = figures(found.frame)
    table.insert(2, "before", [_mean(value) for value in found.frame["before"]])
    table.insert(3, "after", [_mean(value) for value in found.frame["after"]])
    rows = [[str(cell) for cell in row] for row in table.itertuples(index=False)]
    notes = [
        textwrap.fill(one_line(note), WIDTH, initial_indent="- ", subsequent_indent="  ")
        for note in found.notes
    ]
    head = f"{one_line(found.before)} -> {one_line(found.after)}"
    lines = [head, "", grid(rows, list(table.columns)), "", *notes]
    if fallen is not None:
        names = ", ".join(map(one_line, fallen["system"]))
        fell = f"{counted(len(fallen), 'system')} fell: {names}." if names else "No system fell."
        gone = [f"Gone: {', '.join(map(one_line, found.gone))}."] if found.gone else []
        lines += ["", fell, *gone]
    return "\n".join(lines)


def _mean(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def facts(found: Diff, fallen: pd.DataFrame | None) -> dict[str, Any]:
    """Give what changed as JSON knows it; ``fallen`` is null where no threshold was given."""
    return {
        "before": found.before,
        "after": found.after,
        "changes": found.frame.to_dict("records"),
        "fallen": None if fallen is None else fallen["system"].tolist(),
        "gone": list(found.gone),
        "notes": list(found.notes),
    }
