"""The history that the LCM tools look at: a store, the indexes over it, and who is asking."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from lcm_lab.agent.lcm.expansion.budget import Timer
from lcm_lab.agent.lcm.scope import Granted, Scope, scope_of
from lcm_lab.agent.lcm.text import still_indexing
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.carried import take_over
from lcm_lab.ranking.lexical.postings import forward
from lcm_lab.ranking.lexical.words import FIELDS
from lcm_lab.ranking.named.recommended import Recommended
from lcm_lab.ranking.searcher import Indexes, Searcher
from lcm_lab.store.lcm.database import LcmDatabase
from lcm_lab.store.store import Store
from lcm_lab.text import Analyzer
from lcm_lab.times import instant, show

__all__ = ["History"]

#: What reads the words of questions, as `BM25` reads texts.
ANALYZER = Analyzer()

Clock = str | int | Callable[[], int] | None


@dataclass
class _Held:
    """Rows, and what was made of them: indexes, Dags."""

    corpus: Corpus | None = None
    made: dict[Any, Any] = field(default_factory=dict)


class History:
    """What the tools of one session stand on; `LcmTools` tells of the parameters.

    Corpora, indexes and Dags are kept until the store changes; then what was read of the rows that
    are still there is taken over. Threads may share it.
    """

    #: Whether its rows stay as they are, whatever becomes of the store.
    _resting = False

    def __init__(
        self,
        store: Store | LcmDatabase,
        search: Ranker | None = None,
        *,
        summarise: Any = None,
        answer: Any = None,
        clock: Clock = None,
        zone: str = "UTC",
        conversation: str | int | None = None,
        grant: Granted | None = None,
        expandFileMaxBytes: int = 32_768,
        maxExpandTokens: int = 4_000,
        delegationTimeoutMs: int = 120_000,
        timer: Timer = time.monotonic,
        compat: Literal["reference"] | None = None,
    ) -> None:
        if not isinstance(store, Store | LcmDatabase):
            raise BadParameter(
                "The tools stand on a Store or on what open_lcm gives. Got "
                f"{type(store).__name__}: make one with Store(path)."
            )
        if search is not None and not isinstance(search, Ranker):
            raise BadParameter(f"search is a policy, such as BM25(). Got {search!r:.80}.")
        if compat not in (None, "reference"):
            raise BadParameter(f"compat must be None or 'reference'. Got {compat!r:.80}.")
        show(0, zone)  # refuses a zone that there is not
        self.store, self.zone, self.compat, self.grant = store, zone, compat, grant
        self.search: Ranker = Recommended() if search is None else search
        self.summarise, self.answer = summarise, answer
        self.clock = clock if clock is None or callable(clock) else instant(clock)
        self.expandFileMaxBytes, self.maxExpandTokens = expandFileMaxBytes, maxExpandTokens
        self.delegationTimeoutMs, self.timer = delegationTimeoutMs, timer
        self.conversation = None if conversation is None else str(conversation)
        self._turn = threading.RLock()
        self._held = _Held()
        if self.conversation is not None and self.conversation not in self.names():
            store.family(self.conversation)  # says what there is
            raise NotFound(f"No conversation {self.conversation!r:.80}.")

    def shares(self, other: History) -> None:
        """Use what another's tools over the same store have read and indexed already."""
        if other.store is not self.store or other.compat != self.compat:
            raise BadParameter("Only tools over the same store, in the same way, share indexes.")
        self._turn, self._held = other._turn, other._held

    def standing(self) -> Self:
        """Give the history as it stands: its rows stay for one question, whoever writes meanwhile.

        What is made of them is kept for both.
        """
        with self._turn:
            corpus = self.corpus()
            same = copy.copy(self)
            same._resting, same._held = True, _Held(corpus, self._held.made)
            return same

    def at_rest(self) -> Self:
        """Give the same, for work that may be left behind: nobody waits for what it makes."""
        with self._turn:
            same = self.standing()
            same._turn, same._held.made = threading.RLock(), dict(self._held.made)
            return same

    def learn(self, other: History) -> None:
        """Take over what another made of the same rows, unless it is still at work."""
        if not other._turn.acquire(blocking=False):
            return
        try:
            with self._turn:
                if self._held.corpus is other._held.corpus:
                    self._held.made.update(other._held.made)
        finally:
            other._turn.release()

    def names(self) -> list[str]:
        """Name every conversation."""
        return [str(name) for name in self.store.conversations()["name"]]

    def family(self, conversation: str) -> list[str]:
        """Name the conversations of the same key."""
        return self.store.family(conversation)

    def scope(self, conversation: float | str | None, *, everywhere: bool) -> Scope:
        """Decide where a tool looks; see `scope_of`."""
        return scope_of(self, self.conversation, self.grant, conversation, everywhere=everywhere)

    def now(self) -> int | None:
        """Give the instant it is, in microseconds; None where the newest message is now."""
        return int(self.clock()) if callable(self.clock) else self.clock

    def corpus(self) -> Corpus:
        """Give the rows that are searched: what was said, tool text and summaries.

        Under ``compat="reference"`` tool text is left out, as it is there.
        """
        with self._turn:
            held = self._held
            settled = self._resting or isinstance(self.store, LcmDatabase)
            if settled and held.corpus is not None:
                return held.corpus
            self._settle()
            found = self.store.corpus(("text",)) if self.compat else self.store.corpus()
            if found is not held.corpus:
                if held.corpus is not None:
                    take_over(held.corpus, found, ANALYZER, FIELDS)
                held.corpus, held.made = found, {}  # others may still hold what there was
            return found

    def read(self) -> None:
        """Read the words of all rows, once for whatever asks for them; see `take_over`."""
        corpus = self.corpus()
        with self._turn:
            forward(corpus, ANALYZER, FIELDS)

    def searcher(self, policy: Ranker) -> Searcher:
        """Fit a policy to the rows, once; what policies share is indexed once."""
        corpus = self.corpus()
        with self._turn:
            indexes = self._keep("indexes", lambda: Indexes(corpus))
            found: Searcher = self._keep(
                ("searcher", policy), lambda: Searcher(policy, corpus, indexes)
            )
            return found

    def dag(self, conversation: str) -> Dag:
        """Give a conversation with its summaries; tokens are as a database recorded them."""
        self.corpus()
        with self._turn:
            found: Dag = self._keep(("dag", conversation), lambda: self._whole(conversation))
            return found

    def summaries(self, conversation: str) -> Dag:
        """Give a conversation without its messages, which is quick: what was made over them."""
        self.corpus()
        with self._turn:
            key = ("summaries", conversation)
            found: Dag = self._keep(key, lambda: self._made(conversation))
            return found

    def leaf_over(self, conversation: str, message: str) -> str:
        """Name the summary that was made of a message; "" where there is none."""
        dag = self.summaries(conversation)
        with self._turn:
            over: dict[str, str] = self._keep(
                ("over", conversation),
                lambda: {name: one.id for one in dag.summaries[::-1] for name in one.sources},
            )
            return over.get(message, "")

    def files(self, scope: Scope) -> pd.DataFrame:
        """List the large files of a scope: id, conversation, name, mime, bytes, lines, path, ..."""
        files = self.store.files()
        some = scope.conversations
        return files if some is None else files[files["conversation"].isin(some)]

    def behind(self, scope: Scope) -> str:
        """Say which conversations of a scope are not searched yet; "" where there is none."""
        late = self.store.indexing if isinstance(self.store, Store) else []
        return still_indexing([name for name in late if name in scope])

    def _settle(self) -> None:
        """Let a store find out what stands of conversations that went back, a bounded piece."""
        if isinstance(self.store, Store) and not self.store.readonly and self.store.indexing:
            self.store.reconcile()

    def _whole(self, conversation: str) -> Dag:
        dag = self.store.dag(conversation)
        if isinstance(self.store, LcmDatabase):
            return dag.recorded(self.store.tokens(conversation))
        return dag

    def _made(self, conversation: str) -> Dag:
        if conversation not in self._with_summaries():
            return Dag(conversation)
        return Dag(conversation, (), self.store.summaries(conversation))

    def _with_summaries(self) -> frozenset[str]:
        corpus = self.corpus()

        def some() -> frozenset[str]:
            codes, names = corpus.codes("conversation")
            rows = corpus.rows(scope="summaries", kind="summary")
            return frozenset(names[code] for code in np.unique(codes[rows]))

        found: frozenset[str] = self._keep("with summaries", some)
        return found

    def _keep(self, key: Any, make: Callable[[], Any]) -> Any:
        made = self._held.made
        if key not in made:
            made[key] = make()
        return made[key]
