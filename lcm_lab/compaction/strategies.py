"""Strategies without structure: windows, random lines, a rolling summary."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.parts import part_of
from lcm_lab.compaction.runs import Change, change, dropped, nodes_of, shares
from lcm_lab.compaction.source import told
from lcm_lab.compaction.summarise import beginning
from lcm_lab.compaction.tail import cuttable, stands_raw, tail_of
from lcm_lab.compaction.work import SMALL, Work
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.nodes import sizes_of, token_counts
from lcm_lab.text import count_tokens
from lcm_lab.values import value

__all__ = ["HeadTail", "RandomLines", "Rolling", "Window"]

Make: TypeAlias = Callable[[list[Node], int], "Summary | None"]


@value
class Window(Compactor):
    r"""Keep the newest messages, and show nothing of the others: the sliding window.

    What is dropped stands under a marker without text, so that it can still be found and expanded.
    The newest message is kept even where it is longer than the limit; of the newest that does not
    fit its end is shown, where 16 tokens are left for it.

    Parameters
    ----------
    tokens : int
        The limit of the frontier; a smaller budget takes its place.

    Examples
    --------
    >>> from lcm_lab.compaction.base import compact
    >>> dag = Dag.of(lcm.Corpus(["We chose Postgres.", "Lunch at noon?", "Noon is fine."]))
    >>> compact(dag, Window(8)).view().text
    'Lunch at noon?\n\nNoon is fine.'
    """

    tokens: int = 8_000

    def check(self) -> None:
        """Refuse a limit that is none."""
        whole(self, tokens=self.tokens)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Drop what does not fit, from the oldest on."""
        limit = min(self.tokens, work.budget or self.tokens)
        start = _last_fitting(dag, cuttable(dag), limit)
        return _without(dag, 0, start, limit, self)


@value
class HeadTail(Compactor):
    """Keep the beginning and the end, and show nothing of what lies between.

    Parameters
    ----------
    head, tail : int
        Tokens of each; a budget that is smaller than both together is shared out as they are.

    Examples
    --------
    >>> HeadTail(500, 1_500)
    HeadTail(head=500, tail=1500)
    """

    head: int = 2_000
    tail: int = 6_000

    def check(self) -> None:
        """Refuse limits that are none."""
        whole(self, 0, head=self.head)
        whole(self, tail=self.tail)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Drop the middle, where all does not fit."""
        limit = min(self.head + self.tail, work.budget or self.head + self.tail)
        if dag.tokens <= limit:
            return dag
        head = limit * self.head // (self.head + self.tail)
        free = cuttable(dag)
        ends = [0, *accumulate(dag.size(name) for name in dag.frontier)]
        first = max(at for at, end in enumerate(ends) if free[at] and end <= head)
        stop = max(first, _last_fitting(dag, free, limit - ends[first]))
        return _without(dag, first, stop, limit, self)


@value
class Rolling(Compactor):
    """Keep one summary of all that is not fresh, and roll what follows into it.

    Parameters
    ----------
    tokens : int
        Of the summary. With a budget, it takes what the fresh tail leaves of it; without one it is
        written when as many tokens have come that are no longer fresh.
    fresh : int
        How many of the newest messages stay as they are, in at most half of the budget.

    Examples
    --------
    >>> Rolling(1_000)
    Rolling(tokens=1000)
    """

    tokens: int = 2_000
    fresh: int = 64

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, tokens=self.tokens)
        whole(self, 0, fresh=self.fresh)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Write one summary of each stretch that is not protected, and holds a message."""
        return _one_each(dag, work, self, lambda nodes, tokens: work.summary(nodes, tokens))


