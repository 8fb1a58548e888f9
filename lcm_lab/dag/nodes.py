"""The nodes of a Dag: messages, and the summaries made over them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from lcm_lab.ids import digest
from lcm_lab.messages import Message
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.text import clean, count_tokens

__all__ = [
    "Node",
    "Summary",
    "file_ids",
    "level_of",
    "sizes_of",
    "span_of",
    "text_of",
    "token_counts",
]

#: The id of a large file that was put aside, wherever it is mentioned.
FILE_ID = re.compile(r"file_[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """A node that stands for what it was made from: messages, other summaries, or both.

    Attributes
    ----------
    id : str
        ``sum_`` and 16 hexadecimal characters, of the text and the sources: the same summary of the
        same sources is the same node, on every machine and in every run.
    text : str
        What the model reads in the place of the sources.
    sources : tuple of str
        The ids of what it was made from, in order.
    depth : int
        0 over messages (a leaf), else one more than the deepest of its sources (condensed).
    tokens : int
        Of the text, by `count_tokens` (or by the counter of the database it was read from).
    first, last : int or None
        The earliest and the latest known time beneath it, microseconds since 1970, UTC.
    level : str
        How it came about: normal, aggressive, cut, capped, stub, lines, dropped, part; "" where
        unknown.
    model : str
        The summariser, as it prints.
    files : tuple of str
        Ids of the large files that its sources mention, in order of first sight.
    created : int or None
        When it was made, where that was recorded; what is made here has None, so that the same
        input gives the same bytes.

    Examples
    --------
    >>> said = Message("m1", "s1", "user", ())
    >>> Summary.of("Postgres.", [said]).sources
    ('m1',)
    """

    id: str
    text: str
    sources: tuple[str, ...]
    depth: int
    tokens: int
    first: int | None = None
    last: int | None = None
    level: str = ""
    model: str = ""
    files: tuple[str, ...] = ()
    created: int | None = None

    def __repr__(self) -> str:
        how = f" {self.level}" if self.level else ""
        under, size = counted(len(self.sources), "source"), counted(self.tokens, "token")
        begins = cut(one_line(cut(self.text, 240)), 60)
        return f"Summary {self.id} (d{self.depth}{how}, {under}, {size}): {begins!r}"

    @classmethod
    def of(
        cls,
        text: str,
        sources: Sequence[Node],
        level: str = "normal",
        model: str = "",
        tokens: int | None = None,
    ) -> Summary:
        """Make the summary of some nodes: its id, depth, span and files follow from them.

        Parameters
        ----------
        text : str
        sources : sequence of Message or Summary, in order
        level, model : str
        tokens : int, optional
            Of the text; counted when not given.

        Examples
        --------
        >>> from lcm_lab.messages import Message, Part
        >>> said = Message("m1", "s1", "user", (Part("text", "Postgres it is, then."),))
        >>> leaf = Summary.of("Postgres.", [said])
        >>> leaf.depth, leaf.sources, leaf.tokens
        (0, ('m1',), 2)
        """
        ids = tuple(node.id for node in sources)
        first, last = span_of(sources)
        return cls(
            f"sum_{digest('summary', text, *ids, size=8)}",
            text,
            ids,
            1 + max((level_of(node) for node in sources), default=-1),
            count_tokens(text) if tokens is None else tokens,
            first,
            last,
            level,
            model,
            _files(sources),
        )


Node: TypeAlias = Message | Summary


def level_of(node: Node) -> int:
    """Give the depth of a node; a message lies one below a leaf, at -1."""
    return node.depth if isinstance(node, Summary) else -1


def text_of(node: Node) -> str:
    """Give what a model reads of a node: its text, tool calls and results, but no reasoning."""
    if isinstance(node, Summary):
        return node.text
    return "\n".join(part.text for part in node.parts if part.text and part.kind != "reasoning")


def sizes_of(nodes: Iterable[Node]) -> tuple[int, ...]:
    """Count the tokens of what a model reads of each node; a summary's are recorded."""
    listed = list(nodes)
    counts = token_counts([text_of(one) if isinstance(one, Message) else "" for one in listed])
    return tuple(
        node.tokens if isinstance(node, Summary) else tokens
        for node, tokens in zip(listed, counts, strict=True)
    )


def token_counts(texts: Sequence[str]) -> list[int]:
    """Count the tokens of many texts at once, which is faster than one by one.

    Examples
    --------
    >>> token_counts(["We chose Postgres.", ""])
    [4, 0]
    """
    if not texts:
        return []
    counts = count_tokens(pa.array(map(clean, texts), pa.large_string()))
    return [int(count) for count in counts]


def span_of(nodes: Iterable[Node]) -> tuple[int | None, int | None]:
    """Give the earliest and the latest known time of some nodes, None where there is none."""
    known = [
        time
        for node in nodes
        for time in ((node.first, node.last) if isinstance(node, Summary) else (node.time,))
        if time is not None
    ]
    return (min(known), max(known)) if known else (None, None)


def file_ids(text: str) -> tuple[str, ...]:
    """Find the ids of large files in a text: lower case, each once, in order of first sight.

    Examples
    --------
    >>> file_ids("see file_0123456789abcdef and FILE_0123456789ABCDEF")
    ('file_0123456789abcdef',)
    """
    return tuple(dict.fromkeys(FILE_ID.findall(text.lower())))


def _files(sources: Iterable[Node]) -> tuple[str, ...]:
    """Carry file ids up: source by source, what it stores and then what its text mentions."""
    found: dict[str, None] = {}
    for node in sources:
        stored = node.files if isinstance(node, Summary) else ()
        found |= dict.fromkeys((*stored, *file_ids(text_of(node))))
    return tuple(found)
