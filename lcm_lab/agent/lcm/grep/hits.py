"""Rows that were found, as hits: what each is, and the piece of it that tells why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from lcm_lab.agent.lcm.grep.fold import Entry, message_of
from lcm_lab.agent.lcm.grep.result import Hit
from lcm_lab.agent.lcm.grep.rows import time_of
from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.corpus import Corpus

__all__ = ["Tell", "hit_of", "holding", "row_entry"]

#: Gives the snippet of a text, and what matched where that is known from the text alone.
Tell = Callable[[str], tuple[str, str]]


def hit_of(corpus: Corpus, entry: Entry, tell: Tell, score: float | None) -> Hit:
    """Make the hit of an entry."""
    row = entry.row
    snippet, found = tell(str(corpus.column("text")[row].as_py()))
    made = Hit(
        entry.id,
        "summary" if entry.is_summary else "message",
        snippet,
        entry.conversation,
        time_of(corpus, row),
        score,
        entry.words or ((found,) if found else ()),
        also=tuple(entry.also),
    )
    return _summary(made, corpus, row) if entry.is_summary else _message(made, corpus, entry)


def row_entry(corpus: Corpus, row: int) -> Entry:
    """Give a row as an entry of its own."""
    name, kind = message_of(corpus, row)
    return Entry(row, name, str(corpus.column("conversation")[row].as_py()), kind)


def holding(corpus: Corpus, asked: Asked, rows: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Tell which pieces of a question each row holds."""
    rising = np.array(sorted(rows), np.int64)
    held: dict[int, list[str]] = {int(row): [] for row in rising}
    for piece in asked.pieces:
        for row in piece.rows(corpus, rising).tolist():
            held[row].append(piece.said)
    return {row: tuple(words) for row, words in held.items()}


def _summary(made: Hit, corpus: Corpus, row: int) -> Hit:
    written = str(corpus.column("depth")[row].as_py() or "") if "depth" in corpus.columns else ""
    depth = int(written) if written.isdecimal() else 0
    return replace(made, kind="condensed" if depth else "leaf", depth=depth)


def _message(made: Hit, corpus: Corpus, entry: Entry) -> Hit:
    role = str(corpus.column("role")[entry.row].as_py() or "")
    return replace(made, role=role, part=entry.kind, covered=entry.covered)
