"""A message as ``sessions_history`` shows it: without secrets, and no longer than it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.sessions.view import is_reset
from lcm_lab.messages import Message, Part
from lcm_lab.redact import redact, redact_together
from lcm_lab.shown import cut

__all__ = ["Showing", "Shown"]

#: Characters of one block, of all blocks of a message, of a tool's name, and blocks of a message.
BLOCK, WHOLE, NAME, BLOCKS = 4_000, 12_000, 200, 100
CUT = "\n[cut]"
#: What a block is called, as the original has it.
CALLED = {"reasoning": "thinking", "tool_call": "toolCall", "tool_result": "toolResult"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as it is shown.

    Attributes
    ----------
    id, role, session : str
    time : int or None
    blocks : tuple of dict
        Each with a type, and a text, unless it is an image, which is omitted.
    seq : int
        Its place in the view, from 1.
    cut : bool
        Whether some of it is left out.
    redacted : int
        How many secrets were.
    """

    id: str
    role: str
    session: str
    time: int | None
    blocks: tuple[dict[str, Any], ...]
    seq: int
    cut: bool = False
    redacted: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON; times in milliseconds."""
        return {
            "role": self.role,
            "content": list(self.blocks),
            "timestamp": None if self.time is None else self.time // 1000,
            "id": self.id,
            "sessionId": self.session,
            "seq": self.seq,
        }


@dataclass(frozen=True)
class Showing:
    """What of a message is shown.

    Attributes
    ----------
    tools : bool
        Whether tool calls, results and reasoning are; without, what was said.
    reference : bool
        As the original: calls and reasoning always are, results only with ``tools``; every block is
        cut by itself, and roles are its own.
    """

    tools: bool = False
    reference: bool = False

    def has(self, message: Message) -> bool:
        """Tell whether anything of a message is shown."""
        if self.reference:
            said = {part.kind for part in message.parts} - {"reasoning"}
            return bool(said) and (self.tools or message.role != "tool")
        return any(self._takes(part) for part in message.parts)

    def of(self, message: Message, seq: int, *, anchor: bool = False) -> Shown:
        """Show a message; the anchor is shown whole, tool output or not."""
        every = anchor and not self.has(message)
        parts = [part for part in message.parts if every or self.reference or self._takes(part)]
        made, short, secrets = _bounded(parts, self.reference)
        role = _role(message) if self.reference else message.role
        return Shown(message.id, role, message.session, message.time, made, seq, short, secrets)

    def _takes(self, part: Part) -> bool:
        if part.kind in ("text", "summary", "image", "file"):
            return part.kind in ("image", "file") or bool(part.text.strip())
        return self.tools or part.name == "reset"


def _bounded(parts: list[Part], reference: bool) -> tuple[tuple[dict[str, Any], ...], bool, int]:
    """Give the blocks, whether some is left out, and how many secrets were."""
    made: list[dict[str, Any]] = []
    left, short, secrets = WHOLE, False, 0
    some = parts if reference else parts[: BLOCKS + 1]
    for part, plain in zip(some, redact_together([part.text for part in some]), strict=True):
        limit = BLOCK if reference else min(BLOCK, left)
        if not reference and (not limit or len(made) == BLOCKS):
            made.append({"type": "omitted", "text": f"[{len(parts) - len(made)} more blocks]"})
            return tuple(made), True, secrets
        text = plain.text if len(plain.text) <= limit else cut(plain.text, limit) + CUT
        short = short or len(plain.text) > limit
        secrets += plain.found.total()
        left -= min(len(plain.text), limit)
        made.append(_block(part, text))
    return tuple(made), short, secrets


def _block(part: Part, text: str) -> dict[str, Any]:
    kind = CALLED.get(part.kind, part.kind)
    if part.kind in ("image", "file"):
        return {"type": kind, "omitted": True, "text": text}
    if part.kind == "unknown":
        return {"type": "text", "text": "Reset"} if part.name == "reset" else _unread(part)
    named = {"name": _name(part.name)} if part.name else {}
    call = {"call": _name(part.call)} if part.call else {}
    return {"type": kind, **named, **call, "text": text}


def _unread(part: Part) -> dict[str, Any]:
    return {"type": "unknown", "name": _name(part.name), "omitted": True}


def _name(name: str) -> str:
    return cut(redact(name).text, NAME)


def _role(message: Message) -> str:
    """Give the role that the original has: notes of extensions are custom, marks are system."""
    if message.role == "tool":
        return "toolResult"
    if message.role == "system" and not is_reset(message):
        return "custom" if any(part.kind == "text" for part in message.parts) else "system"
    return message.role
