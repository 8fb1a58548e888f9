"""What ``lcm-lab check`` prints: the audit of a store, a lossless-claw database or a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lcm_lab.agent import show
from lcm_lab.agent.promises import checked_collection, collection_at

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.store.lcm.database import LcmDatabase
    from lcm_lab.store.store import Store

__all__ = ["checked", "database"]

#: Where the header of an SQLite file has the number of the program that it is of.
APPLICATION_AT = 68


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


def database(path: str) -> Store | LcmDatabase:
    """Open a store to read, or a lossless-claw database.

    Raises
    ------
    NotFound
        Nothing there.
    BadInput
        Neither of them; says what it is.
    """
    from lcm_lab.collection.paths import expanded
    from lcm_lab.errors import NotFound
    from lcm_lab.store.lcm.database import open_lcm
    from lcm_lab.store.lcm.schema import IsStore
    from lcm_lab.store.opening import APPLICATION
    from lcm_lab.store.store import Store

    place = expanded(path)
    if not place.exists():
        raise NotFound(
            f"No store {path!r}. Make one with lcm-lab import PATH --into {path}, or give the "
            "lcm.db of lossless-claw."
        )
    if _program(place) == APPLICATION:
        return Store(place, readonly=True)
    try:
        return open_lcm(place)
    except IsStore:  # a young one, whose header is in its log so far
        return Store(place, readonly=True)


def _program(place: Path) -> int:
    """Give which program an SQLite file says that it is of; 0 for other files, and for none."""
    if not place.is_file():
        return 0
    with place.open("rb") as file:
        head = file.read(100)
    return int.from_bytes(head[APPLICATION_AT : APPLICATION_AT + 4])


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
