"""The fresh tail: what of the frontier no strategy touches, and where it may be cut at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.pairs import open_calls
from lcm_lab.messages import Message

__all__ = ["TURN", "Tail", "cuttable", "reference_tail", "stands_raw", "tail_of"]

#: The longest live turn that is protected whole, in tokens.
TURN = 20_000


@dataclass(frozen=True, slots=True)
class Tail:
    """What is protected of a frontier.

    Attributes
    ----------
    start : int
        Where the fresh tail begins; the length of the frontier when nothing is protected.
    user : int or None
        Where the newest user message stands when it is before the tail; it is protected alone.
    """

    start: int
    user: int | None = None

    def runs(self) -> list[tuple[int, int]]:
        """Give the stretches (start, stop) of the frontier that are not protected."""
        if self.user is None:
            return [(0, self.start)] if self.start else []
        cut = [(0, self.user), (self.user + 1, self.start)]
        return [(start, stop) for start, stop in cut if start < stop]


def stands_raw(node: Node) -> bool:
    """Tell whether a node of a frontier is a message, or a stub in the place of one."""
    return isinstance(node, Message) or node.level == "stub"


def cuttable(dag: Dag) -> list[bool]:
    """Tell for each place of a frontier, 0 to its length, whether a cut there parts no pair.

    A pair is a tool call and its result, both in view; the newest calls, to which results are still
    to come, stay with all that follows them.
    """
    change = [0] * (len(dag.frontier) + 1)
    at = _in_view(dag)
    for call, result in dag.calls:
        first, last = (at.get(dag.messages[place].id) for place in (call, result))
        if first is not None and last is not None and first < last:
            change[first + 1] += 1
            change[last + 1] -= 1
    waiting = _in_flight(dag, at)
    if waiting is not None:
        change[waiting + 1] += 1
    depth, free = 0, []
    for step in change:
        depth += step
        free.append(depth == 0)
    return free


def _in_view(dag: Dag) -> dict[str, int]:
    """Give where each message stands in the frontier, itself or as a stub, by its id."""
    stubs: dict[str, int] = {}
    own: dict[str, int] = {}
    for at, name in enumerate(dag.frontier):
        node = dag.node(name)
        if isinstance(node, Message):
            own[name] = at
        elif node.level == "stub":
            stubs |= dict.fromkeys(node.sources, at)
    return stubs | own


def _in_flight(dag: Dag, at: dict[str, int]) -> int | None:
    """Give where the last thing an assistant did stands, if it waits for results."""
    last = next(
        (
            place
            for place in range(len(dag.messages) - 1, -1, -1)
            if any(part.kind != "tool_result" for part in dag.messages[place].parts)
        ),
        None,
    )
    if last is None:
        return None
    recent = dag.messages[last:]
    return at.get(recent[0].id) if 0 in open_calls(recent) else None


def tail_of(dag: Dag, fresh: int, budget: int | None, turn: int = TURN) -> Tail:
    """Find the fresh tail of a frontier.

    The newest ``fresh`` messages, with a budget no more than half of it; the newest at least. It
    reaches back to the newest user message unless the live turn has more than ``turn`` tokens, or
    three quarters of the budget: then that message is protected alone. It begins where no tool call
    is parted from its result.

    Parameters
    ----------
    fresh : int
        0 protects nothing but what is still to be answered.
    """
    nodes = [dag.node(name) for name in dag.frontier]
    sizes = [dag.size(name) for name in dag.frontier]
    free = cuttable(dag)
    start = _newest(nodes, sizes, fresh, None if budget is None else budget // 2)
    user = _newest_user(nodes) if fresh else None
    if user is not None and user < start:
        limit = turn if budget is None else min(turn, 3 * budget // 4)
        if sum(sizes[user:]) <= limit:
            start = user
    while not free[start]:
        start -= 1
    return Tail(start, user if user is not None and user < start else None)


def _newest(nodes: Sequence[Node], sizes: Sequence[int], fresh: int, limit: int | None) -> int:
    start, count, tokens = len(nodes), 0, 0
    for at in range(len(nodes) - 1, -1, -1):
        tokens += sizes[at]
        fits = limit is None or tokens <= limit or not count
        if count >= fresh or not fits or not stands_raw(nodes[at]):
            break
        start, count = at, count + 1
    return start


def _newest_user(nodes: Sequence[Node]) -> int | None:
    places = range(len(nodes) - 1, -1, -1)
    return next((at for at in places if _spoken(nodes[at])), None)


def _spoken(node: Node) -> bool:
    """Tell whether a user said it; some formats give the results of tools the role of a user."""
    if isinstance(node, Summary) or node.role != "user":
        return False
    return not node.parts or any(part.kind != "tool_result" for part in node.parts)


def reference_tail(
    roles: Sequence[str], tokens: Sequence[int], fresh: int, limit: int | None = None
) -> int:
    """Find where the tail of lossless-claw begins among raw messages.

    The newest ``fresh`` messages, cut to ``limit`` tokens but for the newest, and always back to
    the newest user message, however far that is.

    Returns
    -------
    int
        The number of messages when nothing is protected.

    Examples
    --------
    >>> reference_tail(["user", "assistant", "user", "assistant", "tool", "assistant"], [10] * 6, 2)
    2
    """
    start, spent, waiting = len(roles), 0, "user" in roles
    for at in range(len(roles) - 1, -1, -1):
        count = len(roles) - start
        fits = limit is None or not count or spent + tokens[at] <= limit
        if not fresh or not (waiting or (count < fresh and fits)):
            break
        start, spent = at, spent + tokens[at]
        waiting = waiting and roles[at] != "user"
    return start
