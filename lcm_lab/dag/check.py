"""The invariants of a Dag, as a table of rules and what breaks them; linear in its edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pandas as pd

from lcm_lab.dag.nodes import Summary, level_of, span_of
from lcm_lab.dag.walk import cycles, nodes_below
from lcm_lab.messages import Message

if TYPE_CHECKING:
    from lcm_lab.dag.base import Dag

__all__ = ["RULES", "check"]

#: How many examples a rule shows.
SHOWN = 10


def check(dag: Dag) -> pd.DataFrame:
    """Check every rule; see `Dag.check`."""
    found = [(rule, [*breaks(dag)]) for rule, breaks in RULES.items()]
    rows = [(rule, len(broken), tuple(broken[:SHOWN])) for rule, broken in found]
    return pd.DataFrame(rows, columns=["rule", "violations", "examples"])


def _twice(dag: Dag) -> Iterator[str]:
    seen: set[str] = set()
    for name in [one.id for one in dag.messages] + [one.id for one in dag.summaries]:
        if name in seen:
            yield name
        seen.add(name)


def _lost_sources(dag: Dag) -> Iterator[str]:
    lost = (name for one in dag.summaries for name in one.sources if name not in dag)
    yield from dict.fromkeys(lost)


def _sourceless(dag: Dag) -> Iterator[str]:
    yield from (one.id for one in dag.summaries if not one.sources)


def _cycles(dag: Dag) -> Iterator[str]:
    """Yield each cycle once, as ``a > b > a``."""
    yield from (" > ".join([*members, members[0]]) for members in cycles(dag))


def _depths(dag: Dag) -> Iterator[str]:
    for one in dag.summaries:
        below = dag.sources(one.id)
        if below and one.depth != 1 + max(map(level_of, below)):
            yield one.id


def _spans(dag: Dag) -> Iterator[str]:
    for one in dag.summaries:
        below = dag.sources(one.id)
        if below and (one.first, one.last) != span_of(below):
            yield one.id


def _tokens(dag: Dag) -> Iterator[str]:
    for one in dag.summaries:
        if one.tokens < 0 or (one.tokens == 0 and one.text.strip()):
            yield one.id


def _unseen_frontier(dag: Dag) -> Iterator[str]:
    yield from dict.fromkeys(name for name in dag.frontier if name not in dag)


def _covering(dag: Dag) -> list[str]:
    """Give the messages under each node of the frontier, in order; one covered twice is twice."""
    return [
        node.id
        for name in dag.frontier
        for node in nodes_below(dag, [name])
        if isinstance(node, Message)
    ]


def _covered_twice(dag: Dag) -> Iterator[str]:
    seen: dict[str, int] = {}
    for name in _covering(dag):
        seen[name] = seen.get(name, 0) + 1
    yield from (name for name, count in seen.items() if count > 1)


def _uncovered(dag: Dag) -> Iterator[str]:
    seen = set(_covering(dag))
    yield from (message.id for message in dag.messages if message.id not in seen)


def _disordered(dag: Dag) -> Iterator[str]:
    places = {message.id: at for at, message in enumerate(dag.messages)}
    highest = -1
    for name in dict.fromkeys(_covering(dag)):
        if places[name] < highest:
            yield name
        highest = max(highest, places[name])


def _unreached(dag: Dag) -> Iterator[str]:
    reached = {node.id for node in nodes_below(dag, dag.frontier)}
    yield from (one.id for one in dag.summaries if one.id not in reached)


def _parted(dag: Dag) -> Iterator[str]:
    """Yield tool results that are raw while their call is not, or the reverse.

    A stub stands in the place of its message, so it counts as raw.
    """
    raw = set(dag.frontier)
    for name in dag.frontier:
        node = dag.node(name) if name in dag else None
        if isinstance(node, Summary) and node.level == "stub":
            raw.update(node.sources)
    for call, result in dag.calls:
        ids = dag.messages[call].id, dag.messages[result].id
        if (ids[0] in raw) != (ids[1] in raw):
            yield ids[1]


RULES: dict[str, Callable[[Dag], Iterator[str]]] = {
    "an id names one node": _twice,
    "what a summary was made from is there": _lost_sources,
    "a summary was made from something": _sourceless,
    "no node lies under itself": _cycles,
    "depth is one above the deepest source": _depths,
    "the time span is that of the sources": _spans,
    "tokens are recorded": _tokens,
    "what the frontier names is there": _unseen_frontier,
    "the frontier covers no message twice": _covered_twice,
    "the frontier leaves no message out": _uncovered,
    "messages keep their order": _disordered,
    "every summary is under the frontier": _unreached,
    "a tool call and its result stay together": _parted,
}
