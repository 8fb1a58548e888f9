"""Three levels of summary, each accepted only when it is shorter than its source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lcm_lab.compaction.fallback import capped, cut_down
from lcm_lab.compaction.reference import estimate_tokens
from lcm_lab.compaction.work import SMALL, Accepted, Failed
from lcm_lab.text import count_tokens

__all__ = ["Targets", "escalate", "leaf_targets"]

Write = Callable[[Sequence[str], int], str]


@dataclass(frozen=True, slots=True)
class Targets:
    """How long a summary should be.

    Attributes
    ----------
    normal, aggressive : int
        What the summariser is asked for, first and second.
    factor : float
        A summary longer than so many times the normal target is cut ("capped").
    limit : int
        Of the cut that needs no summariser.
    """

    normal: int
    aggressive: int
    factor: float = 3
    limit: int = 512

    def within(self, most: int) -> Targets:
        """Shorten all to so many tokens, 8 at least."""
        most = max(SMALL // 2, most)
        normal = min(self.normal, most)
        return replace(
            self,
            normal=normal,
            aggressive=min(self.aggressive, normal),
            limit=min(self.limit, most),
        )


def leaf_targets(source: int, most: int, factor: float = 3, limit: int = 512) -> Targets:
    """Give the targets of a leaf over so many tokens, by lossless-claw's rule.

    Examples
    --------
    >>> found = [leaf_targets(size, 2_400) for size in (20_000, 1_000, 100)]
    >>> [(one.normal, one.aggressive) for one in found]
    [(2400, 1320), (350, 200), (192, 96)]
    """
    normal = max(192, min(most, int(0.35 * source)))
    strict = max(96, min(most, int(0.55 * most)))
    return Targets(normal, max(96, min(strict, int(0.2 * source))), factor, limit)


def escalate(
    texts: Sequence[str], source: int, targets: Targets, write: Write, *, reference: bool = False
) -> Accepted | None:
    """Write a summary that is shorter than its source.

    Normal, then aggressive, then a cut that needs no summariser; a summariser that fails or gives
    nothing leads to the cut at once.

    Parameters
    ----------
    texts : sequence of str
    source : int
        Tokens of the source; a summary must have less.
    write : callable ``(texts, tokens) -> str``
        As `Work.write`: raises `Failed` where there is no summary.

    Returns
    -------
    Accepted or None
        None when no cut is shorter than the source; the reference's cut may be longer than it.
    """
    for level, target in (("normal", targets.normal), ("aggressive", targets.aggressive)):
        try:
            text = write(texts, target) if any(one.strip() for one in texts) else ""
        except Failed:
            text = ""
        if not text.strip():
            break
        if _count(text, reference) < max(1, source):
            return _within(text, level, targets, reference)
    limit = targets.limit if reference else min(targets.limit, source - 1)
    text = cut_down("\n\n".join(texts).strip(), limit, reference=reference)
    tokens = _count(text, reference)
    shorter = reference or (tokens < source and text.strip() != "")
    return Accepted(text, "cut", tokens) if shorter else None


def _within(text: str, level: str, targets: Targets, reference: bool) -> Accepted:
    most = math.ceil(targets.factor * targets.normal)
    if _count(text, reference) > most:
        text, level = capped(text, most, reference=reference), "capped"
    return Accepted(text, level, _count(text, reference))


def _count(text: str, reference: bool) -> int:
    return estimate_tokens(text) if reference else count_tokens(text)
