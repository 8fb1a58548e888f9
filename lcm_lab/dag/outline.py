"""A Dag in print: an outline of nodes, depths, spans and tokens, as text and as HTML that folds."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from lcm_lab import markup
from lcm_lab.dag.graph import many
from lcm_lab.dag.nodes import Node, Summary, text_of
from lcm_lab.redact import redact
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.times import show

if TYPE_CHECKING:
    from lcm_lab.dag.base import Dag

__all__ = ["folded", "outline", "title"]

#: How many lines an outline has, and how much of a text a line shows.
LINES, EXCERPT = 100, 60
#: How much of a summary a fold shows.
TEXT = 2_000
MORE = "dag.view() is what the model sees, dag.subtree(id) what lies under a summary"
#: Of a longer run of messages, how many are shown at either end.
ENDS = 2


class _Line(NamedTuple):
    indent: int
    node: Node | None
    said: str


def title(dag: Dag) -> str:
    """Say in one line how large a Dag is, and how much of it is seen."""
    named = f" {dag.conversation!r}" if dag.conversation else ""
    deepest = max((one.depth for one in dag.summaries), default=-1)
    depth = f" of depth up to {deepest}" if deepest > 0 else ""
    held = sum(dag.size(message.id) for message in dag.messages)
    return (
        f"Dag{named}: {counted(len(dag.messages), 'message')} of {counted(held, 'token')}, "
        f"{many(len(dag.summaries))}{depth}; "
        f"{counted(len(dag.frontier), 'node')} of {counted(dag.tokens, 'token')} in view"
    )


def outline(dag: Dag) -> str:
    """Give a line a node: id, depth, span, tokens and how it begins; at most 100 lines.

    What is in view comes first; of what lies beneath, as much as there is room for, from above.
    """
    entered, all_of_it = _roomy(dag)
    lines = [*islice(_lines(dag, entered), LINES + 1)]
    shown = [f"{'  ' * line.indent}{line.said}" for line in lines[:LINES]]
    more = [] if all_of_it and len(lines) <= LINES else [f"... and more: {MORE}"]
    return redact("\n".join([title(dag), *shown, *more])).text


def folded(dag: Dag) -> str:
    """Give the outline as HTML, a fold a summary, text escaped; at most 100 nodes."""
    entered, all_of_it = _roomy(dag)
    lines = [*islice(_lines(dag, entered), LINES + 1)]
    out, depth = [f"<p><b>{markup.line(title(dag))}</b></p>"], 0
    for line in lines[:LINES]:
        out += ["</details>"] * max(0, depth - line.indent)
        depth = min(depth, line.indent)
        said = markup.line(line.said)
        if isinstance(line.node, Summary):
            text = markup.text(line.node.text, TEXT)
            out.append(f"<details><summary>{said}</summary><pre>{text}</pre>")
            depth += 1
        else:
            out.append(f"<div class='in'>{said}</div>")
    more = [] if all_of_it and len(lines) <= LINES else [f"<p>... and more: {escape(MORE)}</p>"]
    return markup.page("\n".join([*out, *["</details>"] * depth, *more]))


def _roomy(dag: Dag) -> tuple[set[str], bool]:
    """Choose the summaries whose sources there is room to show, level by level, and say if all."""
    entered: set[str] = set()
    level = [*_level(dag, dag.frontier, 0)]
    left = LINES - len(level)
    while level:
        below: list[_Line] = []
        for line in level:
            if not isinstance(line.node, Summary) or line.node.id in entered:
                continue
            sources = [*islice(_level(dag, line.node.sources, 0), max(0, left) + 1)]
            if len(sources) > left:
                return entered, False
            entered.add(line.node.id)
            left -= len(sources)
            below += sources
        level = below
    return entered, True


def _lines(dag: Dag, roomy: set[str]) -> Iterator[_Line]:
    """Yield a line a node, what lies under some indented; no node is entered twice."""
    entered: set[str] = set()
    stack: list[tuple[int, Iterator[_Line]]] = [(0, _level(dag, dag.frontier, 0))]
    while stack:
        indent, lines = stack[-1]
        line = next(lines, None)
        if line is None:
            stack.pop()
            continue
        yield line
        if isinstance(line.node, Summary) and line.node.id in roomy - entered:
            entered.add(line.node.id)
            stack.append((indent + 1, _level(dag, line.node.sources, indent + 1)))


def _level(dag: Dag, names: tuple[str, ...], indent: int) -> Iterator[_Line]:
    """Yield a line for each of some nodes; of a long run of messages only its ends."""
    known = [(name, dag.node(name) if name in dag else None) for name in names]
    for summary, group in groupby(known, lambda pair: isinstance(pair[1], Summary)):
        run = [*group]
        hidden = [] if summary or len(run) <= 2 * ENDS + 1 else run[ENDS:-ENDS]
        for at, (name, node) in enumerate(run):
            if hidden and at == ENDS:
                yield _Line(indent, None, _between(dag, [name for name, _ in hidden]))
            if not hidden or at < ENDS or at >= len(run) - ENDS:
                yield _Line(indent, node, _said(dag, name, node))


def _between(dag: Dag, names: list[str]) -> str:
    tokens = sum(dag.size(name) for name in names if name in dag)
    return f"... {counted(len(names), 'message')}, {counted(tokens, 'token')}"


def _said(dag: Dag, name: str, node: Node | None) -> str:
    if node is None:
        return f"{one_line(name)}  missing"
    begins = one_line(cut(redact(text_of(node)).text, 4 * EXCERPT))
    excerpt = cut(begins, EXCERPT) + ("..." if len(begins) > EXCERPT else "")
    kind = f"d{node.depth}" if isinstance(node, Summary) else one_line(node.role) or "message"
    how = f" {node.level}" if isinstance(node, Summary) and node.level else ""
    under = f"{counted(len(node.sources), 'source')}, " if isinstance(node, Summary) else ""
    span = f"  {_span(node)}" if _span(node) else ""
    size = counted(dag.size(node.id), "token")
    return f"{one_line(name)}  {kind}{how}{span}  {under}{size}  {excerpt}".rstrip()


def _span(node: Node) -> str:
    """Write when, to the minute, in UTC."""
    first, last = (node.first, node.last) if isinstance(node, Summary) else (node.time, node.time)
    if first is None or last is None:
        return ""
    start, stop = show(first)[:16].replace("T", " "), show(last)[:16].replace("T", " ")
    if start == stop:
        return start
    return f"{start} to {stop[11:] if start[:10] == stop[:10] else stop}"
