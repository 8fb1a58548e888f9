"""What a Codex rollout holds twice: as an item of the conversation and as an event."""

from __future__ import annotations

from lcm_lab.messages import Part

__all__ = ["Twins"]


#: Fewer characters than this may stand in another's words by chance.
LEAST = 16
#: How many that have no twin yet are looked at.
NEAR = 8


class Twins:
    """Matches items with events: the second of a pair is a repeat.

    Two items with the same words are two, and so are two events; only one of each kind is a pair.
    """

    def __init__(self) -> None:
        self._items: dict[str, list[str]] = {}
        self._events: dict[str, list[str]] = {}

    def item(self, role: str, parts: tuple[Part, ...]) -> bool:
        """Tell whether an event said this before; else remember it."""
        return _met(_words(parts), self._events.get(role, []), self._items.setdefault(role, []))

    def event(self, role: str, parts: tuple[Part, ...]) -> bool:
        """Tell whether an item said this before; else remember it."""
        return _met(_words(parts), self._items.get(role, []), self._events.setdefault(role, []))


def _met(words: str, others: list[str], mine: list[str]) -> bool:
    """Find the twin among the latest that have none: the same words, or with an addition to them.

    Items carry attachments and contexts beside the words that an event repeats.
    """
    if not words:
        return False
    near = range(max(0, len(others) - NEAR), len(others))
    equal = (at for at in near if others[at] == words)
    held = (at for at in near if _holds(others[at], words) or _holds(words, others[at]))
    at = next(equal, next(held, -1))
    if at < 0:
        mine.append(words)
        return False
    del others[: at + 1]
    return True


def _holds(longer: str, shorter: str) -> bool:
    return len(shorter) >= LEAST and shorter in longer


def _words(parts: tuple[Part, ...]) -> str:
    return " ".join(" ".join(part.text for part in parts if part.kind == "text").split())
