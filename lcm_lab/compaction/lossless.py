"""Lossless: lossless-claw's compaction, its full sweep and three-level escalation."""

from __future__ import annotations

import math
import sys
from typing import Literal

from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.choose import prefix_target
from lcm_lab.compaction.sweep import Sweep
from lcm_lab.compaction.tail import TURN
from lcm_lab.compaction.work import Work
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter
from lcm_lab.shown import counted
from lcm_lab.values import value

__all__ = ["Lossless"]


@value
class Lossless(Compactor):
    """Compact as lossless-claw does: leaves under a fresh tail, condensed by depth.

    The oldest messages outside the fresh tail become leaves; when summaries take too much of the
    view they are condensed, neighbours of one depth at a time. A summary is accepted only when it
    is shorter than its source: as asked for, else asked for shorter, else cut without a summariser
    (its ``level`` says which). So it does not fail when the summariser does.

    Parameters
    ----------
    window, threshold : int, float
        Without a budget it begins when more than this share of a window of so many tokens is in
        view, and sweeps once. With a budget it begins and ends there.
    fresh, fresh_tokens : int
        How many of the newest messages stay as they are, and (``compat="reference"``) in how many
        tokens at most; with a budget, in at most half of it.
    turn : int
        The live turn, from the newest user message on, stays as it is when it has at most so many
        tokens (and three quarters of a budget); a longer one is compacted but for that message and
        the newest ones.
    chunk : int
        Tokens under a leaf at most, and under a condensed summary.
    leaf, condensed : int
        Tokens of either at most; with a budget, half of what it leaves for summaries, and all that
        is left of it for the summary that meets it.
    fanout : (int, int, int)
        How many leaves are condensed at least, how many deeper summaries, and how many of either
        under pressure.
    depth : int, optional
        The greatest depth that is made, 0 for leaves alone. For the reference it is a preference,
        of 1 when not given, -1 for none.
    prefix : int, optional
        Tokens of summaries that may stay in view; half of the limit when not given, at least
        ``condensed`` and at most ``chunk``.
    passes, rounds : int
        Passes of a sweep, and sweeps towards a budget; as many as gain something when not given, 10
        for the reference. What was stopped by either goes on when called again.
    overage : float
        A summary longer than so many times its target is cut.
    limit : int
        Tokens of the cut that needs no summariser, 64 or more.
    footer : bool
        Whether a summary ends with a line "Expand for details about:" of what it does not name.
    single : bool
        Make one leaf, and of each depth the summary that it completes, in place of a sweep
        (``compactLeaf`` of the reference). A budget does not change that.
    compat : {"reference"}, optional
        As the reference, also where that looks wrong: its token estimate, its unbounded live turn,
        a cut that may be longer than its source, calls parted from results, only the oldest stretch
        of a depth looked at.

    Examples
    --------
    >>> Lossless(fresh=32, footer=False)
    Lossless(fresh=32, footer=False)
    """

    window: int = 128_000
    threshold: float = 0.75
    fresh: int = 64
    fresh_tokens: int | None = None
    turn: int = TURN
    chunk: int = 20_000
    leaf: int = 2_400
    condensed: int = 2_000
    fanout: tuple[int, int, int] = (8, 4, 2)
    depth: int | None = None
    prefix: int | None = None
    passes: int = 12
    rounds: int | None = None
    overage: float = 3
    limit: int = 512
    footer: bool = True
    single: bool = False
    compat: Literal["reference"] | None = None

    def check(self) -> None:
        """Refuse what no sweep can go by."""
        whole(self, window=self.window, chunk=self.chunk, leaf=self.leaf, condensed=self.condensed)
        whole(self, passes=self.passes)
        whole(self, 0, fresh=self.fresh, turn=self.turn)
        whole(self, 64, limit=self.limit)
        if self.fresh_tokens is not None:
            whole(self, fresh_tokens=self.fresh_tokens)
        if self.rounds is not None:
            whole(self, rounds=self.rounds)
        if self.prefix is not None:
            whole(self, 0, prefix=self.prefix)
        if self.depth is not None:
            whole(self, -1 if self.compat else 0, depth=self.depth)
        self._check_shares()

    def _check_shares(self) -> None:
        if not _real(self.threshold) or not 0 < self.threshold <= 1:
            raise BadParameter(f"Lossless: threshold is a share of 1. Got {self.threshold!r}.")
        if not _real(self.overage) or not 1 <= self.overage < math.inf:
            raise BadParameter(f"Lossless: overage must be 1 or more. Got {self.overage!r}.")
        fanout: object = self.fanout
        if not isinstance(fanout, tuple) or len(fanout) != 3:
            raise BadParameter(
                "Lossless: fanout is three numbers, of leaves, of deeper summaries and under "
                f"pressure: (8, 4, 2). Got {self.fanout!r}."
            )
        for number in self.fanout:
            whole(self, 2, fanout=number)
        if self.compat not in (None, "reference"):
            raise BadParameter(f"compat is 'reference' or None. Got {self.compat!r}.")

    def deepest(self, *, pressed: bool) -> int | None:
        """Give the greatest depth of a summary that is condensed; None for any."""
        if self.compat is None:
            return None if self.depth is None else self.depth - 1
        depth = 1 if self.depth is None else self.depth
        return None if pressed or depth == -1 else depth - 1

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Sweep, once or until the budget is met."""
        limit = int(self.threshold * self.window) if work.budget is None else work.budget
        sweep = Sweep(dag, self, work)
        if sweep.tokens <= limit and not (sweep.reference and sweep.tokens == work.budget):
            work.reason = f"it begins above {counted(limit, 'token')} in view"
            return dag
        if self.single:
            sweep.once()
        elif work.budget is None:
            sweep.run(None, self._prefix(limit, sweep))
        else:
            self._until_under(sweep, work.budget)
        return sweep.settled()

    def _until_under(self, sweep: Sweep, budget: int) -> None:
        """Sweep until the budget is met, or a sweep gains nothing."""
        enough = budget - 1 if sweep.reference else budget
        rounds = self.rounds or (10 if sweep.reference else sys.maxsize)
        before, gains = sweep.tokens + 1, 0
        while enough < sweep.tokens < before and gains < rounds:
            before, gains = sweep.tokens, gains + 1
            sweep.run(enough, self._prefix(budget, sweep))
        exhausted = sweep.tokens >= before
        if exhausted and not sweep.reference and self.depth is None:
            sweep.squeeze(budget)

    def _prefix(self, limit: int, sweep: Sweep) -> int:
        if self.prefix is not None:
            return self.prefix
        found = prefix_target(limit, self.condensed, self.chunk)
        return found if sweep.room is None else min(found, sweep.room)


def _real(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
