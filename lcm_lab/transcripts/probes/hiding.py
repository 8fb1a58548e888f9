"""What a topic may see: nothing of what came later, and not the session in which it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lcm_lab.columns import NO_TIME
from lcm_lab.transcripts.probes.base import Draft
from lcm_lab.transcripts.probes.history import History

__all__ = ["Hidden", "hidden"]

Reach = Literal["earlier session", "own session", "whole history"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A topic with its horizon.

    Attributes
    ----------
    draft : Draft
    gold : tuple of int
        What is right and can be seen.
    before : int or None
        Everything from this instant on is hidden; None hides nothing.
    reach : str
        Where the gold lies: in an earlier session, then the session that asked is hidden whole; in
        the session that asked, then it is hidden from the question on; or the question was asked in
        no session, and nothing is hidden.
    """

    draft: Draft
    gold: tuple[int, ...]
    before: int | None
    reach: Reach


def hidden(history: History, draft: Draft) -> Hidden:
    """Hide what did not exist when a topic was asked; its gold may be empty then.

    A question that earlier sessions answer is asked of them alone: the session in which it was
    asked speaks of the same thing and would be found instead.
    """
    if draft.asked is None:
        return Hidden(draft, draft.gold, None, "whole history")
    times = history.times
    there = tuple(row for row in draft.gold if NO_TIME < times[row] < draft.asked)
    start = history.starts.get(draft.talk, draft.asked)
    before = tuple(row for row in there if times[row] < start and history.talks[row] != draft.talk)
    if draft.row >= 0 and before:
        return Hidden(draft, before, start, "earlier session")
    if draft.row < 0:
        return Hidden(draft, there, draft.asked, "whole history")
    return Hidden(draft, there, draft.asked, "own session")
