"""What lies on a worker: the rows of whole conversations, and what rankers made of them.

All of it is made from a file by tasks, so that Dask makes it anew where a worker dies; what is kept
beside a task's result is only what another task would otherwise work out again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.dense.ladder import EXACT
from lcm_lab.ranking.dense.passages import spoken
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.lexical.postings import Postings, keys, transposed
from lcm_lab.ranking.lexical.terms import Listed
from lcm_lab.ranking.named.openclaw import Saturated
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.steps.order import Newest
from lcm_lab.rows import Rows
from lcm_lab.run import Hits
from lcm_lab.scale.files import table
from lcm_lab.scale.words import Reads, Whole, Words, counted
from lcm_lab.text import Tokens

__all__ = [
    "Built", "Part", "Plan", "column", "counts", "learns", "lengths", "light", "mapped", "passages",
    "ready", "rescore", "taught", "terms", "texts", "topk", "viewed",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Part:
    """The rows of one shard; between processes it travels as the path of its file."""

    def __init__(self, path: str) -> None:
        self.path, self.corpus = path, Corpus(table(path))
        self._read: dict[Reads, Tokens] = {}

    def __reduce__(self) -> Any:
        """Travel as a path."""
        return Part, (self.path,)

    def __sizeof__(self) -> int:
        """Tell Dask how costly it would be to move, and to hold."""
        return int(self.corpus._table.nbytes)

    def tokens(self, reads: Reads) -> Tokens:
        """Give the terms of each row, numbered as they first appear here."""
        analyzer, fields = reads
        if reads not in self._read:
            self._read[reads] = analyzer.analyze(self.corpus.view(fields))
        return self._read[reads]

    def forward(self, reads: Reads, whole: Whole) -> Tokens:
        """Give the terms of each row, numbered as in the whole; kept from then on."""
        made = self.corpus.memo(keys(*reads)[1], lambda: self._numbered(reads, whole))
        self._read.pop(reads, None)
        return made  # type: ignore[no-any-return]

    def lists(self, reads: Reads, whole: Whole) -> None:
        """Put posting lists with the numbers and statistics of the whole under the corpus."""
        key, of_tokens = keys(*reads)
        there = self.corpus.kept(key)
        if there is not None and there.whole is not None:
            return
        kept = self.corpus.kept(of_tokens)
        tokens = self._numbered(reads, whole) if kept is None else kept
        lengths = np.asarray(tokens.lengths, np.int64)
        lists = transposed(tokens, len(whole.stop))
        made = Postings(
            reads[0], whole.terms(), *lists, lengths, whole.stop, whole=whole.statistics
        )
        self.corpus._memo[key] = made  # in the place of lists that know this shard alone
        self._read.pop(reads, None)

    def _numbered(self, reads: Reads, whole: Whole) -> Tokens:
        tokens = self.tokens(reads)
        return Tokens(
            whole.numbered(tokens),
            tokens.offsets,
            tokens.lengths,
            Listed(whole.terms()),
            whole.stop,
        )


def light(part: Part) -> pa.Table:
    """Give every column but the text."""
    return part.corpus._table.drop_columns(["text"])


def mapped(part: Part, function: Callable[[Corpus], Any]) -> Any:
    """Work something out that says of each row what that row alone decides."""
    return function(part.corpus)


def counts(part: Part, reads: Reads) -> Words:
    """Count the terms of a shard."""
    return counted(part.tokens(reads))


def terms(part: Part, rows: Ints, reads: Reads, whole: Whole) -> tuple[Ints, npt.NDArray[np.int32]]:
    """Give how many terms each of some rows has, and all of them end to end."""
    tokens = part.forward(reads, whole)
    _, ids = tokens.of(rows)
    return tokens.offsets[rows + 1] - tokens.offsets[rows], ids


def texts(part: Part, rows: Ints) -> list[str]:
    """Give the texts of some rows."""
    return part.corpus.texts(rows)


def viewed(part: Part, rows: Ints, fields: Sequence[str]) -> list[str]:
    """Give the text that a scorer would index of some rows."""
    some = Corpus.__new__(Corpus)
    some._table, some._memo = part.corpus._table.take(pa.array(rows)), {}
    return list(some.view(fields).to_pylist())


def lengths(part: Part, reads: Reads) -> Ints:
    """Give the positions of each row that are no stop words."""
    return np.asarray(part.tokens(reads).lengths, np.int64)


def column(part: Part, name: str) -> pa.ChunkedArray:
    """Give a column of a shard."""
    return part.corpus.column(name)


def passages(part: Part, dense: Dense) -> list[str]:
    """Give what an encoder would learn from."""
    rows = spoken(part.corpus, dense.fields, dense.chunk)
    return [passage for row in rows for passage in row]


def taught(encoder: Any, *parts: list[str]) -> Taught:
    """Let an encoder learn from the texts of all shards."""
    return Taught(encoder, encoder.fit([text for part in parts for text in part]))


class Taught:
    """An encoder that has learned."""

    def __init__(self, encoder: Any, state: Any) -> None:
        self.encoder, self.state = encoder, state

    def __repr__(self) -> str:
        return repr(self.encoder)

    def fit(self, texts: Sequence[str]) -> Any:
        """Give what was learned, whatever the texts."""
        del texts  # those of one shard
        return self.state

    def encode(self, state: Any, texts: Sequence[str], kind: Any = "document") -> Any:
        """Give the vectors of texts."""
        return self.encoder.encode(state, texts, kind)


@dataclass(frozen=True, eq=False)
class Plan:
    """What a shard needs of the others to index itself for a scorer.

    Attributes
    ----------
    reads : list of Reads
        How the scorer's parts read texts; a `Whole` goes with each.
    places : float64 array of shape (n_rows,), or None
        The place of each row in time, among the rows of all shards.
    """

    scorer: Scorer
    reads: list[Reads]
    places: Floats | None = None


class Built:
    """A scorer's index of one shard; between processes it travels as what it is made of."""

    def __init__(self, part: Part, plan: Plan, wholes: list[Whole], made: list[Taught]) -> None:
        self._made_of = (part, plan, wholes, made)
        for reads, whole in zip(plan.reads, wholes, strict=True):
            part.lists(reads, whole)
        if plan.places is not None:
            part.corpus._memo["places"] = plan.places
        self.scorer = settled(plan.scorer, len(part.corpus), iter(made))
        self.index = self.scorer.index(part.corpus)

    def __reduce__(self) -> Any:
        """Travel as what it is made of."""
        return Built, self._made_of

    def __sizeof__(self) -> int:
        """Tell Dask that it had better stay where it is."""
        reads = [self._made_of[0].corpus.kept(keys(*one)[0]) for one in self._made_of[1].reads]
        held = sum(lists.rows.nbytes + lists.values.nbytes for lists in reads)
        return self._made_of[0].__sizeof__() + int(held)


