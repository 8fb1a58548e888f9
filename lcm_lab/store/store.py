"""`Store`: conversations, messages, summaries and their full-text index in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lcm_lab import whole
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, unknown
from lcm_lab.messages import Message, Session
from lcm_lab.store import branching, deleted, frontier, opening, writing
from lcm_lab.store.added import Added
from lcm_lab.store.adding import Adding
from lcm_lab.store.files import THRESHOLD, remove
from lcm_lab.store.fulltext import WORDS
from lcm_lab.store.incoming import batches, entry_of, grouped
from lcm_lab.store.reader import Reader
from lcm_lab.store.refusals import explained
from lcm_lab.transcripts.base import Transcripts

if TYPE_CHECKING:
    from lcm_lab.dag import Dag

__all__ = ["Store"]


class Store(Reader):
    """Conversations in one SQLite file: one writer at a time, readers whenever they like.

    Parameters
    ----------
    path : str or Path
        The file; ``:memory:`` for a store that is gone when it is closed.
    readonly : bool, default False
        Never write, and refuse to. Where nothing may be made beside the file, this reads a copy of
        it as it stands, and does not see what is written later.
    create : bool, default True
        Make the store where there is none.
    words : sequence of str
        The tokenizers of SQLite's FTS5 that a new store keeps an index for; ``trigram`` may be one
        of them. A store that is there keeps its own.

    large : int
        Tokens from which on a block of text is put aside as a file, and told of in its place.

    Raises
    ------
    NotFound
        No such store, and none to be made.
    BadInput
        A file that is no store, one of a newer lcm_lab, or one that is damaged or closed to us.
    OverBudget
        A full disk, or another process that has the store to itself for too long.

    Notes
    -----
    What is written is there when the call returns, also if the process is killed right after it;
    index and rows change together. Threads may share a store; processes open their own, and a
    writer waits up to 30 seconds for another.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.store.store import Store
    >>> store = Store(":memory:")
    >>> store.add(lcm.Corpus(["We chose Postgres.", "Lunch at noon?"]))
    Added 2 messages, 1 new conversation
    >>> store.add(lcm.Corpus(["We chose Postgres.", "Lunch at noon?"]))
    Added 0 messages; 2 repeats
    >>> (lcm.FTS5() % 10).fit(store.corpus())("postgres")["text"].tolist()
    ['We chose Postgres.']
    """

    def __init__(
        self,
        path: str | Path,
        *,
        readonly: bool = False,
        create: bool = True,
        words: Sequence[str] = WORDS,
        large: int = THRESHOLD,
    ) -> None:
        listed = (words,) if isinstance(words, str) else tuple(dict.fromkeys(words))
        super().__init__(path, readonly=readonly, create=create, words=listed)
        self.large = large
        self._place = Path(self.path).absolute()  # also where the process changes its folder
        self._file = whole.identity(self._place)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection in a transaction: all that is written inside is kept, or nothing."""
        if self.readonly:
            raise BadParameter(f"{self!r} was opened to read. Open it with Store(path) to write.")
        with self._turn, explained(self.path), opening.writing(self.connection):
            if whole.identity(self._place) != self._file:
                raise BadInput(
                    f"{self.path!r} was removed or replaced since it was opened, so nothing is "
                    "written. Open what is there now with Store(path)."
                )
            yield self.connection

    def add(self, source: Transcripts | Corpus, *, imported: int | None = None) -> Added:
        """Add what is not there yet; adding again, or a grown copy, changes nothing else.

        Parameters
        ----------
        source : Transcripts or Corpus
            A session of transcripts is a conversation of its own.
        imported : int, optional
            The instant that is written beside new messages, in microseconds since 1970, UTC.

        Returns
        -------
        Added
            How many messages were new, had grown, or were there.
        """
        if not isinstance(source, Transcripts | Corpus):
            raise BadInput(
                f"A store takes Transcripts (lcm.read) or a Corpus. Got {type(source).__name__}; "
                "of one message, store.append(message)."
            )
        told: dict[str, Session] = {}
        totals, own = Counter[str](), frozenset[str]()
        if isinstance(source, Transcripts):
            told = source.sessions
            totals = Counter(message.session for message in source.messages)
            own = frozenset(message.id for message in source.messages)
        job = Adding(self.connection, told, totals, own, imported=imported, folder=self.folder)
        total = Added()
        for group in grouped(batches(source, self.large)):
            with self.writing() as connection:
                total += job.write(group)
                frontier.keep_up(connection, job.touched)
                job.touched.clear()
        return total

    def append(
        self, message: Message, session: Session | None = None, *, imported: int | None = None
    ) -> str:
        """Append a message that is said now to the conversation named by its session.

        One transaction, the index included. A message whose id is there already is a repeat; one
        that follows another than the last marks its conversation, see `reconcile`.

        Returns
        -------
        str
            The id that it has in the store.
        """
        told = {} if session is None else {message.session: session}
        with self.writing() as connection:
            job = Adding(connection, told, {}, imported=imported, folder=self.folder)
            return job.append(entry_of(message, self.large))

    def delete(self, conversation: str) -> None:
        """Delete a conversation with all that was made of it; the index is rid of it at once.

        An import leaves it out from now on, also when its file grows. To have it again, `restore`
        it and import; what is added or appended to it by name is there as any other.
        """
        with self.writing() as connection:
            number = self._number(conversation)
            ask = "select path from files where conversation = ?"
            paths = [path for (path,) in connection.execute(ask, (number,))]
            writing.delete(connection, number)
        remove(self.folder, paths)

    def restore(self, conversation: str) -> None:
        """Let the next import bring back a conversation that was deleted.

        Raises
        ------
        NotFound
            When none of that name was deleted.
        """
        with self.writing() as connection:
            if not deleted.forget(connection, conversation):
                raise unknown("deleted conversation", conversation, deleted.listed(connection))
            connection.execute(
                "delete from sources where ? in (select value from json_each(sessions))",
                (conversation,),
            )

    def archive(self, conversation: str, cause: str) -> None:
        """Mark a conversation as no longer the active one of its family, and say why."""
        if not cause:
            raise BadParameter("cause says why, such as 'reset'. Got ''.")
        with self.writing() as connection:
            number = self._number(conversation)
            connection.execute(
                "update conversations set archived = ? where number = ?", (cause, number)
            )

    def rename_key(self, old: str, new: str) -> None:
        """Give a family another key."""
        with self.writing() as connection:
            found = connection.execute("update conversations set key = ? where key = ?", (new, old))
            if not old or not found.rowcount:
                ask = "select distinct key from conversations where key <> ''"
                raise unknown("key", old, [key for (key,) in connection.execute(ask)][:20])

    def put(self, dag: Dag) -> None:
        """Write the summaries and the frontier of a Dag, in one transaction.

        They take the place of those that are there. Messages that came since stand at the end.

        Raises
        ------
        BadInput
            For a Dag that breaks a rule (``dag.check()``), or of messages that are not here.
        """
        with self.writing() as connection:
            frontier.put(connection, self._number(dag.conversation), dag)

    def reconcile(self, limit: int = 500) -> int:
        """Go on finding out what stands of conversations that went back to an earlier message.

        What a search begins with: one bounded transaction a conversation. What was left behind is
        out of the index afterwards. `indexing` is empty when nothing is left to do.

        Parameters
        ----------
        limit : int
            How many messages are put in their place at most.

        Returns
        -------
        int
            How many were.
        """
        if limit < 1:
            raise BadParameter(f"limit is how many messages, at least 1. Got {limit}.")
        done = 0
        for name in self.indexing:
            with self.writing() as connection:
                found = connection.execute(
                    "select number from conversations where name = ? and dirty", (name,)
                ).fetchone()
                if found is not None:
                    done += branching.reconcile(connection, found[0], limit - done)
            if done >= limit:
                break
        return done
