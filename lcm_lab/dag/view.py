"""What a Dag shows: to the model, and to a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.dag.nodes import Node, Summary, sizes_of, text_of
from lcm_lab.dag.walk import bottom_up
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.messages import INDEXED, ROW, rows
from lcm_lab.text import clean

if TYPE_CHECKING:
    from lcm_lab.dag.base import Dag

__all__ = ["View", "corpus"]


@dataclass(frozen=True, slots=True, repr=False)
class View:
    """What the model sees, in order.

    Attributes
    ----------
    nodes : tuple of Message or Summary
    """

    nodes: tuple[Node, ...]

    @property
    def text(self) -> str:
        """The texts of the nodes, a blank line between them."""
        return "\n\n".join(filter(None, map(text_of, self.nodes)))

    @property
    def tokens(self) -> int:
        """Tokens of the nodes together."""
        return sum(sizes_of(self.nodes))

    def frame(self) -> pd.DataFrame:
        """Give a row a node: id, kind, depth (-1 for messages), role, time, tokens and text.

        The time is UTC; a summary's is the last beneath it.
        """
        sizes = sizes_of(self.nodes)
        found = [(*_described(node), size, text_of(node)) for node, size in _sized(self, sizes)]
        columns = ["id", "kind", "depth", "role", "time", "tokens", "text"]
        frame = pd.DataFrame(found, columns=columns)
        return frame.assign(time=pd.to_datetime(frame["time"], unit="us", utc=True))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"View of {len(self.nodes):,} nodes, {self.tokens:,} tokens"


def _sized(view: View, sizes: Sequence[int]) -> Iterable[tuple[Node, int]]:
    return zip(view.nodes, sizes, strict=True)


def _described(node: Node) -> tuple[str, str, int, str, int | None]:
    if isinstance(node, Summary):
        return node.id, "summary", node.depth, "", node.last
    return node.id, "message", -1, node.role, node.time


def corpus(dag: Dag, kinds: Sequence[str]) -> Corpus:
    """Give messages and summaries as rows to search in; see `Dag.corpus`."""
    for kind in kinds:
        if kind not in INDEXED:
            raise BadParameter(
                f"kinds are {', '.join(INDEXED)}. Got {kind!r}.{nearest(kind, INDEXED)}"
            )
    columns: dict[str, list[Any]] = {name: [] for name in (*ROW, "depth", "level")}
    for row in _rows(dag, kinds):
        if not row[1]:
            continue
        for name, item in zip(columns, row, strict=True):
            columns[name].append(item)
    columns["time"] = pa.array(columns["time"], pa.int64()).cast(pa.timestamp("us", "UTC"))
    made = Corpus(pa.table({name: _typed(items) for name, items in columns.items()}))
    made.memo("dags", lambda: (dag,))  # what rankers that walk the Dag look for
    return made


def _typed(items: Any) -> Any:
    return items if isinstance(items, pa.Array) else pa.array(map(clean, items), pa.string())


def _rows(dag: Dag, kinds: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of each message, each followed by the summaries that end with it."""
    last: dict[str, int] = {message.id: at for at, message in enumerate(dag.messages)}
    ending: dict[int, list[Summary]] = {}
    for one in (*bottom_up(dag), *dag.summaries):
        if one.id not in last:
            last[one.id] = max((last[name] for name in one.sources if name in last), default=-1)
            ending.setdefault(last[one.id], []).append(one)
    for at, message in enumerate(dag.messages):
        yield from ((*row, "", "") for row in rows(message, kinds, dag.conversation))
        yield from (_summary_row(dag, one, message.session) for one in ending.pop(at, ()))
    for left in ending.values():  # of a damaged Dag: over no message
        yield from (_summary_row(dag, one, "") for one in left)


def _summary_row(dag: Dag, one: Summary, session: str) -> tuple[Any, ...]:
    said = (session, "", "", "summaries", "summary", one.last, "no")
    return (one.id, one.text, dag.conversation, *said, str(one.depth), one.level)
