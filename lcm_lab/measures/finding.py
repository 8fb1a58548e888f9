"""Measures of what a ranking finds: any, all, share, first place, gain, evidence, staleness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lcm_lab.errors import BadParameter
from lcm_lab.measures.base import Measure
from lcm_lab.measures.judged import (
    Bools,
    Floats,
    Ints,
    Judged,
    first_rank,
    ranks,
    running,
    share,
    total,
)

__all__ = ["AP", "RR", "AllR", "AnyR", "Evidence", "R", "Stale", "nDCG"]


def _found(measure: Measure, judged: Judged) -> Bools:
    return judged.relevant & measure.within(judged.offsets)


class _AnyR(Measure):
    """Any-hit: 1 if a relevant document is in the first k, else 0.

    Higher is better. Others call it Success@k, hit@k, or plainly recall. A topic with nothing
    relevant has no value (NaN).

    Examples
    --------
    >>> (AnyR @ 2).per_topic(Judged.of(hits=[[0, 1]], gold=[[1, 1]])).tolist()
    [1.0]
    """

    name = "AnyR"
    meaning = "1 if any relevant document is in the first k"

    def per_topic(self, judged: Judged) -> Floats:
        found = total(judged.offsets, _found(self, judged).astype(float))
        return share((found > 0) * judged.n_relevant, judged.n_relevant)


class _AllR(Measure):
    """All-hit: 1 if every relevant document is in the first k, else 0.

    Higher is better. A topic with nothing relevant has no value (NaN), and one with more than k
    relevant has 0 whatever is found.

    Examples
    --------
    >>> (AllR @ 2).per_topic(Judged.of(hits=[[0, 1]], gold=[[1, 1]])).tolist()
    [0.0]
    """

    name = "AllR"
    meaning = "1 if every relevant document is in the first k"

    def per_topic(self, judged: Judged) -> Floats:
        found = total(judged.offsets, _found(self, judged).astype(float))
        return share((found == judged.n_relevant) * judged.n_relevant, judged.n_relevant)


class _R(Measure):
    """Recall: how many of all relevant documents are in the first k, as a share.

    From 0 to 1, higher is better. A topic with nothing relevant has no value (NaN).

    Examples
    --------
    >>> (R @ 2).per_topic(Judged.of(hits=[[0, 1]], gold=[[1, 1]])).tolist()
    [0.5]
    """

    name = "R"
    meaning = "share of the relevant documents that are in the first k"

    def per_topic(self, judged: Judged) -> Floats:
        found = total(judged.offsets, _found(self, judged).astype(float))
        return share(found, judged.n_relevant)


class _RR(Measure):
    """Reciprocal rank of the first relevant document, 0 where none is in the first k.

    From 0 to 1, higher is better. A topic with nothing relevant has no value (NaN).

    Examples
    --------
    >>> RR.per_topic(Judged.of(hits=[[0, 1], [0]], gold=[[1, 1], [1]])).tolist()
    [0.5, 0.0]
    """

    name = "RR"
    meaning = "1 / rank of the first relevant document"

    def per_topic(self, judged: Judged) -> Floats:
        first = first_rank(judged, _found(self, judged))
        return share(judged.n_relevant / first, judged.n_relevant)


class _AP(Measure):
    """Average precision: that at each relevant hit in the first k, over all relevant.

    From 0 to 1, higher is better. A topic with nothing relevant has no value (NaN).

    Examples
    --------
    >>> AP.per_topic(Judged.of(hits=[[0, 1]], gold=[[1, 1]])).tolist()
    [0.25]
    """

    name = "AP"
    meaning = "mean precision at each relevant document; one not found counts 0"

    def per_topic(self, judged: Judged) -> Floats:
        so_far = running(judged.offsets, judged.relevant.astype(np.int64))
        precision = so_far / judged.rank * _found(self, judged)
        return share(total(judged.offsets, precision), judged.n_relevant)


@dataclass(frozen=True, repr=False)
class _NDCG(Measure):
    """Normalised discounted gain: ``2^grade - 1``, discounted by ``log2(rank + 1)``.

    From 0 to 1, higher is better. The ideal takes every judged document, found or not, cut at k.
    ``gain="linear"`` takes the grade itself as gain; it is the same on grades 0 and 1. Every grade
    above 0 gains, whatever ``relevant_from`` is. ``discount="longmemeval"`` is that of
    LongMemEval's code, which is that of [2]_ with base 2: none at ranks 1 and 2, then
    ``log2(rank)``. Use it only to set a figure beside those that are published for it.

    References
    ----------
    .. [1] Burges et al. (2005), Learning to Rank using Gradient Descent (the gain).
    .. [2] Jarvelin and Kekalainen (2002), Cumulated Gain-Based Evaluation of IR Techniques.

    Examples
    --------
    >>> nDCG.per_topic(Judged.of(hits=[[0, 2], [2]], gold=[[2], [2]])).round(3).tolist()
    [0.631, 1.0]
    """

    gain: Literal["exponential", "linear"] = "exponential"
    discount: Literal["standard", "longmemeval"] = "standard"

    name = "nDCG"
    meaning = (
        "gain 2^grade - 1 (the grade itself where it says linear), discount log2(rank + 1) (from "
        "rank 2 on log2(rank) where it says longmemeval), over the ideal order of all judged"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gain not in ("exponential", "linear"):
            raise BadParameter(f"gain must be 'exponential' or 'linear'. Got {self.gain!r}.")
        if self.discount not in ("standard", "longmemeval"):
            raise BadParameter(
                f"discount must be 'standard' or 'longmemeval'. Got {self.discount!r}."
            )

    def per_topic(self, judged: Judged) -> Floats:
        reached = self._dcg(judged.offsets, judged.grades)
        return share(reached, self._dcg(judged.gold_offsets, judged.gold))

    def _dcg(self, offsets: Ints, grades: Ints) -> Floats:
        positive = np.maximum(grades, 0).astype(float)
        gain = positive if self.gain == "linear" else np.exp2(positive) - 1
        rank = ranks(offsets)
        later = rank + 1 if self.discount == "standard" else np.maximum(rank, 2)
        return total(offsets, gain / np.log2(later) * self.within(offsets))


class _Evidence(Measure):
    """Share of the relevant documents that fit in the first N tokens of the hits.

    From 0 to 1, higher is better. The hits are laid end to end, best first, nothing between them.
    A document counts when it ends at or before token N; one that is cut by the limit does not.

    Examples
    --------
    >>> judged = Judged.of(hits=[[1, 1]], gold=[[1, 1]], tokens=[[60, 60]])
    >>> (Evidence @ 100).per_topic(judged).tolist()
    [0.5]
    """

    name = "Evidence"
    meaning = "share of the relevant documents wholly within the first N tokens of the hits"
    cutoff = "tokens"

    def per_topic(self, judged: Judged) -> Floats:
        ends = running(judged.offsets, judged.tokens)
        inside = judged.relevant & (ends <= (self.at or np.inf))
        return share(total(judged.offsets, inside.astype(float)), judged.n_relevant)


class _Stale(Measure):
    """1 where a stale document ranks above every current one in the first k, else 0.

    Defined for topics that have both; lower is better. Where neither is in the first k it is 0:
    nothing was found, so nothing stale was preferred.
    *Current* is relevant and not stale.

    Examples
    --------
    >>> Stale @ 10
    Stale@10
    """

    name = "Stale"
    meaning = "1 if a stale document is ranked above every current one, in the first k"
    needs = "stale"
    higher_is_better = False

    def per_topic(self, judged: Judged) -> Floats:
        within = self.within(judged.offsets)
        old = first_rank(judged, judged.stale & within)
        current = first_rank(judged, judged.relevant & ~judged.stale & within)
        return np.where(judged.can_be_stale, (old < current).astype(float), np.nan)


nDCG = _NDCG()
R = _R()
AnyR = _AnyR()
AllR = _AllR()
RR = _RR()
AP = _AP()
Evidence = _Evidence()
Stale = _Stale()
