"""Reading under summaries: what lies there, the most promising first, within tokens and levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lcm_lab.agent.lcm.expansion.buckets import Bucket
from lcm_lab.agent.lcm.expansion.budget import Deadline
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.grep.fold import message_of
from lcm_lab.agent.lcm.grep.rows import ranked, time_of
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.reader import Passage, excerpt
from lcm_lab.corpus import Corpus
from lcm_lab.redact import redact
from lcm_lab.rows import tidy
from lcm_lab.text import count_tokens

__all__ = ["Reading", "read_under"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The rows that a message may have.
ROWS = ("", "#tool_call", "#tool_result", "#summary")
#: How often a grant's levels are walked, each time from where the last one stopped; how many nodes
#: are followed; and how many rows are ranked.
PASSES, FOLLOWED, RANKED = 3, 20, 50
#: Why something cannot be read that no limit keeps out.
UNSOUND = {"missing": "missing", "cycle": "under itself"}
#: Room, in tokens, for which a piece of what does not fit is still worth reading.
PIECE = 40


@dataclass
class Reading:
    """What a worker read.

    Attributes
    ----------
    passages : list of Passage
        Best first.
    tokens : int
    summaries : set of str
        Those under which something was read, and those that were read.
    truncated : bool
        Whether something was left out that was to be read.
    unsound : dict of str to str
        What lies under the summaries and is not there, or lies under itself, and which of the two.
    """

    passages: list[Passage] = field(default_factory=list)
    tokens: int = 0
    summaries: set[str] = field(default_factory=set)
    truncated: bool = False
    unsound: dict[str, str] = field(default_factory=dict)


def read_under(
    history: History, bucket: Bucket, question: str, grant: Grant, deadline: Deadline
) -> Reading:
    """Read what lies under the summaries of a bucket, and the messages that lie under none.

    A policy ranks what a grant's levels reach, and the best is read first, as far as its tokens go;
    what does not fit is passed over, or read in part. Where all levels are walked, the best of what
    lies deeper is followed. Of summaries that were named, the rest is read too, in its order.
    """
    grant.check(bucket.conversation)
    walk = _Walk(history, bucket, question, grant)
    if history.compat:
        walk.as_reference()
        return walk.reading
    for row, worth in walk.order(walk.reach(), everything=bucket.explicit):
        deadline.check()
        walk.take(int(row), worth)
    return walk.reading


@dataclass
class _Walk:
    """A worker on its way through one conversation."""

    history: History
    bucket: Bucket
    question: str
    grant: Grant
    reading: Reading = field(default_factory=Reading)

    def reach(self) -> list[str]:
        """Give the ids within reach, and follow the best of what lies deeper."""
        dag, corpus = self.history.dag(self.bucket.conversation), self.history.corpus()
        ids = dict.fromkeys((*self.bucket.summaries, *self.bucket.raw))
        seeds = [name for name in ids if name in dag]
        for _ in range(PASSES):
            below = dag.expand(seeds, self.grant.allowed()[1])
            ids |= dict.fromkeys(node.id for node in below.nodes)
            self.reading.unsound |= {
                cut.id: UNSOUND[cut.why] for cut in below.cut if cut.why in UNSOUND
            }
            deeper = [cut.id for cut in below.cut if cut.why == "depth" and cut.id not in ids]
            best = self.order(deeper, everything=False)
            found = dict.fromkeys(message_of(corpus, row)[0] for row, _ in best)
            seeds = list(found)[:FOLLOWED]
            self.reading.truncated |= len(deeper) > len(seeds)
            ids |= dict.fromkeys(seeds)
            if not seeds:
                break
        return list(ids)

    def order(self, ids: Sequence[str], *, everything: bool) -> Iterator[tuple[int, float]]:
        """Yield rows and what each is worth, 1 for the best: messages, or summaries if none is.

        Everything else follows, in its order, where that is asked for.
        """
        corpus, dag = self.history.corpus(), self.history.summaries(self.bucket.conversation)
        said = _rows(corpus, [name for name in ids if name not in dag], ROWS)
        made = _rows(corpus, [name for name in ids if name in dag])
        given: set[int] = set()
        for some in (said, made):
            if len(some) and not given:
                best = ranked(self.history, self.history.search, self.question, tidy(some), RANKED)
                for row, worth in _worths(*best):
                    given.add(row)
                    yield row, worth
        if everything:
            rest = (*made.tolist(), *said.tolist())
            yield from ((row, 0.0) for row in rest if row not in given)

    def take(self, row: int, worth: float) -> None:
        """Read a row, whole or in part, if there is room."""
        left, text = self.grant.remaining, self._text(row)
        size = count_tokens(text)
        if size > left:
            self.reading.truncated = True
            if left < PIECE:
                return
            text = excerpt(text, self.question, left)
            size = count_tokens(text)
        self._add(row, text, worth, size)
        self.grant.spend(size)

    def as_reference(self) -> None:
        """Read on from each summary in turn until the first thing that does not fit."""
        dag, corpus = self.history.dag(self.bucket.conversation), self.history.corpus()
        tokens, depth = self.grant.allowed()
        seeds = self.bucket.summaries
        found = dag.expand(seeds, depth, tokens, messages=True, compat="reference")
        for node in found.nodes:
            (row,) = corpus.row_of([node.id]).tolist()
            if row >= 0:
                self._add(row, self._text(row), 0.0, dag.size(node.id))
        self.reading.summaries.update(seeds)
        self.reading.truncated = found.truncated
        self.grant.spend(found.tokens)

    def _text(self, row: int) -> str:
        return redact(str(self.history.corpus().column("text")[row].as_py())).text

    def _add(self, row: int, text: str, worth: float, size: int) -> None:
        passage = _passage(self.history, self.bucket.conversation, row, text, worth)
        self.reading.passages.append(passage)
        self.reading.tokens += size
        if passage.under:
            self.reading.summaries.add(passage.under)


def _worths(rows: Ints, scores: Floats) -> Iterator[tuple[int, float]]:
    """Yield ranked rows with their scores as shares of the best one."""
    top = float(scores[0]) if len(scores) else 0.0
    for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
        yield row, max(score / top, 0.0) if top > 0 else 0.0


def _rows(corpus: Corpus, ids: Iterable[str], parts: Sequence[str] = ("",)) -> Ints:
    """Give the rows of some ids, rising."""
    found = corpus.row_of([f"{name}{part}" for name in ids for part in parts])
    return np.sort(found[found >= 0])


def _passage(history: History, conversation: str, row: int, text: str, worth: float) -> Passage:
    corpus = history.corpus()
    name, kind = message_of(corpus, row)
    who = str(corpus.column("speaker")[row].as_py() or corpus.column("role")[row].as_py() or "")
    under = name if kind == "node" else history.leaf_over(conversation, name)
    time = time_of(corpus, row)
    return Passage(name, text, conversation, under, "" if kind == "node" else who, time, worth)
