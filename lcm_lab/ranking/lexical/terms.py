"""Terms and their numbers, looked up without a dictionary and added to without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload
from zlib import crc32

import numpy as np
import numpy.typing as npt

__all__ = ["Hashed", "Layered", "Listed"]


class Hashed(Mapping[str, int]):
    """Terms in order of their numbers, looked up in arrays that may be mapped from a file.

    Parameters
    ----------
    starts : int64 array of shape (n_terms + 1,)
        The UTF-8 bytes of term i are ``data[starts[i]:starts[i + 1]]``.
    data : uint8 array of shape (n_bytes,)
    table : int32 array of shape (n_places,), a power of two and at least twice n_terms
        The number of a term stands where the CRC-32 of its bytes says, or at the next free place;
        free ones hold -1.

    Examples
    --------
    >>> Hashed(*Hashed.arrays({"wal": 0, "redis": 1}))["redis"]
    1
    """

    def __init__(
        self,
        starts: npt.NDArray[np.int64],
        data: npt.NDArray[np.uint8],
        table: npt.NDArray[np.int32],
    ) -> None:
        # Views of memory give Python's own numbers and bytes, several times faster than arrays do.
        self._starts, self._data, self._table = starts.data, data.data, table.data

    @staticmethod
    def arrays(
        terms: Mapping[str, int],
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """Give the arrays that stand for terms numbered from 0 in their order."""
        words = [_bytes(term) for term in terms]
        starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(word) for word in words], out=starts[1:])
        places = 1 << (2 * len(words)).bit_length()
        table = [-1] * places
        for number, word in enumerate(words):
            place = crc32(word) & places - 1
            while table[place] >= 0:
                place = place + 1 & places - 1
            table[place] = number
        return starts, np.frombuffer(b"".join(words), np.uint8), np.array(table, np.int32)

    def __getitem__(self, term: str) -> int:
        """Give the number of a term."""
        asked, last = _bytes(term), len(self._table) - 1
        place = crc32(asked) & last
        while (number := self._table[place]) >= 0:
            if self._word(number) == asked:
                return int(number)
            place = place + 1 & last
        raise KeyError(term)

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self)):
            yield self._word(number).decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def _word(self, number: int) -> bytes:
        return bytes(self._data[self._starts[number] : self._starts[number + 1]])


class Layered(Mapping[str, int]):
    """Terms with more of them on top, whose numbers follow."""

    def __init__(self, base: Mapping[str, int], added: Mapping[str, int]) -> None:
        # Two layers, however often terms are added.
        self._base: Mapping[str, int] = base._base if isinstance(base, Layered) else base
        self._added: dict[str, int]
        self._added = {**base._added, **added} if isinstance(base, Layered) else dict(added)

    def __getitem__(self, term: str) -> int:
        """Give the number of a term."""
        number = self._added.get(term)
        return self._base[term] if number is None else number

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from self._added

    def __len__(self) -> int:
        return len(self._base) + len(self._added)


class Listed(Sequence[str]):
    """Terms by number, read when first asked for."""

    def __init__(self, terms: Mapping[str, int]) -> None:
        self._terms = terms

    @cached_property
    def _list(self) -> list[str]:
        return list(self._terms)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        """Give the term of a number, or those of a slice."""
        return self._list[number]

    def __len__(self) -> int:
        return len(self._terms)


def _bytes(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
