"""A message with its parts, the session it belongs to, and the rows that a corpus has of it."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from lcm_lab.columns import SCHEMA
from lcm_lab.instants import dated

__all__ = ["INDEXED", "PLACED", "SAYS", "Kind", "Message", "Part", "Session", "rows", "table"]

Kind = Literal[
    "text", "reasoning", "tool_call", "tool_result", "image", "file", "summary", "unknown"
]

#: What a corpus can be made of; images and files stand in the text as short placeholders.
INDEXED = ("text", "tool_call", "tool_result", "reasoning", "summary")
PLACED = {"image": "text", "file": "text"}
#: Whose words a kind is, whatever record it came in.
SAYS = {"tool_call": "assistant", "tool_result": "tool", "reasoning": "assistant"}
#: The columns of a row, in the order that `rows` gives them.
ROW = (
    *("docno", "text", "conversation", "session", "role"),
    *("speaker", "scope", "kind", "time", "sidechain"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message.

    Attributes
    ----------
    kind : str
        text, reasoning, tool_call, tool_result, image, file, summary, or unknown (a block type that
        is not known: its type is the name, and it has no text).
    text : str
        Readable text; for an image or a file a short placeholder, never its bytes.
    name : str
        The tool, for a call.
    call : str
        The id that pairs a tool_call with its tool_result.
    error : bool
        Whether a tool_result reports a failure.
    raw : str
        An unknown block as JSON, so that nothing is lost; "" for the others.

    Examples
    --------
    >>> Part("text", "Postgres it is.").kind
    'text'
    """

    kind: Kind
    text: str
    name: str = ""
    call: str = ""
    error: bool = False
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    r"""A message as it came.

    Attributes
    ----------
    id : str
        Stable across re-reads and grown copies of its file.
    session, role : str
        ``role`` is user, assistant, system or tool, or "" where unknown.
    parts : tuple of Part
    time : int or None
        Microseconds since 1970, UTC; ``stamp`` is the same as written, with its offset.
    parent : str
        The id of the entry that this one follows, as written; "" where unknown.
    sidechain : bool
        Whether it belongs to a subagent.
    source, line : str, int
        The file and its line, from 1.
    active : bool
        Whether it stands on the branch that the session went on with; not after a rewind past it.
    segment : int
        How many resets stand before it in its transcript.

    Raises
    ------
    BadInput
        For a time that is no whole number, or of no year from 1 to 9999.

    Examples
    --------
    >>> said = Message("m1", "s1", "user", (Part("text", "Look:"), Part("image", "[image: a.png]")))
    >>> said.text
    'Look:\n[image: a.png]'
    """

    id: str
    session: str
    role: str
    parts: tuple[Part, ...]
    time: int | None = None
    stamp: str = ""
    parent: str = ""
    speaker: str = ""
    sidechain: bool = False
    source: str = ""
    line: int = 0
    active: bool = True
    segment: int = 0

    def __post_init__(self) -> None:
        if self.time is not None:
            object.__setattr__(self, "time", dated(self.time))

    @property
    def text(self) -> str:
        """What was said: text, with placeholders for images and files; no tools, no reasoning."""
        return "\n".join(p.text for p in self.parts if PLACED.get(p.kind, p.kind) == "text")


@dataclass(frozen=True, slots=True)
class Session:
    """What a transcript says of the session that it records.

    Attributes
    ----------
    id : str
        As in `Message.session`.
    key : str
        What stays when the session is reset or rotated: sessions of one key are a family. "" where
        the transcript names none; then the session is a family of its own.
    title, cwd, branch, agent : str
        Its title; the folder and git branch it ran in (the last ones); the program that wrote it.
    parent : str
        The session, or the key, that it was forked from or spawned by.
    archived : str
        Why it is no longer the active one of its family ("reset", "deleted"); "" for the active.
    source : str
        The file.

    Examples
    --------
    >>> Session("s2", key="agent:main:main", archived="reset").key
    'agent:main:main'
    """

    id: str
    key: str = ""
    title: str = ""
    cwd: str = ""
    branch: str = ""
    agent: str = ""
    parent: str = ""
    archived: str = ""
    source: str = ""


def rows(message: Message, kinds: Names[str], conversation: str = "") -> Iterator[tuple[Any, ...]]:
    """Give a row, as `ROW` names its values, for each kind of part that a message holds.

    docno is the message's id, followed by ``#tool_call``, ``#tool_result`` and so on for kinds
    other than text. Parts without text give no row. ``conversation`` is the session's id unless
    given.
    """
    texts: dict[str, list[str]] = {}
    for part in message.parts:
        kind = PLACED.get(part.kind, part.kind)
        if kind in kinds and part.text:
            texts.setdefault(kind, []).append(part.text)
    side = "yes" if message.sidechain else "no"
    for kind, found in texts.items():
        docno = message.id if kind == "text" else f"{message.id}#{kind}"
        role = SAYS.get(kind, message.role)
        scope = "summaries" if kind == "summary" else "messages"
        where = (conversation or message.session, message.session, role, message.speaker)
        yield (docno, "\n".join(found), *where, scope, kind, message.time, side)


def table(found: Iterable[tuple[Any, ...]]) -> pa.Table:
    """Put rows that `rows` gave into typed columns."""
    columns: dict[str, list[Any]] = {name: [] for name in ROW}
    for row in found:
        for name, item in zip(ROW, row, strict=True):
            columns[name].append(item)
    types = {name: SCHEMA[name][0] if name in SCHEMA else pa.string() for name in columns}
    return pa.table({name: pa.array(items, types[name]) for name, items in columns.items()})
