"""The shards of a corpus on the workers of a Dask cluster, and tasks that look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.evaluation.progress import progress
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.exact.phrase import Phrase
from lcm_lab.ranking.lexical.weighted import Lexical
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.searcher import within
from lcm_lab.ranking.steps.order import Newest, places
from lcm_lab.scale import part as on_worker
from lcm_lab.scale.far import Far
from lcm_lab.scale.words import Reads, added

if TYPE_CHECKING:
    from lcm_lab.corpus import Corpus

__all__ = ["Workers"]

Ints = npt.NDArray[np.int64]


class Workers:
    """The shards of a corpus, what is known of them together, and their indexes.

    Everything is the result of a task that begins at a file, and is held as a future, so that Dask
    makes anew what a worker took with it when it died.

    Parameters
    ----------
    client : dask.distributed.Client
    paths : list of str
        One file a shard.
    """

    def __init__(self, client: Any, paths: list[str]) -> None:
        self._client, self._names = client, list(client.nthreads())
        self.parts = [self.send(on_worker.Part, path) for path in paths]
        self.starts: Ints = np.zeros(1, np.int64)
        self._wholes: dict[Reads, Any] = {}
        self._made: dict[Scorer, list[Any]] = {}

    def send(self, task: Callable[..., Any], *given: Any) -> Any:
        """Send a task to the cluster, where what it looks at lies.

        Dask spreads tasks of one kind that share few inputs evenly, and would move indexes for it;
        a task that says where it may run goes to its inputs. Where it may not, others do.
        """
        where = {"workers": self._names, "allow_other_workers": True}
        return self._client.submit(task, *given, pure=False, **where)

    def gather(self, tasks: list[Any]) -> list[Any]:
        """Wait for tasks, and give their results."""
        return cast("list[Any]", self._client.gather(tasks))

    def each(self, task: Callable[..., Any], *given: Any) -> list[Any]:
        """Do something on every shard, and give what each gives."""
        return self.gather([self.send(task, part, *given) for part in self.parts])

    def where(self, rows: Ints, task: Callable[..., Any], *given: Any) -> list[tuple[Ints, Any]]:
        """Do something on the shards that hold some rows: (places in rows, result) of each."""
        shard = np.searchsorted(self.starts, rows, side="right") - 1
        numbers = np.unique(shard).tolist()
        place = [np.flatnonzero(shard == number) for number in numbers]
        tasks = [
            self.send(task, self.parts[number], rows[mine] - self.starts[number], *given)
            for number, mine in zip(numbers, place, strict=True)
        ]
        return list(zip(place, self.gather(tasks), strict=True))

    def by_row(self, rows: Ints, task: Callable[..., list[Any]], *given: Any) -> list[Any]:
        """Do something on the shards that hold some rows, and give its results by row."""
        made: list[Any] = [None] * len(rows)
        for place, found in self.where(rows, task, *given):
            for at, one in zip(place.tolist(), found, strict=True):
                made[at] = one
        return made

    def whole(self, reads: Reads) -> Any:
        """Give the statistics of all shards as a future; added up when first asked for."""
        if reads not in self._wholes:
            parts = [self.send(on_worker.counts, part, reads) for part in self.parts]
            self._wholes[reads] = self.send(added, parts)
        return self._wholes[reads]

    def build(self, scorers: Iterable[Scorer], corpus: Corpus) -> None:
        """Index every shard for those scorers for which it is not yet, and show how far it is."""
        new = [scorer for scorer in dict.fromkeys(scorers) if scorer not in self._made]
        made = {scorer: self._built(scorer, corpus) for scorer in new}
        ready = [self.send(on_worker.ready, task) for tasks in made.values() for task in tasks]
        for one in progress(ready, "index shards"):
            one.result()
        self._made |= made

    def far(self, scorer: Scorer, corpus: Corpus) -> Far:
        """Give the index of a scorer."""
        self.build([scorer], corpus)
        return Far(self._made[scorer], self.starts, self.send, self.gather)

    def _built(self, scorer: Scorer, corpus: Corpus) -> list[Any]:
        readers: list[Lexical | Phrase] = [*within(scorer, Lexical), *within(scorer, Phrase)]
        reads: list[Reads] = list(dict.fromkeys((one.analyzer, one.fields) for one in readers))
        wholes = [self.whole(one) for one in reads]
        learners = [dense for dense in within(scorer, Dense) if on_worker.learns(dense)]
        taught = [self._taught(dense) for dense in learners]
        timed = any(True for _ in within(scorer, Newest))
        tasks = []
        for number, part in enumerate(self.parts):
            mine = slice(self.starts[number], self.starts[number + 1])
            plan = on_worker.Plan(scorer, reads, places(corpus)[mine] if timed else None)
            tasks.append(self.send(on_worker.Built, part, plan, wholes, taught))
        return tasks

    def _taught(self, dense: Dense) -> Any:
        texts = [self.send(on_worker.passages, part, dense) for part in self.parts]
        return self.send(on_worker.taught, dense.encoder, *texts)
