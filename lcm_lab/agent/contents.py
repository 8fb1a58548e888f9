"""What ``read`` and ``datasets`` print: what is in a path, and what ships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lcm_lab.agent import show
from lcm_lab.agent.source import opened
from lcm_lab.shown import one_line

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.collection import Collection

__all__ = ["contents", "shipped_collections"]

#: How many sessions are listed one by one, and how many skipped lines.
SESSIONS, SKIPPED = 20, 10


def contents(path: str, *, json: bool) -> str:
    """Say what is in transcripts, and what was skipped and why; or what a collection holds."""
    from lcm_lab.collection import Collection

    transcripts = opened(path)
    if isinstance(transcripts, Collection):
        return _collection(transcripts, json=json)
    summary = transcripts.summary()
    skipped = [_skip(one) for one in transcripts.skipped]
    if json:
        return show.as_json({"summary": summary.to_dict("records"), "skipped": skipped})
    parts = [repr(transcripts)]
    parts += [_section(what, rows) for what, rows in summary.groupby("what", sort=False)]
    broken = [one for one in skipped if not one["reason"].startswith("not a message")]
    return "\n\n".join(parts + ([_listed(broken)] if broken else []))


def _collection(made: Collection, *, json: bool) -> str:
    from lcm_lab.reporting.tables import facts

    types = made.topics["type"].replace("", "no type").value_counts(sort=False)
    if json:
        head = {"name": made.name, "messages": len(made.corpus), "topics": len(made.topics)}
        return show.as_json({**head, "types": types.to_dict(), "card": made.card})
    cells = [[str(name), show.count(n)] for name, n in types.items()]
    card = [f"{name}: {fact}" for name, fact in facts(made.card)]
    return "\n\n".join([repr(made), show.grid(cells, ["type", "topics"]), "\n".join(card)])


def shipped_collections(*, json: bool) -> str:
    """List the collections that ship, with what their card says of them."""
    from lcm_lab.transcripts.load import load, shipped

    rows = []
    for name in shipped():
        made = load(name)
        rows.append(
            {
                "name": name,
                "messages": len(made.corpus),
                "topics": len(made.topics),
                "card": made.card,
            }
        )
    if json:
        return show.as_json(rows)
    if not rows:
        return "No collections ship with this copy of lcm-lab."
    cells = [[str(row["name"]), *map(show.count, (row["messages"], row["topics"]))] for row in rows]
    return show.grid(cells, ["name", "messages", "topics"])


def _skip(one: Any) -> dict[str, Any]:
    from lcm_lab.redact import redact

    excerpt = redact(one.excerpt).text
    return {"source": one.source, "line": one.line, "reason": one.reason, "excerpt": excerpt}


def _section(what: object, rows: pd.DataFrame) -> str:
    told = [
        [str(row.name_), *map(show.count, (row.count_, row.characters, row.tokens))]
        for row in _named(rows)
    ]
    head = [str(what), "count", "characters", "tokens"]
    more = f"\nand {len(told) - SESSIONS:,} more" if len(told) > SESSIONS else ""
    return show.grid(told[:SESSIONS], head) + more


def _named(rows: pd.DataFrame) -> Any:
    # `count` and `name` are methods of what itertuples gives.
    return rows.rename(columns={"name": "name_", "count": "count_"}).itertuples()


def _listed(skipped: list[dict[str, Any]]) -> str:
    lines = [
        f"  {one_line(one['source'])}:{one['line']}  {one_line(one['reason'])}"
        for one in skipped[:SKIPPED]
    ]
    more = [f"  and {len(skipped) - SKIPPED:,} more"] if len(skipped) > SKIPPED else []
    return "\n".join(["broken lines and files:", *lines, *more])
