"""The manifest of a summary: what lies under it, what reading that costs, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.text import iso
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.totals import Totals, totals

__all__ = ["Row", "fits", "manifest"]


def fits(tokens: int, below: int, messages: int, cap: int) -> dict[str, dict[str, int | bool]]:
    """Give what a summary costs with all that lies under it, and whether that is within a cap.

    Parameters
    ----------
    tokens, below, messages : int
        Of the summary, of the summaries under it, of the messages under it.
    cap : int

    Examples
    --------
    >>> fits(50, 120, 900, 170)["costs"]
    {'summariesOnly': 170, 'withMessages': 1070}
    >>> fits(50, 120, 900, 170)["fit"]
    {'summariesOnly': True, 'withMessages': False}
    """
    costs = {"summariesOnly": tokens + below, "withMessages": tokens + below + messages}
    return {"costs": {**costs}, "fit": {name: cost <= cap for name, cost in costs.items()}}


@dataclass(frozen=True, slots=True)
class Row:
    """A summary in a manifest.

    Attributes
    ----------
    summary : Summary
    over : str or None
        The summary that it was reached from; None for the root.
    distance : int
        Steps from the root.
    path : str
        At each step the place of the lower among the sources of the upper, four digits each.
    children : int
        How many summaries are one step further.
    below : Totals
        What lies under it.
    """

    summary: Summary
    over: str | None
    distance: int
    path: str
    children: int
    below: Totals

    def to_dict(self, cap: int) -> dict[str, Any]:
        """Give it as the reference names its fields, with costs and fit."""
        one, below = self.summary, self.below
        return {
            "summaryId": one.id,
            "parentSummaryId": self.over,
            "depthFromRoot": self.distance,
            "kind": "condensed" if one.depth else "leaf",
            "depth": one.depth,
            "tokenCount": one.tokens,
            "descendantCount": below.summaries,
            "descendantTokenCount": below.tokens,
            "sourceMessageTokenCount": below.messages,
            "earliestAt": iso(one.first),
            "latestAt": iso(one.last),
            "childCount": self.children,
            "path": self.path,
            **fits(one.tokens, below.tokens, below.messages, cap),
        }


def manifest(dag: Dag, name: str, *, upwards: bool = False) -> tuple[Row, ...]:
    """List a summary and the summaries it was made from, all the way down, each once.

    Parameters
    ----------
    dag : Dag
    name : str
        The id of a summary.
    upwards : bool
        Walk to what was made from it instead, nearest first, as the reference does.

    Returns
    -------
    tuple of Row
        The root first, then everything before what lies under it.
    """
    sums = totals(dag)
    walk = _breadth(dag, name) if upwards else _depth(dag, name)
    return tuple(
        Row(one, over, distance, path, len(_next(dag, one.id, upwards)), sums.get(one.id, Totals()))
        for one, over, distance, path in walk
    )


Step = tuple[Summary, str | None, int, str]
_Step = tuple[str, str | None, int, str]


def _depth(dag: Dag, name: str) -> Iterator[Step]:
    seen: set[str] = set()
    waiting: list[_Step] = [(name, None, 0, "")]
    while waiting:
        at, over, distance, path = waiting.pop()
        node = dag.node(at)
        if at in seen or not isinstance(node, Summary):
            continue
        seen.add(at)
        yield node, over, distance, path
        waiting += reversed(_steps(dag, at, distance, path, upwards=False))


def _breadth(dag: Dag, name: str) -> Iterator[Step]:
    seen: set[str] = set()
    waiting: list[_Step] = [(name, None, 0, "")]
    for at, over, distance, path in waiting:  # which grows while it is walked
        node = dag.node(at)
        if at not in seen and isinstance(node, Summary):
            seen.add(at)
            yield node, over, distance, path
            waiting += _steps(dag, at, distance, path, upwards=True)


def _steps(dag: Dag, at: str, distance: int, path: str, *, upwards: bool) -> list[_Step]:
    """Give what is a step further; the place in its path is that among the upper one's sources."""
    steps: list[_Step] = []
    for one in _next(dag, at, upwards):
        upper, lower = (one, at) if upwards else (dag.node(at), one.id)
        place = upper.sources.index(lower) if isinstance(upper, Summary) else 0
        steps.append((one.id, at, distance + 1, f"{path}.{place:04}".lstrip(".")))
    return steps


def _next(dag: Dag, name: str, upwards: bool) -> tuple[Summary, ...]:
    found = dag.derived(name) if upwards else dag.sources(name)
    return tuple(one for one in found if isinstance(one, Summary))
