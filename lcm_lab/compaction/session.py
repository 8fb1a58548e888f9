"""What a new session keeps of the view of the one before."""

from __future__ import annotations

import math
from typing import Literal

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.runs import Change, change, dropped
from lcm_lab.compaction.work import Work
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.errors import BadParameter
from lcm_lab.values import value

__all__ = ["NewSession"]


@value
class NewSession(Compactor):
    """Begin a new session: no message stays in view, and of the summaries only the deep ones.

    Parameters
    ----------
    retain : float
        The least depth of a summary that stays; -1 changes nothing, infinity keeps none.
    compat : {"reference"}, optional
        As lossless-claw: what goes is left out of the view and stands under nothing, so a check
        reports it. Without it, it goes under markers, and can be expanded.

    Examples
    --------
    >>> NewSession(retain=1)
    NewSession(retain=1)
    """

    retain: float = 2
    compat: Literal["reference"] | None = None

    def check(self) -> None:
        """Refuse what is no depth."""
        given: object = self.retain
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise BadParameter(f"NewSession: retain is a depth, 0 or more. Got {self.retain!r}.")

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Drop what does not stay."""
        del work  # nothing is written
        if self.retain < 0:
            return dag
        keeps = [self._keeps(dag.node(name)) for name in dag.frontier]
        if self.compat is not None:
            kept = [name for name, keep in zip(dag.frontier, keeps, strict=True) if keep]
            return dag.settled([], kept)
        found: list[Change] = []
        at = 0
        while at < len(keeps):
            stop = at
            while stop < len(keeps) and not keeps[stop]:
                stop += 1
            if self._drops(dag, at, stop):
                found.append((at, stop, dropped(dag, at, stop, self)))
            at = max(stop, at + 1)
        return change(dag, found)

    def _keeps(self, node: Node) -> bool:
        finite = not (math.isinf(self.retain) or math.isnan(self.retain))
        return isinstance(node, Summary) and finite and node.depth >= self.retain

    def _drops(self, dag: Dag, start: int, stop: int) -> bool:
        nodes = [dag.node(name) for name in dag.frontier[start:stop]]
        return any(not isinstance(node, Summary) or node.level != "dropped" for node in nodes)
