"""The card of a synthetic collection: how it was made, what it measures, what is weak."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from statistics import fmean, median
from typing import Any

from lcm_lab.synth.ask import Topic
from lcm_lab.synth.message import Message
from lcm_lab.synth.overlap import plain
from lcm_lab.synth.part import Part
from lcm_lab.synth.verbatim import sentences

__all__ = ["About", "Tally"]

#: From how many words on a sentence counts as repeated when it was there before.
WORDS = 4


@dataclass(frozen=True)
class About:
    """What a card says that is not measured: the kind of history, its counterpart, weaknesses."""

    text: str
    like: Mapping[str, str]
    notes: Sequence[str]


class Tally:
    """Counts a collection while its conversations go by, in little memory."""

    def __init__(self) -> None:
        self._words: Counter[int] = Counter()
        self._by_kind: dict[str, Counter[int]] = defaultdict(Counter)
        self._sessions: list[int] = []
        self._dropped: Counter[str] = Counter()
        self._topics: dict[str, list[tuple[int, int, int, bool]]] = defaultdict(list)
        self._repeated = self._sentences = 0
        self._langs: Counter[str] = Counter()

    def add(self, part: Part) -> None:
        """Count one conversation."""
        sizes: Counter[str] = Counter()
        said: set[bytes] = set()
        for message in part.messages:
            sizes[message.docno.rsplit("/", 1)[0]] += 1
            self._add(message, said)
        self._sessions += sizes.values()
        self._dropped += part.exam.dropped
        for topic in part.exam.topics:
            self._topics[topic.case.kind].append(_facts(topic))

    def _add(self, message: Message, heard: set[bytes]) -> None:
        self._langs[message.lang] += 1
        if message.lang == "en":
            self._words[len(message.text.split())] += 1
        if message.role:
            name = message.role if message.kind == "text" else message.kind
            self._by_kind[name][len(message.text)] += 1
        for said in sentences(message.text):
            words = plain(said)
            if words.count(" ") >= WORDS - 1:
                key = blake2b(words.encode(), digest_size=8).digest()
                self._sentences += 1
                self._repeated += key in heard
                heard.add(key)

    def card(self, about: About, made: dict[str, Any]) -> dict[str, Any]:
        """Give the facts about the collection, all of them measured on it."""
        judged = [topic for topics in self._topics.values() for topic in topics if topic[3]]
        sizes = Counter(self._sessions)
        return {
            "source": "lcm_lab.generate",
            "parameters": made,
            "licence": "MIT",
            "unit": "turn",
            "canary": _canary(made),
            "messages": sum(self._langs.values()),
            "sessions": len(self._sessions),
            "words_per_message": _spread(self._words),
            "messages_per_session": _spread(sizes),
            "characters": {kind: _spread(found) for kind, found in sorted(self._by_kind.items())},
            "languages": dict(sorted(self._langs.items())),
            "sentences_seen_before": round(self._repeated / max(self._sentences, 1), 3),
            "overlap": round(fmean(topic[0] for topic in judged) / 1000, 3) if judged else None,
            "tie_or_beat_median": median(topic[1] for topic in judged) if judged else None,
            "types": {kind: _about(topics) for kind, topics in self._topics.items()},
            "dropped": {kind: self._dropped[kind] for kind in self._topics},
            "about": about.text,
            "like": dict(about.like),
            "notes": list(about.notes),
        }


def _facts(topic: Topic) -> tuple[int, int, int, bool]:
    """Give overlap, how many tie or beat, gold messages, and whether anything answers."""
    return topic.overlap, topic.beaten, len(topic.spans), topic.case.answered


def _about(topics: Sequence[tuple[int, int, int, bool]]) -> dict[str, Any]:
    return {
        "topics": len(topics),
        "overlap": round(fmean(topic[0] for topic in topics) / 1000, 3),
        "tie_or_beat_median": median(topic[1] for topic in topics),
        "gold": round(fmean(topic[2] for topic in topics), 2),
    }


def _spread(counts: Counter[int]) -> dict[str, Any]:
    """Give count, mean and quartiles of numbers, each with how often it occurs."""
    size = sum(counts.values())
    total = sum(number * times for number, times in counts.items())
    places = [size * share // 4 for share in (1, 2, 3)]
    found: list[int] = []
    passed = 0
    for number, times in sorted(counts.items()):
        passed += times
        found += [number] * sum(place < passed for place in places[len(found) :])
    return {"n": size, "mean": round(total / max(size, 1), 1), "quartiles": found}


def _canary(made: dict[str, Any]) -> str:
    digits = blake2b(f"lcm_lab canary {sorted(made.items())}".encode(), digest_size=16)
    found = digits.hexdigest()
    return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))
