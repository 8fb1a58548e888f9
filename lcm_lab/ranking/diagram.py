"""A policy as a small diagram: boxes from left to right, and terms of a sum below each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from lcm_lab.markup import line, page
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.nodes import Over, Sum, Then, Top, Weighted
from lcm_lab.values import parts

__all__ = ["diagram"]

#: A larger policy is printed alone.
MOST = 120
#: Of a box, so many characters are shown.
SHOWN = 160

ARROW, PLUS = "<span>&rarr;</span>", "<span>+</span>"


def diagram(policy: Ranker, said: str = "") -> str:
    """Draw a policy as HTML, with its expression below, and what else is said of it.

    Examples
    --------
    >>> "&rarr;" in diagram(lcm.BM25() % 100 >> lcm.MMR(0.7))
    True
    """
    drawn = _drawn(policy) if _size(policy, MOST) < MOST else ""
    more = f" {line(said)}" if said else ""
    return page(drawn, f"<div><code>{line(repr(policy), 2_000)}</code>{more}</div>")


def _drawn(part: Ranker) -> str:
    if isinstance(part, Then):
        return f'<div class="row">{ARROW.join(map(_drawn, part.steps))}</div>'
    if isinstance(part, Sum):
        drawn = [f'<div class="row">{_drawn(term)}</div>' for term in part.terms]
        return f'<div class="col box">{PLUS.join(drawn)}</div>'
    if isinstance(part, Weighted):
        return f'<div class="row">{_tag(f"{part.weight} ×")}{_drawn(part.ranker)}</div>'
    if isinstance(part, Top):
        return f'<div class="row">{_drawn(part.ranker)}{_tag(f"top {part.k}")}</div>'
    if isinstance(part, Over):
        only = ", ".join(f"{name} {wanted}" for name, wanted in part.filters)
        return f'<div class="row">{_tag(f"only {only}")}{_drawn(part.ranker)}</div>'
    return _boxed(part)


def _boxed(part: Ranker) -> str:
    """Draw what is no operator: its name, and below it the policies that it is made of."""
    inner = [*_inner(part)]
    if not inner:
        return f'<div class="box"><code>{line(repr(part), SHOWN)}</code></div>'
    below = "".join(f'<div class="row">{_drawn(one)}</div>' for one in inner)
    return f'<div class="box"><code>{line(_titled(part), SHOWN)}</code>{below}</div>'


def _inner(part: Any) -> Iterator[Ranker]:
    """Yield the policies that a value holds in its fields."""
    for one in parts(part):
        if isinstance(one, Ranker):
            yield one
        elif isinstance(one, tuple):
            yield from _inner(one)


def _titled(part: Any) -> str:
    """Print a value without the policies in it, and without what is as always."""
    name = type(part).__name__
    if not dataclasses.is_dataclass(part):
        return name
    said = [
        f"{field.name}={held!r}"
        for field in dataclasses.fields(part)
        for held in [getattr(part, field.name)]
        if not isinstance(held, Ranker) and not [*_inner((held,))] and held != field.default
    ]
    return f"{name}({', '.join(said)})" if said else name


def _size(part: Any, most: int) -> int:
    """Count the policies within one, up to a limit."""
    count = 1
    for one in _inner(part):
        if count >= most:
            break
        count += _size(one, most - count)
    return count


def _tag(said: str) -> str:
    return f'<span class="tag">{line(said, SHOWN)}</span>'
