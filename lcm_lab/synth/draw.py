"""Random draws that are the same on every platform: integers over the bits of a counter-mode hash.

No float decides anything; lengths come from a table of integers. Each section of a collection has a
stream of its own, so that a change in one does not move the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

__all__ = ["CHAT_WORDS", "Draw"]

T = TypeVar("T")

#: A block of the hash as eight numbers.
NUMBERS = Struct("<8Q")

#: Words of a chat turn at 64 equal steps of a log-normal, mean of logs 3.04, deviation .57: what
#: LoCoMo turns measure (their mean is 23). Rounded once, here, so that no
#: platform computes a logarithm.
CHAT_WORDS = (
    5, 7, 8, 8, 9, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15, 16, 16, 16, 17, 17,
    18, 18, 18, 19, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 27, 27, 28, 29, 29,
    30, 31, 32, 33, 34, 35, 36, 38, 39, 41, 43, 45, 48, 52, 57, 65, 82,
)  # fmt: skip


class Draw:
    """A stream of draws, named by its labels; equal labels give equal draws.

    Examples
    --------
    >>> Draw(0, "chat").below(1000) == Draw(0, "chat").below(1000)
    True
    """

    def __init__(self, *labels: object) -> None:
        self._key = "\x1f".join(map(str, labels)).encode()
        self._block = 0
        self._words: list[int] = []

    def bits(self) -> int:
        """Give 64 bits as an integer of at least 0."""
        if not self._words:
            block = blake2b(self._key + b"\x1e" + self._block.to_bytes(8, "little")).digest()
            self._words = list(NUMBERS.unpack(block))
            self._block += 1
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Give an integer in [0, bound), all equally likely."""
        found = self._words.pop() if self._words else self.bits()
        if found < (1 << 64) - bound:  # surely below the limit
            return found % bound
        limit = (1 << 64) // bound * bound
        while found >= limit:
            found = self.bits()
        return found % bound

    def between(self, low: int, high: int) -> int:
        """Give an integer in [low, high], both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Give True in ``percent`` of 100 draws."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """Give one of the items."""
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Give the items in a new order."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, items: Sequence[T], size: int) -> list[T]:
        """Give ``size`` different items (all, where there are fewer), in random order."""
        return self.shuffle(items)[:size]
