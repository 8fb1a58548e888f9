"""Ways through a Dag: down, up, and sources first; iterative, and ended by no cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lcm_lab.dag.nodes import Node, Summary

if TYPE_CHECKING:
    from lcm_lab.dag.graph import Graph

__all__ = ["bottom_up", "cycles", "nodes_below", "way_up"]


def nodes_below(dag: Graph, ids: Iterable[str]) -> Iterator[Node]:
    """Yield nodes and all that lies under them, each once, every node before its sources."""
    seen: set[str] = set()
    stack = [*ids][::-1]
    while stack:
        name = stack.pop()
        if name in seen or name not in dag:
            continue
        seen.add(name)
        node = dag.node(name)
        yield node
        if isinstance(node, Summary):
            stack += node.sources[::-1]


def way_up(dag: Graph, name: str) -> tuple[Node, ...]:
    """Give the nodes from one up to the frontier; see `Dag.path`."""
    seen, frontier = {dag.node(name).id: ""}, frozenset(dag.frontier)
    waiting, at = deque([name]), name
    while waiting:
        at = waiting.popleft()
        if at in frontier:
            break
        for summary in dag.derived(at):
            if summary.id not in seen:
                seen[summary.id] = at
                waiting.append(summary.id)
    way = []
    while at:
        way.append(dag.node(at))
        at = seen[at]
    return tuple(reversed(way))


def bottom_up(dag: Graph) -> list[Summary]:
    """Order summaries so that sources come first; those on a cycle, or above one, are left out."""
    own = {one.id: one for one in dag.summaries}
    waits = {name: sum(below in own for below in set(one.sources)) for name, one in own.items()}
    ready = [name for name, count in waits.items() if not count]
    for name in ready:  # which grows while it is walked
        for above in dag.derived(name):
            waits[above.id] -= 1
            if not waits[above.id]:
                ready.append(above.id)
    return [own[name] for name in ready]


def cycles(dag: Graph) -> Iterator[list[str]]:
    """Yield the members of each cycle once: a way down that comes back to its first."""
    fine = {one.id for one in bottom_up(dag)}
    left = {one.id: one for one in dag.summaries if one.id not in fine}
    while left:
        at, way = next(iter(left)), dict[str, None]()
        while at and at not in way:
            way[at] = None
            at = next((name for name in left[at].sources if name in left), "")
        if at:
            members = [*way][[*way].index(at) :]
            yield members
            way = dict.fromkeys(members)
        for name in way:
            left.pop(name, None)
