"""learn: weigh the steps of a policy by judged topics, and say what that gives on unseen ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.choosing.pairs import Pairs, weigh
from lcm_lab.evaluation.choosing.tune import dealt
from lcm_lab.evaluation.judge import Bench, conversations
from lcm_lab.evaluation.statistics.significance import bootstrap, interval, packed
from lcm_lab.measures import Measure, nDCG
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.search import Search
from lcm_lab.ranking.steps.learned import Learned, columns, steps, strengths
from lcm_lab.run import Run

__all__ = ["Learning", "learn"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def learn(
    policy: Ranker,
    on: Collection | Sequence[Collection],
    features: Ranker | Sequence[Ranker] = (),
    estimator: Any = None,
    measure: Measure = nDCG @ 10,
    folds: int = 5,
) -> Learning:
    """Learn what the steps of a policy are worth, and measure it by folds over conversations.

    Parameters
    ----------
    policy : Ranker
        Brings the candidates; cut it: ``Recommended() % 100``. What `lcm_lab.Learned` calls its
        steps are weighed.
    on : Collection, or several
        Several weigh the same, however many topics each has, and share the weights.
    features : Ranker, or several
        What else to weigh: rankers that could be terms of a sum.
    estimator : scikit-learn estimator, optional
        A linear one, which `fit` gives one coefficient a feature; ``LogisticRegression`` when not
        given. Its intercept should be off.
    measure : Measure
        What is reported; it does not change what is learned.
    folds : int, at least 2
        A conversation and all its topics are in one fold; topics of none are dealt out in turn.

    Returns
    -------
    Learning

    Raises
    ------
    BadParameter
        For an estimator that is not linear, since trees would not fit into a value; for topics
        among whose candidates nothing tells relevant from other; for a measure that is not taken
        of each topic; for a collection with fewer conversations than folds.

    Notes
    -----
    What is learned is which of two candidates is relevant, from the difference of what each step
    says of them: every relevant candidate against the others among the topic's first 100. The
    differences are scaled to one size, topics weigh the same within a collection, and the weights
    are rounded to four digits, so that they print short and do not hang on the last bits of a
    solver. Out of fold, each fold is ranked with weights learned from the others.

    What it gave ``Recommended() % 100`` on the development sets, with one setting for all and the
    parameters of its steps as they were, which had been chosen on the same topics; 95 % intervals
    over 5 conversations, 6 conversations and 235 topics:

    ==============================  ===  ======  =========  ===========  ======================
    measure                         n    before  in sample  out of fold  gain out of fold
    ==============================  ===  ======  =========  ===========  ======================
    LoCoMo turns, nDCG@10           997  .648    .647       .647         -.001 [-.007, .007]
    LoCoMo turns, R@10              997  .808    .807       .805         -.003 [-.012, .005]
    BEAM messages, nDCG@10          96   .607    .585       .586         -.021 [-.034, -.007]
    BEAM messages, R@10             96   .722    .701       .698         -.024 [-.053, -.001]
    LongMemEval evidence, nDCG@10   235  .801    .807       .807         +.006 [.001, .012]
    LongMemEval evidence, AnyR@5    235  .889    .898       .894         +.004 [.000, .013]
    LongMemEval evidence, AllR@5    235  .770    .770       .770         .000 [-.013, .013]
    ==============================  ===  ======  =========  ===========  ======================

    So it does not beat a policy whose parameters were searched for; out of fold that search gave
    .642, .578 and .795 nDCG@10. Nor did `QueryLikelihood` (.648, .594, .807), character n-grams, or
    thirty-one features more (roles, lengths, who is named, each neighbour apart: .645, .566, .799).
    Weights drawn towards the policy give the policy back (.649, .606, .801).
    With `MiniLM` the policy's .647, .618 and .815 become .633, .616 and .822 out of fold.
    Where nothing was searched for it gains: `BM25` as it comes, with seven contextual rankers on it
    as features, goes out of fold from .523, .372 and .774 to .553, .549 and .777, the last within
    chance. Pairs were taken rather than single hits (.644, .570, .812) after these
    figures were seen, so that they are a little kind.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> bench = lcm.load("synth-chat-s")
    >>> found = learn(lcm.Neighbours(lcm.BM25()) % 50, on=bench, folds=2)
    >>> found.policy.policy
    Neighbours(BM25()) % 50
    >>> found.weights["feature"].tolist()
    ['BM25()', 'Neighbours(BM25())']
    """
    checks.whole("folds", folds, 2)
    if measure.per != "topic" or measure.needs == "timing":
        raise BadParameter(f"learn reports a mean over topics. {measure} is none.")
    if not isinstance(policy, Ranker):
        raise BadParameter(f"learn weighs the steps of a policy. Got {policy!r:.80}.")
    more = (features,) if isinstance(features, Ranker) else tuple(features)
    blank = Learned(policy, (0.0,) * len({*steps(policy), *more}), more)
    parts = [_Part.of(blank, one, measure, folds) for one in _collections(on)]
    held = [None, *range(folds)]
    found = [weigh([part.pairs(without) for part in parts], estimator) for without in held]
    frame = pd.DataFrame([part.row(found[0], np.stack(found[1:])) for part in parts])
    policies = [Learned(policy, tuple(each.tolist()), blank.features) for each in found]
    return Learning(policies[0], tuple(policies[1:]), frame, measure)


@dataclass(frozen=True, eq=False, repr=False)
class Learning:
    """Weights that were learned, and what such weights are worth.

    Attributes
    ----------
    policy : Learned
        With weights from everything.
    picks : tuple of Learned
        With weights from all but each fold.
    frame : DataFrame
        A row a collection: collection, n (topics), before (the mean of the policy as it was),
        in_sample (of what was learned), out_of_fold with its 95 % interval over conversations (low,
        high), gain, out_of_fold less before, with its own (gain_low, gain_high), and optimism,
        in_sample less out_of_fold.
    measure : Measure
    """

    policy: Learned
    picks: tuple[Learned, ...]
    frame: pd.DataFrame
    measure: Measure

    @property
    def weights(self) -> pd.DataFrame:
        """What each feature weighs: feature, weight, and the least and most of it over folds."""
        folds = np.array([pick.weights for pick in self.picks])
        return pd.DataFrame(
            {
                "feature": [repr(feature) for feature in self.policy.seen],
                "weight": self.policy.weights,
                "least": folds.min(axis=0),
                "most": folds.max(axis=0),
            }
        )

    def __repr__(self) -> str:
        return (
            f"{self.policy!r}\nlearned by {len(self.picks)} folds; {self.measure}\n"
            f"{self.frame.round(3).to_string(index=False)}"
        )


@dataclass(frozen=True, eq=False)
class _Part:
    """A collection, its candidates, and what the features say of each."""

    bench: Bench
    run: Run
    table: Floats
    measure: Measure
    units: Ints
    folds: Ints

    @classmethod
    def of(cls, blank: Learned, collection: Collection, measure: Measure, folds: int) -> _Part:
        bench = Bench.of(collection)
        units = conversations(bench)
        search = Search(blank.fit(collection.corpus), bench.topics)
        run = blank.policy.retrieve(search, LIMIT)
        table = columns(blank.seen, search, run)
        dealt_to = dealt(collection.name, units, folds, bench.n_relevant > 0)
        return cls(bench, run, table, measure, units, dealt_to)

    def pairs(self, without: int | None) -> Pairs:
        """Set relevant candidates against others, in the topics of all folds but one."""
        kept = self.folds != (-1 if without is None else without)
        return Pairs.of(self.run, self.table, self.bench.relevance(self.run), kept)

    def values(self, weights: Floats | None) -> Floats:
        """Measure each topic as ranked by weights, or as it came; shape (n_topics,)."""
        run = self.run
        if weights is not None:
            run = run.scored(strengths(self.table, weights))
        return np.asarray(self.measure.per_topic(self.bench.judge(run)), np.float64)

    def row(self, chosen: Floats, picked: Floats) -> dict[str, Any]:
        """Set the policy as it was beside what was learned, in sample and out of fold."""
        before, inside = self.values(None), self.values(chosen)
        honest = self.values(picked[self.folds[self.run.topic]])
        both = np.stack([honest, honest - before], axis=1)
        known = ~np.isnan(honest)
        units = packed(self.units[known])
        low, high = interval(bootstrap(both[known], units), [len(np.unique(units))] * 2)
        return {
            "collection": self.bench.collection.name,
            "n": int((~np.isnan(honest)).sum()),
            "before": np.nanmean(before),
            "in_sample": np.nanmean(inside),
            "out_of_fold": np.nanmean(honest),
            "low": low[0],
            "high": high[0],
            "gain": np.nanmean(honest - before),
            "gain_low": low[1],
            "gain_high": high[1],
            "optimism": np.nanmean(inside) - np.nanmean(honest),
        }


def _collections(on: Any) -> list[Collection]:
    listed = (
        [on] if isinstance(on, Collection) else list(on) if isinstance(on, list | tuple) else []
    )
    if not listed or not all(isinstance(one, Collection) for one in listed):
        raise BadParameter(
            f"learn needs on= a Collection, or a list of them. Got {on!r:.80}. See load()."
        )
    return listed
