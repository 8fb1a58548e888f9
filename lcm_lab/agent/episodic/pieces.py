"""Pieces of the markdown that episodic-memory 1.4.0 writes for Claude Code and Codex alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from lcm_lab.errors import LcmError
from lcm_lab.times import instant

__all__ = ["fenced", "field", "given", "head", "heading", "result"]

#: A result of more UTF-16 units than this is fenced.
INLINE = 100
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def head(told: Mapping[str, Any]) -> str:
    """Begin the page."""
    facts = "".join(f"**{label}:** {held}\n\n" for label, held in told.items() if held)
    return f"# Conversation\n\n## Metadata\n\n{facts}---\n\n## Messages\n\n"


def heading(role: str, stamp: str, anchor: str) -> str:
    """Write who says what follows, and when, as a machine in en-US and UTC does."""
    return f"### **{role}** ({_moment(stamp)}) {{#{anchor}}}\n\n"


def given(held: Any) -> str:
    """Write what a tool was given."""
    named = held if isinstance(held, dict) else {}
    return "".join(field(name, one) for name, one in named.items()) + "\n"


def field(name: str, held: Any) -> str:
    """Write one argument."""
    if not isinstance(held, str):
        return f"- **{name}:**\n" + fenced(_json(held), "json")
    return f"- **{name}:**\n" + fenced(held) if "\n" in held else f"- **{name}:** {held}\n"


def result(held: Any) -> str:
    """Write what a tool gave back."""
    if not isinstance(held, str):
        return "**Result:**\n" + fenced(_json(held), "json") + "\n"
    short = "\n" not in held and len(held.encode("utf-16-le")) <= 2 * INLINE
    return f"**Result:**\n{held}\n\n" if short else "**Result:**\n" + fenced(held) + "\n"


def fenced(text: str, language: str = "") -> str:
    """Put a text between fences."""
    return f"```{language}\n{text}\n```\n"


def _json(held: Any) -> str:
    return json.dumps(held, indent=2, ensure_ascii=False)


def _moment(stamp: str) -> str:
    try:
        moment = instant(stamp)
    except LcmError:
        moment = None
    if moment is None:
        return "Invalid Date"
    when = EPOCH + timedelta(microseconds=moment)
    hour, half = when.hour % 12 or 12, "AM" if when.hour < 12 else "PM"
    return f"{when.month}/{when.day}/{when.year}, {hour}:{when:%M:%S} {half}"
