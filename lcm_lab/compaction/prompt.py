"""A prompt: what of a frontier a model is sent, and what was left out of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lcm_lab.compaction.pairing import Turn
from lcm_lab.shown import counted

__all__ = ["Evicted", "Mode", "Prompt", "Why"]

Mode: TypeAlias = Literal["full-fit", "prompt-aware", "chronological"]
Why: TypeAlias = Literal["budget", "size", "blank", "repair"]

SAID = {
    "budget": "did not fit",
    "size": "cut for the size of the whole",
    "blank": "said nothing",
    "repair": "answered no call, or as another did",
}


@dataclass(frozen=True, slots=True)
class Evicted:
    """What of the frontier is not in the prompt.

    Attributes
    ----------
    id : str
        Of a message or a summary; what it says can still be found, and expanded.
    why : {"budget", "size", "blank", "repair"}
        It did not fit beside what is newer, or fits the question better; it was cut because the
        whole, with what was repaired in it, was too long; it said nothing that is sent; it was the
        result of no call that is there, or a second one.
    tokens : int
        Of its turns.
    """

    id: str
    why: Why
    tokens: int


@dataclass(frozen=True, repr=False)
class Prompt:
    """What a model is sent of a conversation; made by `assemble`.

    Attributes
    ----------
    turns : tuple of Turn
        In order; `messages` gives them as a provider takes them.
    tokens : int
        Of all turns as they are sent.
    budget : int
    mode : {"full-fit", "prompt-aware", "chronological"}
        How it was chosen what goes: nothing had to, what has least to do with the question, or the
        oldest.
    evicted : tuple of Evicted
        What of the frontier was left out, in its order.

    Examples
    --------
    >>> prompt = lcm.assemble(lcm.Dag.of(lcm.Corpus(["Postgres it is."])), budget=100)
    >>> prompt.mode, prompt.over, len(prompt.messages)
    ('full-fit', 0, 1)
    """

    turns: tuple[Turn, ...]
    tokens: int
    budget: int
    mode: Mode = "full-fit"
    evicted: tuple[Evicted, ...] = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The turns as a provider takes them, as copies: role, content, and ids of calls."""
        return [copy.deepcopy(dict(turn.wire)) for turn in self.turns]

    @property
    def over(self) -> int:
        """By how many tokens the budget is missed, 0 where it is met."""
        return max(0, self.tokens - self.budget)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The ids of the messages and summaries in the prompt, each once, in order."""
        return tuple(dict.fromkeys(turn.node for turn in self.turns if turn.node))

    def __len__(self) -> int:
        return len(self.turns)

    def __repr__(self) -> str:
        return f"Prompt of {'; '.join(self._told())}"

    def _told(self) -> Iterator[str]:
        over = f", over by {self.over:,}" if self.over else ""
        turns = counted(len(self.turns), "turn")
        yield f"{turns}, {self.tokens:,} of {counted(self.budget, 'token')}{over} ({self.mode})"
        for why, said in SAID.items():
            gone = [one for one in self.evicted if one.why == why]
            if gone:
                size = counted(sum(one.tokens for one in gone), "token")
                yield f"{counted(len(gone), 'node')} of {size} {said}"
