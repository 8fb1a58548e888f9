"""Leaves and Condense: the two steps that build a hierarchy of summaries."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.runs import MARKERS, Change, change, chunks, filling, nodes_of, shares
from lcm_lab.compaction.tail import cuttable, stands_raw, tail_of
from lcm_lab.compaction.work import Work
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.nodes import sizes_of
from lcm_lab.values import value

__all__ = ["Condense", "Leaves", "depth_of", "groups", "last_resort", "raw_runs"]

#: A leaf has at most this share of its source, as in lossless-claw.
SHARE = 0.35


@value
class Leaves(Compactor):
    """Put a summary in the place of each stretch of so many tokens, but for the newest messages.

    Parameters
    ----------
    chunk : int
        Tokens under a summary, at most, unless a call and its results hang together.
    fresh : int
        How many of the newest messages stay as they are, in at most half of a budget.
    target : int
        Tokens of a summary, at most; a third of its source where that is less.

    Notes
    -----
    Without a budget, a rest of less than a quarter of a chunk waits until it has grown. With one,
    it begins with the oldest, and ends when the budget is met; the summary that meets it has all
    that is left of it. Where the summaries would not meet it together they are made shorter, each
    by the share of its source.

    Examples
    --------
    >>> Leaves(20_000, fresh=64) >> Condense(fanout=4)
    Leaves() >> Condense()
    """

    chunk: int = 20_000
    fresh: int = 64
    target: int = 2_400

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, chunk=self.chunk, target=self.target)
        whole(self, 0, fresh=self.fresh)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Make the leaves; with a budget, short enough to meet it."""
        spans, targets = self._planned(dag, work)
        if work.budget is not None and spans:
            sizes = [sum(dag.size(name) for name in dag.frontier[slice(*span)]) for span in spans]
            room = work.budget - (dag.tokens - sum(sizes))
            if sum(map(min, sizes, targets)) > room:
                targets = [*map(min, targets, shares(sizes, max(1, room)))]
                targets = filling(sizes, targets, room)
        return self._made(dag, work, spans, targets)

    def prepare(self, dag: Dag, work: Work) -> Dag:
        """Make the leaves as long as they are meant to be; what follows shortens them."""
        return self._made(dag, work, *self._planned(dag, work))

    def _planned(self, dag: Dag, work: Work) -> tuple[list[tuple[int, int]], list[int]]:
        """Give the stretches to summarise, oldest first, and how long each summary should be."""
        nodes, free = nodes_of(dag), cuttable(dag)
        tail = tail_of(dag, self.fresh, work.budget)
        found = [
            span
            for run in tail.runs()
            for start, stop in raw_runs(nodes, *run)
            for span in chunks(nodes, free, start, stop, self.chunk)
        ]
        sizes = [sum(map(dag.size, dag.frontier[slice(*span)])) for span in found]
        if work.budget is None and sizes and sizes[-1] < self.chunk // 4:
            found, sizes = found[:-1], sizes[:-1]
        return found, [min(self.target, int(SHARE * size)) for size in sizes]

    def _made(self, dag: Dag, work: Work, spans: list[tuple[int, int]], targets: list[int]) -> Dag:
        nodes, left = nodes_of(dag), dag.tokens
        found: list[Change] = []
        for span, target in zip(spans, targets, strict=True):
            if work.budget is not None and left <= work.budget:
                break
            size = sum(map(dag.size, dag.frontier[slice(*span)]))
            leaf = work.summary(nodes[slice(*span)], work.filling(target, size, left))
            if leaf is not None:
                found.append((*span, leaf))
                left -= size - leaf.tokens
        return change(dag, found)


