"""One ranker after another: what answers when the first finds nothing, and what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.run import Run
from lcm_lab.values import settle, starred, value

__all__ = ["Append", "Fallback"]

Floats = npt.NDArray[np.float64]


class _Several(Ranker):
    """What holds several rankers, each of which brings candidates."""

    rankers: tuple[Ranker, ...] = starred()

    retrieves = True

    def check(self) -> None:
        """Refuse fewer than two, and rankers that bring no candidates."""
        checks.several(self, self.rankers)


@value
class Fallback(_Several):
    """The first ranker that finds anything for a topic answers it alone.

    Parameters
    ----------
    *rankers : Ranker
        Two or more, each of which brings candidates.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> policy = lcm.Fallback(lcm.FTS5(), lcm.FTS5(match="any"))
    >>> search = policy.fit(lcm.Corpus(["retry twice", "use WAL"]))
    >>> search("wal journal")["docno"].tolist()
    ['m2']
    """

    rankers: tuple[Ranker, ...] = starred()

    def __init__(self, *rankers: Ranker) -> None:
        object.__setattr__(self, "rankers", rankers)
        settle(self)

    def _remake(self, fields: dict[str, Any]) -> Fallback:
        return Fallback(*fields["rankers"])

    @property
    def by_depth(self) -> bool:  # type: ignore[override]
        """Whether any of the rankers is."""
        return any(ranker.by_depth for ranker in self.rankers)

    def retrieve(self, search: Any, k: int) -> Run:
        """Give for each topic the hits of the first ranker that has any."""
        return self._first(ranker.retrieve(search, k) for ranker in self.rankers)

    def apply(self, search: Any, run: Run) -> Run:
        """Give for each topic the first re-scoring that keeps any hit."""
        return self._first(ranker.apply(search, run) for ranker in self.rankers)

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Weigh each topic's hits by the first ranker that finds anything for it."""
        weighed = np.zeros(len(run))
        open_ = np.ones(len(run.topics), bool)
        for ranker in self.rankers:
            found = np.diff(ranker.retrieve(search, 1).offsets) > 0
            mine = (open_ & found)[run.topic]
            weighed[mine] = ranker.weigh(search, run, scores)[mine]
            open_ &= ~found
        return weighed

    def _first(self, runs: Iterator[Run]) -> Run:
        chosen = next(runs)
        while (np.diff(chosen.offsets) == 0).any():
            run = next(runs, None)
            if run is None:
                break
            empty = np.diff(chosen.offsets) == 0
            chosen = _joined(chosen, run.take(np.flatnonzero(empty[run.topic])))
        return chosen


@value
class Append(_Several):
    """The hits of one ranker, then those of the next that were not there yet.

    Parameters
    ----------
    *rankers : Ranker
        Two or more, each of which brings candidates; cut all but the last.

    Notes
    -----
    Scores of different rankers do not compare, so the order is written as 1 / rank.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.Append(lcm.TfIdf() % 1, lcm.FTS5()).fit(lcm.Corpus(["use WAL now", "WAL"]))
    >>> search("wal")["docno"].tolist()
    ['m2', 'm1']
    """

    rankers: tuple[Ranker, ...] = starred()

    by_depth = True

    def __init__(self, *rankers: Ranker) -> None:
        object.__setattr__(self, "rankers", rankers)
        settle(self)

    def _remake(self, fields: dict[str, Any]) -> Append:
        return Append(*fields["rankers"])

    def retrieve(self, search: Any, k: int) -> Run:
        """Give the lists one after the other, each hit once."""
        return self._appended(search, search.retrieve(self.rankers)).top(k)

    def apply(self, search: Any, run: Run) -> Run:
        """Order what came before by the lists that the rankers make of it."""
        return self._appended(search, [ranker.apply(search, run) for ranker in self.rankers])

    def _appended(self, search: Any, runs: list[Run]) -> Run:
        chosen = runs[0]
        for run in runs[1:]:
            chosen = _joined(chosen, run.take(np.flatnonzero(~np.isin(run.keys, chosen.keys))))
        ordered = replace(chosen, scores=1 / chosen.rank)
        search.note(self, ordered, ordered.scores)
        return ordered


def _joined(first: Run, second: Run) -> Run:
    """Put, for each topic, the hits of the second run behind those of the first."""
    topic = np.concatenate([first.topic, second.topic])
    order = np.argsort(topic, kind="stable")
    offsets = first.offsets + second.offsets
    rows = np.concatenate([first.rows, second.rows])[order]
    scores = np.concatenate([first.scores, second.scores])[order]
    return replace(first, offsets=offsets, rows=rows, scores=scores)
