"""The answers of episodic-memory 1.4.0, word for word: what ``compat="reference"`` gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent import show
from lcm_lab.agent.episodic.asked import Asked
from lcm_lab.agent.episodic.files import Facts
from lcm_lab.agent.episodic.parse import BLANK
from lcm_lab.agent.episodic.reference import Reached, head16

__all__ = ["RecordedAnswer", "RecordedPage"]

SNIPPET = 200


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The reference's answer to ``search``.

    Attributes
    ----------
    found : tuple of Reached
    asked : Asked
    facts : callable, path -> Facts
        How large the transcripts are.
    """

    found: tuple[Reached, ...]
    asked: Asked
    facts: Callable[[str], Facts]

    def __len__(self) -> int:
        return len(self.found)

    def to_dict(self) -> dict[str, Any]:
        """Give results, count, and mode or concepts."""
        results = []
        for one in self.found:
            made: dict[str, Any] = {"exchange": one.exchange.to_dict()}
            if one.similarity is not None and not one.concepts:
                made["similarity"] = one.similarity
            made["snippet"] = _snippet(one.exchange.user)
            if one.concepts:
                made["conceptSimilarities"] = list(one.concepts)
                made["averageSimilarity"] = one.similarity
            results.append(made)
        last = (
            {"concepts": list(self.asked.concepts)}
            if self.asked.several
            else {"mode": self.asked.mode}
        )
        return {"results": results, "count": len(results), **last}

    def to_text(self) -> str:
        """Give markdown, or JSON if that was asked for."""
        if self.asked.written == "json":
            return show.as_json(self.to_dict())
        if not self.found:
            if self.asked.several:
                wanted = ", ".join(self.asked.concepts)
                return f"No conversations found matching all concepts: {wanted}"
            return "No results found."
        return "".join(self._lines())

    def _lines(self) -> Iterator[str]:
        several = "s" * (len(self.found) != 1)
        if self.asked.several:
            wanted = " + ".join(self.asked.concepts)
            what = f"conversation{several} matching all concepts [{wanted}]"
        else:
            what = f"relevant conversation{several}"
        yield f"Found {len(self.found)} {what}:\n\n"
        for number, one in enumerate(self.found, start=1):
            yield from self._hit(number, one)

    def _hit(self, number: int, one: Reached) -> Iterator[str]:
        said = one.exchange
        near = "" if one.similarity is None else f" - {_percent(one.similarity)}% match"
        if one.concepts:
            near = near.replace("match", "avg match")
        yield f"{number}. [{said.project}, {said.stamp[:10]}]{near}\n"
        if one.concepts:
            pairs = zip(self.asked.concepts, one.concepts, strict=True)
            each = ", ".join(f"{name}: {_percent(at)}%" for name, at in pairs)
            yield f"   Concepts: {each}\n"
        yield f'   "{_snippet(said.user)}"\n'
        facts = self.facts(said.path)
        size = f"{int(facts.bytes / 1024 * 10 + 0.5) / 10:g}KB, {facts.filled} lines"
        yield f"   Lines {said.start}-{said.end} in {said.path} ({size})\n\n"


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """The reference's answer to ``read``."""

    markdown: str

    def to_dict(self) -> dict[str, Any]:
        """Give the markdown as a field."""
        return {"markdown": self.markdown}

    def to_text(self) -> str:
        """Give the markdown."""
        return self.markdown


def _percent(share: float) -> int:
    return int(100 * share + 0.5)


def _snippet(user: str) -> str:
    head = re.sub(f"{BLANK}+", " ", head16(user, SNIPPET)).strip(" ")
    long = len(user.encode("utf-16-le", "surrogatepass")) > 2 * SNIPPET
    return head + "..." * long
