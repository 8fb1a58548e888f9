"""Pairs of candidates of which one is relevant, and the weights that tell which."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter, needing
from lcm_lab.run import Run

__all__ = ["DEPTH", "Pairs", "weigh"]

Floats = npt.NDArray[np.float64]

#: A relevant candidate is set against others among so many first ones.
DEPTH = 100


class Pairs(NamedTuple):
    """Relevant candidates set against others of their topic.

    Attributes
    ----------
    apart : float64 array of shape (n_pairs, n_features)
        What each feature says of the relevant one, less what it says of the other.
    size : float64 array of shape (n_pairs,)
        How much each pair counts: those of a topic add up to 1.
    """

    apart: Floats
    size: Floats

    @classmethod
    def of(
        cls,
        run: Run,
        table: Floats,
        relevant: npt.NDArray[np.bool_],
        kept: npt.NDArray[np.bool_],
    ) -> Pairs:
        """Pair the hits of the kept topics.

        Parameters
        ----------
        run : Run
        table : float64 array of shape (n_hits, n_features)
        relevant : bool array of shape (n_hits,)
        kept : bool array of shape (n_topics,)
        """
        apart, size = [np.empty((0, table.shape[1]))], [np.empty(0)]
        for (start, stop), keep in zip(itertools.pairwise(run.offsets.tolist()), kept, strict=True):
            good = start + np.flatnonzero(relevant[start:stop])
            bad = start + np.flatnonzero(~relevant[start : min(stop, start + DEPTH)])
            if not keep or not len(good) or not len(bad):
                continue
            pairs = table[good][:, None] - table[bad][None]
            apart.append(pairs.reshape(-1, table.shape[1]))
            size.append(np.full(len(good) * len(bad), 1 / (len(good) * len(bad))))
        return cls(np.concatenate(apart), np.concatenate(size))


def weigh(parts: Sequence[Pairs], estimator: Any = None) -> Floats:
    """Give the weight of each feature by which pairs, those of each part alike, come out right.

    Returns
    -------
    float64 array of shape (n_features,)
        Rounded to four significant digits; 0 for a feature that tells no pair apart.

    Raises
    ------
    BadParameter
        Without pairs, or for an estimator that is not linear.
    """
    parts = [part for part in parts if len(part.size)]
    if not parts:
        raise BadParameter(
            "There is nothing to learn from: no topic has both a relevant candidate and another. "
            "Give more topics, or a policy that finds more."
        )
    each = sum(part.size.sum() for part in parts) / len(parts)
    apart = np.concatenate([part.apart for part in parts])
    size = np.concatenate([part.size * (each / part.size.sum()) for part in parts])
    scale = np.sqrt(np.average(apart**2, axis=0, weights=size))
    tells = np.flatnonzero(scale > 0)
    weights = np.zeros(apart.shape[1])
    if len(tells):
        found = _fitted(apart[:, tells] / scale[tells], size, estimator)
        weights[tells] = found / scale[tells]
    return np.array([float(f"{weight:.4g}") for weight in weights])


def _fitted(apart: Floats, size: Floats, estimator: Any) -> Floats:
    """Fit a linear model to each pair both ways round, so that it leans to neither."""
    model = _model(estimator)
    both, label = np.concatenate([apart, -apart]), np.repeat([1, -1], len(apart))
    model.fit(both, label, sample_weight=np.tile(size / 2, 2))
    found = np.asarray(getattr(model, "coef_", np.nan), np.float64)
    if found.size != apart.shape[1] or not np.isfinite(found).all():
        raise BadParameter(
            f"{type(model).__name__} holds no weight for each feature. A policy is a value, and "
            "only a linear model fits into one: LogisticRegression, LinearSVC, Ridge."
        )
    return found.ravel()


def _model(estimator: Any) -> Any:
    with needing("scikit-learn", "learn"):
        from sklearn.base import clone
        from sklearn.linear_model import LogisticRegression
        from sklearn.utils.validation import has_fit_parameter

    if estimator is None:
        return LogisticRegression(fit_intercept=False, max_iter=1000)
    fits = not isinstance(estimator, type) and hasattr(estimator, "get_params")
    if not fits or not has_fit_parameter(estimator, "sample_weight"):
        raise BadParameter(
            f"estimator must be a linear scikit-learn model whose fit takes sample_weight. "
            f"Got {estimator!r:.80}. Features are scaled already; write LogisticRegression(C=0.1)."
        )
    return clone(estimator)
