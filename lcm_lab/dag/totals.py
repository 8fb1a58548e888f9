"""How much lies under each summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lcm_lab.dag.nodes import Summary
from lcm_lab.dag.walk import bottom_up

if TYPE_CHECKING:
    from lcm_lab.dag.graph import Graph

__all__ = ["Totals", "totals"]


@dataclass(frozen=True, slots=True)
class Totals:
    """What lies under a summary.

    Attributes
    ----------
    summaries, tokens : int
        Summaries beneath it, and their tokens.
    messages : int
        Tokens of the messages beneath it.
    """

    summaries: int = 0
    tokens: int = 0
    messages: int = 0

    @classmethod
    def over(cls, below: Iterable[tuple[int, Totals]], messages: int = 0) -> Totals:
        """Give the totals of a summary over others, each with its own tokens, and over messages.

        Examples
        --------
        >>> Totals.over([(50, Totals(8, 800)), (60, Totals(8, 900))])
        Totals(summaries=18, tokens=1810, messages=0)
        """
        listed = list(below)
        return cls(
            sum(under.summaries + 1 for _, under in listed),
            sum(under.tokens + own for own, under in listed),
            sum(under.messages for _, under in listed) + messages,
        )


def totals(dag: Graph) -> dict[str, Totals]:
    """Give the totals of every summary by its id; a source of two nodes counts under each.

    Summaries on a cycle, or above one, have none.
    """
    found: dict[str, Totals] = {}
    for summary in bottom_up(dag):
        below = dag.sources(summary.id)
        found[summary.id] = Totals.over(
            ((node.tokens, found[node.id]) for node in below if isinstance(node, Summary)),
            sum(dag.size(node.id) for node in below if not isinstance(node, Summary)),
        )
    return found
