"""What OpenClaw's own index answers: an index an agent, statistics of each its own.

Kept for measuring against. Its rows are the text blocks of users and assistants; hits of several
agents are merged by scores that do not compare, and what is written ends before the match where
words are long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lcm_lab.agent.sessions.listed import Sessions
from lcm_lab.agent.sessions.result import SessionHit
from lcm_lab.agent.sessions.visibility import agent_of, is_incognito
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import EmptyQuery
from lcm_lab.messages import Message
from lcm_lab.ranking.exact.match import matching
from lcm_lab.ranking.named.reference import SessionsSearch
from lcm_lab.ranking.searcher import Searcher
from lcm_lab.redact import redact
from lcm_lab.run import Run

__all__ = ["Agents", "best_first", "excerpts", "shortened"]

TOKENIZE = "unicode61 remove_diacritics 2"
#: The most an index gives; characters of a snippet that the index keeps, and then the tool.
MOST, STORED, GIVEN = 25, 500, 300
SEPARATOR = " \u2026 "


@dataclass(frozen=True)
class Agents:
    """The indexes, one an agent; those that a rewind left behind and incognito ones are in none."""

    searchers: tuple[Searcher, ...]

    @classmethod
    def of(cls, sessions: Sessions, said: Iterable[tuple[str, Message]]) -> Agents:
        """Index messages, given with the conversation of each."""
        found: dict[str, list[dict[str, object]]] = {}
        for conversation, message in said:
            key, text = sessions.key_of(conversation), _text(message)
            if text and not is_incognito(key):
                row: dict[str, object] = {
                    "docno": f"{conversation}/{message.id}",
                    "text": text,
                    "conversation": conversation,
                    "role": message.role,
                    "message": message.id,
                    "time": _stamp(message.time),
                }
                found.setdefault(agent_of(key, sessions.visible.agent), []).append(row)
        policy = SessionsSearch("reference")
        return cls(tuple(policy.fit(Corpus(rows)) for rows in found.values()))

    def hits(self, query: str, sessions: Sessions, names: Collection[str]) -> list[SessionHit]:
        """Give the hits in some conversations, best first; none for a question without a word."""
        found: list[SessionHit] = []
        for search in self.searchers:
            try:
                run = search.run(query, k=MOST + 1, conversation=list(names))
            except EmptyQuery:
                return []
            found += _hits(query, run, sessions)
        return best_first(found)


def _hits(query: str, run: Run, sessions: Sessions) -> Iterator[SessionHit]:
    columns = (
        run.corpus.column(name).take(run.rows).to_pylist()
        for name in ("conversation", "message", "role", "text")
    )
    *told, texts = columns
    times = run.corpus.numpy("time")[run.rows].tolist()
    for name, message, role, snippet, time, score in zip(
        *told, excerpts(query, texts), times, run.scores.tolist(), strict=True
    ):
        when = None if time == NO_TIME else time
        key = sessions.key_of(name)
        yield SessionHit(key, name, message, role, shortened(snippet), when, score)


def best_first(hits: Sequence[SessionHit]) -> list[SessionHit]:
    """Order hits by score, then the newest first, then by key and message."""
    unknown = int(np.iinfo(np.int64).min)
    return sorted(
        hits,
        key=lambda hit: (
            -hit.score,
            -(unknown if hit.time is None else hit.time),
            hit.key,
            hit.message,
        ),
    )


def excerpts(query: str, texts: Sequence[str]) -> list[str]:
    """Cut 48 words out of each text, as SQLite does it; "" for a text that is no hit."""
    expression = matching(query, "all", "openclaw")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create virtual table t using fts5(text, tokenize='{TOKENIZE}')")
        connection.executemany(
            "insert into t(rowid, text) values (?, ?)", enumerate(texts, start=1)
        )
        ask = "select rowid, snippet(t, 0, '', '', ?, 48) from t where t match ?"
        made = dict(connection.execute(ask, (SEPARATOR, expression)).fetchall())
    return [made.get(at, "") for at in range(1, len(texts) + 1)]


def shortened(snippet: str) -> str:
    """Bound a snippet as the original does, which keeps its head even if the match is behind."""
    return _cut(_cut(snippet, STORED), GIVEN)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "\u2026"


def _stamp(us: int | None) -> pd.Timestamp | None:
    return None if us is None else pd.Timestamp(us, unit="us", tz="UTC")


def _text(message: Message) -> str:
    """Give what is indexed of a message: blocks of text that are not blank, without secrets.

    The original takes them out before it stores and indexes a message, so none can be cut in two.
    """
    if not message.active or message.role not in ("user", "assistant", ""):
        return ""
    said = (part.text for part in message.parts if part.kind == "text")
    return redact("\n".join(text for text in said if text.strip())).text
