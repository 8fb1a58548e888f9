"""What an addition to a store did."""

from __future__ import annotations

from dataclasses import dataclass

from lcm_lab.shown import counted

__all__ = ["Added"]


@dataclass(frozen=True, slots=True)
class Added:
    """What adding did.

    Attributes
    ----------
    messages : int
        New ones.
    grown : int
        Messages that were there and are more complete now.
    repeats : int
        Messages that were there.
    moved : int
        Messages that came onto the active branch, or were left behind by it.
    conversations : int
        New ones.

    Examples
    --------
    >>> Added(messages=3, repeats=2, conversations=1)
    Added 3 messages, 1 new conversation; 2 repeats
    """

    messages: int = 0
    grown: int = 0
    repeats: int = 0
    moved: int = 0
    conversations: int = 0

    def __add__(self, other: Added) -> Added:
        return Added(*(getattr(self, n) + getattr(other, n) for n in self.__slots__))

    def __repr__(self) -> str:
        new = f"Added {counted(self.messages, 'message')}"
        if self.conversations:
            new += f", {counted(self.conversations, 'new conversation')}"
        rest = [f"{self.grown:,} grown"] * bool(self.grown)
        rest += [f"{self.moved:,} on another branch"] * bool(self.moved)
        rest += [counted(self.repeats, "repeat")] * bool(self.repeats)
        return "; ".join([new, *rest])
