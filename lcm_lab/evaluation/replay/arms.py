"""Arms: how many searches and expansions may be spent to recover a fact that is not in view."""

from __future__ import annotations

from typing import Literal

from lcm_lab.compaction.checks import whole
from lcm_lab.errors import BadParameter
from lcm_lab.values import value

__all__ = ["ARMS", "Arm"]


@value
class Arm:
    """An allowance: so many searches and so many expansions.

    Parameters
    ----------
    searches, expansions : int
    scope : "summaries", optional
        Search among summaries alone, so that a message is reached by way of its summary.

    Examples
    --------
    >>> Arm(3, 3).name, Arm().name, Arm(3, 3, scope="summaries").name
    ('3 + 3', 'closed book', '3 + 3 by summaries')
    """

    searches: int = 0
    expansions: int = 0
    scope: Literal["summaries"] | None = None

    def check(self) -> None:
        """Refuse numbers that are none, and expansions of nothing."""
        whole(self, 0, searches=self.searches, expansions=self.expansions)
        if self.expansions and not self.searches:
            raise BadParameter(f"Without a search there is nothing to expand. Got {self!r}.")
        if self.scope not in (None, "summaries"):
            raise BadParameter(f"scope is 'summaries' or None. Got {self.scope!r}.")

    @property
    def name(self) -> str:
        """What a table calls it."""
        if not self.searches:
            return "closed book"
        by = " by summaries" if self.scope else ""
        if not self.expansions:
            return f"{self.searches} search{'es' * (self.searches > 1)}{by}"
        return f"{self.searches} + {self.expansions}{by}"

    def within(self, other: Arm) -> bool:
        """Tell whether another allowance begins with all that this one is spent on."""
        mine, theirs = self.turns, other.turns
        return self.scope == other.scope and theirs[: len(mine)] == mine

    @property
    def turns(self) -> str:
        """Searches (s) and expansions (e) in the order in which they are spent."""
        both = min(self.searches, self.expansions)
        return "se" * both + "s" * (self.searches - both) + "e" * (self.expansions - both)


ARMS = (Arm(), Arm(1), Arm(1, 1), Arm(3, 3), Arm(3, 3, "summaries"))
