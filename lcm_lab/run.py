"""A run: the ranked hits of every topic, as three arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab import utf8, whole
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.listing import Listed
from lcm_lab.ordering import LEAST, best_first, least, ordered
from lcm_lab.topics import Topics

__all__ = ["Hits", "Run", "best_first", "finite"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Hits(NamedTuple):
    """Bare hits of several topics: those of topic i are ``offsets[i]:offsets[i + 1]``."""

    offsets: Ints
    rows: Ints
    scores: Floats

    @classmethod
    def stack(cls, lists: list[tuple[Ints, Floats]]) -> Hits:
        """Put the (rows, scores) of each topic end to end."""
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(rows) for rows, _ in lists], out=offsets[1:])
        if len(lists) == 1:
            return cls(offsets, *lists[0])
        rows = np.concatenate([rows for rows, _ in lists] or [np.empty(0, np.int64)])
        scores = np.concatenate([scores for _, scores in lists] or [np.empty(0)])
        return cls(offsets, rows.astype(np.int64, copy=False), scores)


def finite(scores: npt.NDArray[Any], who: object) -> Floats:
    """Give scores as float64 with 0, no hit, where they are not finite; a warning counts those."""
    scores = np.asarray(scores, np.float64)
    wrong = ~np.isfinite(scores)
    if wrong.any():
        warnings.warn(
            f"{who!r} gave {wrong.sum()} scores that are not finite; those documents are no hits.",
            RuntimeWarning,
            stacklevel=2,
        )
        scores = np.where(wrong, 0.0, scores)
    return scores


@dataclass(frozen=True, eq=False, repr=False)
class Run(Listed):
    """Ranked hits for every topic.

    Attributes
    ----------
    topics, corpus : Topics, Corpus
    offsets : int64 array of shape (n_topics + 1,)
        Hits of topic i are ``offsets[i]:offsets[i + 1]``, best first.
    rows : int64 array of shape (n_hits,)
        Corpus rows.
    scores : float64 array of shape (n_hits,)
        Above 0, never rising within a topic; ties stand in corpus order.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.BM25().fit(lcm.Corpus(["use WAL", "drop the table"]))
    >>> search.run(["which table?", "wal"]).frame()[["qid", "docno", "rank"]].values.tolist()
    [['q1', 'm2', 1], ['q2', 'm1', 1]]
    """

    topics: Topics
    corpus: Corpus
    offsets: Ints
    rows: Ints
    scores: Floats

    @classmethod
    def of(cls, topics: Topics, hits: Hits) -> Self:
        """Make a run of bare hits."""
        return cls(topics, topics.corpus, *hits)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Run of {len(self):,} hits for {len(self.topics):,} topics"

    def __iter__(self) -> Iterator[tuple[str, Ints, Floats]]:
        """Walk over (qid, rows, scores), a topic at a time."""
        for i, qid in enumerate(self.topics.qids):
            part = slice(self.offsets[i], self.offsets[i + 1])
            yield qid, self.rows[part], self.scores[part]

    @property
    def topic(self) -> Ints:
        """Position of the topic of each hit; shape (n_hits,)."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @property
    def keys(self) -> Ints:
        """A number for each hit that tells topic and row; shape (n_hits,)."""
        if len(self.topics) == 1:
            return self.rows
        return self.topic * max(len(self.corpus), 1) + self.rows

    @property
    def rank(self) -> Ints:
        """Rank of each hit, from 1; shape (n_hits,)."""
        return np.arange(1, len(self) + 1) - np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def frame(self) -> pd.DataFrame:
        """Give the hits as a DataFrame: qid, docno, rank, score, conversation, time, text."""
        taken = self.corpus.memo("shown", lambda: _shown(self.corpus)).iloc[self.rows]
        head = {
            "qid": np.array(self.topics.qids, object)[self.topic],
            "docno": taken["docno"].to_numpy(),
            "rank": self.rank,
            "score": self.scores,
        }
        return pd.DataFrame(head).join(taken.drop(columns="docno").reset_index(drop=True))

    def take(self, which: Ints) -> Run:
        """Keep the hits at these positions, in this order; topics must stay together."""
        if len(self.topics) == 1:
            offsets = np.array((0, len(which)))
        else:
            offsets = np.searchsorted(self.topic[which], np.arange(len(self.topics) + 1))
        return Run(self.topics, self.corpus, offsets, self.rows[which], self.scores[which])

    def scored(self, scores: Floats, k: int | None = None) -> Run:
        """Give the same hits new scores, in their order, the k best of each topic; 0 is no hit."""
        kept = np.flatnonzero(scores >= (LEAST if k is None else least(self.offsets, scores, k)))
        rows, scores, offsets = self.rows[kept], scores[kept], np.searchsorted(kept, self.offsets)
        order = ordered(offsets, rows, scores)
        run = Run(self.topics, self.corpus, offsets, rows[order], scores[order])
        return run if k is None else run.top(k)

    def top(self, k: int) -> Run:
        """Keep the best k of each topic."""
        if len(self) == 0 or np.diff(self.offsets).max() <= k:
            return self
        which = np.arange(k) if len(self.topics) == 1 else np.flatnonzero(self.rank <= k)
        return self.take(which)

    def to_trec(self, path: str | Path, tag: str = "lcm_lab") -> None:
        """Write a TREC run: qid, Q0, docno, rank, -rank, tag.

        The score is minus the rank, so that tools which break ties in their own way read our order.
        White space and % inside ids are written as %XX.
        """
        rows, hits = np.unique(self.rows, return_inverse=True)
        docnos = [_bare(docno) for docno in self.corpus["docno"].to_numpy()[rows]]
        qids = [_bare(qid) for qid in self.topics.qids]
        tag = _bare(tag)
        lines = [
            f"{qids[topic]} Q0 {docnos[hit]} {rank} {-rank} {tag}\n"
            for topic, hit, rank in zip(
                self.topic.tolist(), hits.tolist(), self.rank.tolist(), strict=True
            )
        ]
        with whole.file(Path(path)) as part:
            part.write_text("".join(lines), encoding="utf-8", newline="\n")

    @classmethod
    def from_trec(cls, path: str | Path, topics: Topics) -> Run:
        """Read a TREC run over the corpus of ``topics``; ordered by score, ties by corpus row.

        Raises
        ------
        BadInput
            For lines that are not a run's, ids that the topics or the corpus do not have, or a
            document listed twice for one topic.
        """
        table = _read_trec(Path(path))
        known = {qid: i for i, qid in enumerate(topics.qids)}
        topic = np.array([known.get(qid, -1) for qid in table["qid"]], np.int64)
        rows = topics.corpus.row_of(table["docno"])
        for name, found in (("qid", topic), ("docno", rows)):
            if (found < 0).any():
                lost = table[name][int(np.argmax(found < 0))]
                raise BadInput(
                    f"{Path(path).name}: no {name} {lost!r} here ({sum(found < 0)} unknown)."
                )
        if len(set(zip(topic.tolist(), rows.tolist(), strict=True))) < len(rows):
            raise BadInput(f"{Path(path).name}: a document stands twice in one topic.")
        order = np.lexsort((rows, -table["score"].to_numpy(), topic))
        offsets = np.searchsorted(topic[order], np.arange(len(topics) + 1)).astype(np.int64)
        scores = table["score"].to_numpy(np.float64)[order]
        return cls(topics, topics.corpus, offsets, rows[order], scores)


def _shown(corpus: Corpus) -> pd.DataFrame:
    return pd.DataFrame({name: corpus[name] for name in ("docno", "conversation", "time", "text")})


def _bare(name: str) -> str:
    return "".join(quote(c) if c.isspace() or c == "%" else c for c in name)


def _read_trec(path: Path) -> pd.DataFrame:
    rows = [line.split() for line in utf8.read(path).splitlines() if line.strip()]
    for number, row in enumerate(rows, start=1):
        if len(row) != 6:
            raise BadInput(f"{path.name}, line {number}: a run line has 6 fields. Got {len(row)}.")
    named = [(unquote(row[0]), unquote(row[2]), row[4]) for row in rows]
    frame = pd.DataFrame(named, columns=["qid", "docno", "score"])
    scores = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        got = frame["score"].iloc[wrong[0]]
        raise BadInput(f"{path.name}, line {wrong[0] + 1}: a score is a number. Got {got!r:.80}.")
    return frame.assign(score=scores)
