"""Dense: ranking by the cosine between the vectors of question and message."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.dense.embedder import Embedder, Encoder, check_encoder
from lcm_lab.ranking.dense.ladder import SCANS, Scan, build
from lcm_lab.ranking.dense.lsa import LSA
from lcm_lab.ranking.dense.nearest import Eager, Lazy, Ranked, encoded, exact
from lcm_lab.ranking.dense.passages import spoken
from lcm_lab.ranking.scorer import Scorer, gathered
from lcm_lab.rows import Rows, count
from lcm_lab.run import Hits, Run
from lcm_lab.values import Named, value

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search

__all__ = ["Dense"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]

#: What of a row is encoded: who said what, and when.
FIELDS = ("date", "speaker", "text")


@value
class Dense(Scorer):
    """Cosine between the vectors of question and message; opposite ones are no hits.

    Parameters
    ----------
    encoder : Encoder or Named
        `LSA` needs no model; `MiniLM` is the best that comes here, `WordLlama` the fastest.
    fields : tuple of str
        What of a row is encoded: columns of the corpus, and ``date``, the day in words.
    chunk : int or None
        Words of a passage: a message counts as near as its nearest passage. None encodes messages
        whole, of which an encoder may read no more than the beginning. Passages favour long
        messages: on BEAM, MiniLM alone has an nDCG@10 of .50 whole and .40 by 110 words (n = 96).
    scan : {"auto", "exact", "sq8", "ivf", "hnsw"}
        How all vectors are searched; see the notes.
    lazy : bool
        Encode only what other rankers have found: no candidates of its own, and as a term of a sum
        the cosine itself, not a share of the topic's best.

    Notes
    -----
    "exact" reads every vector, "sq8" an eighth-bit copy and then, exactly, whatever may be among
    the best: both give what the definition gives. "ivf" looks into 64 lists of an inverted file,
    "hnsw" walks a graph with a beam of 1,024; they miss some hits (`recall` says how many), and
    score what they find exactly. "auto" is exact up to 100,000 vectors, "sq8" up to 1,000,000, and
    "ivf" beyond. Rows that a filter narrows to 15 % or less are always read exactly, and so are
    fewer than 1,000.

    Why lazy scores are not shares: the best of the candidates depends on how many there are, the
    best of all rows is not known. A cosine depends on neither, so a fused score does not either.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> said = ["my cat purrs", "the cat sleeps", "stocks fell again", "sell the stocks"]
    >>> search = (lcm.Dense(lcm.LSA(2)) % 2).fit(lcm.Corpus(said))
    >>> search("a purr")["docno"].tolist()
    ['m1', 'm2']
    """

    encoder: Encoder | Named = field(default_factory=LSA)
    fields: tuple[str, ...] = FIELDS
    chunk: int | None = None
    scan: Scan = "auto"
    lazy: bool = False

    @property
    def retrieves(self) -> bool:  # type: ignore[override]
        """Whether it brings candidates; when lazy it does not."""
        return not self.lazy

    def check(self) -> None:
        """Refuse what is no encoder, and parameters out of range."""
        check_encoder(self.encoder)
        checks.texts("fields", self.fields, FIELDS)
        if self.chunk is not None:
            checks.whole("chunk", self.chunk)
        if self.scan not in SCANS:
            there = ", ".join(map(repr, SCANS))
            close = nearest(str(self.scan), SCANS)
            raise BadParameter(f"scan must be one of {there}. Got {self.scan!r}.{close}")
        if not isinstance(self.lazy, bool):
            raise BadParameter(f"lazy must be True or False. Got {self.lazy!r}.")
        if self.lazy and self.scan != "auto":
            raise BadParameter(f"lazy=True searches nothing: leave scan={self.scan!r} out.")

    def index(self, corpus: Corpus) -> Eager | Lazy:
        """Encode every row, or make ready to."""
        texts = spoken(corpus, self.fields, self.chunk)
        embedder = Embedder(self.encoder, [passage for row in texts for passage in row])
        if self.lazy:
            return Lazy(embedder, texts)
        made = encoded(embedder, texts)
        return Eager(embedder, made, build(self.scan, made.vectors))

    def score(self, index: Eager | Lazy, queries: Sequence[str]) -> Floats:
        """Score every document for every query.

        Returns
        -------
        ndarray of shape (n_queries, n_docs), float64
            Cosines, 0 where they would be less; higher is better.
        """
        rows = slice(0, len(index))
        return index.cosines(self._asked(index, queries), rows).astype(np.float64)

    def topk(
        self, index: Eager | Lazy, queries: Sequence[str], k: int, rows: Sequence[Rows]
    ) -> Hits:
        """Give the k best of the allowed rows for each query; `scan` says what may be missed."""
        return _best(index, self._asked(index, queries), k, rows)

    def rescore(
        self, index: Eager | Lazy, queries: Sequence[str], offsets: Ints, rows: Ints
    ) -> Floats:
        """Score given rows; shape (n_hits,), float64."""
        return _rescored(index, self._asked(index, queries), offsets, rows)

    def recall(self, index: Eager | Lazy, queries: Sequence[str], k: int = 10) -> float:
        """Give the share of the exact k best of all rows that the index finds, over all queries."""
        asked, rows = self._asked(index, queries), slice(0, len(index))
        found, wanted = index.best(asked, k, rows), exact(index, asked, k, rows)
        both = sum(len(np.intersect1d(a, b)) for (a, _), (b, _) in zip(found, wanted, strict=True))
        return both / max(sum(len(best) for best, _ in wanted), 1)

    def retrieve(self, search: Search, k: int) -> Run:
        """Give the k best hits of every topic; lazy, it has none."""
        if self.lazy:
            return Ranker.retrieve(self, search, k)
        return super().retrieve(search, k)

    def weigh(self, search: Search, run: Run, scores: Floats) -> Floats:
        """Give scores as shares of the best hit for the topic; lazy, the cosines themselves."""
        return search.scores(self, run) if self.lazy else super().weigh(search, run, scores)

    def _hits(self, search: Search, k: int) -> Hits:
        return _best(search.indexes[self], self._questions(search), k, search.topics.rows)

    def _scores(self, search: Search, run: Run) -> Floats:
        whole = None if self.lazy else search.everything()
        if whole is None:
            return self._given(search, run)
        known = search.topics.memo(("everything", self), lambda: self._given(search, whole))
        return gathered(whole, known, run)

    def _given(self, search: Search, run: Run) -> Floats:
        return _rescored(search.indexes[self], self._questions(search), run.offsets, run.rows)

    def _questions(self, search: Search) -> Vectors:
        """Encode the questions of a batch once."""
        index, topics = search.indexes[self], search.topics
        made = topics.memo(("questions", self), lambda: self._asked(index, topics.queries))
        return np.asarray(made, np.float32)

    def _asked(self, index: Eager | Lazy, queries: Sequence[str]) -> Vectors:
        if not len(index):  # nothing was encoded, so how wide vectors are is not known
            return np.zeros((len(queries), 1), np.float32)
        return index.embedder.questions(queries)

    def _role(self) -> str:
        return "scores what others found"


def _best(index: Eager | Lazy, questions: Vectors, k: int, rows: Sequence[Rows]) -> Hits:
    """Give the k best rows of each question, those that see the same rows together."""
    lists: list[Ranked] = [(np.empty(0, np.int64), np.empty(0))] * len(rows)
    together: dict[object, list[int]] = {}
    for i, allowed in enumerate(rows):
        key = (allowed.start, allowed.stop) if isinstance(allowed, slice) else id(allowed)
        if count(allowed):
            together.setdefault(key, []).append(i)
    for which in together.values():
        ranked = index.best(questions[which], k, rows[which[0]])
        for i, one in zip(which, ranked, strict=True):
            lists[i] = one
    return Hits.stack(lists)


def _rescored(index: Eager | Lazy, questions: Vectors, offsets: Ints, rows: Ints) -> Floats:
    if isinstance(index, Lazy):
        index.need(rows)  # in one go: encoders are faster with more texts
    parts = [
        index.cosines(questions[i : i + 1], rows[a:b])[0].astype(np.float64)
        for i, (a, b) in enumerate(itertools.pairwise(offsets.tolist()))
        if a < b
    ]
    return np.concatenate(parts or [np.empty(0)])
