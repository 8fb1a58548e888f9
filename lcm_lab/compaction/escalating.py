"""Escalating: a summariser that always gives a summary, and one shorter than its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lcm_lab.compaction.checks import whole
from lcm_lab.compaction.escalation import Targets, escalate
from lcm_lab.compaction.guarded import callable_or_refused
from lcm_lab.compaction.work import Accepted, Failed, without_thought
from lcm_lab.text import count_tokens
from lcm_lab.values import value

__all__ = ["Escalating"]


@value
class Escalating:
    r"""Ask for a summary, then a stricter one, and cut where neither is shorter than its source.

    Parameters
    ----------
    summariser : callable ``(texts, tokens) -> str``
    aggressive : callable, optional
        Who is asked second, for half as much; the same when not given.
    limit : int
        Tokens of the cut, at most. It says that it is one; sentences that give orders to a model
        are left out of it, since nobody has read them.

    Notes
    -----
    The three levels of LCM (Ehrlich and Blackman, 2026): a level is accepted when it is shorter
    than its input, so compaction always ends. A summariser that raises, or gives nothing, leads to
    the cut at once.

    Examples
    --------
    >>> def lost(texts, tokens):
    ...     raise ConnectionError("no model")
    >>> Escalating(lost)(["We use WAL mode for the journal, and one writer at a time."], 9)
    'We use WAL mode for\n[Truncated]'
    """

    summariser: Any
    aggressive: Any = None
    limit: int = 512

    def check(self) -> None:
        """Refuse what is no summariser, and no limit."""
        callable_or_refused(self, self.summariser)
        if self.aggressive is not None:
            callable_or_refused(self, self.aggressive)
        whole(self, limit=self.limit)

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give a summary of about ``tokens`` tokens, shorter than its source.

        Returns
        -------
        str
            "" where there is nothing to say, or nothing shorter to say it with.
        """
        found = self.accepted(texts, tokens)
        return found.text if found else ""

    def accepted(self, texts: Sequence[str], tokens: int) -> Accepted | None:
        """Give the summary with its level: normal, aggressive, capped or cut."""
        tries = iter((self.summariser, self.aggressive or self.summariser))

        def write(said: Sequence[str], room: int) -> str:
            try:
                text = next(tries)([*said], room)
            except Exception as error:
                raise Failed(str(error)) from error
            return without_thought(text) if isinstance(text, str) else ""

        source = sum(map(count_tokens, texts))
        limit = min(self.limit, max(tokens, 1))
        return escalate(texts, source, Targets(tokens, max(1, tokens // 2), limit=limit), write)
