"""Extractive summarisers: Centroid, TextRank, LexRank, Coverage."""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lcm_lab.compaction.checks import fraction
from lcm_lab.compaction.extractive import Extractive, Units
from lcm_lab.values import value

__all__ = ["Centroid", "Coverage", "LexRank", "TextRank"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: A graph is made of so many units at most, those nearest the centroid: its edges grow with their
#: square, and 2,000 units are 40,000 tokens.
NODES = 2_000
STEPS, CLOSE = 100, 1e-9


@value
class Centroid(Extractive):
    """Summarise by the units nearest to the mean of all, each unlike those taken before.

    Notes
    -----
    Units are tf-idf vectors over the terms of `Analyzer()`; the centroid is their mean (Radev et
    al., 2004) [1]_. A unit with a cosine of .75 to one that is taken is passed over.

    References
    ----------
    .. [1] Centroid-based summarization of multiple documents, IPM 40(6).

    Examples
    --------
    >>> texts = ["We use WAL mode. Lunch was good. WAL mode needs one writer."]
    >>> Centroid()(texts, 8)
    'We use WAL mode.'
    """

    def order(self, found: Units) -> Ints:
        """Give the units by their cosine to the centroid."""
        return best_first(central(found))


@value
class TextRank(Extractive):
    """Summarise by the units that other units share most words with, and those with others.

    Parameters
    ----------
    damping : float between 0 and 1
        How much of a unit's worth comes from its neighbours.

    Notes
    -----
    PageRank over units; an edge weighs the terms in common over ln|a| + ln|b| (Mihalcea and Tarau,
    2004) [1]_. Beyond 2,000 units the graph is of those nearest the centroid; the
    others come after them, the nearest first.

    References
    ----------
    .. [1] TextRank: Bringing Order into Text, EMNLP, eq. 2.

    Examples
    --------
    >>> TextRank()(["We use WAL mode. Lunch was good. WAL mode needs one writer."], 5)
    'We use WAL mode.'
    """

    damping: float = 0.85

    def check(self) -> None:
        """Refuse a damping that is none."""
        fraction(self, damping=self.damping)

    def order(self, found: Units) -> Ints:
        """Give the units by their PageRank."""
        nodes, others = _nodes(found)
        held = (found.counts[nodes] > 0).astype(np.float64)
        graph = sparse.csr_array(held @ held.T)
        # A unit of one word would divide by ln 1 = 0; every unit counts as having one word more.
        logs = np.log1p(held.sum(axis=1))
        rows = _rows(graph)
        weighed = graph.data / np.maximum(logs[rows] + logs[graph.indices], CLOSE)
        graph.data = np.where(rows == graph.indices, 0, weighed)
        return np.append(nodes[best_first(pagerank(graph, self.damping))], others)


@value
class LexRank(Extractive):
    """Summarise by the units that are central among those alike.

    Parameters
    ----------
    threshold : float between 0 and 1
        The cosine from which two units are neighbours.
    damping : float between 0 and 1
        How much of a unit's worth comes from its neighbours.

    Notes
    -----
    PageRank over an unweighted graph of tf-idf cosines (Erkan and Radev, 2004) [1]_. Beyond 2,000
    units the graph is of those nearest the centroid; the others come after them, the nearest first.

    References
    ----------
    .. [1] LexRank: Graph-based Lexical Centrality as Salience in Text Summarization, JAIR 22.

    Examples
    --------
    >>> LexRank()(["We use WAL mode. Lunch was good. WAL mode needs one writer."], 5)
    'We use WAL mode.'
    """

    threshold: float = 0.1
    damping: float = 0.85

    def check(self) -> None:
        """Refuse shares that are none."""
        fraction(self, threshold=self.threshold, damping=self.damping)

    def order(self, found: Units) -> Ints:
        """Give the units by their PageRank."""
        nodes, others = _nodes(found)
        weights = found.weights[nodes]
        graph = sparse.csr_array(weights @ weights.T)
        apart = _rows(graph) != graph.indices
        graph.data = ((graph.data >= self.threshold) & apart).astype(np.float64)
        graph.eliminate_zeros()
        return np.append(nodes[best_first(pagerank(graph, self.damping))], others)


@value
class Coverage(Extractive):
    """Summarise by the units that together cover most of what is said, for the room they take.

    Parameters
    ----------
    power : float between 0 and 1
        How much the length of a unit counts against it.

    Notes
    -----
    A term is worth ``ln(1 + its count)`` of idf once it is covered, so a unit that repeats others
    adds nothing: a monotone submodular function, maximised under the limit by the cost-scaled
    greedy of Lin and Bilmes (2010) [1]_, lazily.

    References
    ----------
    .. [1] Multi-document Summarization via Budgeted Maximization of Submodular Functions, NAACL.

    Examples
    --------
    >>> Coverage()(["We use WAL mode. We use it. Lunch was good."], 10)
    'We use WAL mode. Lunch was good.'
    """

    power: float = 0.7

    def check(self) -> None:
        """Refuse a power that is none."""
        fraction(self, power=self.power)

    def choose(self, found: Units, tokens: int) -> list[int]:
        """Take the unit that adds most for its length, again and again."""
        held = found.counts
        df = np.bincount(held.indices, minlength=held.shape[1])
        total = np.asarray(held.sum(axis=0)).ravel()
        worth = np.log1p(total) * np.log1p(len(found) / np.maximum(df, 1))
        cost = found.sizes.astype(np.float64) ** self.power
        covered = np.zeros(held.shape[1], bool)

        def gain(at: int) -> float:
            terms = held.indices[held.indptr[at] : held.indptr[at + 1]]
            return float(worth[terms][~covered[terms]].sum() / cost[at])

        heap = [(-gain(at), at) for at in range(len(found))]
        heapq.heapify(heap)
        taken: list[int] = []
        opened: set[int] = set()
        left = tokens
        while heap and left > 0:
            _, at = heapq.heappop(heap)
            now = gain(at)
            if heap and -now > heap[0][0]:
                if now > 0:
                    heapq.heappush(heap, (-now, at))
                continue
            text = int(found.of[at])
            size = int(found.sizes[at]) + (0 if text in opened else int(found.openings[text]))
            if size > left + 1 or not now:
                continue
            taken.append(at)
            opened.add(text)
            left -= size
            covered[held.indices[held.indptr[at] : held.indptr[at + 1]]] = True
        return taken

    def order(self, found: Units) -> Ints:
        """Give all units, as if there were no limit."""
        return np.array(self.choose(found, int(found.sizes.sum() + found.openings.sum())), np.int64)


def central(found: Units) -> Floats:
    """Give the cosine of each unit to the mean of all; shape (n_units,)."""
    mean = np.asarray(found.weights.mean(axis=0)).ravel()
    norm = float(np.sqrt(mean @ mean))
    return np.asarray(found.weights @ mean, np.float64) / (norm or 1)


def best_first(worth: Floats) -> Ints:
    """Order by worth, equals in the order of the source.

    Worth is rounded to ten digits first: sums of floats differ in their last bits by platform.
    """
    return np.argsort(-np.round(worth, 10), kind="stable")


def pagerank(graph: sparse.csr_array, damping: float) -> Floats:
    """Give the share of time that a walk over weighted edges spends at each node; shape (n,)."""
    size = graph.shape[0]
    out = np.asarray(graph.sum(axis=1)).ravel()
    follow = sparse.csr_array(sparse.diags_array(1 / np.where(out > 0, out, 1)) @ graph).T
    at = np.full(size, 1 / size)
    for _ in range(STEPS):
        lost = at[out == 0].sum() / size
        after = (1 - damping) / size + damping * (follow @ at + lost)
        moved, at = float(np.abs(after - at).sum()), after
        if moved < CLOSE:
            break
    return at


def _nodes(found: Units) -> tuple[Ints, Ints]:
    """Part units into those of the graph, in order, and the others, from the most central on."""
    if len(found) <= NODES:
        return np.arange(len(found)), np.zeros(0, np.int64)
    order = best_first(central(found))
    return np.sort(order[:NODES]), order[NODES:]


def _rows(table: sparse.csr_array) -> Ints:
    """Give the row of each entry of a table."""
    return np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
