"""One conversation while it is replayed: who holds which value, and what searches find in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.compaction.anchors import unfolded
from lcm_lab.dag import Dag
from lcm_lab.dag.nodes import text_of
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.evaluation.replay.excerpt import excerpt
from lcm_lab.evaluation.replay.facts import Change, Fact
from lcm_lab.evaluation.replay.pages import Pages, near
from lcm_lab.evaluation.replay.texts import Texts, holds, plain
from lcm_lab.evaluation.replay.walk import SHOWN, Found, Hit, Piece, pieces
from lcm_lab.identifiers import identifiers
from lcm_lab.messages import Message
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.searcher import Searcher

__all__ = ["Recall", "Talk"]

#: How many passages that a question finds are looked through.
DEEP = 800
#: What is searched: all of it, summaries alone, or what the user said.
EVERY, SUMMARIES, USERS = "all", "summaries", "users"


class Talk:
    """A conversation, the facts in it, and what is worked out once for every replay of it.

    Attributes
    ----------
    dag : Dag
        Of depth zero: the messages.
    facts, changes : list of Fact, of Change
    starts : int64 array of shape (n_messages + 1,)
        Tokens of the messages before each one, and of all.
    """

    def __init__(self, dag: Dag, facts: Iterable[Fact], changes: Iterable[Change] = ()) -> None:
        self.dag, self.facts, self.changes = dag, list(facts), list(changes)
        sizes = [dag.size(one.id) for one in dag.messages]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.place = {one.id: at for at, one in enumerate(dag.messages)}
        texts = {one.id: text_of(one) for one in dag.messages}
        self.said, self.whole = Texts(texts), "\n".join(texts.values())
        self._holders: dict[str, frozenset[str]] = {}
        self._excerpts: dict[tuple[str, str], str] = {}
        self._known: set[str] = set()
        self._invented: dict[str, frozenset[str]] = {}
        self._searchers: dict[tuple[Ranker, int], tuple[Searcher, Pages]] = {}

    def holders(self, value: str) -> frozenset[str]:
        """Give the messages that hold a value, wherever they stand."""
        if value not in self._holders:
            self._holders[value] = frozenset(self.said.holding(value))
        return self._holders[value]

    def until(self, share: float) -> int:
        """Give how many messages hold this share of the tokens, no less."""
        wanted = share * int(self.starts[-1])
        return min(len(self.place), int(np.searchsorted(self.starts, wanted - 1e-9)))

    def excerpt(self, text: str, query: str) -> str:
        """Give what a search shows of a long text, in plain form."""
        key = (text, query)
        if key not in self._excerpts:
            self._excerpts[key] = plain(excerpt(text, query, SHOWN))
        return self._excerpts[key]

    def invented(self, texts: Sequence[str]) -> set[str]:
        """Give identifiers of some texts that no message holds."""
        for text in texts:
            if text not in self._invented:
                names = {name for _, name in identifiers(unfolded(text))} - self._known
                false = frozenset(name for name in names if name not in self.whole)
                self._known |= names - false
                self._invented[text] = false
        return set[str]().union(*(self._invented[text] for text in texts))

    def searcher(self, policy: Ranker, dag: Dag) -> tuple[Searcher, Pages]:
        """Fit a policy to the messages so far, and to the summaries of a Dag behind them."""
        messages, pages = self._messages(policy, dag.messages)
        if not dag.summaries:
            return messages, pages
        both = pages + Pages.read(Dag(dag.conversation, (), dag.summaries))
        return messages.grow(both.corpus()), both

    def _messages(self, policy: Ranker, told: Sequence[Message]) -> tuple[Searcher, Pages]:
        key = (policy, len(told))
        if key not in self._searchers:
            pages = Pages.read(Dag(self.dag.conversation, tuple(told)))
            before = [n for one, n in self._searchers if one == policy and n < len(told)]
            old = self._searchers[policy, max(before)][0] if before else None
            corpus = pages.corpus()
            self._searchers[key] = (old.grow(corpus) if old else policy.fit(corpus), pages)
        return self._searchers[key]


class Recall:
    """What an agent can bring back from a compacted conversation, by search and expansion."""

    def __init__(self, talk: Talk, dag: Dag, policy: Ranker) -> None:
        self.talk, self.dag, self.policy = talk, dag, policy
        texts = {one.id: one.text for one in dag.summaries}
        self._summaries = Texts(texts)
        self._holders: dict[str, frozenset[str]] = {}
        self._hits: dict[tuple[str, str], list[Hit]] = {}
        self.visible = {name for name in dag.frontier if name in dag}

    def holders(self, value: str) -> frozenset[str]:
        """Give the nodes that hold a value, of messages and summaries."""
        if value not in self._holders:
            told = {name for name in self.talk.holders(value) if name in self.dag}
            self._holders[value] = frozenset(told.union(self._summaries.holding(value)))
        return self._holders[value]

    def in_view(self, value: str) -> bool:
        """Tell whether a value stands in what the model sees."""
        return not self.visible.isdisjoint(self.holders(value))

    def ask(self, queries: Iterable[str], arms: Sequence[Arm]) -> None:
        """Search for all questions at once, as far as the arms need it."""
        asked = pd.DataFrame({"query": list(dict.fromkeys(filter(None, queries)))})
        if asked.empty or not any(arm.searches for arm in arms):
            return
        searcher, pages = self.talk.searcher(self.policy, self.dag)
        scopes = {arm.scope for arm in arms if arm.searches}
        filters: dict[str, dict[str, Any]] = {EVERY: {}}
        filters |= {SUMMARIES: {"scope": SUMMARIES}} if SUMMARIES in scopes else {}
        filters |= {USERS: {"role": "user", "kind": "text"}} if None in scopes else {}
        for name, given in filters.items():
            run = searcher.run(asked, k=DEEP, **given)
            for query, (_, rows, _) in zip(asked["query"], run, strict=True):
                self._hits[name, query] = pages.hits(rows)

    def shown(self, query: str, arm: Arm) -> list[Piece]:
        """List what an agent is shown when it asks a question; nothing for a blank one."""
        every = self._hits.get((EVERY, query), [])
        if arm.scope is None:
            found = Found(every, self._hits.get((USERS, query), []), near(every))
        else:
            found = Found(self._hits.get((SUMMARIES, query), []), near=near(every))
        return [*pieces(self.dag, self.talk.place, found, arm)]

    def tells(self, piece: Piece, value: str, query: str) -> bool:
        """Tell whether a piece that was shown holds a value."""
        if piece.node not in self.holders(value):
            return False
        if piece.whole or piece.text is None:
            return piece.whole
        return holds(self.talk.excerpt(piece.text, query), plain(value))

    def leads(self, found: Iterable[Piece], sources: Iterable[str]) -> bool:
        """Tell whether any piece is of a source, or of a summary above one."""
        above = {one for name in sources for one in self._over(name)}
        return any(piece.node in above for piece in found)

    def _over(self, name: str) -> Iterator[str]:
        stack, seen = [name], set[str]()
        while stack:
            at = stack.pop()
            if at not in seen and at in self.dag:
                seen.add(at)
                yield at
                stack += [one.id for one in self.dag.derived(at)]
