"""Whether a question is answered at once, by a look at what lies under, or by a worker."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

__all__ = ["Intent", "Route", "broad_time_range", "route", "token_risk"]

Action = Literal["answer_directly", "expand_shallow", "delegate_traversal"]
Intent = Literal["query_probe", "explicit_expand"]

DEPTHS, DEPTH = (1, 10), 3
#: What one summary costs to read on, and what multiplies that: messages too, each level more, a
#: question about a long time, and one in several steps.
EACH, MESSAGES, LEVEL, BROAD, HOPS = 220, 1.9, 0.65, 1.35, 1.25
MODERATE, HIGH = 0.35, 0.7
#: The largest whole number that the reference has.
UNLIMITED = 2**53 - 1

_LONG = re.compile(
    r"\b(?:last|past)\s+(?:month|quarter|year)s?\b"
    r"|\b(?:over|across|throughout)\s+(?:time|months|quarters|years)\b"
    r"|\b(?:timeline|chronology|history|long[- ]term)\b"
    r"|\bbetween\b[^.]{1,40}\band\b[^.]{1,40}",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")
_HOPS = re.compile(
    r"\b(?:root\s+cause|causal\s+chain|chain\s+of\s+events|multi-?hop|multi-?step|cross-summary)\b"
    r"|\bhow\s+did\b.+\blead\s+to\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Route:
    """How to go about a question, and why.

    Attributes
    ----------
    action : {"answer_directly", "expand_shallow", "delegate_traversal"}
    depth : int
        Levels to walk, 1 to 10.
    candidates : int
        Summaries that it may be found under.
    tokens, cap : int
        What reading under them is estimated to cost, and what it may cost.
    ratio : float
    risk : {"low", "moderate", "high"}
    broad, hops : bool
        Whether it asks about a long time, and in several steps.
    """

    action: Action
    depth: int
    candidates: int
    tokens: int
    cap: int
    ratio: float
    risk: str
    broad: bool
    hops: bool

    def to_dict(self) -> dict[str, Any]:
        """Give it with the names that the reference has."""
        return {
            "action": self.action,
            "normalizedMaxDepth": self.depth,
            "candidateSummaryCount": self.candidates,
            "estimatedTokens": self.tokens,
            "tokenCap": self.cap,
            "tokenRiskRatio": self.ratio,
            "tokenRiskLevel": self.risk,
            "indicators": {"broadTimeRange": self.broad, "multiHopRetrieval": self.hops},
        }


def route(
    question: str,
    candidates: int,
    cap: float,
    depth: float = DEPTH,
    intent: Intent = "query_probe",
    *,
    messages: bool = False,
) -> Route:
    """Decide how to go about a question; a pure function.

    Parameters
    ----------
    question : str
    candidates : int
        Summaries that it may be found under; below 0 counts as 0.
    cap : float
        Tokens that may be read.
    depth : float
        Levels asked for; cut to a whole number from 1 to 10, and 3 where it is no number.
    intent : {"query_probe", "explicit_expand"}
        Only a question may be answered at once; named summaries are to be read.
    messages : bool
        Whether messages are to be read too.

    Notes
    -----
    At depth 3, the default, every question counts as one in several steps, so that it is never
    answered at once: as in the reference.

    Examples
    --------
    >>> route("what changed", 1, 4000, depth=2).action
    'answer_directly'
    >>> route("the timeline of the root cause", 1, 100_000, depth=1).action
    'delegate_traversal'
    """
    levels = DEPTH if math.isnan(depth) else int(min(max(depth, DEPTHS[0]), DEPTHS[1]))
    count = max(int(candidates), 0)
    broad = broad_time_range(question)
    hops = levels >= 3 or count >= 5 or _HOPS.search(question) is not None
    tokens = _estimate(count, levels, messages=messages, broad=broad, hops=hops)
    limit = max(1, int(cap)) if math.isfinite(cap) else UNLIMITED
    ratio, risk = token_risk(tokens, limit)
    probe = intent == "query_probe" and levels <= 2 and count <= 1 and risk == "low"
    action: Action = "expand_shallow"
    if not count or (probe and not broad and not hops):
        action = "answer_directly"
    elif risk == "high" or (broad and hops):
        action = "delegate_traversal"
    return Route(action, levels, count, tokens, limit, ratio, risk, broad, hops)


def broad_time_range(question: str) -> bool:
    """Tell whether a question asks about a long time.

    Examples
    --------
    >>> [broad_time_range(one) for one in ("past quarter", "last week", "2020 vs 2022")]
    [True, False, True]
    """
    years = sorted({int(year) for year in _YEAR.findall(question)})
    return _LONG.search(question) is not None or _apart(years)


def token_risk(tokens: int, cap: float) -> tuple[float, str]:
    """Give what share of a limit an estimate is, and whether that is low, moderate or high.

    Examples
    --------
    >>> token_risk(35, 100), token_risk(70, 100)
    ((0.35, 'moderate'), (0.7, 'high'))
    """
    ratio = tokens / max(1, int(cap) if math.isfinite(cap) else UNLIMITED)
    return ratio, "low" if ratio < MODERATE else "moderate" if ratio < HIGH else "high"


def _apart(years: Sequence[int]) -> bool:
    return any(later - years[0] >= 2 for _, later in pairwise(years))


def _estimate(count: int, depth: int, *, messages: bool, broad: bool, hops: bool) -> int:
    each = EACH * (MESSAGES if messages else 1)
    each *= 1 + (depth - 1) * LEVEL
    each *= BROAD if broad else 1
    each *= HOPS if hops else 1
    return math.ceil(each * count)
