"""The end of a message that does not fit whole, so that a window is as long as it may be."""

from __future__ import annotations

from lcm_lab.compaction.work import SMALL
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.text import count_tokens

__all__ = ["PART", "ending", "part_of"]

#: The level of such a node, and how it begins.
PART, MARK = "part", "[...] "


def part_of(dag: Dag, place: int, room: int, by: object) -> Summary | None:
    """Give the end of what stands at a place of the frontier, in so many tokens.

    Returns
    -------
    Summary or None
            None where a summary stands there, or where no 16 tokens of it fit.
    """
    node = dag.node(dag.frontier[place])
    if isinstance(node, Summary) and node.level == PART:
        node = dag.sources(node.id)[0]
    if isinstance(node, Summary):
        return None
    room = min(room, dag.size(node.id) - 1)
    if room < SMALL:
        return None
    made = Summary.of(
        MARK + ending(text_of(node), room - count_tokens(MARK)), [node], PART, repr(by)
    )
    return made if made.tokens <= room else None


def ending(text: str, tokens: int) -> str:
    """Give the end of a text in so many tokens, from the beginning of a word where there is one.

    Examples
    --------
    >>> ending("We chose Postgres, after all.", 4)
    ', after all.'
    """
    text = text.strip()
    low, high = max(0, len(text) - 20 * tokens), len(text)
    while low < high:
        middle = (low + high) // 2
        fits = count_tokens(text[middle:]) <= tokens
        low, high = (low, middle) if fits else (middle + 1, high)
    part = text[low:]
    inside = part[:1].isalnum() and text[:low][-1:].isalnum()
    if inside and " " in part:
        part = part.split(maxsplit=1)[-1]
    return part.strip()
