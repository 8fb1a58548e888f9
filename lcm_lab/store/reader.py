"""Reading a store: what `Store` is made of, apart from writing."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Collection as Names
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from lcm_lab.collection.paths import expanded
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, LcmError, NotFound, nearest
from lcm_lab.messages import Message
from lcm_lab.shown import counted
from lcm_lab.store import branching, extract, opening, tables
from lcm_lab.store.dags import Dags
from lcm_lab.store.excerpt import GIVEN
from lcm_lab.store.faults import faults
from lcm_lab.store.files import folder_of
from lcm_lab.store.fulltext import KINDS
from lcm_lab.store.reading import dag_of, messages_of, summaries_of
from lcm_lab.store.refusals import DAMAGED, explained

if TYPE_CHECKING:
    from lcm_lab.dag import Dag, Summary

__all__ = ["MEMORY", "Reader"]

MEMORY = ":memory:"
#: How many corpora are kept, of different questions.
KEPT = 8
COMPACTED = """
    select number, name from conversations where (:number is null or number = :number)
    and (number in (select conversation from summaries)
    or number in (select conversation from frontier))
"""


class Reader:
    """A store that is open: its conversations, as a corpus and as Dags."""

    def __init__(
        self, path: str | Path, *, readonly: bool, create: bool, words: Sequence[str]
    ) -> None:
        self.path = MEMORY if str(path) == MEMORY else str(expanded(path))
        self.readonly = readonly
        self.connection = opening.connect(self.path, readonly=readonly, create=create, words=words)
        weakref.finalize(self, self.connection.close)
        self.folder = folder_of(self.path)
        self._turn = threading.RLock()
        self._corpora: dict[tables.Asked, tuple[int, Corpus]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was written is there."""
        with self._turn:
            self.connection.close()
            self._corpora.clear()

    def __repr__(self) -> str:
        try:
            with self.reading() as run:
                (messages,) = run("select count(*) from messages").fetchone()
                (talks,) = run("select count(*) from conversations").fetchone()
        except BadParameter:
            return f"Store({self.path!r}), closed"
        except LcmError:
            return f"Store({self.path!r}), which cannot be read"
        what = f"{counted(messages, 'message')} in {counted(talks, 'conversation')}"
        return f"Store({self.path!r}) of {what}"

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Give ``execute`` over one state of the store, whatever is written meanwhile."""
        with self._turn, explained(self.path):
            outer = not self.connection.in_transaction
            try:
                if outer:
                    self.connection.execute("begin")
                yield self.connection.execute
            except (LcmError, sqlite3.Error):
                raise
            except Exception as error:
                self._blame(error)
                raise
            finally:
                if outer and self.connection.in_transaction:
                    self.connection.execute("rollback")

    def conversations(self) -> pd.DataFrame:
        """List the conversations, as they came.

        Returns
        -------
        DataFrame
            name, key, active, archived (why), title, cwd, branch, agent, parent, sessions,
            messages, tokens, summaries, first and last (UTC), indexing (whether it is being found
            out what of it stands).
        """
        with self.reading():
            return tables.conversations(self.connection)

    def family(self, conversation: str) -> list[str]:
        """Name the conversations of the same key: the active ones first, then the latest first."""
        with self.reading():
            return tables.family(self.connection, self._number(conversation))

    def corpus(
        self,
        kinds: Names[str] = KINDS,
        *,
        scope: Names[str] = tables.SCOPES,
        conversation: str | None = None,
        abandoned: bool = False,
    ) -> Corpus:
        """Make a corpus, as `Transcripts.corpus` does, with the summaries.

        Parameters
        ----------
        kinds : sequence of str
            Of text, tool_call, tool_result, reasoning, summary (those an agent wrote itself).
        scope : sequence of {"messages", "summaries"}
        conversation : str, optional
            Only this one.
        abandoned : bool, default False
            Whether messages that a rewind left behind are there too.

        Returns
        -------
        Corpus
            The same one until the store changes. It lends the store's index to `FTS5`, and to
            `Expand`, `Ancestors` and `InView` the Dags, as they are when first asked for.
        """
        asked = tables.asked(kinds, scope, conversation, abandoned=abandoned)
        with self.reading() as run:
            now = run("select value from meta where name = 'revision'").fetchone()[0]
            number = None if conversation is None else self._number(conversation)
            made, corpus = self._corpora.get(asked, (-1, None))
            if corpus is None or made != now:
                opens = None if self.path == MEMORY else self._another
                corpus = tables.corpus(self.connection, asked, number, opens)
                corpus.memo("dags", lambda: Dags(lambda: self._compacted(number)))
                fresh = {key: held for key, held in self._corpora.items() if held[0] == now}
                self._corpora = dict(list(fresh.items())[1 - KEPT :]) | {asked: (now, corpus)}
            return corpus

    def dag(self, conversation: str) -> Dag:
        """Give a conversation with its summaries and what the model sees of it."""
        with self.reading():
            return dag_of(self.connection, self._number(conversation), conversation)

    def summaries(self, conversation: str) -> tuple[Summary, ...]:
        """Give the summaries of a conversation, in the order of their making."""
        with self.reading():
            return tuple(summaries_of(self.connection, self._number(conversation)).values())

    def messages(self, conversation: str) -> tuple[Message, ...]:
        """Give every message of a conversation in order, also what was left behind."""
        with self.reading():
            number = self._number(conversation)
            return tuple(messages_of(self.connection, "conversation = ?", number))

    def files(self) -> pd.DataFrame:
        """List the large files that were put aside: a row each, with what is told of it."""
        with self.reading():
            return extract.listed(self.connection)

    def read(
        self, file: str, lines: tuple[int, int | None] | None = None, limit: int = GIVEN
    ) -> extract.Extract:
        """Read lines of a large file; from the store where its copy on disk is gone or changed.

        Raises
        ------
        NotFound
            For an id that there is not.
        BadParameter
            For lines or a limit that cannot be.
        """
        with self.reading():
            return extract.read(self.connection, self.folder, file, lines, limit)

    @property
    def indexing(self) -> list[str]:
        """Name the conversations of which `reconcile` has to find out what stands."""
        with self.reading():
            return [name for _, name in branching.dirty(self.connection)]

    def faults(self) -> Iterator[tuple[str, str]]:
        """Look for what breaks a rule that every write keeps; gives (rule, id or name).

        The index is compared with the rows, identities and docs with the parts, frontiers with the
        messages. Nothing is changed.
        """
        with self.reading():
            yield from faults(self.connection)

    def _compacted(self, number: int | None) -> tuple[Dag, ...]:
        """Give the Dags of all conversations that were compacted, or of one if it was."""
        with self.reading() as run:
            found = run(COMPACTED, {"number": number}).fetchall()
            return tuple(dag_of(self.connection, at, name) for at, name in found)

    def _number(self, conversation: str) -> int:
        """Give the number of a conversation.

        Raises
        ------
        NotFound
            When there is none of that name.
        """
        ask = "select number from conversations where name = ?"
        found = self.connection.execute(ask, (conversation,)).fetchone()
        if found is None:
            names = [name for (name,) in self.connection.execute("select name from conversations")]
            raise NotFound(
                f"No conversation {conversation!r:.80} among {len(names):,}."
                f"{nearest(conversation, names)} store.conversations() lists them."
            )
        return int(found[0])

    def _blame(self, error: Exception) -> None:
        """Refuse a store whose rows do not agree, where that is why it could not be read."""
        broken = next(faults(self.connection), None)
        if broken is not None:
            told = f"{broken[0]}, but for {broken[1]}"
            raise BadInput(DAMAGED.format(path=self.path, error=told)) from error

    def _another(self) -> sqlite3.Connection:
        """Open the file once more, to read."""
        return opening.connect(self.path, readonly=True, create=False, words=())
