"""Which scorers shards answer exactly, and what to write in the place of the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.phrase import Phrase
from lcm_lab.ranking.exact.whole import Regex, Substring
from lcm_lab.ranking.lexical.passage import BestPassage
from lcm_lab.ranking.lexical.words import BM25, QueryLikelihood, TfIdf
from lcm_lab.ranking.named.openclaw import Saturated
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.ranking.steps.order import Newest
from lcm_lab.values import parts

__all__ = ["leaves", "require_exact"]

#: Rankers whose scores need nothing of other rows, or sums that shards add up.
EXACT = (BM25, TfIdf, QueryLikelihood, Regex, Substring, Phrase)


def leaves(policy: Any) -> Iterator[Scorer]:
    """Walk over the outermost scorers of a policy, leftmost first."""
    if isinstance(policy, Scorer):
        yield policy
        return
    for part in parts(policy):
        yield from leaves(part)


def require_exact(policy: Any) -> None:
    """Refuse a policy that shards would not answer as one index does.

    Raises
    ------
    BadParameter
        With what to write.

    Examples
    --------
    >>> require_exact(lcm.BM25() % 100 + 0.3 * lcm.Dense() >> lcm.Recency("30D"))
    >>> require_exact(lcm.FTS5() % 10)
    Traceback (most recent call last):
    lcm_lab.errors.BadParameter: FTS5() cannot be sharded: ...
    """
    for leaf in leaves(policy):
        reason = _reason(leaf)
        if reason:
            raise BadParameter(f"{leaf!r} cannot be sharded: {reason}")


def _reason(leaf: Any) -> str:
    """Say why a scorer's answer would be another, or nothing."""
    match leaf:
        case Newest() if isinstance(leaf.inner, FTS5):
            return ""  # only who is a hit counts
        case Newest() | Saturated():
            return _reason(leaf.inner)
        case Dense():
            return _of_vectors(leaf)
    return "" if type(leaf) in EXACT or getattr(type(leaf), "by_row", False) else _unknown(leaf)


def _unknown(leaf: Any) -> str:
    """Say why a scorer that looks at other rows is refused, or one of which that is not known."""
    if isinstance(leaf, FTS5):
        return (
            "SQLite weighs words by the rows of each table alone. Write BM25(), or "
            f"Newest({leaf!r}), which does not look at scores."
        )
    if isinstance(leaf, BestPassage):
        return f"words would be weighed by the passages of each shard. Write {leaf.inner!r}."
    name = type(leaf).__name__
    return (
        "whether a row's score depends on other rows is not known. Where it does not, say so in "
        f"the class: by_row = True in {name}."
    )


def _of_vectors(dense: Dense) -> str:
    if dense.scan in ("ivf", "hnsw"):
        return (
            f"an index of kind {dense.scan!r} finds other rows in parts than in the whole. "
            'Write scan="sq8", which is exact.'
        )
    return ""
