"""The marks that lossless-claw leaves in a summary that no model wrote (spec/lcm.md 7.5)."""

from __future__ import annotations

from typing import Literal

__all__ = ["Mark", "marker"]

Mark = Literal["old", "new", "fallback", "emergency"]

FALLBACK = "[LCM fallback summary; truncated for context management]"
OMISSION = "[LCM fallback summary; directive-shaped untrusted content omitted]"
TRUNCATED = "[Truncated from "
BARE = "[Truncated for context management]"
EMERGENCY = "emergency-fallback"
#: How near its end a text must hold a mark for it to be one: what is quoted lies further in.
TRUNCATED_NEAR, FALLBACK_NEAR = 40, 80


def marker(text: str, model: str = "") -> Mark | None:
    """Tell which mark a summary bears.

    Parameters
    ----------
    text : str
    model : str
        What wrote it, as recorded.

    Returns
    -------
    {"old", "new", "fallback", "emergency"} or None
        What cut it: the first fallback, the one that counts tokens, the one that leaves directives
        out or stands at the end, or the one for when all else failed.

    Examples
    --------
    >>> marker("notes [Truncated from 99 tokens]"), marker("plain")
    ('new', None)
    """
    if OMISSION in text:
        return "fallback"
    if text.startswith(FALLBACK):
        return "old"
    if _near_end(text, TRUNCATED, TRUNCATED_NEAR):
        return "new"
    if _near_end(text, FALLBACK, FALLBACK_NEAR):
        return "fallback"
    bare = model.strip() == "unknown" and BARE in text
    return "emergency" if bare or model.strip() == EMERGENCY else None


def _near_end(text: str, mark: str, near: int) -> bool:
    at = text.find(mark)
    return at >= 0 and len(text) - at < near