@value
class RandomLines(Compactor):
    """Keep lines at random of all that is not fresh: the baseline that is strong and forgotten.

    Parameters
    ----------
    tokens : int
        Of the lines. With a budget, they take what the fresh tail leaves of it; without one they
        are drawn when as many tokens have come that are no longer fresh.
    fresh : int
        How many of the newest messages stay as they are, in at most half of the budget.
    seed : int

    Examples
    --------
    >>> RandomLines(1_000, seed=7)
    RandomLines(tokens=1000, seed=7)
    """

    tokens: int = 2_000
    fresh: int = 64
    seed: int = 0

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, tokens=self.tokens)
        whole(self, 0, fresh=self.fresh, seed=self.seed)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Draw lines of each stretch that is not protected, and holds a message."""
        return _one_each(dag, work, self, self._drawn)

    def _drawn(self, nodes: list[Node], tokens: int) -> Summary | None:
        lines = [line for node in nodes for line in told(node).splitlines()[1:] if line.strip()]
        order = np.random.default_rng(self.seed).permutation(len(lines)).tolist()
        text = _filled(lines, order, tokens) or beginning("\n".join(lines), max(tokens, SMALL // 2))
        made = Summary.of(text, nodes, "lines", repr(self))
        return made if text and made.tokens < sum(sizes_of(nodes)) else None


def _filled(lines: list[str], order: list[int], tokens: int) -> str:
    """Take lines in an order until they fill the room, and write them as they stood."""
    sizes, kept, text = token_counts(lines), set[int](), ""
    left = tokens
    while order:
        further = []
        for at in order:
            if sizes[at] < left:
                kept.add(at)
                left -= sizes[at] + 1
            else:
                further.append(at)
        text = "\n".join(lines[at] for at in sorted(kept))
        # Line breaks were counted one by one, and those behind a full stop cost nothing.
        spare = tokens - count_tokens(text)
        if len(further) == len(order) or spare <= left + 1:
            break
        left, order = spare, further
    return text


def _one_each(dag: Dag, work: Work, strategy: Rolling | RandomLines, make: Make) -> Dag:
    """Put one summary in the place of each stretch that is not protected."""
    if work.budget is not None and dag.tokens <= work.budget:
        return dag
    nodes = nodes_of(dag)
    tail = tail_of(dag, strategy.fresh, work.budget)
    runs = [run for run in tail.runs() if any(map(stands_raw, nodes[slice(*run)]))]
    sizes = [sum(sizes_of(nodes[start:stop])) for start, stop in runs]
    room = strategy.tokens
    if work.budget is not None:
        room = max(1, work.budget - (dag.tokens - sum(sizes)))
    elif sum(dag.size(n.id) for run in runs for n in nodes[slice(*run)] if stands_raw(n)) <= room:
        return dag
    found: list[Change] = []
    for (start, stop), tokens in zip(runs, shares(sizes, room), strict=True):
        summary = make(nodes[start:stop], tokens)
        if summary is not None:
            found.append((start, stop, summary))
    return change(dag, found)


def _last_fitting(dag: Dag, free: list[bool], limit: int) -> int:
    """Give the first place from which all to the end fits; else the last that leaves a node."""
    sizes = [dag.size(name) for name in dag.frontier]
    best, spent = len(sizes), 0
    for at in range(len(sizes) - 1, -1, -1):
        spent += sizes[at]
        if free[at] and (spent <= limit or best == len(sizes)):
            best = at
        if spent > limit and best < len(sizes):
            break
    return best if sizes else 0


def _without(dag: Dag, start: int, stop: int, limit: int, by: Window | HeadTail) -> Dag:
    """Drop a stretch, but for the end of its last messages where the limit leaves room for it."""
    if not _drops(dag, start, stop):
        return dag
    room = limit - dag.tokens + sum(dag.size(name) for name in dag.frontier[start:stop])
    parts: list[Change] = []
    while stop > start and (part := part_of(dag, stop - 1, room, by)) is not None:
        stop, room = stop - 1, room - part.tokens
        parts.insert(0, (stop, stop + 1, part))
    gone = [(start, stop, dropped(dag, start, stop, by))] if _drops(dag, start, stop) else []
    return change(dag, [*gone, *parts])


def _drops(dag: Dag, start: int, stop: int) -> bool:
    """Tell whether a stretch holds anything but one marker of what was dropped before."""
    nodes = [dag.node(name) for name in dag.frontier[start:stop]]
    return any(not isinstance(node, Summary) or node.level != "dropped" for node in nodes)
