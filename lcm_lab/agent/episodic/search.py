"""Recall: exchanges that say what is asked, and conversations that hold every concept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.episodic.asked import Asked
from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.agent.episodic.memory import Memory
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.dense.lsa import LSA
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.exact.whole import Substring
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.steps.order import Newest

__all__ = ["DEFAULT", "Recalled", "Recaller"]

SAID, ALL = ("text",), ("text", "work")
#: What makes vectors where no model is named; few dimensions, so that it has soon learned a store.
DEFAULT = LSA(64)


@dataclass(frozen=True, slots=True)
class Recalled:
    """An exchange that was found.

    Attributes
    ----------
    exchange : Exchange
    score : float or None
        What it stands in the order by; None where time orders.
    similarity : float or None
        The cosine of its vector with the question's; for several concepts the mean.
    exact : bool
        Whether it holds the question as it stands, or every concept so.
    concepts : tuple of (str, float, Exchange)
        For several concepts: how near the conversation comes to each, and where.
    """

    exchange: Exchange
    score: float | None = None
    similarity: float | None = None
    exact: bool = False
    concepts: tuple[tuple[str, float, Exchange], ...] = ()


class Recaller:
    """Searches the exchanges of a store.

    Parameters
    ----------
    memory : Memory
    encoder : Encoder or Named, optional
        What makes vectors; `DEFAULT`, which needs no model, when not given.
    search : Ranker, optional
        What ranks mode "both".
    floor : float
        The least cosine of what counts as near.
    """

    def __init__(self, memory: Memory, encoder: Any, search: Ranker | None, floor: float) -> None:
        self.memory, self.floor = memory, floor
        self.near = Dense(DEFAULT if encoder is None else encoder, SAID)
        self.exact = Newest(Substring(ALL))
        self.words = BM25(fields=ALL) if search is None else None
        fused = BM25(fields=SAID) + 0.3 * BM25(fields=ALL) + 0.3 * self.near + 0.5 * Substring(ALL)
        self.both = fused if search is None else search

    def find(self, asked: Asked) -> list[Recalled]:
        """Give the best of what was asked for, at most ``limit``; filters come before the cut."""
        told = self._filters(asked)
        if not len(self.memory.corpus()):
            return []
        return self._every(asked, told) if asked.several else self._one(asked, told)

    def _filters(self, asked: Asked) -> dict[str, Any]:
        names = {"project": "project", "session_id": "session", "git_branch": "branch"}
        told = {name: asked.told[name] for name in names if asked.told[name] is not None}
        for name, held in told.items():
            self.memory.check(name, held)
        return {**{names[name]: held for name, held in told.items()}, **asked.window}

    def _one(self, asked: Asked, told: Mapping[str, Any]) -> list[Recalled]:
        query, held = asked.concepts[0], self.memory.exchanges()
        if asked.mode == "text":
            found = self._ranked(self.exact, query, told)[: asked.limit]
            return [Recalled(held[name], exact=True) for name, _ in found]
        near = dict(self._ranked(self.near, query, told))
        exact = {name for name, _ in self._ranked(self.exact, query, told)}
        if asked.mode == "vector":
            ranked = [(name, score) for name, score in near.items() if score >= self.floor]
        else:
            ranked = self._both(query, told, near, exact)
        return [
            Recalled(held[name], score, near.get(name, 0.0), name in exact)
            for name, score in ranked[: asked.limit]
        ]

    def _both(
        self, query: str, told: Mapping[str, Any], near: Mapping[str, float], exact: set[str]
    ) -> list[tuple[str, float]]:
        """Rank, and leave out what holds no word of the question and is not near it either."""
        ranked = self._ranked(self.both, query, told)
        if self.words is None:
            return ranked
        said = {name for name, _ in self._ranked(self.words, query, told)} | exact
        return [one for one in ranked if one[0] in said or near.get(one[0], 0) >= self.floor]

    def _every(self, asked: Asked, told: Mapping[str, Any]) -> list[Recalled]:
        near = [dict(self._ranked(self.near, concept, told)) for concept in asked.concepts]
        exact = [
            {name for name, _ in self._ranked(self.exact, concept, told)}
            for concept in asked.concepts
        ]
        talks: dict[str, list[Exchange]] = {}
        for name, one in self.memory.exchanges().items():
            if any(name in some for some in (*near, *exact)):
                talks.setdefault(one.conversation, []).append(one)
        found = []
        for said in talks.values():
            best = [self._best(said, near[at], exact[at]) for at in range(len(near))]
            if all(one is not None for one in best):
                found.append(_joined(asked.concepts, said, [b for b in best if b], near, exact))
        found.sort(key=lambda one: (-(one.similarity or 0), -(one.exchange.time or 0)))
        return found[: asked.limit]

    def _best(
        self, said: list[Exchange], near: Mapping[str, float], exact: set[str]
    ) -> tuple[float, Exchange] | None:
        """Give where a conversation comes nearest to a concept; None where it does not hold it."""
        held = [
            (near.get(one.id, 0.0), one)
            for one in said
            if near.get(one.id, 0.0) >= self.floor or one.id in exact
        ]
        return max(held, key=lambda one: one[0], default=None)

    def _ranked(
        self, policy: Ranker, query: str, told: Mapping[str, Any]
    ) -> list[tuple[str, float]]:
        """Rank all that the filters let through: id and score, best first."""
        searcher = self.memory.searcher(policy)
        found = searcher.run(query, max(len(searcher.corpus), 1), **told)
        names = searcher.corpus.numpy("docno")[found.rows]
        return list(zip(names.tolist(), found.scores.tolist(), strict=True))


def _joined(
    concepts: tuple[str, ...],
    said: list[Exchange],
    best: list[tuple[float, Exchange]],
    near: list[dict[str, float]],
    exact: list[set[str]],
) -> Recalled:
    """Let the exchange that is nearest to all concepts stand for its conversation."""
    shown = max(said, key=lambda one: sum(some.get(one.id, 0.0) for some in near))
    each = tuple((concept, *one) for concept, one in zip(concepts, best, strict=True))
    mean = sum(similarity for similarity, _ in best) / len(best)
    whole = all(any(one.id in some for one in said) for some in exact)
    return Recalled(shown, mean, mean, whole, each)
