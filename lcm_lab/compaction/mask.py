"""Mask: old tool outputs become one line that says what was there."""

from __future__ import annotations

from collections.abc import Mapping

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.runs import Change, change, nodes_of
from lcm_lab.compaction.tail import tail_of
from lcm_lab.compaction.work import Work
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.ids import digest
from lcm_lab.messages import Message
from lcm_lab.values import value

__all__ = ["Mask", "stub_of", "tools_of"]


@value
class Mask(Compactor):
    """Put a line in the place of each old tool output: its tool, size and hash.

    The call stays, and the output lies under the line, to be expanded (observation masking).

    Parameters
    ----------
    fresh : int
        How many of the newest messages stay as they are, in at most half of a budget.
    least : int
        Outputs of fewer tokens stay.

    Notes
    -----
    With a budget, the oldest are masked first, and no more than is needed.

    Examples
    --------
    >>> Mask(fresh=8)
    Mask(fresh=8)
    """

    fresh: int = 64
    least: int = 50

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, 0, fresh=self.fresh, least=self.least)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Mask old outputs, oldest first, until the budget is met."""
        left = dag.tokens - work.budget if work.budget is not None else dag.tokens
        nodes, tools = nodes_of(dag), tools_of(dag)
        found: list[Change] = []
        for start, stop in tail_of(dag, self.fresh, work.budget).runs():
            for at in range(start, stop):
                stub = stub_of(dag, nodes[at], tools, self.least) if left > 0 else None
                if stub is not None:
                    found.append((at, at + 1, stub))
                    left -= dag.size(nodes[at].id) - stub.tokens
        return change(dag, found)


def tools_of(dag: Dag) -> dict[str, str]:
    """Give the name of the tool of each call, by the id of the call."""
    parts = (part for message in dag.messages for part in message.parts)
    return {part.call: part.name for part in parts if part.kind == "tool_call" and part.call}


def stub_of(dag: Dag, node: Node, tools: Mapping[str, str], least: int = 0) -> Summary | None:
    """Make the line that stands for a message of tool results alone; None where it is none.

    None too where the message has fewer than ``least`` tokens, or the line is not shorter.
    """
    if not isinstance(node, Message) or dag.size(node.id) < least:
        return None
    parts = [part for part in node.parts if part.text and part.kind != "reasoning"]
    if not parts or any(part.kind != "tool_result" for part in parts):
        return None
    named = dict.fromkeys(tools[part.call] for part in parts if tools.get(part.call))
    of = f" of {', '.join(named)}" if named else ""
    size = dag.size(node.id)
    text = f"[tool result{of}: {size:,} tokens, hash {digest(text_of(node), size=4)}, left out]"
    stub = Summary.of(text, [node], "stub", "Mask()")
    return stub if stub.tokens < size else None
