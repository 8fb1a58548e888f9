"""What the parameters of strategies may be, refused when the value is made."""

from __future__ import annotations

from typing import Any

from lcm_lab.errors import BadParameter

__all__ = ["fraction", "whole"]


def whole(strategy: object, least: int = 1, /, **given: Any) -> None:
    """Refuse what is not a whole number, ``least`` or more.

    Raises
    ------
    BadParameter
        Naming the parameter, what it must be, and what it is.
    """
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            who = type(strategy).__name__
            raise BadParameter(
                f"{who}: {name} must be a whole number, {least} or more. Got {number!r}."
            )


def fraction(who: object, /, **given: Any) -> None:
    """Refuse what is not a number from 0 to 1.

    Raises
    ------
    BadParameter
        Naming the parameter, what it must be, and what it is.
    """
    for name, number in given.items():
        real = isinstance(number, int | float) and not isinstance(number, bool)
        if not real or not 0 <= number <= 1:
            raise BadParameter(
                f"{type(who).__name__}: {name} must be between 0 and 1. Got {number!r:.80}."
            )
