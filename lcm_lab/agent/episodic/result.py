"""What ``search`` answers: exchanges, how near they are, and where they can be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent import show
from lcm_lab.agent.episodic.asked import Asked
from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.agent.episodic.files import Facts
from lcm_lab.agent.episodic.search import Recalled
from lcm_lab.agent.lcm.text import DATA, MOST, around, window
from lcm_lab.redact import redact
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.times import show as moment

__all__ = ["Answer", "Hit", "hit_of"]

#: Characters of either side's words that a field gives.
FIELD = 2_000
#: Characters of any other field, such as a path.
LONGEST = 4_096
IGNORED = "Several concepts are compared by vectors; mode is ignored."


@dataclass(frozen=True, slots=True)
class Hit:
    """An exchange as it is shown.

    Attributes
    ----------
    found : Recalled
    summary, snippet : str
        Of its conversation; of itself around what matches. One line each, no secrets.
    facts : Facts
    """

    found: Recalled
    summary: str
    snippet: str
    facts: Facts

    def to_dict(self) -> dict[str, Any]:
        """Give the fields that the tool's documentation names."""
        one = self.found.exchange
        made: dict[str, Any] = {
            "project": cut(redact(one.project).text, LONGEST),
            "date": moment(one.time)[:10] or None,
            "summary": self.summary,
            "exchange": _shown(one),
            "snippet": self.snippet,
            "exact": self.found.exact,
            "path": one.path,
            "lineStart": one.start,
            "lineEnd": one.end,
        }
        if self.found.similarity is not None:
            made["similarity"] = self.found.similarity
        if self.found.score is not None:
            made["score"] = self.found.score
        if self.found.concepts:
            made["averageSimilarity"] = self.found.similarity
            made["conceptSimilarities"] = [near for _, near, _ in self.found.concepts]
            made["conceptLines"] = [[at.start, at.end] for _, _, at in self.found.concepts]
        return made

    def lines(self, number: int, *, about: bool) -> Iterator[str]:
        """Give it as markdown, with what its conversation is about unless that was said."""
        one, found = self.found.exchange, self.found
        near = "" if found.similarity is None else f" - {found.similarity:.0%} match"
        if found.concepts:
            near = f" - {found.similarity:.0%} match on average"
        date = moment(one.time)[:10] or "date unknown"
        head = f"{number}. [{_plain(one.project) or 'no project'}, {date}]{near}"
        yield head + ", has the exact words" * found.exact
        if found.concepts:
            each = (
                f"{one_line(concept)}: {near:.0%} (lines {at.start}-{at.end})"
                for concept, near, at in found.concepts
            )
            yield f"   Concepts: {', '.join(each)}"
        if self.summary and about:
            yield f"   | About: {self.summary}"
        yield f"   | {self.snippet}"
        if one.tools:
            used = (f"{_plain(tool)}({n})" for tool, n in Counter(one.tools).most_common(8))
            yield f"   Tools: {', '.join(used)}"
        size = f" ({self.facts.bytes / 1024:,.1f}KB, {self.facts.lines:,} lines)"
        yield (
            f"   Lines {one.start}-{one.end} in {one_line(one.path)}"
            f"{size if self.facts.bytes else ''}"
        )
        yield ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of ``search``.

    Attributes
    ----------
    hits : tuple of Hit
    asked : Asked
    of : int
        How many exchanges there are in all.
    late : str
        Which conversations are not up to date there; "" where all are.
    """

    hits: tuple[Hit, ...]
    asked: Asked
    of: int
    late: str = ""

    def __len__(self) -> int:
        return len(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """Give results, count and mode, and how it was searched."""
        return {
            "results": [hit.to_dict() for hit in self.hits],
            "count": len(self.hits),
            "mode": "vector" if self.asked.several else self.asked.mode,
            **({"concepts": list(self.asked.concepts)} if self.asked.several else {}),
            "scope": self._scope(),
            "exchanges": self.of,
            "notes": [*[IGNORED] * self.asked.several, *filter(None, [self.late])],
        }

    def to_text(self) -> str:
        """Give markdown, at most 40,000 characters, or JSON if that was asked for."""
        if self.asked.written == "json":
            return show.as_json(self.to_dict())
        lines = [*self._head(), ""]
        used = sum(map(len, lines)) + len(lines)
        told_of: set[str] = set()
        for at, hit in enumerate(self.hits):
            talk = hit.found.exchange.conversation
            told = list(hit.lines(at + 1, about=talk not in told_of))
            told_of.add(talk)
            used += sum(map(len, told)) + len(told)
            if used > MOST - 200:
                lines.append(
                    f"[{counted(len(self.hits) - at, 'hit')} left out: the answer is full.]"
                )
                break
            lines += told
        return "\n".join(lines).rstrip()

    def _head(self) -> Iterator[str]:
        what, several = ("conversation", "s") if self.asked.several else ("exchange", "s")
        found = f"{len(self.hits)} {what}{several * (len(self.hits) != 1)}"
        if self.asked.several:
            wanted = " + ".join(map(one_line, self.asked.concepts))
            yield f"Found {found} with all of [{wanted}]. {IGNORED}"
        else:
            yield f"Found {found} by mode={self.asked.mode}."
        yield f"Searched {self._scope()}: {counted(self.of, 'exchange')} in the store."
        if self.late:
            yield f"{self.late}."
        if self.hits:
            yield DATA
        else:
            yield self._hint()

    def _hint(self) -> str:
        if not self.of:
            return "The store is empty: import transcripts with lcm-lab import."
        if self.asked.several:
            return "No conversation holds every one of them. Ask for fewer, or one by one."
        other = "vector" if self.asked.mode == "text" else "text"
        return f"Nothing matches. Try other words, mode={other!r}, or fewer filters."

    def _scope(self) -> str:
        names = ("project", "session_id", "git_branch")
        told = [f"{name} {self.asked.told[name]}" for name in names if self.asked.told[name]]
        if self.asked.days:
            told.append(f"UTC days {self.asked.days}")
        return one_line("; ".join(told)) or "everything"


def hit_of(found: Recalled, concepts: tuple[str, ...], summary: str, facts: Facts) -> Hit:
    """Make a hit, its snippet around what was asked."""
    return Hit(found, summary, _snippet(found.exchange, concepts), facts)


def _plain(text: str) -> str:
    """Make a name of a tool or a folder a line without secrets."""
    return one_line(redact(text).text)


def _shown(one: Exchange) -> dict[str, Any]:
    made = one.to_dict()
    for name, held in made.items():
        if isinstance(held, str):
            most = FIELD if name.endswith("Message") else LONGEST
            plain = redact(held).text
            made[name] = cut(plain, most) + "..." * (len(plain) > most)
    return made


def _snippet(one: Exchange, concepts: tuple[str, ...]) -> str:
    """Cut around the question as it stands, else around the words of it that are rarest here."""
    said = "\n".join(filter(None, (one.user, one.assistant)))
    for text in (said, one.work):
        at = _place(text, concepts)
        if at is not None:
            break
    else:
        text, at = said or one.work, 0
    plain, there = window(text, at)
    return around(plain, there, (100, 200))


def _place(text: str, concepts: tuple[str, ...]) -> int | None:
    lowered = text.lower()
    for concept in concepts:
        if (at := lowered.find(concept.strip().lower())) >= 0:
            return at
    words = {word for concept in concepts for word in re.findall(r"\w{3,}", concept.lower())}
    found = [(lowered.count(word), lowered.find(word)) for word in words if word in lowered]
    return min(found)[1] if found else None
