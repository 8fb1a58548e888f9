"""Topics named in a sentence: how many of how many, and which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lcm_lab.shown import counted

__all__ = ["LISTED", "listed", "some_of"]

#: So many ids are listed; more are counted.
LISTED = 10


def listed(qids: Sequence[str], which: npt.NDArray[np.int64]) -> str:
    """List some topics in brackets, at most ten by name.

    Examples
    --------
    >>> listed(["a", "b", "c"], np.array([0, 2]))
    ' (a, c)'
    """
    if not len(which):
        return ""
    shown = ", ".join(qids[i] for i in which[:LISTED])
    more = f", and {len(which) - LISTED:,} more" if len(which) > LISTED else ""
    return f" ({shown}{more})"


def some_of(qids: Sequence[str], which: npt.NDArray[np.int64]) -> str:
    """Count some topics among all, and list them unless they are all.

    Examples
    --------
    >>> some_of(["a", "b", "c"], np.array([0, 2])), some_of(["a"], np.array([0]))
    ('2 of 3 topics (a, c)', '1 of 1 topic')
    """
    names = listed(qids, which) if len(which) < len(qids) else ""
    return f"{len(which):,} of {counted(len(qids), 'topic')}{names}"
