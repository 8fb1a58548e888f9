"""What parameters may be, said the same way by every ranker."""

from __future__ import annotations

from typing import Any

import numpy as np

from lcm_lab.errors import BadParameter

__all__ = ["analysis", "number", "several", "texts", "whole"]


def number(name: str, got: Any, low: float = 0, high: float = np.inf) -> None:
    """Refuse what is no number from ``low`` to ``high``."""
    counts = isinstance(got, int | float | np.number) and not isinstance(got, bool)
    if not counts or not low <= got <= high or got in (np.inf, -np.inf):
        bounds = f"between {low:g} and {high:g}" if np.isfinite(high) else f"{low:g} or more"
        raise BadParameter(f"{name} must be a number, {bounds}. Got {got!r:.80}.")


def whole(name: str, got: Any, low: int = 1) -> None:
    """Refuse what is no whole number from ``low`` up."""
    if isinstance(got, bool) or not isinstance(got, int | np.integer) or got < low:
        raise BadParameter(f"{name} must be a whole number, {low} or more. Got {got!r:.80}.")


def analysis(got: Any) -> None:
    """Refuse an analyzer that is none."""
    reads = all(callable(getattr(got, name, None)) for name in ("analyze", "query"))
    if isinstance(got, type) or not reads:
        raise BadParameter(f"analyzer must be one, such as Analyzer(). Got {got!r:.80}.")


def texts(name: str, got: Any, example: Any) -> None:
    """Refuse what is no tuple of names, one or more."""
    named = isinstance(got, tuple) and all(isinstance(item, str) for item in got)
    if not got or not named:
        raise BadParameter(f"{name} must name columns, such as {example!r}. Got {got!r:.80}.")


def several(of: object, rankers: tuple[Any, ...]) -> None:
    """Refuse fewer than two rankers, and any that brings no candidates."""
    name = type(of).__name__
    if len(rankers) < 2:
        raise BadParameter(f"{name} takes two rankers or more. Got {len(rankers)}.")
    for one in rankers:
        if not getattr(one, "retrieves", False):
            raise BadParameter(f"{name} takes rankers that bring candidates. Got {one!r:.80}.")
