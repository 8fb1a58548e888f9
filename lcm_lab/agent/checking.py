"""What ``lcm-lab check`` prints: the audit of a store, a lossless-claw database or a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lcm_lab.agent import show
from lcm_lab.agent.promises import checked_collection, collection_at
from lcm_lab.store.recognised import database

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["checked", "database"]


def checked(path: str, *, json: bool) -> tuple[str, int]:
    """Audit a database, or a collection's folder, and write what was found.

    Returns
    -------
    str
        A table of the rules, those that are broken explained; or JSON.
    int
        How many violations there are.

    Raises
    ------
    NotFound
        Nothing there.
    BadInput
        Nothing that can be audited.
    """
    from lcm_lab.store.audit import audit

    if folder := collection_at(path):
        return checked_collection(folder, json=json)
    with database(path) as held:
        found, what = audit(held), repr(held)
        notes = getattr(held, "notes", ())
    total = int(found["violations"].sum())
    if json:
        facts = {"database": what, "notes": list(notes), "rules": found.to_dict("records")}
        return show.as_json(facts), total
    return "\n\n".join(filter(None, [what, "\n".join(notes), _table(found), _told(found)])), total


def _table(found: pd.DataFrame) -> str:
    rows = [
        [rule, show.count(violations), ", ".join(examples)]
        for rule, violations, examples in zip(
            found["rule"], found["violations"], found["examples"], strict=True
        )
    ]
    return show.grid([row[:2] for row in rows], ["rule", "violations"])


def _told(found: pd.DataFrame) -> str:
    """Say of each broken rule where, and what it means."""
    broken = found[found["violations"] > 0]
    if broken.empty:
        return "clean"
    lines = []
    for row in broken.to_dict("records"):
        more = row["violations"] - len(row["examples"])
        rest = f" and {more:,} more" if more > 0 else ""
        lines.append(f"{row['rule']}: {', '.join(row['examples'])}{rest}\n  {row['meaning']}")
    return "\n".join(lines)