def ready(made: Built) -> None:
    """Give nothing, once a shard is indexed."""
    del made


def settled(scorer: Any, size: int, made: Any) -> Any:
    """Give a scorer whose encoders have learned, and whose searches of vectors are exact."""
    if isinstance(scorer, Dense):
        encoder = next(made) if learns(scorer) else scorer.encoder
        eager = scorer.scan == "auto" and not scorer.lazy
        scan = ("exact" if size <= EXACT else "sq8") if eager else scorer.scan
        return replace(scorer, encoder=encoder, scan=scan)
    if isinstance(scorer, Saturated | Newest):
        return replace(scorer, inner=settled(scorer.inner, size, made))
    return scorer


def learns(dense: Dense) -> bool:
    """Tell whether an encoder learns from the corpus: a model has a version, a function no state.

    >>> learns(Dense())
    True
    """
    encoder = dense.encoder
    return hasattr(encoder, "fit") and getattr(encoder, "version", None) is None


def topk(made: Built, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
    """Give the k best allowed rows of a shard for each question."""
    return made.scorer.topk(made.index, queries, k, rows)  # type: ignore[no-any-return]


def rescore(made: Built, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
    """Score given rows of a shard."""
    return made.scorer.rescore(made.index, queries, offsets, rows)  # type: ignore[no-any-return]
