"""A scorer's index in shards: questions go to those that may answer, and answers are merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.rows import Rows, count, intersect, tidy
from lcm_lab.run import Hits
from lcm_lab.scale import part as on_worker

__all__ = ["Far", "local"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: How a function is sent to a worker, with what it is to look at; gives what will be its result.
Send = Callable[..., Any]


def local(rows: Rows, start: int, stop: int) -> Rows:
    """Give those rows that lie in a shard, counted from its first.

    Examples
    --------
    >>> local(slice(2, 9), 5, 20), local(np.array([1, 7, 9]), 5, 20)
    (slice(0, 4, None), array([2, 4]))
    """
    kept = intersect(slice(start, stop), rows)
    if isinstance(kept, slice):
        return slice(kept.start - start, kept.stop - start) if count(kept) else slice(0, 0)
    return tidy(kept - start)


class Far:
    """An index that lies in shards.

    Parameters
    ----------
    indexes : list of Future
        Of the shards, in the order of their rows.
    starts : int64 array of shape (n_shards + 1,)
        Where the rows of each shard begin.
    send, gather : callable
        Send a task to the cluster, and wait for results.
    """

    def __init__(
        self, indexes: list[Any], starts: Ints, send: Send, gather: Callable[[list[Any]], list[Any]]
    ) -> None:
        self.indexes, self.starts = indexes, starts
        self._send, self._gather = send, gather

    def topk(self, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the k best of the allowed rows for each question."""
        asked, tasks = [], []
        for shard, index in enumerate(self.indexes):
            mine = self._local(rows, shard)
            which = [i for i, allowed in enumerate(mine) if count(allowed)]
            if which:
                given = [queries[i] for i in which], k, [mine[i] for i in which]
                asked.append((shard, np.array(which)))
                tasks.append(self._send(on_worker.topk, index, *given))
        found = self._gather(tasks)
        answers = [(*one, hits) for one, hits in zip(asked, found, strict=True)]
        return _merged(answers, self.starts, k, len(queries))

    def rescore(self, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Score given rows: those of question i are ``rows[offsets[i]:offsets[i + 1]]``."""
        topic = np.repeat(np.arange(len(queries)), np.diff(offsets))
        shard = np.searchsorted(self.starts, rows, side="right") - 1
        places, tasks = [], []
        for number in np.unique(shard).tolist():
            place = np.flatnonzero(shard == number)
            which, sizes = np.unique(topic[place], return_counts=True)
            given = [queries[i] for i in which.tolist()], np.append(0, np.cumsum(sizes))
            there = rows[place] - self.starts[number]
            places.append(place)
            tasks.append(self._send(on_worker.rescore, self.indexes[number], *given, there))
        scores = np.zeros(len(rows))
        for place, found in zip(places, self._gather(tasks), strict=True):
            scores[place] = found
        return scores

    def _local(self, rows: Sequence[Rows], shard: int) -> list[Rows]:
        """Give the allowed rows of each question in a shard; what several share is sent once."""
        start, stop = int(self.starts[shard]), int(self.starts[shard + 1])
        known: dict[int, Rows] = {}
        for allowed in rows:
            if id(allowed) not in known:
                known[id(allowed)] = local(allowed, start, stop)
        return [known[id(allowed)] for allowed in rows]


def _merged(found: list[tuple[int, Ints, Hits]], starts: Ints, k: int, n_queries: int) -> Hits:
    """Give the k best of what the shards found for each question, ties by corpus row."""
    nothing = np.empty(0, np.int64)
    topic = [np.repeat(which, np.diff(hits.offsets)) for _, which, hits in found]
    rows = [hits.rows + starts[shard] for shard, _, hits in found]
    of, at = np.concatenate([nothing, *topic]), np.concatenate([nothing, *rows])
    scores = np.concatenate([np.empty(0), *(hits.scores for _, _, hits in found)])
    order = np.lexsort((at, -scores, of))
    first = np.searchsorted(of[order], np.arange(n_queries + 1))
    rank = np.arange(len(order)) - np.repeat(first[:-1], np.diff(first))
    kept = order[rank < k]
    offsets = np.searchsorted(of[kept], np.arange(n_queries + 1)).astype(np.int64)
    return Hits(offsets, at[kept], scores[kept])
