"""Five claims about compaction, each put so that replays side by side can refute it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lcm_lab.compaction.anchors import Anchors
from lcm_lab.compaction.base import Chain
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.strategies import RandomLines, Rolling
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.evaluation.replay.means import Floats, units_of
from lcm_lab.evaluation.replay.result import Replay
from lcm_lab.evaluation.statistics.significance import bootstrap, interval
from lcm_lab.identifiers import NAMED

__all__ = ["CLAIMS", "claims"]

CLAIMS = {
    "H1": "At 2 to 10 % of the tokens, summaries with search and expansion keep more than a "
    "rolling summary by itself.",
    "H2": "By what is in view alone, they keep no more than random lines, or than one extractive "
    "summary of the same size.",
    "H3": "An index of identifiers at 10 to 25 % of the room adds 15 points or more to what is "
    "kept of identifiers.",
    "H4": "What can be recovered does not fall with the number of condensations; what a rolling "
    "summary keeps does.",
    "H5": "The share of the view that a compaction frees comes to a floor, and condensation "
    "raises it.",
}
#: Kinds that an index of identifiers can carry.
NAMES = {"path", "code location", "error", "config value", "identifier", "number", *NAMED}
#: What H3 asks for, and the shares of an index that it is about.
POINTS, SHARES = 0.15, (0.1, 0.25)
#: A floor: the freed share may still fall by so much a cycle.
STEADY = 0.01

COLUMNS = ("claim", "compared", "difference", "low", "high", "n", "units", "outcome")


class _Found(NamedTuple):
    claim: str
    compared: str
    difference: float
    low: float
    high: float
    n: int
    units: int
    outcome: str


def claims(results: Mapping[str, Replay]) -> pd.DataFrame:
    """Hold five claims against replays of the same conversations.

    Parameters
    ----------
    results : mapping of name to Replay

    Returns
    -------
    DataFrame
        claim (H1 to H5), compared (which results), difference with its 95 % interval, n (facts, or
        conversations for H5), units (conversations), outcome: holds, fails, undecided, no interval
        (one conversation), or not measured. Several rows where several results can be compared.
    """
    makers = (_h1, _h2, _h3, _h4, _h5)
    rows = []
    for name, make in zip(CLAIMS, makers, strict=True):
        found = [*make(results)]
        nothing = float("nan")
        rows += found or [_Found(name, "", nothing, nothing, nothing, 0, 0, "not measured")]
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _of(results: Mapping[str, Replay], *kinds: type) -> Iterator[tuple[str, Replay]]:
    """Yield the results whose strategy is of a kind, or ends with one."""
    for name, one in results.items():
        last = one.strategy.steps[-1] if isinstance(one.strategy, Chain) else one.strategy
        if isinstance(last, kinds):
            yield name, one


def _most(one: Replay) -> Arm | None:
    """Give the greatest allowance of a result that searches everything."""
    arms = [arm for arm in one.arms if arm.searches and arm.scope is None]
    return max(arms, key=lambda arm: arm.searches + arm.expansions, default=None)


def _h1(results: Mapping[str, Replay]) -> Iterator[_Found]:
    for name, tree in _of(results, Lossless, Condense, Leaves):
        for other, rolling in _of(results, Rolling):
            arm = _most(tree)
            if arm is not None and tree.summariser == rolling.summariser:
                pairs = _paired(_within(tree, arm), _within(rolling, Arm()))
                yield from _differing("H1", f"{name}, {arm.name} - {other}", pairs, 0)


def _h2(results: Mapping[str, Replay]) -> Iterator[_Found]:
    for name, tree in _of(results, Lossless, Condense):
        for other, base in _of(results, RandomLines, Rolling):
            alike = isinstance(base.strategy, RandomLines) or tree.summariser == base.summariser
            if alike and not isinstance(tree.summariser, Anchors):
                pairs = _paired(_kept(tree, Arm()), _kept(base, Arm()))
                for found in _differing("H2", f"{name} - {other}", pairs, 0):
                    more = {"holds": "fails", "fails": "holds", "undecided": "holds"}
                    yield found._replace(outcome=more.get(found.outcome, found.outcome))


def _h3(results: Mapping[str, Replay]) -> Iterator[_Found]:
    for name, one in results.items():
        index = one.summariser
        if not isinstance(index, Anchors) or not SHARES[0] <= index.share <= SHARES[1]:
            continue
        for other, bare in results.items():
            if bare.strategy == one.strategy and bare.summariser == index.summariser:
                with_, without = _kept(one, Arm()), _kept(bare, Arm())
                pairs = _paired(with_[with_["kind"].isin(NAMES)], without)
                yield from _differing("H3", f"{name} - {other}", pairs, POINTS)


def _h4(results: Mapping[str, Replay]) -> Iterator[_Found]:
    for name, tree in _of(results, Lossless, Condense):
        arm = _most(tree)
        if arm is not None:
            for found in _slope(f"slope of {name}, {arm.name}", _kept(tree, arm)):
                yield (
                    found._replace(outcome="fails" if found.high < 0 else "holds")
                    if found.outcome == ""
                    else found
                )
    for name, rolling in _of(results, Rolling):
        for found in _slope(f"slope of {name}, closed book", _kept(rolling, Arm())):
            falls = "holds" if found.high < 0 else "fails" if found.low > 0 else "undecided"
            yield found._replace(outcome=falls) if found.outcome == "" else found


def _h5(results: Mapping[str, Replay]) -> Iterator[_Found]:
    own = {name: freed for name, one in results.items() if not (freed := _freed(one)).empty}
    for name, freed in own.items():
        steps = freed.iloc[:, -1] - freed.iloc[:, -2]
        for found in _differing("H5", f"last cycle - the one before, {name}", steps, 0):
            steady = "holds" if found.low >= -STEADY else "undecided"
            judged = "fails" if found.high < -STEADY else steady
            yield found if found.units < 2 else found._replace(outcome=judged)
    for name, freed in own.items():
        strategy = results[name].strategy
        for other, bare in own.items():
            if isinstance(strategy, Chain) and strategy.steps[0] == results[other].strategy:
                both = freed.index.intersection(bare.index)
                pairs = freed.loc[both].iloc[:, -1] - bare.loc[both].iloc[:, -1]
                yield from _differing("H5", f"{name} - {other}, last cycle", pairs, 0)


def _freed(one: Replay) -> pd.DataFrame:
    """Give the share of the view that each cycle freed: conversations by cycles, own budget."""
    points = one.points[(one.points["budget"] == "own") & one.points["valid"]]
    shares = points.assign(freed=points["freed"] / points["before"])
    wide = shares.pivot_table(index="conversation", columns="cycle", values="freed").dropna()
    return wide if wide.shape[1] > 2 else wide.head(0)


def _kept(one: Replay, arm: Arm) -> pd.DataFrame:
    own = one.final
    return own[(own["arm"] == arm.name) & own["share"].notna()]


def _within(one: Replay, arm: Arm) -> pd.DataFrame:
    """Give what was kept at 2 to 10 % of the tokens."""
    own = _kept(one, arm)
    return own[own["share"].between(0.0195, 0.1005)]


def _paired(one: pd.DataFrame, other: pd.DataFrame) -> pd.Series:
    """Give the differences of facts that two results share, by conversation."""
    key = ["conversation", "budget", "fact"]
    both = one.merge(other, on=key, suffixes=("", "_"))
    values = both["kept"].astype(float) - both["kept_"].astype(float)
    return pd.Series(values.to_numpy(), index=both["conversation"])


def _differing(claim: str, compared: str, pairs: pd.Series, least: float) -> Iterator[_Found]:
    """Yield a mean difference, and whether it is surely above the least that is claimed."""
    if pairs.empty:
        return
    units = units_of(pairs.index)
    draws = bootstrap(pairs.to_numpy(float)[:, None], units)
    yield _judged(claim, compared, float(pairs.mean()), draws[:, 0], (len(pairs), units), least)


def _judged(
    claim: str, compared: str, mean: float, draws: Floats, size: tuple[int, Any], least: float
) -> _Found:
    n, n_units = size[0], int(size[1].max()) + 1
    low, high = interval(draws[:, None], [n_units])
    if n_units < 2:
        return _Found(claim, compared, mean, np.nan, np.nan, n, n_units, "no interval")
    outcome = "holds" if low[0] > least else "fails" if high[0] < least else "undecided"
    return _Found(claim, compared, mean, float(low[0]), float(high[0]), n, n_units, outcome)


def _slope(compared: str, facts: pd.DataFrame) -> Iterator[_Found]:
    """Yield the change of the share kept for each further condensation, by least squares.

    Facts in view as they were said have none, and are left out.
    """
    facts = facts[facts["condensations"] > 0]
    if facts["condensations"].nunique() < 2:
        return
    x, y = facts["condensations"].to_numpy(float), facts["kept"].to_numpy(float)
    units = units_of(facts["conversation"])
    moments = np.column_stack([x, y, x * y, x * x])
    draws = np.append(moments.mean(axis=0)[None, :], bootstrap(moments, units), 0)
    spread = draws[:, 3] - draws[:, 0] ** 2
    slopes = np.full(len(draws), np.nan)
    rise = draws[:, 2] - draws[:, 0] * draws[:, 1]
    np.divide(rise, spread, out=slopes, where=spread > 1e-12)
    found = _judged("H4", compared, float(slopes[0]), slopes[1:], (len(facts), units), 0)
    yield found if found.outcome == "no interval" else found._replace(outcome="")
