"""What every contract is made of: a clause that holds, and values that behave as values."""

from __future__ import annotations

import copy
from typing import Any

__all__ = ["check_value", "expect"]


def expect(holds: Any, clause: str, *where: Any) -> None:
    if not holds:
        raise AssertionError(f"{clause}: {', '.join(map(repr, where))}")


def check_value(one: object) -> None:
    again = copy.deepcopy(one)
    expect(again == one, "a copy is equal", one)
    expect(hash(again) == hash(one), "equal values hash alike", one)
    expect(repr(again) == repr(one), "equal values print alike", one)
