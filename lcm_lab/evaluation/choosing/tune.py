"""tune: choose among policies, and say how well such a choice does on what it was not made on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.evaluation.statistics.significance import bootstrap, interval, packed
from lcm_lab.measures import Measure, nDCG
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker

__all__ = ["Tuning", "dealt", "tune"]

Floats = npt.NDArray[np.float64]


def tune(
    family: Any,
    on: Collection | Sequence[Collection],
    measure: Measure = nDCG @ 10,
    folds: int = 5,
    n_jobs: int | None = None,
) -> Tuning:
    """Choose the best policy of a family, and measure the choosing by folds over conversations.

    Parameters
    ----------
    family : Ranker, or several
        A policy with `vary` in it, or the policies to choose among.
    on : Collection, or several
        Several weigh the same, however many topics each has, and share one choice.
    measure : Measure
        What the choice goes by: its mean over topics, then over collections.
    folds : int, at least 2
        A conversation and all its topics are in one fold; topics of none are dealt out in turn.
    n_jobs : int, optional
        As in `evaluate`.

    Returns
    -------
    Tuning

    Raises
    ------
    BadParameter
        For a family of one, a measure that is not taken of each topic, fewer than 2 folds, or a
        collection with fewer conversations than folds.

    Notes
    -----
    The best of many is best partly by luck, so its own mean is too high. Out of fold, each fold is
    measured under the policy that is best on the others: what the choosing, not the choice, gives
    on conversations it has not seen. That is still kind where a person wrote the family after
    seeing all of them.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> bench = lcm.load("synth-chat-s")
    >>> found = tune(lcm.BM25(b=lcm.vary(0.3, 0.75)), on=bench, folds=2)
    >>> found.policy in lcm.BM25(b=lcm.vary(0.3, 0.75)).grid()
    True
    """
    checks.whole("folds", folds, 2)
    policies = _policies(family)
    collections = [on] if isinstance(on, Collection) else list(on)
    if measure.per != "topic" or measure.needs == "timing":
        raise BadParameter(f"tune goes by a mean over topics. {measure} is none.")
    systems = {repr(policy): policy for policy in policies}
    results = [evaluate(systems, one, [measure], n_jobs) for one in collections]
    parts = [_Part.of(result, measure, folds) for result in results]
    chosen = _best(parts, measure, None)
    picked = [_best(parts, measure, fold) for fold in range(folds)]
    frame = pd.DataFrame([part.row(chosen, picked) for part in parts])
    picks = tuple(policies[number] for number in picked)
    return Tuning(policies[chosen], picks, frame, _grid(parts, list(systems)), measure)


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """A choice among policies, and what such a choice is worth.

    Attributes
    ----------
    policy : Ranker
        The best on everything.
    picks : tuple of Ranker
        The best without each fold; where they differ much, the choice is mostly luck.
    frame : DataFrame
        A row a collection: collection, n (topics), in_sample (the mean of ``policy``), out_of_fold
        with its 95 % interval over conversations (low, high), and optimism, the difference.
    grid : DataFrame
        The mean of each policy on each collection and over all: system, one column each, mean; and
        failed, the topics on which it raised, which count as the worst that there is.
    measure : Measure
    """

    policy: Ranker
    picks: tuple[Ranker, ...]
    frame: pd.DataFrame
    grid: pd.DataFrame
    measure: Measure

    def __repr__(self) -> str:
        same = sum(pick == self.policy for pick in self.picks)
        return (
            f"{self.policy!r}\nbest of {len(self.grid):,} by {self.measure}; "
            f"chosen without {same} of {len(self.picks)} folds too{self._failed}\n"
            f"{self.frame.round(3).to_string(index=False)}"
        )

    @property
    def _failed(self) -> str:
        lost = int((self.grid["failed"] > 0).sum())
        return f"; {lost:,} failed on some topic, which counts as the worst" if lost else ""


@dataclass(frozen=True, eq=False)
class _Part:
    """What a collection says: a value for each policy and topic, and the topics' conversations."""

    name: str
    values: Floats
    failed: npt.NDArray[np.int64]
    units: npt.NDArray[np.int64]
    folds: npt.NDArray[np.int64]

    @classmethod
    def of(cls, result: Evaluation, measure: Measure, folds: int) -> _Part:
        name, units = result.collection.name, result.conversation
        values = np.stack([result.values(one, measure, "worst") for one in result.systems])
        failed = np.array([int(result.failed(one).sum()) for one in result.systems], np.int64)
        judged = np.asarray(~np.isnan(values).all(axis=0))
        return cls(name, values, failed, units, dealt(name, units, folds, judged))

    def means(self, without: int | None) -> Floats:
        """Average each policy over the topics of all folds but one; shape (n_policies,)."""
        kept = self.values[:, self.folds != (-1 if without is None else without)]
        known = ~np.isnan(kept)
        means = np.full(len(kept), np.nan)
        np.divide(np.where(known, kept, 0).sum(1), known.sum(1), out=means, where=known.any(1))
        return means

    def row(self, chosen: int, picked: Sequence[int]) -> dict[str, Any]:
        """Set the choice beside what choosing gives out of fold."""
        honest = self.values[np.array(picked)[self.folds], np.arange(len(self.folds))]
        known = ~np.isnan(honest)
        units = packed(self.units[known])
        low, high = interval(bootstrap(honest[known, None], units), [len(np.unique(units))])
        inside, outside = np.nanmean(self.values[chosen]), np.nanmean(honest)
        return {
            "collection": self.name,
            "n": int((~np.isnan(honest)).sum()),
            "in_sample": inside,
            "out_of_fold": outside,
            "low": low[0],
            "high": high[0],
            "optimism": inside - outside,
        }


def dealt(
    name: str, units: npt.NDArray[np.int64], folds: int, judged: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Give each topic its fold, so that those of one conversation share one; shape (n_topics,).

    Dealt are the conversations of judged topics: one with nothing to find is alone, and would fill
    a fold in which there is nothing to choose by.
    """
    names = np.unique(units[judged])
    there = len(names)
    if there < folds:
        raise BadParameter(
            f"{name!r} has {there} conversations, fewer than {folds} folds. "
            f"Write folds={max(there, 2)}, or give more conversations."
        )
    return np.where(judged, np.searchsorted(names, units) % folds, 0)


def _policies(family: Any) -> list[Ranker]:
    if isinstance(family, Mapping):
        family = family.values()
    given: Iterable[Any] = [family] if isinstance(family, Ranker) else family
    policies = [
        policy for one in given for policy in (one.grid() if isinstance(one, Ranker) else [one])
    ]
    found = list(dict.fromkeys(policies))
    if len(found) < 2:
        raise BadParameter(
            f"{family!r:.80} stands for one policy: nothing to choose. Write vary(...) for a value."
        )
    return cast("list[Ranker]", found)


def _best(parts: list[_Part], measure: Measure, without: int | None) -> int:
    """Give the best policy without a fold; the first of several."""
    means = np.mean([part.means(without) for part in parts], axis=0)
    # What has no value, having failed on every topic, is never the best.
    gain = np.nan_to_num(means if measure.higher_is_better else -means, nan=-np.inf)
    return int(np.argmax(gain))


def _grid(parts: list[_Part], systems: list[str]) -> pd.DataFrame:
    columns = {part.name: part.means(None) for part in parts}
    frame = pd.DataFrame({"system": systems, **columns})
    failed = np.sum([part.failed for part in parts], axis=0)
    return frame.assign(mean=np.mean(list(columns.values()), axis=0), failed=failed)
