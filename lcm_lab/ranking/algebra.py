"""The rules by which operators build nodes: what is flattened, what vanishes, what is refused.

Equal expressions are equal values however they were bracketed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.nodes import Over, Sum, Then, Top, Weighted
from lcm_lab.times import bound
from lcm_lab.values import Vary

__all__ = ["cut", "over", "plus", "then", "times"]


def then(*steps: Ranker) -> Ranker:
    """Make ``a >> b >> c``, flattened; a threshold that nothing can reach is refused."""
    from lcm_lab.ranking.steps.least import reachable

    flat: list[Ranker] = []
    for step in steps:
        flat += step.steps if isinstance(step, Then) else (step,)
    reachable(flat)
    return Then(tuple(flat)) if len(flat) > 1 else flat[0]


def plus(*terms: Ranker) -> Ranker:
    """Make ``a + b + c``, flattened; a term whose scores depend on a depth is refused."""
    flat: list[Ranker] = []
    for term in terms:
        flat += term.terms if isinstance(term, Sum) else (term,)
    for term in flat:
        if term.by_depth:
            raise BadParameter(
                f"{term!r} cannot be a term of a sum: its scores depend on how deep its list was "
                "cut. Fuse by rank: RRF(a, b); or put it behind the sum: (a + b) >> ..."
            )
    return Sum(tuple(flat)) if len(flat) > 1 else flat[0]


def times(weight: Any, ranker: Ranker) -> Ranker:
    """Make ``0.3 * a``; weights multiply, and a weight of 1 vanishes."""
    if isinstance(ranker, Weighted):
        if isinstance(weight, Vary) or isinstance(ranker.weight, Vary):
            raise BadParameter(
                f"{ranker!r} is weighed twice. Write one vary(...) with the products."
            )
        return times(_weight(weight) * ranker.weight, ranker.ranker)
    if isinstance(weight, Vary):
        return Weighted(cast(float, weight), ranker)
    weight = _weight(weight)
    return ranker if weight == 1 else Weighted(weight, ranker)


def cut(ranker: Ranker, k: Any) -> Ranker:
    """Make ``a % 10``; a cut of a cut keeps the smaller, and a weight stays outside."""
    if not isinstance(k, Vary) and (
        isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1
    ):
        raise BadParameter(f"A cut keeps a whole number of hits, 1 or more: a % 10. Got {k!r}.")
    if isinstance(ranker, Weighted):
        return times(ranker.weight, cut(ranker.ranker, k))
    if isinstance(ranker, Top) and not isinstance(k, Vary) and not isinstance(ranker.k, Vary):
        return Top(ranker.ranker, min(int(k), ranker.k))
    return Top(ranker, cast(int, k) if isinstance(k, Vary) else int(k))


def over(ranker: Ranker, filters: Mapping[str, Any]) -> Ranker:
    """Make ``a.over(role="user")``; filters upon filters hold together."""
    if not filters:
        raise BadParameter('over() narrows to nothing. Write a.over(scope="summaries").')
    settled = {name: tuple(w) if isinstance(w, list | set) else w for name, w in filters.items()}
    for moment in (settled.get("since"), settled.get("before")):
        if not isinstance(moment, Vary):
            bound(moment)  # what is no moment is refused when it is written
    return Over(ranker, tuple(sorted(settled.items())))


def _weight(weight: Any) -> float:
    number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
    if not number or not math.isfinite(weight) or weight < 0:
        raise BadParameter(
            f"A weight is a number, 0 or more: 0.3 * a. Got {weight!r:.80}. "
            "To join two policies write a + b or a >> b."
        )
    return float(weight)
