"""Clusters: a hierarchy of summaries over stretches that speak of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.levels import Condense, depth_of, raw_runs
from lcm_lab.compaction.runs import change, chunks, filling, nodes_of
from lcm_lab.compaction.source import speaker_of, told
from lcm_lab.compaction.tail import cuttable, tail_of
from lcm_lab.compaction.work import Work
from lcm_lab.dag import Dag, Node
from lcm_lab.dag.nodes import sizes_of
from lcm_lab.errors import needing
from lcm_lab.text import Analyzer, clean
from lcm_lab.values import value

__all__ = ["Clusters"]

#: Dimensions in which stretches are compared.
DIMENSIONS = 128


@value
class Clusters(Compactor):
    """Summarise stretches that speak of one thing, and these by what they have in common.

    After RAPTOR (Sarthi et al., arXiv 2401.18059): small chunks are clustered by their words, each
    cluster is summarised, and the summaries are clustered in turn. Unlike there, a cluster is one
    stretch of the conversation (Ward's method along the line), so that what is in view keeps its
    order and a cluster can be replaced in place.

    Parameters
    ----------
    chunk : int
        Tokens of the chunks that are clustered, at most.
    size : int
        How many chunks or summaries a cluster has, on average, 2 or more.
    fresh : int
        How many of the newest messages stay as they are, in at most half of a budget.
    target : int
        Tokens of a summary, at most; half of its source where that is less.

    Notes
    -----
    Without a budget, levels are added until one has at most ``size`` summaries; with one, until it
    is met, by summaries that are as long as it allows.

    Examples
    --------
    >>> Clusters(size=4)
    Clusters(size=4)
    """

    chunk: int = 500
    size: int = 6
    fresh: int = 64
    target: int = 500

    def check(self) -> None:
        """Refuse numbers that are none."""
        whole(self, chunk=self.chunk, target=self.target)
        whole(self, 2, size=self.size)
        whole(self, 0, fresh=self.fresh)

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Cluster and summarise, level upon level."""
        if work.budget is not None and dag.tokens <= work.budget:
            return dag
        dag = self._leaves(dag, work)
        while work.budget is None or dag.tokens > work.budget:
            above = self._above(dag, work)
            if above is dag:
                break
            dag = above
        if work.budget is not None and dag.tokens > work.budget:
            return Condense(self.size, self.target).compact(dag, work)
        return dag

    def _leaves(self, dag: Dag, work: Work) -> Dag:
        """Summarise clusters of chunks of messages that are not protected."""
        nodes, free = nodes_of(dag), cuttable(dag)
        tail = tail_of(dag, self.fresh, work.budget)
        spans: list[tuple[int, int]] = []
        for run in tail.runs():
            for start, stop in raw_runs(nodes, *run):
                parts = chunks(nodes, free, start, stop, self.chunk)
                if work.budget is None and len(parts) < self.size:
                    continue  # waits until there is enough to cluster
                groups = self._clustered(nodes, parts)
                spans += [(parts[first][0], parts[last][1]) for first, last in groups]
        return self._summarised(dag, work, spans)

    def _above(self, dag: Dag, work: Work) -> Dag:
        """Summarise clusters of neighbouring summaries, where they are too many."""
        nodes = nodes_of(dag)
        spans: list[tuple[int, int]] = []
        for start, stop in _stretches(nodes):
            if stop - start > self.size:
                parts = [(at, at + 1) for at in range(start, stop)]
                groups = self._clustered(nodes, parts)
                spans += [
                    (start + first, start + last + 1) for first, last in groups if last > first
                ]
        return self._summarised(dag, work, spans)

    def _summarised(self, dag: Dag, work: Work, spans: list[tuple[int, int]]) -> Dag:
        """Put summaries in the place of stretches; where they meet the budget, they fill it."""
        nodes = nodes_of(dag)
        sizes = [sum(sizes_of(nodes[slice(*span)])) for span in spans]
        targets = [min(self.target, size // 2) for size in sizes]
        if work.budget is not None:
            targets = filling(sizes, targets, work.budget - (dag.tokens - sum(sizes)))
        made = (
            (*span, work.summary(nodes[slice(*span)], target))
            for span, target in zip(spans, targets, strict=True)
        )
        return change(dag, [(start, stop, one) for start, stop, one in made if one is not None])

    def _clustered(
        self, nodes: Sequence[Node], parts: Sequence[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Group neighbouring parts, as (first, last) of each group."""
        texts = [
            "\n".join(speaker_of(told(node))[1] for node in nodes[slice(*part)]) for part in parts
        ]
        labels = _labels(texts, -(-len(parts) // self.size))
        edges = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(parts)]
        return [(a, b - 1) for a, b in pairwise(edges)]


def _stretches(nodes: Sequence[Node]) -> list[tuple[int, int]]:
    """Give the stretches of summaries that can be condensed."""
    found, begin = [], 0
    for at in range(len(nodes) + 1):
        if at == len(nodes) or depth_of(nodes[at]) is None:
            if begin < at:
                found.append((begin, at))
            begin = at + 1
    return found


def _labels(texts: Sequence[str], groups: int) -> npt.NDArray[np.int64]:
    """Label each text with its group; groups are stretches. Shape (len(texts),)."""
    if groups >= len(texts):
        return np.arange(len(texts))
    points = _points(texts)
    if groups <= 1 or points is None:
        return np.arange(len(texts)) * groups // len(texts)
    from scipy import sparse

    with needing("scikit-learn", "Clusters()"):
        from sklearn.cluster import AgglomerativeClustering

    line = sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(len(texts), len(texts)))
    ward = AgglomerativeClustering(n_clusters=groups, connectivity=line.tocsr())
    return np.asarray(ward.fit_predict(points), np.int64)


def _points(texts: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Give texts as points, near where they share words; None where no text holds a word."""
    from scipy import sparse

    with needing("scikit-learn", "Clusters()"):
        from sklearn.feature_extraction.text import TfidfTransformer

    tokens = Analyzer().analyze(pa.array(map(clean, texts), pa.large_string()))
    said = np.flatnonzero(~tokens.stop)
    if not len(said):
        return None
    ones, shape = np.ones(len(tokens.ids)), (len(texts), len(tokens.vocabulary))
    counts = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape)[:, said]
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    if weights.shape[1] <= DIMENSIONS:
        return np.asarray(weights.toarray(), np.float64)
    # Distances survive a projection at random (Johnson and Lindenstrauss), at a tenth of an SVD.
    spread = np.random.default_rng(0).standard_normal((weights.shape[1], DIMENSIONS))
    return np.asarray(weights @ spread, np.float64)