@value
class Condense(Compactor):
    """Put one summary in the place of every so many neighbouring summaries of one depth.

    Parameters
    ----------
    fanout : int
        How many summaries lie under one, 2 or more.
    target : int
        Tokens of a summary, at most; half of its source where that is less.

    Notes
    -----
    Shallowest first, and among these oldest first, until nothing is left to condense. With a budget
    it ends when the budget is met, by a summary that has all that is left of it; where it is not,
    fewer than ``fanout`` are condensed too, and the summaries are made shorter.

    Examples
    --------
    >>> Condense(8)
    Condense(fanout=8)
    """

    fanout: int = 4
    target: int = 2_000

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, 2, fanout=self.fanout)
        whole(self, target=self.target)

    def prepare(self, dag: Dag, work: Work) -> Dag:
        """Condense by full groups alone."""
        return self._condensed(dag, work)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Condense by full groups, and further where the budget asks for it."""
        dag = self.prepare(dag, work)
        refused: set[str] = set()
        while work.budget is not None and dag.tokens > work.budget:
            nodes, over = nodes_of(dag), dag.tokens - work.budget
            room = work.budget - sum(dag.size(one.id) for one in nodes if stands_raw(one))
            group = last_resort(nodes, self.fanout, refused)
            if group is None:
                break
            size = sum(map(dag.size, dag.frontier[slice(*group)]))
            most = size - over if group[1] - group[0] == 1 else room // 2
            target = work.filling(min(self.target, max(1, most)), size, dag.tokens)
            dag = self._merged(dag, work, group, target, refused)
        return dag

    def _condensed(self, dag: Dag, work: Work) -> Dag:
        """Condense depth after depth until nothing is left, or the budget is met."""
        refused: set[str] = set()
        while work.budget is None or dag.tokens > work.budget:
            nodes = nodes_of(dag)
            ready = [*groups(nodes, self.fanout, self.fanout, refused)]
            if not ready:
                break
            shallow = depth_of(nodes[ready[0][0]])
            level = [group for group in ready if depth_of(nodes[group[0]]) == shallow]
            dag = self._level(dag, work, level, refused)
        return dag

    def _level(self, dag: Dag, work: Work, level: list[tuple[int, int]], refused: set[str]) -> Dag:
        """Condense the groups of one depth, oldest first, until the budget is met."""
        nodes, left = nodes_of(dag), dag.tokens
        found: list[Change] = []
        for group in level:
            if work.budget is not None and left <= work.budget:
                break
            source = nodes[slice(*group)]
            size = sum(sizes_of(source))
            made = work.summary(source, work.filling(min(self.target, size // 2), size, left))
            if made is None:
                refused.add(source[0].id)
                continue
            found.append((*group, made))
            left -= size - made.tokens
        return change(dag, found)

    def _merged(
        self, dag: Dag, work: Work, group: tuple[int, int], target: int, refused: set[str]
    ) -> Dag:
        """Put one summary in the place of a group; remember a group of which none is shorter."""
        source = nodes_of(dag)[slice(*group)]
        made = work.summary(source, target)
        if made is None:
            refused.add(source[0].id)
            return dag
        return change(dag, [(*group, made)])


def raw_runs(nodes: list[Node], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of messages, and of stubs in their place, within a stretch."""
    begin = start
    for at in range(start, stop + 1):
        if at == stop or not stands_raw(nodes[at]):
            if begin < at:
                yield begin, at
            begin = at + 1


def groups(
    nodes: list[Node], least: int, most: int, refused: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield stretches of summaries of one depth, shallowest first and among these oldest first."""
    depths = [depth_of(node) for node in nodes]
    for depth in sorted({one for one in depths if one is not None}):
        yield from _stretches(nodes, [one == depth for one in depths], (least, most), refused)


def last_resort(nodes: list[Node], most: int, refused: Collection[str]) -> tuple[int, int] | None:
    """Give what to condense when a budget is not met by full groups.

    At least two neighbours of one depth, else two neighbours, else the longest summary alone.
    """
    fits = [depth_of(node) is not None for node in nodes]
    ways = (groups(nodes, 2, most, refused), _stretches(nodes, fits, (2, most), refused))
    group = next((group for way in ways for group in way), None)
    if group is None:
        alone = [(at, at + 1) for at, _ in _stretches(nodes, fits, (1, 1), refused)]
        group = max(alone, key=lambda one: sizes_of(nodes[slice(*one)]), default=None)
    return group


def _stretches(
    nodes: list[Node], fits: list[bool], sizes: tuple[int, int], refused: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Yield stretches of nodes that fit, of a size in between, oldest first."""
    at = 0
    while at < len(nodes):
        stop = at
        while stop < len(nodes) and fits[stop] and stop - at < sizes[1]:
            stop += 1
        if stop - at >= sizes[0] and nodes[at].id not in refused:
            yield at, stop
        at = max(stop, at + 1)


def depth_of(node: Node) -> int | None:
    """Give the depth of a summary that can be condensed; stubs and markers have none."""
    if not isinstance(node, Summary) or node.level in ("stub", *MARKERS):
        return None
    return node.depth
