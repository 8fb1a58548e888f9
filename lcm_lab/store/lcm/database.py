"""A lossless-claw (LCM) database: read as it stands, never locked, never written to."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection as Names
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pandas as pd

from lcm_lab.collection.paths import expanded
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag, Summary
from lcm_lab.errors import BadInput, unknown
from lcm_lab.shown import counted
from lcm_lab.store.dags import Dags
from lcm_lab.store.excerpt import GIVEN
from lcm_lab.store.extract import Extract
from lcm_lab.store.fulltext import KINDS
from lcm_lab.store.lcm import faults as lcm_faults
from lcm_lab.store.lcm import files as lcm_files
from lcm_lab.store.lcm import tables as lcm_tables
from lcm_lab.store.lcm.reading import Tables, message_name, readable
from lcm_lab.store.lcm.schema import recognise
from lcm_lab.store.lcm.snapshot import snapshot
from lcm_lab.store.tables import SCOPES, asked

__all__ = ["LcmDatabase", "open_lcm"]


class LcmDatabase:
    """What a lossless-claw database held at the moment it was opened.

    `open_lcm` makes it. It is read as a `Store` is: `conversations`, `family`, `corpus`, `dag`,
    `files`, `faults`. A conversation is named by its number there, a message ``m`` and its number;
    summaries and files keep their ids. Times without a zone are UTC.

    Attributes
    ----------
    path : str
    notes : tuple of str
        What its schema does not record, and what stands for it; empty for the newest.

    Examples
    --------
    >>> sorted(LcmDatabase.rules)[0]
    'a file has its copy on disk'
    """

    #: What `faults` goes by, and what a breach of each rule means.
    rules: ClassVar[Mapping[str, str]] = {**lcm_faults.MEANINGS, **lcm_files.MEANINGS}

    def __init__(self, path: str | Path, *, files: str | Path | None = None) -> None:
        self.path = str(expanded(path))
        self.connection = snapshot(self.path)
        self.connection.row_factory = readable
        try:
            schema = recognise(self.connection, self.path)
        except BaseException:
            self.connection.close()
            raise
        self.notes = schema.notes
        self.folder = Path(self.path).parent / "lcm-files" if files is None else expanded(files)
        self.tables = Tables(self.connection, schema)
        self._turn = threading.RLock()

    def __enter__(self) -> LcmDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the copy go; the database itself was never held."""
        with self._turn:
            self.connection.close()

    def __repr__(self) -> str:
        with self._reading():
            counts = [
                self.connection.execute(f"select count(*) from {table}").fetchone()[0]
                for table in ("messages", "conversations", "summaries")
            ]
        messages, talks, summaries = counts
        made = f"{summaries:,} {'summary' if summaries == 1 else 'summaries'}"
        what = f"{counted(messages, 'message')} in {counted(talks, 'conversation')}, {made}"
        return f"LcmDatabase({self.path!r}) of {what}"

    def conversations(self) -> pd.DataFrame:
        """List the conversations, as they came.

        Returns
        -------
        DataFrame
            name, session, key, active, archived (why), title, messages, tokens (as recorded),
            summaries, first and last (UTC), indexing (False: what it holds is indexed at once).
        """
        with self._reading():
            return lcm_tables.conversations(self.tables)

    def family(self, conversation: str) -> list[str]:
        """Name the conversations of the same key, or else session: active ones, then the latest."""
        with self._reading():
            return lcm_tables.family(self.tables, self._number(conversation))

    def corpus(
        self,
        kinds: Names[str] = KINDS,
        *,
        scope: Names[str] = SCOPES,
        conversation: str | None = None,
    ) -> Corpus:
        """Make a corpus, with the summaries; tool calls and results have their text.

        Parameters
        ----------
        kinds : sequence of str
            Of text, tool_call, tool_result, reasoning, summary.
        scope : sequence of {"messages", "summaries"}
        conversation : str, optional
            Only this one.

        Notes
        -----
        It lends the Dags to `Expand`, `Ancestors` and `InView`.
        """
        said, scopes, _, _ = asked(kinds, scope, conversation, abandoned=False)
        with self._reading():
            numbers = self._numbers() if conversation is None else [self._number(conversation)]
            made = lcm_tables.corpus(self.tables, numbers, said, scopes)
        made.memo("dags", lambda: Dags(lambda: self._compacted(numbers)))
        return made

    def dag(self, conversation: str) -> Dag:
        """Give a conversation with its summaries and what the model sees of it."""
        with self._reading():
            return self.tables.dag(self._number(conversation), str(conversation))

    def tokens(self, conversation: str) -> dict[str, int]:
        """Give the tokens of messages as the database counted them, where it did."""
        ask = "select message_id, token_count from messages where conversation_id = ?"
        if not self.tables.schema.has("messages", "token_count"):
            return {}
        with self._reading():
            found = self.connection.execute(ask, (self._number(conversation),)).fetchall()
        return {
            message_name(number): count
            for number, count in found
            if isinstance(count, int) and count > 0
        }

    def summaries(self, conversation: str) -> tuple[Summary, ...]:
        """Give the summaries of a conversation, in the order of their making."""
        with self._reading():
            return tuple(self.tables.summaries(self._number(conversation)))

    def files(self) -> pd.DataFrame:
        """List the large files.

        Returns
        -------
        DataFrame
            id, conversation, name, mime, bytes, lines, path, explored, created (UTC).
        """
        with self._reading():
            return lcm_files.listed(self.tables)

    def read(
        self, file: str, lines: tuple[int, int | None] | None = None, limit: int = GIVEN
    ) -> Extract:
        """Read lines of a large file, from its folder, or from the message that it stood in.

        Raises
        ------
        NotFound
            For an id that there is not, or a file whose content is nowhere.
        BadParameter
            For lines or a limit that cannot be.
        """
        with self._reading():
            return lcm_files.read(self.tables, self.folder, file, lines, limit)

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield (rule, id) for what breaks a rule of the tables; a Dag checks its own."""
        with self._reading():
            yield from lcm_faults.faults(self.tables)
            yield from lcm_files.faults(self.tables, self.folder)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Read in turn; what SQLite cannot read is said to be the database's fault."""
        with self._turn:
            try:
                yield
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                raise BadInput(
                    f"{self.path!r} cannot be read: {error}. It is damaged, or of a schema that is "
                    "not known here; let its owner check it with: pragma integrity_check."
                ) from error

    def _compacted(self, numbers: Names[int]) -> tuple[Dag, ...]:
        """Give the Dags of those conversations that were compacted."""
        ask = "select distinct conversation_id from summaries order by conversation_id"
        with self._reading():
            found = [at for (at,) in self.connection.execute(ask).fetchall() if at in numbers]
            return tuple(self.tables.dag(at, str(at)) for at in found)

    def _numbers(self) -> list[int]:
        ask = "select conversation_id from conversations order by conversation_id"
        return [number for (number,) in self.connection.execute(ask)]

    def _number(self, conversation: str) -> int:
        there = {str(number): number for number in self._numbers()}
        if str(conversation) not in there:
            raise unknown("conversation", str(conversation), list(there)[:20])
        return there[str(conversation)]


def open_lcm(path: str | Path, *, files: str | Path | None = None) -> LcmDatabase:
    """Open a lossless-claw database as it stands now, also while its owner writes.

    Nothing is written, no lock is taken, and no file is made beside it. What is written later is
    not seen: open it again.

    Parameters
    ----------
    path : str or Path
        The ``lcm.db``.
    files : str or Path, optional
        The folder of its large files, outside of which none is read. By default ``lcm-files``
        beside it.

    Raises
    ------
    NotFound
        Nothing there.
    BadInput
        Another kind of file; says which.

    Examples
    --------
    >>> open_lcm("nowhere/lcm.db")
    Traceback (most recent call last):
    lcm_lab.errors.NotFound: No database 'nowhere/lcm.db'. Give the path of an lcm.db.
    """
    return LcmDatabase(path, files=files)
