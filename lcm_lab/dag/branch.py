"""What stays of a Dag when the conversation takes another course."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from lcm_lab.dag.walk import bottom_up
from lcm_lab.messages import Message

if TYPE_CHECKING:
    from lcm_lab.dag.base import Dag

__all__ = ["follow"]


def follow(dag: Dag, messages: tuple[Message, ...]) -> Dag:
    """Give the Dag over another course of its conversation; see `Dag.follow`."""
    raw = type(dag)(dag.conversation).append(messages)
    before = {message.id: message for message in dag.messages}
    places = {message.id: at for at, message in enumerate(raw.messages) if _same(before, message)}
    spans = _spans(dag, places)
    kept = tuple(summary for summary in dag.summaries if summary.id in spans)
    bare = replace(raw, summaries=kept, frontier=tuple(_frontier(dag, raw, spans)))
    reached = {node.id for name in bare.frontier for node in bare.subtree(name)}
    return replace(bare, summaries=tuple(summary for summary in kept if summary.id in reached))


def _same(before: dict[str, Message], message: Message) -> bool:
    was = before.get(message.id)
    return was is not None and (was.role, was.parts) == (message.role, message.parts)


def _spans(dag: Dag, places: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Give the places, first and last, of what stays: what lies under it stays in one piece."""
    spans = {name: (at, at) for name, at in places.items()}
    for summary in bottom_up(dag):
        below = [spans[name] for name in summary.sources if name in spans]
        joined = all(a[1] + 1 == b[0] for a, b in pairwise(below))
        if below and len(below) == len(summary.sources) and joined:
            spans[summary.id] = (below[0][0], below[-1][1])
    return spans


def _standing(dag: Dag, spans: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Yield the highest nodes that stay, under the frontier as it was."""
    stack, seen = [*dag.frontier][::-1], set[str]()
    while stack:
        name = stack.pop()
        if name in seen or name not in dag:
            continue
        seen.add(name)
        if name in spans:
            yield name
        else:
            stack += [node.id for node in dag.sources(name)][::-1]


def _frontier(dag: Dag, raw: Dag, spans: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Yield the frontier: the highest nodes that stay, and raw messages between them."""
    tops = {spans[name][0]: name for name in _standing(dag, spans)}
    at = 0
    while at < len(raw.messages):
        name = tops.get(at, raw.messages[at].id)
        yield name
        at = spans.get(name, (at, at))[1] + 1
