"""A stretch of a text that is a secret."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MARK", "Span"]

#: How what stands for a secret begins.
MARK = "[redacted:"


class Span(NamedTuple):
    """Where a secret begins and ends, and of which kind it is."""

    start: int
    end: int
    kind: str
