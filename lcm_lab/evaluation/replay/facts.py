"""What a compaction may lose: planted facts, and what a real agent used again.

A fact is a value that stands in messages, and a question that asks for it without naming it. Those
of a collection come from its topics: the answer span of each relevant message. Its state log
(``world.json``) knows their kinds, and which values were superseded. Those of a real session are
identifiers that its agent used again; the question is the line in which it did, without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.evaluation.replay.texts import Texts, holds, plain
from lcm_lab.times import instant

__all__ = ["Change", "Fact", "Facts", "facts_of"]

#: A value that stands in more messages than this share beyond its own is kept by accident.
COMMON = 0.01


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that was said, and a question that asks for it.

    Attributes
    ----------
    id : str
    conversation : str
    kind : str
        Path, code location, error, config value, identifier, number, decision, preference, where
        the state log says so; else the type of the question; of real sessions, the kind of the
        identifier.
    type : str
        Of the question.
    value : str
    sources : tuple of str
        Messages that state it, in order.
    query : str
        It does not hold the value.
    until : int or None
        When the value was superseded, in microseconds; None where it holds to the end.
    """

    id: str
    conversation: str
    kind: str
    type: str
    value: str
    sources: tuple[str, ...]
    query: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A slot whose value was updated: what it was, what it is since, and who says so.

    Attributes
    ----------
    conversation, slot : str
    old : tuple of str
        Every earlier value.
    new : str
    source : str
        The message that first gave the new value.
    query : str
        A question for it; "" where nobody asks.
    """

    conversation: str
    slot: str
    old: tuple[str, ...]
    new: str
    source: str
    query: str = ""


@dataclass(frozen=True)
class Facts:
    """Facts and changes of one source, and what was left out of them."""

    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = field(default=())


def facts_of(collection: Collection, world: Mapping[str, Any] | None = None) -> Facts:
    """Find the facts that the topics of a collection ask for.

    Parameters
    ----------
    collection : Collection
    world : mapping, optional
        Its state log, as ``world.json`` holds it: spans and facts of each topic, kinds, updates.

    Returns
    -------
    Facts
        A fact a value; where several topics ask for it, by the question that asks for the fewest
        others. Left out, and counted in ``notes``, are topics whose answer
        stands in no message as it is, and values so common that they would be kept by accident.
    """
    qrels = collection.qrels
    stale = qrels["stale"].astype(bool) if "stale" in qrels else pd.Series(False, qrels.index)
    gold = qrels[(qrels["relevance"] >= collection.relevant_from) & ~stale]
    golds = gold.groupby("qid", sort=False)["docno"].agg(list).to_dict()
    finder = _Finder(collection, world or {})
    asked = (
        finder.facts(topic, golds[topic["qid"]])
        for topic in collection.topics.to_dict("records")
        if topic["qid"] in golds
    )
    found = _once(list(facts) for facts in asked)
    return Facts(tuple(found), tuple(finder.changes(found)), tuple(finder.notes()))


def _once(asked: Iterable[list[Fact]]) -> list[Fact]:
    """Keep each value once, with the question that asks for the fewest others beside it."""
    best: dict[tuple[str, str], tuple[int, Fact]] = {}
    for facts in asked:
        for one in facts:
            key = (one.conversation, plain(one.value))
            if key not in best or len(facts) < best[key][0]:
                best[key] = (len(facts), one)
    return [one for _, one in best.values()]


class _Finder:
    """Looks answer spans up in the messages, and kinds and updates in the state log."""

    def __init__(self, collection: Collection, world: Mapping[str, Any]) -> None:
        corpus = collection.corpus
        self.world = world
        docnos, texts = (corpus.column(name).to_pylist() for name in ("docno", "text"))
        self.texts = dict(zip(docnos, texts, strict=True))
        self.talks = dict(zip(docnos, corpus["conversation"], strict=True))
        self.said = {
            talk: Texts(dict(zip(docnos[rows], texts[rows], strict=True)))
            for talk, rows in corpus.conversations.items()
        }
        self.unread = set(corpus["docno"][corpus["kind"] == "reasoning"])
        self.logged: dict[str, list[dict[str, Any]]] = {
            talk: list(state["facts"]) for talk, state in world.get("conversations", {}).items()
        }
        self.absent = self.common = 0

    def facts(self, topic: Mapping[Any, Any], golds: Sequence[str]) -> Iterator[Fact]:
        """Give a fact for each value that answers a topic."""
        values = self._values(topic, golds)
        self.absent += not values
        for number, (value, sources) in enumerate(values.items(), 1):
            talk = self.talks[sources[0]]
            if self._by_accident(talk, value, sources):
                self.common += 1
                continue
            logged = self._logged(talk, value, sources)
            kind = logged.get("sort") or logged.get("kind") or topic.get("type") or "fact"
            yield Fact(
                f"{topic['qid']}-{number}",
                talk,
                str(kind),
                str(topic.get("type") or ""),
                value,
                tuple(sources),
                str(topic["query"]),
                instant(logged["valid_to"]) if logged.get("valid_to") else None,
            )

    def _values(self, topic: Mapping[Any, Any], golds: Sequence[str]) -> dict[str, list[str]]:
        """Give each value with the messages that a model reads it in."""
        spans = self.world.get("topics", {}).get(topic["qid"], {}).get("spans", {})
        usual = topic.get("answer_span") or topic.get("answer")
        found: dict[str, list[str]] = {}
        for docno in golds:
            value = spans.get(docno, usual)
            if not isinstance(value, str) or holds(plain(topic["query"]), plain(value)):
                continue
            if docno not in self.unread and holds(plain(self.texts[docno]), plain(value)):
                found.setdefault(value, []).append(docno)
        return found

    def _logged(self, talk: str, value: str, sources: Sequence[str]) -> dict[str, Any]:
        """Give the entry of the state log for a value, else for a message that states it."""
        entries = [one for one in self.logged.get(talk, []) if set(one["sources"]) & set(sources)]
        exact = [one for one in entries if plain(one["value"]) == plain(value)]
        return next(iter(exact or entries), {})

    def _by_accident(self, talk: str, value: str, sources: Sequence[str]) -> bool:
        known = {*sources}
        for one in self.logged.get(talk, []):
            if plain(one["value"]) == plain(value):
                known.update(one["sources"], one.get("repeats", ()))
        others = {*self.said[talk].holding(value)} - known
        return len(others) > COMMON * len(self.said[talk])

    def changes(self, found: Iterable[Fact]) -> Iterator[Change]:
        """Give every slot of the state log that was updated."""
        asked = {(one.conversation, plain(one.value)): one.query for one in found}
        for talk, entries in self.logged.items():
            slots: dict[tuple[str, str], list[dict[str, Any]]] = {}
            for one in entries:
                if one["kind"] == "slot" and set(one["sources"]) <= self.texts.keys():
                    slots.setdefault((one["entity"], one["attribute"]), []).append(one)
            for (entity, attribute), told_of in slots.items():
                told_of.sort(key=lambda one: one["valid_from"])
                if len(told_of) < 2 or any(a == b for a, b in pairwise(map(_value, told_of))):
                    continue
                new = told_of[-1]["value"]
                yield Change(
                    talk,
                    f"{entity} {attribute}",
                    tuple(map(_value, told_of[:-1])),
                    new,
                    told_of[-1]["sources"][0],
                    asked.get((talk, plain(new)), ""),
                )

    def notes(self) -> Iterator[str]:
        """Say what was left out."""
        if self.absent:
            yield (
                f"{self.absent:,} questions are left out: their answer stands in no message as it "
                "is, or in the question."
            )
        if self.common:
            yield (
                f"{self.common:,} values are left out: they also stand in more than "
                f"{COMMON:.0%} of the other messages."
            )
        if not self.logged:
            yield "No state log: kinds are types of questions, and staleness is not measured."


def _value(entry: Mapping[str, Any]) -> str:
    return str(entry["value"])
