"""How long searches and indexes take: as measures of an evaluation, under load, and by size.

The clock is an argument throughout, so that what is computed of times is tested without one.
"""

from lcm_lab.evaluation.timing.service import (
    Timing,
    index_times,
    sample,
    search_times,
    without_memory,
)

__all__ = ["Timing", "index_times", "sample", "search_times", "without_memory"]
