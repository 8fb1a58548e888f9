"""What lossless-claw compacts next: pure rules over roles, tokens and depths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Rule", "candidate", "leaf_chunk", "prefix_target"]


@dataclass(frozen=True, slots=True)
class Rule:
    """When summaries of one depth are condensed.

    Attributes
    ----------
    leaf, condensed, hard : int
        How many neighbours at least: of leaves, of deeper ones, and of any under pressure.
    least : int
        Their tokens together, at least.
    chunk : int
        Their tokens together, at most.
    deepest : int or None
        The greatest depth that is condensed.
    """

    leaf: int = 8
    condensed: int = 4
    hard: int = 2
    least: int = 2_000
    chunk: int = 20_000
    deepest: int | None = None


def leaf_chunk(tokens: Sequence[int], limit: int) -> int:
    """Give how many messages, oldest first, a leaf takes: one, and while the limit holds.

    Examples
    --------
    >>> leaf_chunk([10_000, 10_000, 10_000], 20_000), leaf_chunk([30_000, 10], 20_000)
    (2, 1)
    """
    spent, count = 0, 0
    for size in tokens:
        if count and spent + size > limit:
            break
        spent, count = spent + size, count + 1
    return count


def candidate(
    depths: Sequence[int | None],
    tokens: Sequence[int],
    rule: Rule,
    *,
    hard: bool = False,
    reference: bool = False,
) -> tuple[int, int] | None:
    """Give the stretch (start, stop) of summaries of one depth to condense next, shallowest first.

    Parameters
    ----------
    depths : sequence of int or None
        Of each item; None ends a stretch (a raw message).
    hard : bool
        Under pressure two neighbours are enough.
    reference : bool
        Of each depth only the oldest stretch is looked at, as lossless-claw does.

    Examples
    --------
    >>> depths = [0, 0, 1, *[0] * 8]
    >>> candidate(depths, [1_000] * 11, Rule())
    (3, 11)
    >>> candidate(depths, [1_000] * 11, Rule(), reference=True) is None
    True
    """
    for depth in sorted({depth for depth in depths if depth is not None}):
        if rule.deepest is not None and depth > rule.deepest:
            return None
        fanout = rule.hard if hard else rule.condensed if depth else rule.leaf
        at = 0
        while at < len(depths):
            stop = _stretch(depths, tokens, at, depth, rule.chunk)
            if stop - at >= fanout and sum(tokens[at:stop]) >= rule.least:
                return at, stop
            if reference and stop > at:
                break
            at = max(stop, at + 1)
    return None


def _stretch(
    depths: Sequence[int | None], tokens: Sequence[int], at: int, depth: int, chunk: int
) -> int:
    """Give where a stretch of a depth that begins here ends; here, where none begins."""
    stop, spent = at, 0
    while stop < len(depths) and depths[stop] == depth:
        if stop > at and spent + tokens[stop] > chunk:
            break
        spent, stop = spent + tokens[stop], stop + 1
    return stop


def prefix_target(limit: int, condensed: int, chunk: int) -> int:
    """Give how many tokens of summaries lossless-claw leaves in view, of a limit of the whole.

    Examples
    --------
    >>> [prefix_target(int(0.75 * window), 2_000, 20_000) for window in (128_000, 16_000, 4_000)]
    [20000, 6000, 2000]
    """
    return max(condensed, min(chunk, limit // 2))
