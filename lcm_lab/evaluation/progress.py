"""One progress bar for long work: on standard error, after a second, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sized
from typing import TypeVar

__all__ = ["progress"]

T = TypeVar("T")


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Give the items, and show how many have gone by."""
    from tqdm.std import tqdm

    size = len(items) if total is None and isinstance(items, Sized) else total
    return tqdm(items, what, size, leave=False, file=sys.stderr, disable=None, delay=1)
