"""The nodes and edges of a Dag, looked up in both directions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

from lcm_lab.dag.expand import Compat, Expansion, expand
from lcm_lab.dag.nodes import Node, Summary, sizes_of
from lcm_lab.dag.outcome import Outcome
from lcm_lab.dag.pairs import pairs
from lcm_lab.dag.walk import nodes_below, way_up
from lcm_lab.errors import NotFound, nearest
from lcm_lab.messages import Message
from lcm_lab.shown import counted

__all__ = ["Graph", "many", "near"]

Ids: TypeAlias = str | Iterable[str]

#: Among how many ids the nearest is looked for; difflib needs a second for 50,000.
COMPARED = 5_000


#: What is found in messages alone, and costs more than to carry it on.
KEPT = ("calls", "_places")


@dataclass(frozen=True, repr=False)
class Graph:
    """Messages, summaries and a frontier, as `Dag` describes them, and what is found in them."""

    conversation: str
    messages: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    frontier: tuple[str, ...] = ()
    outcome: Outcome | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("messages", "summaries", "frontier"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be found again; tokens may have been recorded elsewhere."""
        kept = {one.name for one in fields(self)} | {"_sizes"}
        return {name: held for name, held in self.__dict__.items() if name in kept}

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def node(self, name: str) -> Node:
        """Give the message or the summary of an id.

        Raises
        ------
        NotFound
            When there is none; the nearest id is suggested.
        """
        found = self._nodes.get(name)
        if found is None:
            raise NotFound(
                f"No node {name!r} in this Dag of {counted(len(self.messages), 'message')} and "
                f"{many(len(self.summaries))}.{near(name, self._nodes)} "
                "Ids come from a search, from dag.frontier, or from the outline."
            )
        return found

    def size(self, name: str) -> int:
        """Give the tokens of a node: of all that a model reads of it, tool arguments included."""
        node = self.node(name)
        return node.tokens if isinstance(node, Summary) else self._sizes[self._places[name]]

    def recorded(self, tokens: Mapping[str, int]) -> Self:
        """Give the same Dag, its messages of as many tokens as were recorded elsewhere."""
        same = replace(self)
        sizes = zip(self.messages, self._sizes, strict=True)
        same.__dict__["_sizes"] = tuple(tokens.get(one.id, size) for one, size in sizes)
        return same

    def altered(self, **fields: Any) -> Self:
        """Give the Dag with other fields than ``messages``, whose tokens are not counted again."""
        after = replace(self, **fields)
        held = self.__dict__
        after.__dict__.update((name, held[name]) for name in KEPT if name in held)
        after.__dict__["_sizes"] = self._sizes
        return after

    def sources(self, name: str) -> tuple[Node, ...]:
        """Give what a summary was made from, in order; nothing for a message."""
        node = self.node(name)
        ids = node.sources if isinstance(node, Summary) else ()
        return tuple(self._nodes[one] for one in ids if one in self._nodes)

    def derived(self, name: str) -> tuple[Summary, ...]:
        """Give the summaries that were made from a node, in the order of their making."""
        self.node(name)
        return tuple(self._derived.get(name, ()))

    @cached_property
    def tokens(self) -> int:
        """Tokens of what the model sees: the nodes of the frontier, without any frame."""
        return sum(self.size(name) for name in self.frontier if name in self)

    def path(self, name: str) -> tuple[Node, ...]:
        """Give the way up from a node to the frontier: message, leaf, condensed.

        Where several ways lead up, the shortest one that reaches the frontier; where none does, the
        way to the highest node there is.
        """
        return way_up(self, name)

    def subtree(self, name: str) -> tuple[Node, ...]:
        """Give a node and all that lies under it, each once, every node before its sources."""
        self.node(name)
        return tuple(nodes_below(self, [name]))

    def leaves(self, ids: Ids) -> tuple[Message, ...]:
        """Give the messages that lie under one node or several, each once, in their order."""
        names = [ids] if isinstance(ids, str) else list(ids)
        for name in names:
            self.node(name)
        found = (node.id for node in nodes_below(self, names) if isinstance(node, Message))
        return tuple(self.messages[place] for place in sorted(self._places[name] for name in found))

    def expand(
        self,
        ids: Ids,
        depth: int | None = None,
        tokens: int | None = None,
        messages: bool = True,
        compat: Compat = None,
    ) -> Expansion:
        """Give what lies under some nodes, each once, in order, and say what was left out.

        Parameters
        ----------
        ids : str or iterable of str
            A message among them is given itself; a summary is not, and costs nothing.
        depth : int, optional
            How many levels down; all the way when not given.
        tokens : int, optional
            The limit for all of it together. What does not fit is passed over, with all that lies
            under it, and stated; what follows may still fit. No text is cut.
        messages : bool, default True
            Whether messages are given too.
        compat : {"reference"}, optional
            As lossless-claw walks: one level unless ``depth`` says more, shared sources again each
            time, the first that does not fit ends the walk, an unknown id gives nothing.

        Returns
        -------
        Expansion
            ``nodes``, ``messages``, ``tokens``, ``cut``, ``truncated``.

        Raises
        ------
        NotFound
            For an id that this Dag does not hold.
        """
        names = [ids] if isinstance(ids, str) else list(ids)
        return expand(self, names, depth, tokens, messages=messages, compat=compat)

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        """Every node by its id; of several of one id, the first."""
        nodes: tuple[Node, ...] = self.messages + self.summaries
        return {node.id: node for node in reversed(nodes)}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {self.messages[at].id: at for at in range(len(self.messages) - 1, -1, -1)}

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return sizes_of(self.messages)

    @cached_property
    def calls(self) -> tuple[tuple[int, int], ...]:
        """The places of messages with a tool call, each with that of its result; see `pairs`."""
        return tuple(pairs(self.messages))

    @cached_property
    def _derived(self) -> dict[str, list[Summary]]:
        found: dict[str, list[Summary]] = {}
        for summary in self.summaries:
            for name in dict.fromkeys(summary.sources):
                found.setdefault(name, []).append(summary)
        return found


def near(name: object, names: Collection[str]) -> str:
    """Suggest an id, where there are not too many to compare with."""
    return nearest(str(name), names) if len(names) <= COMPARED else ""


def many(summaries: int) -> str:
    """Give "1 summary", "2 summaries"."""
    return f"{summaries:,} {'summary' if summaries == 1 else 'summaries'}"
