"""Rows of a frame as named tuples, whose attributes are the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["rows"]


def rows(frame: pd.DataFrame) -> list[Any]:
    """List the rows; typed loosely, since what a column holds is the frame's business."""
    return list(frame.itertuples(index=False))
