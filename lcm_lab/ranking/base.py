"""What a ranking policy is, and the operators that compose policies.

A policy is a value; nothing is computed until it is fitted. Four operators compose policies,
loosest first: ``a >> b`` (then), ``a + b`` (fuse), ``0.3 * a`` (weigh), ``a % 10`` (cut).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.run import Run
from lcm_lab.values import variants

if TYPE_CHECKING:
    from lcm_lab.ranking.search import Search
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["LIMIT", "Ranker"]

#: A retriever without a cut returns at most this many hits a topic.
LIMIT = 1000

Floats = npt.NDArray[np.float64]


class Ranker(ABC):
    """A ranking policy: a frozen value that `fit` turns into a `Searcher`.

    Compose policies with ``>>`` (then), ``+`` (fuse), ``*`` (weigh) and ``%`` (cut), loosest first.

    Examples
    --------
    >>> from lcm_lab import BM25, Recency, TfIdf
    >>> BM25() % 100 + 0.3 * TfIdf() >> Recency("30D") % 10
    BM25() % 100 + 0.3 * TfIdf() >> Recency('30D') % 10
    """

    #: Whether the node brings candidates of its own.
    retrieves: bool = False
    #: Whether its scores depend on how deep its lists were cut; such a node is no term of a sum.
    by_depth: bool = False
    #: Whether what it does with hits depends on how they are ordered.
    by_order: bool = True

    # numpy scalars must leave `np.float64(0.3) * policy` to the policy.
    __array_ufunc__: ClassVar[None] = None

    def fit(self, corpus: Corpus, saved: str | Path | None = None) -> Searcher:
        """Index a corpus for this policy.

        Parameters
        ----------
        corpus : Corpus
        saved : str or Path, optional
            A folder that `Searcher.save` wrote. Its posting lists are mapped rather than built; the
            rows that the corpus has beyond those of the folder are added.

        Raises
        ------
        BadParameter
            When nothing in the policy brings candidates, or a `vary` still stands in it; when the
            saved lists are of another corpus, or of other fields or analyzers.
        BadInput
            When they are damaged, were saved under other versions, or the analyzer has changed.
        NotFound
            When there are none.
        """
        from lcm_lab.ranking.searcher import Searcher

        if saved is None:
            fit = getattr(corpus, "fit", None)  # a corpus in shards is indexed where they are
            return Searcher(self, corpus) if fit is None else cast("Searcher", fit(self))
        from lcm_lab.collection.paths import expanded
        from lcm_lab.ranking.lexical.stored import load

        return Searcher(self, corpus, load(self, corpus, expanded(saved)))

    def _repr_html_(self) -> str:
        from lcm_lab.ranking.diagram import diagram

        return diagram(self)

    def over(self, **filters: Any) -> Ranker:
        """Narrow the policy to rows that pass the filters: ``BM25().over(scope="summaries")``."""
        from lcm_lab.ranking.algebra import over

        return over(self, filters)

    def grid(self) -> list[Ranker]:
        """List the plain policies that a policy with `vary` in it stands for."""
        return list(dict.fromkeys(variants(self)))

    def retrieve(self, search: Search, k: int) -> Run:
        """Give the k best hits of every topic, from the corpus."""
        del search, k  # for those that bring candidates
        raise BadParameter(
            f"{self!r} {self._role()} and has none. "
            f"Put a retriever before it: BM25() % 100 >> {self!r}."
        )

    @abstractmethod
    def apply(self, search: Search, run: Run) -> Run:
        """Act on the hits that came before: re-score, weigh, re-order."""

    def first(self, search: Search, run: Run, k: int) -> Run:
        """Give the k best of what `apply` gives; for those that can do with less work."""
        return self.apply(search, run).top(k)

    def pooled(self, search: Search) -> Run:
        """Retrieve for a step that does not mind the order: corpus order will do, and scores of 0.

        What is no hit is left to that step to drop.
        """
        return self.retrieve(search, LIMIT)

    def weigh(self, search: Search, run: Run, scores: Floats) -> Floats:
        """Give each hit its score as a term of a sum: 1 is the term's own best hit for the topic.

        ``scores`` is what came before within the same term, ones at its start.
        """
        del search, run, scores  # for those that can score any row
        raise BadParameter(
            f"{self!r} cannot score every row: its list was cut. "
            "Fuse by rank: RRF(a, b); or put it behind: (a + b) >> ..."
        )

    def _role(self) -> str:
        return "re-orders hits"

    def __rshift__(self, other: Any) -> Ranker:
        from lcm_lab.ranking.algebra import then

        return then(self, _ranker(other, ">>"))

    def __add__(self, other: Any) -> Ranker:
        from lcm_lab.ranking.algebra import plus

        return plus(self, _ranker(other, "+"))

    def __radd__(self, other: Any) -> Ranker:
        if isinstance(other, int) and other == 0:  # where the builtin sum() starts
            return self
        return _ranker(other, "+")

    def __mul__(self, weight: Any) -> Ranker:
        from lcm_lab.ranking.algebra import times

        return times(weight, self)

    __rmul__ = __mul__

    def __mod__(self, k: Any) -> Ranker:
        from lcm_lab.ranking.algebra import cut

        return cut(self, k)

    def _refuse(self, other: Any = None) -> Ranker:
        raise BadParameter(
            f"Between {self!r:.40} and {other!r:.40} stands an operator that is none of ours: they "
            "are >> (then), + (fuse), * (weigh) and % (cut). "
            "To fuse by rank write RRF(a, b); to fuse by score write a + b."
        )

    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __rxor__ = _refuse
    __pow__ = __rpow__ = __sub__ = __rsub__ = __truediv__ = __matmul__ = __floordiv__ = _refuse
    __lshift__ = __neg__ = __invert__ = _refuse


def _ranker(other: Any, operator: str) -> Ranker:
    if isinstance(other, Ranker):
        return other
    if isinstance(other, type) and issubclass(other, Ranker):
        raise BadParameter(
            f"{other.__name__} is a class. Write {other.__name__}(...) to make a policy."
        )
    way = {">>": "To keep the best ten write a % 10.", "+": "To weigh a policy write 0.3 * a."}
    raise BadParameter(f"{operator} joins two policies. Got {other!r:.80}. {way[operator]}")
