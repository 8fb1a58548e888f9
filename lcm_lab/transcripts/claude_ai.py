"""Claude.ai data exports: ``conversations.json``, each conversation a list of ``chat_messages``.

Text that was pasted or attached (``extracted_content``) is part of its message, below the name of
the file. Where messages name the one above them and the conversation its leaf, what was written
over is kept and not active.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.branches import path
from lcm_lab.transcripts.draft import Draft, Format, text_of
from lcm_lab.transcripts.listed import Talk, add_session, each

__all__ = ["FORMAT", "is_claude_ai"]


def is_claude_ai(item: Any) -> bool:
    """Tell whether a value is a conversation of an export, or a list of them."""
    if isinstance(item, list):
        return bool(item) and isinstance(item[0], dict) and is_claude_ai(item[0])
    return isinstance(item, dict) and isinstance(item.get("chat_messages"), list)


def _parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for talk in each(found, out, session, ("uuid",)):
        if is_claude_ai(talk.record):
            add_session(out, talk, "Claude.ai")
            _talk(out, talk)
        else:
            out.skipped.append(Skipped(source, talk.line, "not a conversation: no chat_messages"))
    return out


def _talk(out: Draft, talk: Talk) -> None:
    active = _path(talk.record)
    for message in talk.record["chat_messages"]:
        if not isinstance(message, dict):
            out.skipped.append(Skipped(out.source, talk.line, "not an object"))
            continue
        record = {
            "role": message.get("sender"),
            "content": list(_blocks(message)),
            "time": message.get("created_at"),
            "id": message.get("uuid"),
            "parent": message.get("parent_message_uuid"),
        }
        live = not active or text_of(message, "uuid") in active
        plain.add(out, record, talk.line, talk.session, active=live)


def _path(record: dict[str, Any]) -> set[str]:
    """Walk from the leaf of a conversation upwards; nothing where it names none."""
    above = {
        text_of(one, "uuid"): text_of(one, "parent_message_uuid")
        for one in record["chat_messages"]
        if isinstance(one, dict)
    }
    return set(path(above, text_of(record, "current_leaf_message_uuid")))


def _blocks(message: dict[str, Any]) -> Iterator[Any]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    yield from blocks
    if not any(isinstance(one, dict) and one.get("text") for one in blocks):
        yield message.get("text")
    for name in ("attachments", "files"):
        listed = message.get(name)
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict):
                yield from _attached(one)


def _attached(file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name = text_of(file, "file_name") or text_of(file, "file_uuid")
    yield {"type": "file", "name": name, "media_type": text_of(file, "file_type") or "unknown"}
    if text_of(file, "extracted_content"):
        yield {"type": "text", "text": file["extracted_content"]}


FORMAT = Format("Claude.ai export", is_claude_ai, _parse)
