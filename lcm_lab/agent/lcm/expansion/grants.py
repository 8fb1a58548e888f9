"""What a worker may do, and until when: conversations, tokens, levels."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterable
from typing import Any

from lcm_lab.errors import BadParameter, OverBudget

__all__ = ["CAP", "DEPTH", "LIFETIME", "Grant"]

#: Tokens, levels and seconds that a grant is for unless more is said.
CAP, DEPTH, LIFETIME = 4_000, 3, 300.0

#: Gives seconds on a clock that only rises.
Timer = Callable[[], float]


class Grant:
    """What a worker may look at: conversations, tokens, levels, and for how long.

    Levels and tokens are cut down to what there is; nothing is left, or any other breach, is
    refused. Threads may share a grant.

    Parameters
    ----------
    conversations : iterable of str
    tokens, depth : int
        How much may be read, and how deep at a time.
    summaries : iterable of str, optional
        The only summaries that may be named; any of the conversations when not given.
    expires : float
        When it ends, in seconds of the timer.
    timer : callable, optional
        A clock that only rises, in seconds; without one nothing expires.

    Examples
    --------
    >>> grant = Grant(["7"], tokens=1000)
    >>> grant.allowed(1500, 9)
    (1000, 3)
    >>> grant.spend(1000)
    >>> grant.allowed()
    Traceback (most recent call last):
    lcm_lab.errors.OverBudget: All 1,000 tokens of this grant are spent. Answer from what was read.
    """

    def __init__(
        self,
        conversations: Iterable[str],
        *,
        tokens: int = CAP,
        depth: int = DEPTH,
        summaries: Iterable[str] | None = None,
        expires: float = math.inf,
        timer: Timer | None = None,
    ) -> None:
        self.conversations = tuple(conversations)
        self.tokens, self.depth = max(tokens, 1), max(depth, 0)
        self.summaries = None if summaries is None else frozenset(summaries)
        self.expires, self.timer = expires, timer
        self.spent, self.revoked = 0, False
        self._turn = threading.Lock()
        self._asked: set[Any] = set()

    def __repr__(self) -> str:
        where = ", ".join(self.conversations) or "no conversation"
        return f"<Grant for {where}: {self.remaining:,} of {self.tokens:,} tokens>"

    @property
    def remaining(self) -> int:
        """Tokens that may still be read."""
        return max(self.tokens - self.spent, 0)

    def check(self, conversation: str | None = None, summaries: Collection[str] = ()) -> None:
        """Refuse what the grant is not for: ended, then elsewhere, then another summary.

        Raises
        ------
        BadParameter
        """
        if self.revoked:
            raise BadParameter("This grant was revoked: its worker has been ended.")
        if self.timer is not None and self.timer() >= self.expires:
            raise BadParameter("This grant has expired. Ask lcm_expand_query again.")
        if conversation is not None and conversation not in self.conversations:
            raise BadParameter(
                f"Conversation {conversation!r:.80} is not in this grant, which is for "
                f"{', '.join(self.conversations) or 'none'}."
            )
        if self.summaries is not None and not self.summaries.issuperset(summaries):
            others = sorted(set(summaries) - self.summaries)
            raise BadParameter(f"This grant is not for {', '.join(others)[:200]}.")

    def allowed(self, tokens: int | None = None, depth: int | None = None) -> tuple[int, int]:
        """Cut what is asked for down to what there is.

        Raises
        ------
        OverBudget
            When no token is left.
        """
        left = self.remaining
        if not left:
            raise OverBudget(
                f"All {self.tokens:,} tokens of this grant are spent. Answer from what was read."
            )
        asked = left if tokens is None else max(tokens, 1)
        return min(asked, left), min(self.depth if depth is None else max(depth, 0), self.depth)

    def spend(self, tokens: int) -> None:
        """Count tokens as read."""
        with self._turn:
            self.spent += max(tokens, 0)

    def revoke(self) -> None:
        """End the grant at once, whoever holds it."""
        self.revoked = True

    def again(self, request: Any) -> bool:
        """Tell whether the same was asked before under this grant."""
        with self._turn:
            known = request in self._asked
            self._asked.add(request)
            return known

    def child(self, conversation: str, most: int = CAP) -> Grant:
        """Give what may be handed on: what is left, one level less, and only of one conversation.

        Examples
        --------
        >>> Grant(["7"], tokens=1500).child("7", 4000)
        <Grant for 7: 1,500 of 1,500 tokens>
        """
        self.check(conversation)
        tokens, depth = self.allowed(most)
        return Grant(
            (conversation,),
            tokens=tokens,
            depth=max(depth - 1, 0),
            summaries=self.summaries,
            expires=self.expires,
            timer=self.timer,
        )
