"""Learned: candidates ordered anew by weights over what the steps of their policy say of them.

The weights come from judged topics, which lie above rankers: `lcm_lab.learn` finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.ranking.contextual import Contextual
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.ranking.nodes import Over, Weighted
from lcm_lab.ranking.scorer import Leaf
from lcm_lab.ranking.search import Search
from lcm_lab.run import Run
from lcm_lab.values import parts, value

__all__ = ["Learned", "columns", "steps", "strengths"]

Floats = npt.NDArray[np.float64]

#: Beyond this the exponential of a weighted sum leaves the floats.
MOST = 700.0


@value
class Learned(Ranker):
    """Order the candidates of a policy by a weighted sum of what each of its steps says.

    Parameters
    ----------
    policy : Ranker
        What brings the candidates. Cut it: ``Recommended() % 100``.
    weights : tuple of float
        One a step of the policy, innermost first, then one a ranker of ``features``. They may be
        negative: a step is worth what it adds to the others. `lcm_lab.learn` finds them.
    features : tuple of Ranker
        What else to look at: rankers that could be terms of a sum.

    Notes
    -----
    A step is a scorer, a contextual ranker or a modifier anywhere in the policy. What it says of a
    hit is what it would be worth as a term of a sum: its share of its own best hit, or its factor.
    So it says the same of a hit however the lists were cut, and only which hits are candidates
    depends on the policy. What was an operator between the steps no longer counts.

    The score is the exponential of the sum, so that of two hits with scores a and b the first is
    expected to be the better one with probability a / (a + b): the model of Bradley and Terry
    (1952), Rank Analysis of Incomplete Block Designs.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["use WAL", "the WAL grew and grew", "lunch"])
    >>> by_words = lcm.BM25() % 100 >> lcm.Recency("7D")
    >>> policy = Learned(by_words, weights=(-2.0, 0.5))
    >>> policy.fit(corpus)("wal")["docno"].tolist()
    ['m2', 'm1']
    >>> policy
    Learned(BM25() % 100 >> Recency('7D'), (-2.0, 0.5))
    """

    policy: Ranker
    weights: tuple[float, ...]
    features: tuple[Ranker, ...] = ()

    retrieves = True
    by_depth = True

    def check(self) -> None:
        """Refuse a policy without candidates, what is no term of a sum, and weights that miss."""
        policy: Any = self.policy
        if not isinstance(policy, Ranker) or not policy.retrieves:
            raise BadParameter(
                f"Learned re-scores what a policy finds. Got {policy!r:.80}. "
                "Write Learned(BM25() % 100, weights=...)."
            )
        _check_features(self.features)
        if not isinstance(self.weights, tuple):
            raise BadParameter(f"weights must be a tuple of numbers. Got {self.weights!r:.80}.")
        for weight in self.weights:
            checks.number("a weight", weight, low=-1e9, high=1e9)
        if len(self.weights) != len(self.seen):
            raise BadParameter(
                f"weights must be {len(self.seen)} numbers, one each for "
                f"{', '.join(map(_short, self.seen))}. Got {len(self.weights)}. "
                "learn(policy, on=...) finds them."
            )

    @property
    def seen(self) -> tuple[Ranker, ...]:
        """What is weighed: the steps of the policy, innermost first, then the other features."""
        return tuple(dict.fromkeys((*steps(self.policy), *self.features)))

    def retrieve(self, search: Search, k: int) -> Run:
        """Let the policy bring its candidates, order them, keep the best k."""
        return self.apply(search, self.policy.retrieve(search, LIMIT)).top(k)

    def apply(self, search: Search, run: Run) -> Run:
        """Order what came before."""
        table = columns(self.seen, search, run)
        for step, weight, column in zip(self.seen, self.weights, table.T, strict=True):
            search.note(Weighted(weight, step), run, weight * column)
        return run.scored(search.note(self, run, strengths(table, np.array(self.weights))))

    def _role(self) -> str:
        return "orders what its policy finds"


def steps(policy: Ranker) -> tuple[Ranker, ...]:
    """List the steps of a policy that say something of a hit, innermost first, each once.

    Examples
    --------
    >>> from lcm_lab import BM25, Neighbours, Recency, TfIdf
    >>> steps(Neighbours(BM25()) % 10 + 0.3 * TfIdf() >> Recency("7D"))
    (BM25(), Neighbours(BM25()), TfIdf(), Recency('7D'))
    """
    return tuple(dict.fromkeys(_steps(policy)))


def _steps(part: Any) -> Iterator[Ranker]:
    if isinstance(part, Over) and not part.by_depth:
        yield part  # what is within sees fewer rows, and says something else outside
        return
    for inner in parts(part):
        yield from _steps(inner)
    if isinstance(part, Leaf | Modifier):
        yield part


def columns(features: Sequence[Ranker], search: Search, run: Run) -> Floats:
    """Give what each feature says of each hit of a run; float64 of shape (n_hits, n_features)."""
    quiet = search.searcher.asked(search.topics)  # only what it comes to is explained
    said: dict[Ranker, Floats] = {}
    for feature in reversed(features):  # the outermost first, since it looks at all it is built on
        if feature in said:
            continue
        inner = feature.inner if isinstance(feature, Contextual) else None
        if isinstance(feature, Contextual) and isinstance(inner, Contextual) and inner in features:
            said |= feature.shares(quiet, run)
        else:
            said[feature] = feature.weigh(quiet, run, np.ones(len(run)))
    table = [said[feature] for feature in features]
    return np.stack(table, axis=1) if table else np.empty((len(run), 0))


def strengths(table: Floats, weights: Floats) -> Floats:
    """Give hits their scores, above 0.

    Parameters
    ----------
    table : float64 array of shape (n_hits, n_features)
    weights : float64 array of shape (n_features,) or, a row for each hit, (n_hits, n_features)

    Returns
    -------
    float64 array of shape (n_hits,)

    Examples
    --------
    >>> strengths(np.array([[1.0, 0.5], [0.0, 0.5]]), np.array([0.0, 2.0])).round(2).tolist()
    [2.72, 2.72]
    """
    total = np.zeros(len(table))
    for place in range(table.shape[1]):  # in order, so that a batch adds up as one topic does
        total += weights[..., place] * table[:, place]
    return cast(Floats, np.exp(np.clip(total, -MOST, MOST)))


def _check_features(features: Any) -> None:
    if not isinstance(features, tuple):
        raise BadParameter(f"features must be a tuple of rankers. Got {features!r:.80}.")
    for feature in features:
        if not isinstance(feature, Ranker) or feature.by_depth:
            raise BadParameter(
                f"A feature is a ranker that could be a term of a sum. Got {feature!r:.80}."
            )


def _short(step: Ranker) -> str:
    return type(step).__name__
