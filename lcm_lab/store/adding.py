"""Adding what may be there already: each message is new, has grown, or is a repeat."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lcm_lab.messages import Message, Session
from lcm_lab.store import branching, files, frontier, writing
from lcm_lab.store.added import Added
from lcm_lab.store.incoming import Batch, scoped
from lcm_lab.store.reading import messages_of
from lcm_lab.store.rows import Entry
from lcm_lab.store.writing import Pending
from lcm_lab.transcripts.ledger import EARLIEST, Known, Ledger, Taken

__all__ = ["Adding"]

#: How many values SQLite is asked about at once.
ASKED = 5_000

_KNOWN = """
    select m.id, s.name, c.name, m.identity, m.active, m.segment
    from messages m join sessions s on s.number = m.session
    join conversations c on c.number = m.conversation
    where m.{column} in ({marks}) order by m.conversation, m.seq
"""


class Adding:
    """One addition, over as many transactions as it takes.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction whenever something is written.
    told : mapping of str to Session
        What is known of sessions.
    totals : mapping of str to int
        How many messages of each session are added in all.
    own : container of str
        The ids among them.
    imported : int, optional
        The instant that is written beside new messages.
    folder : Path, optional
        Where copies of large files go.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        told: Mapping[str, Session],
        totals: Mapping[str, int],
        own: Container[str] = (),
        *,
        imported: int | None = None,
        folder: Path | None = None,
    ) -> None:
        self.connection, self.told, self.totals = connection, told, totals
        self.imported, self.folder = imported, folder
        self.ledger = Ledger(self._load)
        self.ledger.begin(own)
        self.counts: Counter[str] = Counter()
        self.fresh: dict[str, Pending] = {}
        self.touched: set[int] = set()
        self._leading: dict[str, bool] = {}
        self._disordered: set[int] = set()
        self._ends: dict[int, tuple[int, int]] = {}
        self._sessions: dict[tuple[int, str], int] = {}
        self._numbers: dict[str, int] = {}

    def write(self, group: Iterable[Batch]) -> Added:
        """Write some conversations, or a stretch of one; in the end all is in order."""
        found = list(group)
        before = self.counts.copy()
        self._begin([entry for _, entries in found for entry in entries])
        for name, entries in found:
            self._tell(name)
            for entry in entries:
                leads = self._leads(entry.message.session)
                taken = self.ledger.take(entry.message, entry.content, leads=leads)
                self._settle(name, entry, taken)
        self._flush()
        return Added(**(self.counts - before))

    def append(self, entry: Entry) -> str:
        """Write one message that is said now; gives its id."""
        self._begin([entry])
        name = entry.message.session
        self._tell(name)
        taken = self.ledger.append(entry.message, entry.content)
        if taken.fate == "new":
            number = self._conversation(name)
            last = self._end(number)[1]
            taken = replace(taken, place=max(taken.place, last))  # what is said now comes last
            if branching.goes_back(self.connection, number, entry.message):
                branching.mark(self.connection, number)
        self._settle(name, entry, taken)
        self._flush()
        if taken.fate == "new":
            frontier.extend(self.connection, self._conversation(name), taken.message)
        return taken.message.id

    def _begin(self, entries: list[Entry]) -> None:
        """Enter the messages that those to be written may be copies of."""
        self.ledger.forget()
        self._ends.clear()
        self._sessions.clear()
        self._numbers.clear()
        named = [one.message.id for one in entries if one.message.id]
        renamed = [f"{one.message.id}~{one.content[:8]}" for one in entries]
        self._know("id", [*named, *renamed])
        self._know("identity", [bytes.fromhex(one.content) for one in entries])

    def _know(self, column: str, values: Sequence[Any]) -> None:
        distinct = list(dict.fromkeys(values))
        for start in range(0, len(distinct), ASKED):
            asked = distinct[start : start + ASKED]
            ask = _KNOWN.format(column=column, marks=", ".join("?" * len(asked)))
            for name, session, conversation, content, active, segment in self.connection.execute(
                ask, asked
            ):
                at = scoped(conversation, session)
                self.ledger.know(Known(name, at, content.hex(), bool(active), segment))

    def _tell(self, name: str) -> None:
        """Write down what is told of a conversation that is there."""
        if name in self.told and writing.is_there(self.connection, name):
            self._conversation(name)

    def _conversation(self, name: str) -> int:
        """Give the number of a conversation, which is made when it gets its first message."""
        if name not in self._numbers:
            self.counts["conversations"] += not writing.is_there(self.connection, name)
            told = self.told.get(name)
            self._numbers[name] = writing.conversation_number(self.connection, name, told)
        self.touched.add(self._numbers[name])
        return self._numbers[name]

    def _leads(self, session: str) -> bool:
        """Tell whether what is added says more of a session than what is there."""
        if session not in self._leading:
            ask = (
                "select count(*) from messages m join sessions s on s.number = m.session "
                "join conversations c on c.number = s.conversation where s.name = ? and c.name = ?"
            )
            there = self.connection.execute(ask, (session, session)).fetchone()[0]
            self._leading[session] = self.totals.get(session, 0) >= there
        return self._leading[session]

    def _settle(self, name: str, entry: Entry, taken: Taken) -> None:
        if taken.fate != "new":
            self._again(entry, taken)
            return
        conversation = self._conversation(name)
        self.counts["messages"] += 1
        key = (conversation, entry.session)
        if key not in self._sessions:
            self._sessions[key] = writing.session_number(self.connection, *key)
        seq, newest = self._end(conversation)
        kept = _kept(entry, taken)
        self.fresh[taken.message.id] = Pending(
            kept, conversation, self._sessions[key], seq, taken.place
        )
        self._ends[conversation] = (seq + 1, max(newest, taken.place))
        if taken.place < newest:
            self._disordered.add(conversation)

    def _end(self, conversation: int) -> tuple[int, int]:
        """Give the next seq of a conversation, and its newest place."""
        if conversation not in self._ends:
            ask = "select seq + 1, place from messages where conversation = ? order by seq desc"
            found = self.connection.execute(f"{ask} limit 1", (conversation,)).fetchone()
            self._ends[conversation] = found or (0, EARLIEST)
        return self._ends[conversation]

    def _flush(self) -> None:
        pending = list(self.fresh.values())
        self.fresh.clear()
        writing.insert(self.connection, pending, self.imported)
        for one in pending:
            files.keep(self.connection, one.conversation, one.entry.files, self.folder)
        for number in self._disordered:
            writing.reorder(self.connection, number)
        self._disordered.clear()

    def _again(self, entry: Entry, taken: Taken) -> None:
        """Note a message that is there already, and write what has changed of it."""
        self.counts["grown" if taken.fate == "grown" else "repeats"] += 1
        self.counts["moved"] += taken.moved
        message, waiting = taken.message, self.fresh.get(taken.message.id)
        changed = _kept(entry, taken)
        if waiting is not None:
            if taken.fate == "grown" or taken.moved:
                waiting.entry = replace(changed, session=waiting.entry.session)
            return
        if taken.fate == "grown":
            conversation = writing.grow(self.connection, changed)
            files.keep(self.connection, conversation, changed.files, self.folder)
        if taken.moved:
            self._conversation(message.session)
            writing.move(self.connection, [message.id], active=message.active)
            self.connection.execute(
                "update messages set told = active, segment = ? where id = ?",
                (message.segment, message.id),
            )

    def _load(self, name: str) -> Message:
        if name in self.fresh:
            return self.fresh[name].entry.message
        (found,) = messages_of(self.connection, "id = ?", name)
        ask = (
            "select c.name from conversations c join messages m on m.conversation = c.number "
            "where m.id = ?"
        )
        conversation = self.connection.execute(ask, (name,)).fetchone()[0]
        return replace(found, session=scoped(conversation, found.session))


def _kept(entry: Entry, taken: Taken) -> Entry:
    """Give an entry of the message that is kept; a new id has its own docnos."""
    message, docs = taken.message, entry.docs
    if docs is not None and message.id != entry.message.id:
        docs = tuple(replace(doc, docno=None) for doc in docs)
    if docs is not None and message.parts != entry.message.parts:
        docs = None
    return replace(entry, message=message, content=taken.content, docs=docs)
