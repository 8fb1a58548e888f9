"""Expansion: what lies under some nodes, within a depth and a size, and what was left out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import pandas as pd

from lcm_lab.dag.nodes import Node, Summary, text_of
from lcm_lab.dag.walk import cycles
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.dag.graph import Graph

__all__ = ["Compat", "Cut", "Expansion", "expand"]

Compat: TypeAlias = Literal["reference"] | None
Why: TypeAlias = Literal["tokens", "depth", "missing", "cycle"]

WHY = {
    "tokens": "did not fit",
    "depth": "too deep",
    "missing": "missing",
    "cycle": "in a cycle",
}
#: A depth that no Dag has.
UNLIMITED = sys.maxsize


@dataclass(frozen=True, slots=True)
class Cut:
    """What an expansion left out, with all that lies beneath it.

    Attributes
    ----------
    id : str
    why : {"tokens", "depth", "missing", "cycle"}
        It did not fit; it lies deeper than was asked for; the Dag does not hold it; it lies under
        itself, and is not entered again.
    tokens : int
        Of the node itself; 0 where it is missing, or was given before.
    """

    id: str
    why: Why
    tokens: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Expansion:
    """What lies under some nodes.

    Attributes
    ----------
    nodes : tuple of Message or Summary
        Each once, every node before its sources, sources in order.
    tokens : int
        Of these nodes together.
    cut : tuple of Cut
        What was left out, and why.
    """

    nodes: tuple[Node, ...] = ()
    tokens: int = 0
    cut: tuple[Cut, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages among the nodes, in order."""
        return tuple(node for node in self.nodes if isinstance(node, Message))

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return bool(self.cut)

    @property
    def text(self) -> str:
        """The texts of the nodes, one after the other."""
        return "\n\n".join(text_of(node) for node in self.nodes)

    def frame(self) -> pd.DataFrame:
        """Give a row a node: id, kind, depth (-1 for messages), role and text."""
        rows = [
            (node.id, "summary", node.depth, "", node.text)
            if isinstance(node, Summary)
            else (node.id, "message", -1, node.role, text_of(node))
            for node in self.nodes
        ]
        return pd.DataFrame(rows, columns=["id", "kind", "depth", "role", "text"])

    def __repr__(self) -> str:
        return f"Expansion of {self}"

    def __str__(self) -> str:
        left = [
            f"{counted(len(some), 'node')}{of} {said}"
            for why, said in WHY.items()
            for some in [[cut.tokens for cut in self.cut if cut.why == why]]
            for of in [f" of {counted(sum(some), 'token')}" if sum(some) else ""]
            if some
        ]
        said = f"{counted(len(self.nodes), 'node')}, {counted(self.tokens, 'token')}"
        return f"{said}; left out: {', '.join(left)}" if left else said


def expand(
    dag: Graph,
    ids: Iterable[str],
    depth: int | None,
    tokens: int | None,
    *,
    messages: bool,
    compat: Compat,
) -> Expansion:
    """Give what lies under some nodes; see `Dag.expand`."""
    for name, least in (("depth", depth), ("tokens", tokens)):
        if least is not None and (isinstance(least, bool) or least < 0):
            raise BadParameter(f"{name} must be 0 or more, or None for all. Got {least!r}.")
    reach = UNLIMITED if depth is None and compat is None else 1 if depth is None else depth
    walk = (_Walk if compat is None else _Reference)(dag, tokens, messages)
    walk.down(ids, reach)
    given = {node.id for node in walk.nodes}
    cut = dict.fromkeys(one for one in walk.cut if one.id not in given)
    return Expansion(tuple(walk.nodes), walk.tokens, (*cut, *walk.circles()))


@dataclass
class _Walk:
    """Down from some roots, depth first; a root that is a summary is neither given nor counted."""

    dag: Graph
    limit: int | None
    with_messages: bool
    nodes: list[Node] = field(default_factory=list)
    cut: list[Cut] = field(default_factory=list)
    tokens: int = 0
    #: How much depth was left beneath each node that was met.
    left: dict[str, int] = field(default_factory=dict)
    #: Whether any node was met again, as one with two summaries over it is, or one under itself.
    again: bool = False

    def down(self, roots: Iterable[str], depth: int) -> None:
        """Walk from each root in turn, within the one limit."""
        for name in dict.fromkeys(roots):
            node = self.dag.node(name)
            stack = [(name, 0)] if isinstance(node, Message) else self._below(node, depth)
            while stack:
                at, left = stack.pop()
                if self._take(at, left):
                    stack += self._below(self.dag.node(at), left)

    def _below(self, node: Node, depth: int) -> list[tuple[str, int]]:
        """Give the sources of a node, the first last, with the depth that is left beneath each."""
        if not isinstance(node, Summary):
            return []
        sources = [name for name in node.sources[::-1] if self._wanted(name)]
        if depth > 0:
            return [(name, depth - 1) for name in sources]
        self._too_deep(sources[::-1])
        return []

    def _wanted(self, name: str) -> bool:
        shown = self.with_messages or name not in self.dag
        return shown or isinstance(self.dag.node(name), Summary)

    def _too_deep(self, sources: Iterable[str]) -> None:
        self.cut += [
            Cut(name, "depth", self.dag.size(name)) for name in sources if name in self.dag
        ]

    def _take(self, name: str, left: int) -> bool:
        """Give a node if it is new and fits, and tell whether to go on beneath it."""
        if name in self.left:
            self.again = True
            deeper = left > self.left[name]
            self.left[name] = max(left, self.left[name])
            return deeper
        if name not in self.dag:
            self.cut.append(Cut(name, "missing"))
            return False
        if self._give(name):
            self.left[name] = left
            return True
        return False

    def circles(self) -> Iterator[Cut]:
        """Give the nodes on the way that lie under themselves."""
        if self.again:
            members = (name for circle in cycles(self.dag) for name in circle)
            yield from (Cut(name, "cycle") for name in members if name in self.left)

    def _give(self, name: str) -> bool:
        size = self.dag.size(name)
        if self.limit is not None and self.tokens + size > self.limit:
            self.cut.append(Cut(name, "tokens", size))
            return False
        self.nodes.append(self.dag.node(name))
        self.tokens += size
        return True


class _Reference(_Walk):
    """As lossless-claw walks: shared sources each time, ended by the first that does not fit.

    What it needs to end, and the reference does not have: a node is not entered beneath itself.
    """

    def down(self, roots: Iterable[str], depth: int) -> None:
        """Walk from each root in turn; what truncates one ends all."""
        for name in roots:
            if name in self.dag and not self.cut:
                self._enter(self.dag.node(name), depth)

    def _enter(self, root: Node, depth: int) -> None:
        path, stack = {root.id: None}, [self._below(root, depth)]
        while stack and not self.cut:
            if not stack[-1]:
                stack.pop()
                path.popitem()
                continue
            name, left = stack[-1].pop()
            if name not in path and name in self.dag and self._give(name):
                path[name] = None
                stack.append(self._below(self.dag.node(name), left))

    def _too_deep(self, sources: Iterable[str]) -> None:
        """Say nothing: to the reference a depth is no truncation."""
