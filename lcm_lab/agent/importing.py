"""What ``import`` prints: what came into a store, what was there, and what was skipped and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lcm_lab.agent import show

if TYPE_CHECKING:
    from lcm_lab.store.imports import Imported

__all__ = ["imported"]

#: How many reasons are listed.
REASONS = 20


def imported(paths: list[str], into: str, *, json: bool, now: int) -> str:
    """Import files into a store and say what became of them.

    Parameters
    ----------
    paths : list of str
    into : str
        The store, made if need be.
    json : bool
    now : int
        The instant, in microseconds since 1970, that is written beside new messages.
    """
    from lcm_lab.errors import BadParameter
    from lcm_lab.store.imports import import_files
    from lcm_lab.store.store import Store

    if into == ":memory:":
        raise BadParameter("--into ':memory:' is gone when the command ends. Name a file.")
    with Store(into) as store:
        done = import_files(store, paths, imported=now)
        holds = repr(store)
    reasons = Counter(_brief(one.reason) for one in done.skipped)
    if json:
        return show.as_json(_facts(done, reasons) | {"store": holds})
    rows = [[reason, show.count(count)] for reason, count in reasons.most_common(REASONS)]
    tables = [_counts(done)] + ([show.grid(rows, ["skipped", "count"])] if rows else [])
    return "\n\n".join([*tables, holds])


def _facts(done: Imported, reasons: Counter[str]) -> dict[str, Any]:
    added = done.added
    return {
        "files": dict(done.formats),
        "unchanged": done.unchanged,
        "new": added.messages,
        "grown": added.grown,
        "repeated": added.repeats,
        "moved": added.moved,
        "conversations": added.conversations,
        "skipped": dict(reasons),
    }


def _counts(done: Imported) -> str:
    added = done.added
    counts = {
        "files read": sum(done.formats.values()),
        "files unchanged": done.unchanged,
        "new conversations": added.conversations,
        "new messages": added.messages,
        "grown": added.grown,
        "repeated": added.repeats,
        "on another branch": added.moved,
    }
    return show.grid([[name, show.count(n)] for name, n in counts.items()], ["what", "count"])


def _brief(reason: str) -> str:
    """Give a reason without what is particular to one line or file."""
    return reason.split(". ")[0]
