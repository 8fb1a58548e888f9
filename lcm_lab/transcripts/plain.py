"""Plain JSON lines: ``{"role": ..., "content": ...}``, and a time, an id, a speaker where known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.messages import Message
from lcm_lab.text import clean
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.blocks import parts_of
from lcm_lab.transcripts.draft import Draft, text_of

__all__ = ["is_plain", "parse"]

TIMES = ("time", "timestamp", "created_at", "ts", "date")
IDS = ("id", "uuid", "docno")
SESSIONS = ("session", "session_id", "sessionId", "conversation")
PARENTS = ("parent", "parent_id", "parentId")
SPEAKERS = ("speaker", "name")
ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}


def is_plain(record: Any) -> bool:
    """Tell whether a record is one of ours: a role as text, and content; or a list of such."""
    if isinstance(record, list):
        return bool(record) and not isinstance(record[0], list) and is_plain(record[0])
    return (
        isinstance(record, dict)
        and isinstance(record.get("role"), str)
        and ("content" in record or "text" in record)
    )


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the records of one file; a record without a session belongs to that of the file."""
    out = Draft(source)
    for line, record in _each(found):
        if not isinstance(record, dict) or not is_plain(record):
            out.skipped.append(Skipped(source, line, _why(record)))
            continue
        parts = tuple(parts_of(record))
        if not parts:
            out.skipped.append(Skipped(source, line, "no content"))
            continue
        role = text_of(record, "role").lower()
        time, stamp = out.time(_first(record, TIMES))
        out.messages.append(
            Message(
                id=_word(record, IDS),
                session=_word(record, SESSIONS) or session,
                role=ROLES.get(role, role),
                parts=parts,
                time=time,
                stamp=stamp,
                parent=_word(record, PARENTS),
                speaker=_word(record, SPEAKERS),
                source=source,
                line=line,
            )
        )
    return out


def _each(found: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Go through the records; a list of records stands on the line where it begins."""
    for line, item in found:
        yield from ((line, one) for one in item) if isinstance(item, list) else ((line, item),)


def _why(record: Any) -> str:
    if not isinstance(record, dict):
        return "not an object"
    return f"not a message: {text_of(record, 'type') or 'no role and content'}"


def _word(record: dict[str, Any], names: tuple[str, ...]) -> str:
    item = _first(record, names)
    return clean(str(item)) if isinstance(item, str | int) else ""


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)
