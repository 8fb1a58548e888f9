"""Plain messages: ``{"role": ..., "content": ...}``, and a time, an id, a speaker where known.

The names of the fields, here and in tables, are those of `NAMES`. Readers of other formats turn
their records into this form, and `add` makes messages of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.messages import Message, Part
from lcm_lab.text import clean
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.blocks import parts_of
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["FORMAT", "NAMES", "add", "field", "is_plain", "parse"]

#: What a field of a message may be called, the usual name first.
NAMES: dict[str, tuple[str, ...]] = {
    "role": ("role", "sender", "author", "from"),
    "content": ("content", "text", "message", "body", "value"),
    "time": ("time", "timestamp", "created_at", "createdAt", "datetime", "ts", "date"),
    "id": ("id", "uuid", "docno", "message_id"),
    "session": ("session", "session_id", "sessionId", "conversation", "conversation_id"),
    "parent": ("parent", "parent_id", "parentId"),
    "speaker": ("speaker", "name"),
}
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
    "human": "user",
    "ai": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}
DAMAGED = "text with bytes that are not UTF-8, shown as U+FFFD"


def is_plain(record: Any) -> bool:
    """Tell whether a record is one of ours: a role or a speaker, and content; or a list of such."""
    if isinstance(record, list):
        return bool(record) and not isinstance(record[0], list) and is_plain(record[0])
    return isinstance(record, dict) and _says(record) and _names_who(record)


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the records of one file; a record without a session belongs to that of the file."""
    out = Draft(source)
    for line, record in _each(found):
        if is_plain(record) and isinstance(record, dict):
            add(out, record, line, session)
        else:
            out.skipped.append(Skipped(source, line, _why(record)))
    return out


def add(
    out: Draft, record: dict[str, Any], line: int, session: str, *, active: bool = True
) -> None:
    """Make a message of a record with the fields of `NAMES`, or say why it gives none.

    Parameters
    ----------
    out : Draft
        What it is added to.
    record : dict
        ``content`` is text, or blocks as `parts_of` reads them. A role that is not known is a
        speaker; what holds nothing but answers of tools has the role tool; what is marked as
        ``summary`` is a part of that kind.
    line : int
        Where it stands in its file, from 1.
    session : str
        Of a record that names none.
    active : bool
        As in `Message`.
    """
    role = _word(record, "role")
    known = ROLES.get(role.lower(), "")
    parts = tuple(parts_of({**record, "role": known, "content": field(record, "content")}))
    if not parts:
        out.skipped.append(Skipped(out.source, line, "no content"))
        return
    _note(out, parts)
    if record.get("summary") is True:
        parts = tuple(Part("summary", part.text) for part in parts)
    answers = all(part.kind == "tool_result" for part in parts)
    time, stamp = out.time(field(record, "time"))
    message = Message(
        id=_word(record, "id"),
        session=_word(record, "session") or session,
        role="tool" if answers else known,
        parts=parts,
        time=time,
        stamp=stamp,
        parent=_word(record, "parent"),
        speaker=_word(record, "speaker") or ("" if known else role),
        source=out.source,
        line=line,
        active=active,
    )
    out.messages.append(message)


def field(record: dict[str, Any], name: str) -> Any:
    """Give a field under any of its names; None where it is missing or blank."""
    return next((record[one] for one in NAMES[name] if record.get(one) not in (None, "")), None)


def _note(out: Draft, parts: Iterable[Part]) -> None:
    for part in parts:
        if part.kind == "unknown":
            out.note(f"unknown block: {part.name}")
        if "\ufffd" in part.text:
            out.note(DAMAGED)


def _says(record: dict[str, Any]) -> bool:
    """Tell whether a record has content; under its rarer names it must be text."""
    rare = (isinstance(record.get(name), str) for name in NAMES["content"][2:])
    return "content" in record or "text" in record or any(rare)


def _names_who(record: dict[str, Any]) -> bool:
    names = (*NAMES["role"], "speaker")
    return any(isinstance(record.get(name), str) for name in names)


def _each(found: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Go through the records; a list of records stands on the line where it begins."""
    for line, item in found:
        yield from ((line, one) for one in item) if isinstance(item, list) else ((line, item),)


def _why(record: Any) -> str:
    if not isinstance(record, dict):
        return "not an object"
    return f"not a message: {text_of(record, 'type') or 'no role and content'}"


def _word(record: dict[str, Any], name: str) -> str:
    item = field(record, name)
    return clean(str(item)).strip() if isinstance(item, str | int | float) else ""


FORMAT = Format("plain JSONL", is_plain, parse)
