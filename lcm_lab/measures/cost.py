"""Measures of what a ranking costs: tokens to read, time to search, time to index."""

from __future__ import annotations

import numpy as np

from lcm_lab.measures.base import Measure
from lcm_lab.measures.judged import Floats, Judged, total

__all__ = ["IndexTime", "Latency", "Tokens"]


class _Tokens(Measure):
    """Tokens of the first k hits together: what it costs to read them.

    0 where there are no hits; lower is better, of what finds as much.

    Examples
    --------
    >>> judged = Judged.of(hits=[[0, 1, 0]], gold=[[1]], tokens=[[60, 50, 40]])
    >>> (Tokens @ 2).per_topic(judged).tolist()
    [110.0]
    """

    name = "Tokens"
    meaning = "tokens of the first k hits together"
    unit = "tokens"
    needs = "hits"
    higher_is_better = False

    def per_topic(self, judged: Judged) -> Floats:
        read = judged.tokens * self.within(judged.offsets)
        return total(judged.offsets, read.astype(float))


class _Latency(Measure):
    """Milliseconds of one warm search; ``Latency@95`` is a percentile over topics.

    Lower is better. Without a percentile it is the mean. Timed apart from the ranking that the
    other measures read.

    Examples
    --------
    >>> Latency @ 95
    Latency@95
    """

    name = "Latency"
    meaning = (
        "milliseconds of one warm search, one topic at a time, one thread; percentile over topics"
    )
    cutoff = "percentile"
    unit = "ms"
    needs = "timing"
    higher_is_better = False

    def per_topic(self, judged: Judged) -> Floats:
        return judged.latency

    def average(self, values: Floats) -> float:
        defined = values[~np.isnan(values)]
        if self.at is None or not len(defined):
            return super().average(values)
        return float(np.percentile(defined, self.at))


class _IndexTime(Measure):
    """Milliseconds to build the indexes of a system, nothing shared with another.

    One value a system; lower is better.

    Examples
    --------
    >>> IndexTime
    IndexTime
    """

    name = "IndexTime"
    meaning = "milliseconds to build the indexes of the system"
    cutoff = "none"
    unit = "ms"
    needs = "timing"
    per = "system"
    higher_is_better = False

    def per_topic(self, judged: Judged) -> Floats:
        return np.array([judged.index_ms])


Tokens = _Tokens()
Latency = _Latency()
IndexTime = _IndexTime()
