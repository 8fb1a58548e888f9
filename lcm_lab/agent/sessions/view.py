"""Which messages of a session are shown: since the last reset, or the interval of an anchor.

A reset is a message without text whose part is named ``reset``; it ends its interval, and says from
which message on it kept what users and assistants said. Where a transcript has no such message,
intervals are told apart by `Message.segment` alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from lcm_lab.messages import Message

__all__ = ["around", "back", "current", "interval", "is_reset", "standing"]


def is_reset(message: Message) -> bool:
    """Tell whether a message is the mark of a reset."""
    return any(part.kind == "unknown" and part.name == "reset" for part in message.parts)


def standing(messages: Sequence[Message]) -> list[Message]:
    """Leave out what a rewind left behind, and subagents unless they are all there is."""
    active = [message for message in messages if message.active]
    return [message for message in active if not message.sidechain] or active


def current(messages: Sequence[Message]) -> list[Message]:
    """Give what a session shows now: what the last reset kept, its mark, and what came after.

    Examples
    --------
    >>> from lcm_lab.messages import Part
    >>> mark = Part("unknown", "", name="reset", raw='{"firstKeptEntryId": "m2"}')
    >>> said = [Message(f"m{i}", "s", "user", (Part("text", "so"),)) for i in (1, 2)]
    >>> [one.id for one in current([*said, Message("r", "s", "system", (mark,))])]
    ['m2', 'r']
    """
    at = max((i for i, message in enumerate(messages) if is_reset(message)), default=-1)
    if at >= 0:
        return [*_kept(messages[:at], messages[at]), *messages[at:]]
    last = max((message.segment for message in messages), default=0)
    return [message for message in messages if message.segment == last]


def interval(messages: Sequence[Message], anchor: str) -> list[Message]:
    """Give the view that holds a message: the current one, else the closed interval it stands in.

    Nothing where there is no such message.
    """
    now = current(messages)
    if any(message.id == anchor for message in now):
        return now
    segment = next((message.segment for message in messages if message.id == anchor), None)
    return [message for message in messages if message.segment == segment]


def around(total: int, at: int, size: int) -> tuple[int, int]:
    """Give the window of a size around a place: where it starts, and where it stops.

    Examples
    --------
    >>> around(10, 0, 4), around(10, 5, 4), around(10, 9, 4), around(3, 1, 10)
    ((0, 4), (4, 8), (6, 10), (0, 3))
    """
    older = size - size // 2 - 1
    start = min(max(0, at - older), max(0, total - size))
    return start, min(total, start + size)


def back(total: int, offset: int, size: int) -> tuple[int, int]:
    """Give the window of a size that ends so many messages before the newest.

    Examples
    --------
    >>> back(10, 3, 4), back(10, 9, 4), back(10, 50, 4)
    ((3, 7), (0, 1), (0, 0))
    """
    stop = max(0, total - offset)
    return max(0, stop - size), stop


def _kept(before: Sequence[Message], reset: Message) -> list[Message]:
    """Give what a reset kept of its interval; tool results are gone."""
    first = ""
    for part in reset.parts:
        held = json.loads(part.raw) if part.raw else {}
        first = str(held.get("firstKeptEntryId") or "") if isinstance(held, dict) else ""
    own = [message for message in before if message.segment == reset.segment]
    at = next((i for i, message in enumerate(own) if message.id == first), len(own))
    return [message for message in own[at:] if message.role in ("user", "assistant")]
