"""Transcripts: messages as they came, with their parts, what was skipped and why."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd
import pyarrow as pa

from lcm_lab.columns import SCHEMA
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.shown import counted

__all__ = ["REPEATED", "Kind", "Message", "Part", "Skipped", "Transcripts"]

Kind = Literal[
    "text", "reasoning", "tool_call", "tool_result", "image", "file", "summary", "unknown"
]

#: Why a copy of a message that is there already is skipped.
REPEATED = "repeated message"

#: What a corpus can be made of; images and files stand in the text as short placeholders.
INDEXED = ("text", "tool_call", "tool_result", "reasoning", "summary")
PLACED = {"image": "text", "file": "text"}
#: The columns of a row, in the order that `_rows` gives them.
ROW = (
    *("docno", "text", "conversation", "session", "role"),
    *("speaker", "scope", "kind", "time", "sidechain"),
)
#: Whose words a kind is, whatever record it came in.
SAYS = {"tool_call": "assistant", "tool_result": "tool", "reasoning": "assistant"}


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
    """

    kind: Kind
    text: str
    name: str = ""
    call: str = ""
    error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it came.

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

    @property
    def text(self) -> str:
        """What was said: text, with placeholders for images and files; no tools, no reasoning."""
        return "\n".join(p.text for p in self.parts if PLACED.get(p.kind, p.kind) == "text")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line or a file that gave no message; line 0 is the whole file."""

    source: str
    line: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Transcripts:
    """What `read` returns.

    Attributes
    ----------
    messages : tuple of Message
        By session in order of first appearance, and in order within it.
    skipped : tuple of Skipped
    files : dict of str to str
        Each file that was read, and the format it was recognised as.
    notes : dict of str to int
        What was read by a rule worth knowing, and how often: times without a zone, and the like.

    Examples
    --------
    >>> said = Message("m1", "s1", "user", (Part("text", "Postgres it is."),))
    >>> Transcripts((said,))
    Transcripts of 1 message in 1 session from 0 files, nothing skipped
    """

    messages: tuple[Message, ...]
    skipped: tuple[Skipped, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __repr__(self) -> str:
        sessions = len({message.session for message in self.messages})
        lines = sum(1 for one in self.skipped if one.line)
        left = [
            *([counted(lines, "line")] if lines else []),
            *([counted(len(self.skipped) - lines, "file")] if lines < len(self.skipped) else []),
        ]
        return (
            f"Transcripts of {counted(len(self.messages), 'message')} in "
            f"{counted(sessions, 'session')} from {counted(len(self.files), 'file')}, "
            f"{' and '.join(left) or 'nothing'} skipped"
        )

    def corpus(self, kinds: Names[str] = ("text", "tool_call", "tool_result")) -> Corpus:
        """Make a corpus: a row for each message and each kind of part that it holds.

        Parameters
        ----------
        kinds : sequence of str
            Of text, tool_call, tool_result, reasoning, summary. Reasoning, and the summaries that
            an agent wrote when it compacted its context, are there only when asked for.

        Returns
        -------
        Corpus
            docno is the message's id, followed by ``#tool_call``, ``#tool_result`` and so on for
            the other kinds; a session is a conversation of its own; a tool's result has the role
            tool; ``sidechain`` is "yes" or "no". Parts without text give no row.

        Raises
        ------
        BadParameter
            For a kind that there is not.
        """
        for kind in kinds:
            if kind not in INDEXED:
                raise BadParameter(
                    f"kinds are {', '.join(INDEXED)}. Got {kind!r}.{nearest(kind, INDEXED)}"
                )
        columns: dict[str, list[Any]] = {name: [] for name in ROW}
        for message in self.messages:
            for row in _rows(message, kinds):
                for name, item in zip(ROW, row, strict=True):
                    columns[name].append(item)
        return Corpus(_table(columns))

    def summary(self) -> pd.DataFrame:
        """Count what is there, and what was skipped: what ``lcm-lab read`` prints.

        Returns
        -------
        DataFrame
            A row a (what, name), where what is format, session, role, kind, skipped or note;
            ``count`` of files, messages, parts or lines, ``characters`` and ``tokens`` of text, and
            ``first`` and ``last`` known time (UTC). What does not apply is missing.
        """
        from lcm_lab.transcripts.overview import overview

        return overview(self)


def _rows(message: Message, kinds: Names[str]) -> Iterator[tuple[Any, ...]]:
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
        where = (message.session, message.session, role, message.speaker, scope, kind)
        yield (docno, "\n".join(found), *where, message.time, side)


def _table(columns: dict[str, list[Any]]) -> pa.Table:
    types = {name: SCHEMA[name][0] if name in SCHEMA else pa.string() for name in columns}
    return pa.table({name: pa.array(items, types[name]) for name, items in columns.items()})
