"""Lists as lossless-claw's ``lcm_grep`` makes them: a table each, repeats included, then its limit.

It asks FTS5 for every word, looks at text alone, and tries patterns on the newest rows of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lcm_lab.agent.lcm.grep.fold import Entry
from lcm_lab.agent.lcm.grep.hits import Tell, hit_of, row_entry
from lcm_lab.agent.lcm.grep.pattern import Places
from lcm_lab.agent.lcm.grep.reference import SCANNED, refusal, regex_allowed
from lcm_lab.agent.lcm.grep.result import Hit
from lcm_lab.agent.lcm.grep.rows import Sort, newest, ranked
from lcm_lab.agent.lcm.grep.snippet import shown
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.text import around, window
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.match import like_terms
from lcm_lab.ranking.exact.whole import Regex
from lcm_lab.ranking.named.reference import LosslessClaw
from lcm_lab.rows import Rows, rows_of
from lcm_lab.text import clean

__all__ = ["pattern_lists", "word_lists"]

#: The index that its ranks come from.
INDEX = FTS5(apart="scope", compat="lossless-claw")


def word_lists(
    history: History, query: str, tables: Sequence[Rows], sort: Sort, limit: int
) -> list[Hit]:
    """List messages, and then summaries, that hold every word.

    Raises
    ------
    BadParameter
        For what it takes for a regular expression.
    """
    query = clean(query)
    syntax = refusal(query)
    if syntax:
        raise BadParameter(
            f"full_text mode does not read regular expressions; {query!r:.80} holds {syntax}. Use "
            "mode='regex', one to three literal words, or one quoted phrase."
        )
    policy = LosslessClaw(sort, "reference")
    hits = list[Hit]()
    terms = like_terms(query)
    for allowed in tables:
        try:
            rows, _ = ranked(history, policy, query, allowed, limit)
        except EmptyQuery:
            continue  # there, what holds no word finds nothing
        scores = _ranks(history, query, rows)
        hits += _hits(history, rows.tolist(), lambda text: (_around(text, terms), ""), scores)
    return hits


def pattern_lists(history: History, pattern: str, tables: Sequence[Rows], limit: int) -> list[Hit]:
    """List messages, and then summaries, that match; a pattern that is refused finds nothing."""
    if not regex_allowed(pattern):
        return []
    hits = list[Hit]()
    match, tell = _matching(history, pattern)
    for allowed in tables:
        rows = newest(history.corpus(), rows_of(allowed))[:SCANNED]
        found = rows[match(rows)][:limit]
        hits += _hits(history, found.tolist(), tell, {int(row): 0.0 for row in found})
    return hits


def _matching(history: History, pattern: str) -> tuple[Callable[..., np.ndarray], Tell]:
    if not pattern:  # there, it matches every row
        return (lambda rows: np.ones(len(rows), bool)), (lambda _: ("", ""))
    places, scorer = Places(pattern), Regex()
    index = scorer.index(history.corpus())

    def tell(text: str) -> tuple[str, str]:
        start, stop = next(places.spans(text), (0, 0))
        plain, at = window(text, start)
        found = shown(plain, at, text[start:stop])
        return (found, found) if found else (around(plain, at), "")

    return (lambda rows: scorer.hits(index, pattern, rows)), tell


def _hits(history: History, rows: list[int], tell: Tell, scores: dict[int, float]) -> list[Hit]:
    corpus = history.corpus()
    entries: list[Entry] = [row_entry(corpus, row) for row in rows]
    return [hit_of(corpus, entry, tell, scores[entry.row]) for entry in entries]


def _ranks(history: History, query: str, rows: np.ndarray) -> dict[int, float]:
    """Give its ranks: minus the score of the index, so that less is better."""
    index = INDEX.index(history.corpus())
    offsets = np.array([0, len(rows)])
    scores = INDEX.rescore(index, [query], offsets, rows)
    return {int(row): -float(score) for row, score in zip(rows, scores, strict=True)}


def _around(text: str, terms: list[str]) -> str:
    lowered = text.lower()
    found = [lowered.find(term) for term in terms if term in lowered]
    return around(*window(text, min(found, default=0)))
