"""Stretches of a frontier put under one summary each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from lcm_lab.compaction.parts import PART
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.nodes import sizes_of

__all__ = ["Change", "change", "chunks", "dropped", "filling", "known", "nodes_of", "shares"]

#: The stretch (start, stop) of a frontier, and what takes its place.
Change: TypeAlias = tuple[int, int, Summary]

#: What stands for messages that are not shown, or not whole: the next such node takes its place.
MARKERS = frozenset({"dropped", PART})


def nodes_of(dag: Dag) -> list[Node]:
    """Give the nodes of a frontier, in order."""
    return [dag.node(name) for name in dag.frontier]


def known(dag: Dag) -> Dag:
    """Give a Dag without the nodes of the frontier that it does not hold."""
    there = [name for name in dag.frontier if name in dag]
    return dag if len(there) == len(dag.frontier) else dag.settled([], there)


def change(dag: Dag, changes: Sequence[Change]) -> Dag:
    """Put summaries in the place of stretches of the frontier, all at once.

    Stretches do not overlap and stand in order. Markers of what was dropped go when another marker
    takes their place.
    """
    if not changes:
        return dag
    frontier: list[str] = []
    at = 0
    for start, stop, summary in changes:
        frontier += [*dag.frontier[at:start], summary.id]
        at = stop
    after = dag.settled([one for _, _, one in changes], [*frontier, *dag.frontier[at:]])
    return _without_old_markers(after)


def dropped(dag: Dag, start: int, stop: int, by: object) -> Summary:
    """Make the marker of what the model no longer sees: a summary that says nothing.

    It is made from the nodes themselves, through the markers among them, so that dropping in steps
    gives what dropping at once gives. What it covers can still be found, and expanded.
    """
    nodes: list[Node] = []
    for name in dag.frontier[start:stop]:
        node = dag.node(name)
        marker = isinstance(node, Summary) and node.level in MARKERS
        nodes += dag.sources(name) if marker else (node,)
    return Summary.of("", nodes, "dropped", repr(by))


def _without_old_markers(dag: Dag) -> Dag:
    used = set(dag.frontier).union(*(one.sources for one in dag.summaries))
    kept = tuple(one for one in dag.summaries if one.level not in MARKERS or one.id in used)
    if len(kept) == len(dag.summaries):
        return dag
    return dag.altered(summaries=kept)


def chunks(
    nodes: Sequence[Node], free: Sequence[bool], start: int, stop: int, limit: int
) -> list[tuple[int, int]]:
    """Part a stretch into chunks of at most so many tokens, one node at least.

    A chunk ends where ``free`` allows a cut; what hangs together and is longer stays together.
    """
    sizes = sizes_of(nodes[start:stop])
    found, begin, end, spent = [], start, start, 0
    for at in range(start, stop):
        spent += sizes[at - start]
        if spent > limit and end > begin:
            found.append((begin, end))
            begin, spent = end, sum(sizes[end - start : at - start + 1])
        if free[at + 1]:
            end = at + 1
    if begin < stop:
        found.append((begin, stop))
    return found


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Share out room by size: whole numbers, 1 or more, together at most the room.

    Examples
    --------
    >>> shares([100, 300], 40)
    [10, 30]
    """
    total = max(1, sum(sizes))
    return [max(1, size * room // total) for size in sizes]


def filling(sizes: Sequence[int], targets: Sequence[int], room: int) -> list[int]:
    """Raise targets of summaries until they fill the room, each by the share of its source.

    None is as long as its source. Where the targets fill the room already they stay as they are.

    Examples
    --------
    >>> filling([100, 300], [10, 30], 80), filling([100, 300], [10, 30], 20)
    ([19, 60], [10, 30])
    """
    spare = room - sum(targets)
    if spare <= 0 or not targets:
        return [*targets]
    left = [max(0, size - 1 - target) for size, target in zip(sizes, targets, strict=True)]
    more = (spare * one // max(spare, sum(left), 1) for one in left)
    return [target + added for target, added in zip(targets, more, strict=True)]
