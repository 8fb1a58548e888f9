"""Which tool result answers which call, so that no cut comes between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcm_lab.messages import Message, Part

__all__ = ["open_calls", "pairs"]


def pairs(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Pair every message that holds a tool result with the message that made the call.

    A result answers the last call of its id before it. Where a source keeps no ids, it answers the
    oldest open call since the user last spoke. A result without a call is in no pair.

    Returns
    -------
    list of (place of the call, place of the result)
        Places are positions in ``messages``; a call answered within its own message is left out.

    Examples
    --------
    >>> call = Message("a", "s", "assistant", (Part("tool_call", "ls", call="t1"),))
    >>> result = Message("r", "s", "tool", (Part("tool_result", "x.py", call="t1"),))
    >>> pairs([call, result])
    [(0, 1)]
    """
    found = ((call, at) for call, at in _answers(messages) if call is not None and call != at)
    return list(dict.fromkeys(found))


def open_calls(messages: Sequence[Message]) -> set[int]:
    """Give the places of messages with a call that no result answers."""
    calls = {at for at, one in enumerate(messages) if any(p.kind == "tool_call" for p in one.parts)}
    asked = {at: sum(p.kind == "tool_call" for p in messages[at].parts) for at in calls}
    for call, _ in _answers(messages):
        if call is not None:
            asked[call] -= 1
    return {at for at, left in asked.items() if left > 0}


def _answers(messages: Sequence[Message]) -> Iterator[tuple[int | None, int]]:
    """Yield (place of the call or None, place of the result) for every tool result."""
    named: dict[str, int] = {}
    nameless: list[int] = []
    for at, message in enumerate(messages):
        if message.role == "user" and not any(p.kind == "tool_result" for p in message.parts):
            nameless.clear()
        for part in message.parts:
            if part.kind == "tool_call" and part.call:
                named[part.call] = at
            elif part.kind == "tool_call":
                nameless.append(at)
            elif part.kind == "tool_result":
                yield _call_of(part, named, nameless), at


def _call_of(part: Part, named: dict[str, int], nameless: list[int]) -> int | None:
    """Give the place of the call that a result answers."""
    if part.call and part.call in named:
        return named[part.call]
    return nameless.pop(0) if nameless else None
