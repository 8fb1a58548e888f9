"""What a compaction did to a Dag, and why it did no more."""

from __future__ import annotations

from dataclasses import dataclass

from lcm_lab.shown import counted

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a compaction did; `Dag.outcome` of its result, and no part of the Dag's value.

    Attributes
    ----------
    before, after : int
        Tokens of the frontier.
    budget : int or None
        The limit that was asked for.
    made : int
        Summaries that are new.
    calls, read, written : int
        Calls of the summariser, and tokens that it read and wrote, those not used included.
    failed : bool
        Whether the compaction was cancelled: then the Dag is as it was.
    reason : str
        Why nothing was done, why it ended early, or why the budget was missed; else "".

    Examples
    --------
    >>> print(Outcome(850, 790, 800, made=1))
    850 to 790 tokens (limit 800), 1 new summary
    >>> Outcome(950, 950, 800).over
    150
    """

    before: int
    after: int
    budget: int | None = None
    made: int = 0
    calls: int = 0
    read: int = 0
    written: int = 0
    failed: bool = False
    reason: str = ""

    @property
    def changed(self) -> bool:
        """Whether the frontier was shortened."""
        return self.after < self.before or self.made > 0

    @property
    def over(self) -> int:
        """By how many tokens the budget was missed, 0 where it was met or none was given."""
        return 0 if self.budget is None else max(0, self.after - self.budget)

    def __str__(self) -> str:
        limit = "" if self.budget is None else f" (limit {self.budget:,})"
        made = "1 new summary" if self.made == 1 else f"{self.made:,} new summaries"
        missed = f"; over by {counted(self.over, 'token')}" if self.over else ""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.before:,} to {self.after:,} tokens{limit}, {made}{missed}{why}"
