"""Messages as a page tells them: who said it and when, its id, its text without secrets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.safe import safe
from lcm_lab.shown import cut
from lcm_lab.times import instant

if TYPE_CHECKING:
    from lcm_lab.corpus import Corpus

__all__ = ["Messages"]

#: So much of a text is kept once secrets are out, and so much of a name.
LONGEST, NAME = 400, 40
#: Microseconds.
MINUTE = 60_000_000


class Messages:
    """Messages by number, each told once; those of a memory's own corpus go by their docno."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[str, int] = {}
        self._rows: dict[tuple[int, int], int] = {}
        self._told: list[tuple[str, int, Any, str]] = []
        self.people: dict[str, int] = {}
        self._named: dict[str, int] = {}

    def of(self, corpus: Corpus, row: int) -> int:
        """Give the number of a message."""
        key = (id(corpus), row)
        if key not in self._rows:
            docno = str(corpus.column("docno")[row].as_py())
            if docno not in self._known:
                self._known[docno] = len(self._told)
                self._told.append(self._message(corpus, row, docno))
            self._rows[key] = self._known[docno]
        return self._rows[key]

    def told(self, number: int, limit: int) -> list[Any]:
        """Give docno, number of the speaker or role, time and text, cut after so many characters.

        The time is in minutes since 1970, blank where there is none.
        """
        docno, who, when, text = self._told[number]
        return [docno, who, when, text if len(text) <= limit else f"{cut(text, limit).rstrip()}…"]

    def sizes(self, limit: int) -> list[int]:
        """Give the bytes that each message takes in JSON, about."""
        every = (self.told(number, limit) for number in range(len(self._told)))
        return [len(json.dumps(one, ensure_ascii=False).encode()) for one in every]

    def _message(self, corpus: Corpus, row: int, docno: str) -> tuple[str, int, Any, str]:
        names = ("speaker", "role", "time", "text")
        at = {name: corpus.column(name)[row].as_py() for name in names}
        number = self._person(at["speaker"] or at["role"] or "")
        time = instant(at["time"])
        when = "" if time is None else time // MINUTE
        return safe(docno, 80), number, when, safe(at["text"] or "", LONGEST)

    def _person(self, name: str) -> int:
        if name not in self._named:
            self._named[name] = self.people.setdefault(safe(name, NAME), len(self.people))
        return self._named[name]
