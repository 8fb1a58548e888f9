"""The exchanges of a store with the indexes over them, kept until the store changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, TypeVar, cast

from lcm_lab.agent.episodic.exchanges import Exchange, corpus_of, exchanges
from lcm_lab.compaction.work import Failed, Work
from lcm_lab.corpus import Corpus
from lcm_lab.errors import NotFound, nearest
from lcm_lab.messages import Message
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.searcher import Indexes, Searcher
from lcm_lab.redact import redact
from lcm_lab.shown import cut, one_line
from lcm_lab.store.lcm.database import LcmDatabase
from lcm_lab.store.store import Store

__all__ = ["Memory"]

T = TypeVar("T")

#: Tokens and characters of a summary; the reference shows none of 300 characters and more.
SUMMARY_TOKENS, SUMMARY = 60, 299
#: Characters of an exchange that a summary is made from.
READ = 2_000


class Memory:
    """What was said, by exchange. Threads may share it.

    Parameters
    ----------
    store : Store or LcmDatabase
    summarise : callable, (texts, tokens) -> str
    """

    def __init__(self, store: Store | LcmDatabase, summarise: Callable[..., str]) -> None:
        self.store, self.summarise = store, summarise
        self._turn = threading.RLock()
        self.state = 0  # how often the store was seen to have changed
        self._steady = False
        self._of: Corpus | None = None
        self._kept: dict[Any, Any] = {}

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Keep to one state of the store, whatever is written to it meanwhile."""
        with self._turn:
            self._settle()
            before, self._steady = self._steady, True
            try:
                yield
            finally:
                self._steady = before

    def exchanges(self) -> dict[str, Exchange]:
        """Give every exchange by id, in the order of the conversations."""
        with self._turn:
            self._settle()
            return self._read()[0]

    def corpus(self) -> Corpus:
        """Give the exchanges as rows."""
        with self._turn:
            found = self.exchanges()
            return self._keep("corpus", lambda: corpus_of(found.values()))

    def searcher(self, policy: Ranker) -> Searcher:
        """Fit a policy to the exchanges, once; what policies share is indexed once."""
        with self._turn:
            corpus = self.corpus()
            indexes = self._keep("indexes", lambda: Indexes(corpus))
            return self._keep(("searcher", policy), lambda: Searcher(policy, corpus, indexes))

    def sources(self) -> dict[str, list[str]]:
        """Name the transcripts, and the conversations that each holds messages of."""
        with self._turn:
            self._settle()
            return self._read()[1]

    def lines(self, source: str) -> list[Message]:
        """Give what a transcript holds, in order of its lines."""
        found = [
            one
            for talk in self.sources()[source]
            for one in self.messages(talk)
            if one.source == source
        ]
        return sorted(found, key=lambda one: one.line)

    def messages(self, conversation: str) -> Sequence[Message]:
        """Give the messages of a conversation.

        Those that come from no transcript are lines of one that is called like the conversation.
        """
        if isinstance(self.store, Store):
            found = self.store.messages(conversation)
        else:
            found = self.store.dag(conversation).messages
        return [
            one if one.source else replace(one, source=conversation, line=line)
            for line, one in enumerate(found, start=1)
        ]

    def summary(self, conversation: str) -> str:
        """Say in a line what a conversation is about; no secrets."""
        with self._turn:
            return self._keep(("summary", conversation), lambda: self._summary(conversation))

    def check(self, name: str, held: str) -> None:
        """Refuse a project, session or branch that there is not.

        Raises
        ------
        NotFound
        """
        column = {"project": "project", "session_id": "session", "git_branch": "branch"}[name]
        corpus = self.corpus()
        there = [one for one in corpus.codes(column)[1] if one] if len(corpus) else []
        if held not in there:
            some = ", ".join(map(repr, there[:8])) or "none"
            more = f" and {len(there) - 8:,} more" if len(there) > 8 else ""
            raise NotFound(f"No {name} {held!r:.80}.{nearest(held, there)} There are {some}{more}.")

    def late(self) -> list[str]:
        """Name the conversations of which it is not found out yet what stands."""
        return list(self.store.indexing) if isinstance(self.store, Store) else []

    def _settle(self) -> None:
        """Forget what was made of an earlier state of the store."""
        if isinstance(self.store, Store) and not self._steady:
            if not self.store.readonly and self.store.indexing:
                self.store.reconcile()
            now = self.store.corpus(("text",), scope=("messages",))
            if now is not self._of:
                self._kept.clear()
                self.state += 1
                self._of = now

    def _keep(self, key: Any, make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        return cast(T, self._kept[key])

    def _read(self) -> tuple[dict[str, Exchange], dict[str, list[str]]]:
        """Read every message once: exchanges by id, and conversations by transcript."""

        def made() -> tuple[dict[str, Exchange], dict[str, list[str]]]:
            found: dict[str, Exchange] = {}
            sources: dict[str, list[str]] = {}
            talks = self.store.conversations()
            talks = talks.reindex(columns=["name", "cwd", "branch"], fill_value="").fillna("")
            for talk, cwd, branch in talks.itertuples(index=False):
                said = self.messages(talk)
                cut = exchanges(said, talk, _last(cwd), branch)
                found |= {one.id: one for one in cut}
                for source in dict.fromkeys(one.source for one in said):
                    sources.setdefault(source, []).append(talk)
            return found, sources

        kept: tuple[dict[str, Exchange], dict[str, list[str]]] = self._keep("read", made)
        return kept

    def _summary(self, conversation: str) -> str:
        said = [one for one in self.exchanges().values() if one.conversation == conversation]
        texts = [
            one_line(cut(redact(text).text, READ))
            for one in said
            for text in (one.user, one.assistant)
            if text.strip()
        ]
        try:
            made = Work(self.summarise).write(texts, SUMMARY_TOKENS) if texts else ""
        except Failed as failure:
            made = f"(no summary: {failure})"
        return cut(one_line(redact(made).text), SUMMARY)


def _last(folder: str) -> str:
    """Name a project by the last part of the folder it ran in."""
    kind = PureWindowsPath if "\\" in folder and "/" not in folder else PurePosixPath
    return kind(folder).name
