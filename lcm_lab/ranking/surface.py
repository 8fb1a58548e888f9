"""The names that a policy read from text may use."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

__all__ = ["surface"]

#: What is no ranker and stands inside of one.
INSIDE = ("Analyzer", "vary")
#: Where what a `Memory` is made of lives: strategies, and summarisers that touch no disk.
COMPACTING = (
    "compaction.anchors",
    "compaction.clusters",
    "compaction.extracts",
    "compaction.levels",
    "compaction.lossless",
    "compaction.mask",
    "compaction.memory",
    "compaction.session",
    "compaction.strategies",
    "compaction.summarise",
)


@cache
def surface() -> Mapping[str, Any]:
    """Give the names that a policy may use, and what they stand for.

    These are the public names of the package that come from ranking, but for the classes that
    authors extend, and what is written inside of a ranker: strategies and summarisers in a
    `Memory`. Nothing else is reachable.

    Examples
    --------
    >>> "BM25" in surface(), "Scorer" in surface(), "open" in surface()
    (True, False, False)
    """
    # By name, since what is public is said above this row.
    package: Any = importlib.import_module("lcm_lab")
    homes = package._HOME.items()
    taken = [n for n, home in homes if home.startswith("ranking.") or home in COMPACTING]
    found = {name: getattr(package, name) for name in (*taken, *INSIDE)}
    return {name: made for name, made in found.items() if not _is_base(made)}


def _is_base(made: Any) -> bool:
    """Tell whether a class is for extending: rankers themselves are values."""
    return isinstance(made, type) and not dataclasses.is_dataclass(made)
