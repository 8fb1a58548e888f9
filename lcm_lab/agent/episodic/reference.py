"""Search as episodic-memory 1.4.0 does it, faults included, so that they can be measured.

Spec: sessions_and_episodic A5 and A7. Vectors are exact; the rest is the program's: nearest first
and filters after the cut, exact hits behind them at similarity 1, no floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.ranking.dense.embedder import Embedder

__all__ = ["Archive", "Reached", "head16"]

#: UTF-16 units of a text that are embedded, and of a question, whose instruction takes the rest.
EMBEDDED, ASKED = 2000, 1943
#: What narrows an answer, by the name of the parameter.
FILTERS = {"project": "project", "session_id": "session", "git_branch": "branch"}


@dataclass(frozen=True, slots=True)
class Reached:
    """An exchange that was found: its similarity, and that of each concept where several."""

    exchange: Exchange
    similarity: float | None = None
    concepts: tuple[float, ...] = ()


class Archive:
    """Exchanges with their vectors.

    Parameters
    ----------
    exchanges : sequence of Exchange
        In the order in which they were indexed, which settles ties.
    encoder : Encoder or Named
    """

    def __init__(self, exchanges: Sequence[Exchange], encoder: Any) -> None:
        self.exchanges = list(exchanges)
        texts = [head16(_embedded(one), EMBEDDED) for one in self.exchanges]
        self.embedder = Embedder(encoder, texts)
        self.vectors = self.embedder.documents(texts)
        self.said = [_lower(f"{one.user}\0{one.assistant}") for one in self.exchanges]

    def find(self, query: str, mode: str, limit: int, told: Mapping[str, Any]) -> list[Reached]:
        """Search for one concept."""
        found = [] if mode == "text" else self._nearest(query, limit, told)
        if mode == "vector":
            return found
        there = {one.exchange.id for one in found}
        exact = None if mode == "text" else 1.0
        held = self._holding(query, limit, told)
        return found + [Reached(one, exact) for one in held if one.id not in there]

    def find_all(
        self, concepts: Sequence[str], limit: int, told: Mapping[str, Any]
    ) -> list[Reached]:
        """Search for conversations that hold every concept; the first one's best hit stands."""
        talks: dict[str, dict[int, Reached]] = {}
        for at, concept in enumerate(concepts):
            for one in self._nearest(concept, 5 * limit, told):
                talks.setdefault(one.exchange.path, {}).setdefault(at, one)
        found = []
        for best in talks.values():
            if len(best) == len(concepts):
                each = tuple(best[at].similarity or 0.0 for at in range(len(concepts)))
                found.append(Reached(best[0].exchange, float(np.mean(each)), each))
        return sorted(found, key=lambda one: -(one.similarity or 0.0))[:limit]

    def _nearest(self, query: str, limit: int, told: Mapping[str, Any]) -> list[Reached]:
        if not self.exchanges:
            return []
        cosines = self._cosines(query)
        wide = 3 if any(told.get(name) for name in FILTERS) else 1
        order = np.argsort(-cosines, kind="stable")[: wide * limit]
        kept = [at for at in order if self._may(self.exchanges[at], told)]
        return [Reached(self.exchanges[at], float(cosines[at])) for at in kept[:limit]]

    def _cosines(self, query: str) -> npt.NDArray[np.float64]:
        asked = self.embedder.questions([head16(query, ASKED)])[0]
        exact = self.vectors.astype(np.float64) @ asked.astype(np.float64)
        return np.asarray(np.clip(exact, -1.0, 1.0), np.float64)

    def _holding(self, query: str, limit: int, told: Mapping[str, Any]) -> list[Exchange]:
        like = _like(query)
        found = [
            one
            for one, said in zip(self.exchanges, self.said, strict=True)
            if self._may(one, told) and any(like(part) for part in said.split("\0", 1))
        ]
        return sorted(found, key=lambda one: one.stamp, reverse=True)[:limit]

    def _may(self, one: Exchange, told: Mapping[str, Any]) -> bool:
        """Tell whether the filters let it through; days are compared with instants as texts."""
        after, before = told.get("after"), told.get("before")
        return (
            not one.sidechain
            and all(told.get(n) in (None, getattr(one, held)) for n, held in FILTERS.items())
            and (after is None or one.stamp >= after)
            and (before is None or one.stamp <= before)
        )


def head16(text: str, units: int) -> str:
    """Give the first UTF-16 units of a text; half a character becomes U+FFFD."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "replace")


def _embedded(one: Exchange) -> str:
    tools = f"\n\nTools: {', '.join(one.tools)}" if one.tools else ""
    return f"User: {one.user}\n\nAssistant: {one.assistant}{tools}"


def _lower(text: str) -> str:
    return text.encode().lower().decode()


def _like(query: str) -> Any:
    """Match as SQLite's LIKE does with the question between two ``%``."""
    import re2

    wild = {"%": "(?s:.*)", "_": "(?s:.)"}
    pattern = "".join(wild.get(c, re2.escape(c)) for c in _lower(query))
    return re2.compile(pattern).search
