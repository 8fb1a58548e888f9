"""Transcripts: messages as they came, with their parts, what was skipped and why."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator
from dataclasses import dataclass, field

import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.messages import INDEXED, Message, Session, rows, table
from lcm_lab.shown import counted

__all__ = ["REPEATED", "Skipped", "Transcripts"]

#: Why a copy of a message that is there already is skipped.
REPEATED = "repeated message"


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
    sessions : dict of str to Session
        What the files say of their sessions, by id; those of which nothing is said are not here.

    Examples
    --------
    >>> from lcm_lab.messages import Message, Part
    >>> said = Message("m1", "s1", "user", (Part("text", "Postgres it is."),))
    >>> Transcripts((said,))
    Transcripts of 1 message in 1 session from 0 files, nothing skipped
    """

    messages: tuple[Message, ...]
    skipped: tuple[Skipped, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)

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

    def corpus(
        self,
        kinds: Names[str] = ("text", "tool_call", "tool_result"),
        *,
        abandoned: bool = False,
    ) -> Corpus:
        """Make a corpus: a row for each message and each kind of part that it holds.

        Parameters
        ----------
        kinds : sequence of str
            Of text, tool_call, tool_result, reasoning, summary. Reasoning, and the summaries that
            an agent wrote when it compacted its context, are there only when asked for.
        abandoned : bool, default False
            Whether messages that a rewind left behind are there too.

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
        shown = (one for one in self.messages if one.active or abandoned)
        return Corpus(table(row for one in shown for row in rows(one, kinds)))

    def summary(self) -> pd.DataFrame:
        """Count what is there, and what was skipped: what ``lcm-lab read`` prints.

        Returns
        -------
        DataFrame
            A row a (what, name), where what is format, session, role, kind, skipped or note, and
            where there is more than one, branch (active, abandoned) and segment (resets before it);
            where they are known, family (sessions of a key) and archived (sessions, by cause).
            ``count`` of files, messages, parts, sessions or lines, ``characters`` and ``tokens`` of
            text, and ``first`` and ``last`` known time (UTC). What does not apply is missing.
        """
        from lcm_lab.transcripts.overview import overview

        return overview(self)
