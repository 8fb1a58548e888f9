"""What a random order of all that a topic may see is worth: by a formula, or else drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lcm_lab.evaluation.judge import Bench
from lcm_lab.measures import AP, RR, AllR, AnyR, Measure, R, Stale, nDCG
from lcm_lab.rows import Rows, count
from lcm_lab.run import Hits, Run

__all__ = ["DRAWS", "Chance", "chance"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Random orders of each topic where no formula is known; fewer where all topics together would
#: have more than `ORDERS`, of which the mean is sure enough, but at least 5; and where their lists
#: together would be longer than `CELLS` hits, none where one order of each is.
DRAWS, ORDERS, CELLS = 50, 10_000, 20_000_000


class Chance(NamedTuple):
    """The expected value of every topic, NaN where undefined; and its draws, 0 where exact."""

    values: Floats
    draws: int


class Urn(NamedTuple):
    """What a random order draws from, an array of shape (n_topics,) each.

    ``k`` is how many of ``pool`` rows are drawn, ``good`` how many relevant ones are among these,
    ``all_good`` how many there are with those that the topic may not see.
    """

    pool: Ints
    good: Ints
    all_good: Ints
    k: Ints


def chance(bench: Bench, measure: Measure, seed: int = 0) -> Chance:
    """Give what a uniformly random order of the rows that each topic may see is expected to have.

    Notes
    -----
    Exact for nDCG, R, AnyR, AllR, RR, AP and Stale: rows are drawn without replacement, so that
    counts of relevant ones are hypergeometric. Others are simulated, at most 50 orders of a topic.
    """
    formula = _FORMULAS.get(type(measure))
    undefined = np.isnan(measure.ceiling(bench.unranked))
    if formula is None:
        values, draws = _drawn(bench, measure, seed)
    else:
        values, draws = formula(bench, measure, _urn(bench, measure)), 0
    return Chance(np.where(undefined, np.nan, values), draws)


def _urn(bench: Bench, measure: Measure) -> Urn:
    seen = bench.relevant & ~bench.hidden
    good = np.bincount(bench.topic[seen], minlength=len(bench.topics))
    k = np.minimum(bench.pool, int(measure.at) if measure.at else np.iinfo(np.int64).max)
    return Urn(bench.pool, good, bench.n_relevant, k)


def _share(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    del bench, measure
    return _over(urn.k * _over(urn.good, urn.pool), urn.all_good)


def _any(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    del bench, measure
    return 1 - _none_drawn(urn.pool, urn.good, urn.k)


def _all(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    from scipy.stats import hypergeom

    del bench, measure
    every = hypergeom.pmf(urn.good, urn.pool, urn.good, urn.k)
    return np.where(urn.good == urn.all_good, np.nan_to_num(every), 0.0)


def _first(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    """Give the mean of 1 / rank of the first good one: sum over r of P(first at r) / r."""
    del bench, measure
    known: dict[tuple[int, int, int], float] = {}
    for key in zip(urn.pool.tolist(), urn.good.tolist(), urn.k.tolist(), strict=True):
        known.setdefault(key, 0.0)
    for pool, good, k in known:
        if good:
            ranks = np.arange(1, min(k, pool - good + 1) + 1)
            left = np.cumprod(np.append(1.0, (pool - good - ranks + 1) / (pool - ranks + 1)))
            known[pool, good, k] = float((left[:-1] * good / (pool - ranks + 1) / ranks).sum())
    keys = zip(urn.pool.tolist(), urn.good.tolist(), urn.k.tolist(), strict=True)
    return np.array([known[key] for key in keys], np.float64)


def _precision(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    """Give the mean of average precision: above a good one stand, by chance, others like it."""
    from scipy.special import digamma

    del bench, measure
    harmonic = digamma(urn.k + 1.0) + np.euler_gamma
    one = _over(urn.good, urn.pool)
    two = one * _over(urn.good - 1, urn.pool - 1)
    return _over(one * harmonic + two * (urn.k - harmonic), urn.all_good)


def _gain(bench: Bench, measure: Any, urn: Urn) -> Floats:
    """Give the mean gain of a row times the sum of discounts, over the ideal."""
    grades = np.where(bench.outside, 0, bench.grade)
    gains = measure._dcg(np.arange(len(grades) + 1), grades)
    total = np.bincount(bench.topic, weights=gains, minlength=len(bench.topics))
    sizes, at = np.unique(urn.k, return_inverse=True)
    ends = (np.array([0, k], np.int64) for k in sizes.tolist())
    sums = np.array([measure._dcg(end, np.ones(end[1], np.int64))[0] for end in ends], np.float64)
    ideal = measure._dcg(bench.unranked.gold_offsets, bench.unranked.gold)
    return _over(_over(total, urn.pool) * sums[at], ideal)


def _stale(bench: Bench, measure: Measure, urn: Urn) -> Floats:
    """Give the chance that the first of all that is stale or current is stale, and within k."""
    del measure
    inside = ~bench.outside
    n = len(bench.topics)
    old = np.bincount(bench.topic[bench.stale & inside], minlength=n)
    new = np.bincount(bench.topic[bench.relevant & ~bench.stale & inside], minlength=n)
    return (1 - _none_drawn(urn.pool, old + new, urn.k)) * _over(old, old + new)


def _none_drawn(pool: Ints, good: Ints, k: Ints) -> Floats:
    from scipy.stats import hypergeom

    return np.where(good > 0, np.nan_to_num(hypergeom.pmf(0, pool, good, k)), 1.0)


def _over(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    out = np.zeros(len(whole))
    np.divide(part, whole, out=out, where=whole > 0)
    return out


_FORMULAS: Mapping[type[Measure], Callable[[Bench, Any, Urn], Floats]] = {
    type(R): _share,
    type(AnyR): _any,
    type(AllR): _all,
    type(RR): _first,
    type(AP): _precision,
    type(nDCG): _gain,
    type(Stale): _stale,
}


def _drawn(bench: Bench, measure: Measure, seed: int) -> tuple[Floats, int]:
    """Average over random orders, each only as long as the measure reads."""
    n, lengths = len(bench.topics), _read(bench, measure)
    longest = CELLS // max(int(lengths.sum()), 1)
    draws = min(DRAWS, max(ORDERS // max(n, 1), 5), longest)
    if not draws:
        return np.full(n, np.nan), 0
    rng, summed = np.random.default_rng(seed), np.zeros(n)
    for _ in range(draws):
        picks = zip(bench.topics.rows, bench.pool.tolist(), lengths.tolist(), strict=True)
        lists = [_some(rows, rng.choice(pool, k, replace=False)) for rows, pool, k in picks]
        hits = Hits.stack([(one, np.arange(len(one), 0.0, -1.0)) for one in lists])
        summed += np.nan_to_num(measure.per_topic(bench.judge(Run.of(bench.topics, hits))))
    return summed / draws, draws


def _some(rows: Rows, places: Ints) -> Ints:
    return rows.start + places if isinstance(rows, slice) else rows[places]


def _read(bench: Bench, measure: Measure) -> Ints:
    """Tell how many hits of a random list a measure can read at most; shape (n_topics,)."""
    at = measure.at
    if at is not None and measure.cutoff == "hits":
        return np.minimum(bench.pool, int(at))
    if at is None or measure.cutoff != "tokens":
        return bench.pool
    tokens, known = bench.collection.corpus.numpy("tokens"), dict[Any, int]()
    lengths = []
    for rows in bench.topics.rows:
        # Topics with the same filters share one set of rows.
        key = (rows.start, rows.stop) if isinstance(rows, slice) else id(rows)
        if key not in known:
            ends = np.cumsum(np.sort(tokens[rows]))
            known[key] = min(count(rows), int(np.searchsorted(ends, at, "right")) + 1)
        lengths.append(known[key])
    return np.array(lengths, np.int64)
