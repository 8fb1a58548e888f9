"""What OpenClaw does to a page of history otherwise: placeholders, and what it says of paging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lcm_lab.agent.sessions.page import MOST, Page
from lcm_lab.agent.sessions.result import size_of
from lcm_lab.agent.sessions.shown import Shown
from lcm_lab.messages import Message

__all__ = ["gateway", "lone", "paging"]

#: Bytes of one message as it is stored, above which it does not reach the tool.
LARGEST = 128 * 1024


def gateway(message: Message, shown: Shown) -> Shown:
    """Put a placeholder where a message is too large to be handed to the tool."""
    if sum(len(part.text.encode()) for part in message.parts) <= LARGEST:
        return shown
    return _omitted(shown, "[history omitted: message too large]", cut=False)


def lone(shown: Shown) -> Shown:
    """Put a placeholder where a message alone is too large for an answer."""
    if size_of([shown.to_dict()]) <= MOST:
        return shown
    return _omitted(shown, "[omitted: message too large]", cut=True)


def paging(page: Page, shown: Sequence[Shown], offset: int | None, limit: int) -> dict[str, Any]:
    """Give what the original says otherwise.

    Every answer of an assistant counts as cut, since its usage is left out, also one that is then
    dropped for its size; where to read on is told when an offset was given alone.
    """
    usage = any(one.role == "assistant" and not _is_placeholder(one) for one in shown)
    short = usage or any(one.cut for one in (*shown, *page.messages))
    made: dict[str, Any] = {"contentTruncated": short, "truncated": short or page.dropped}
    if offset is None:
        return made
    made |= {"offset": offset, "totalMessages": page.total, "hasMore": False}
    if page.messages:
        oldest = page.total - page.messages[0].seq + 1
        onward = max(offset + 1, min(page.total, offset + limit, oldest))
        if onward < page.total:
            made |= {"hasMore": True, "nextOffset": onward}
    return made


def _omitted(shown: Shown, text: str, *, cut: bool) -> Shown:
    return replace(shown, blocks=({"type": "text", "text": text},), cut=cut, redacted=0)


def _is_placeholder(shown: Shown) -> bool:
    return len(shown.blocks) == 1 and shown.blocks[0].get("text", "").startswith("[history omitted")
