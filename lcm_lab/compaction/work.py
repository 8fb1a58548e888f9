"""What a strategy works with: the summariser, the limit, and an account of what was done."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, cast, runtime_checkable

from lcm_lab.compaction.source import told
from lcm_lab.dag import Node, Summary
from lcm_lab.dag.nodes import sizes_of, token_counts
from lcm_lab.text import count_tokens
from lcm_lab.values import Named

__all__ = ["SMALL", "Failed", "Summariser", "Work", "named", "without_thought"]

#: Texts and a limit in tokens -> a summary of at most about that length.
Summariser: TypeAlias = Callable[[Sequence[str], int], str]

#: What is shorter is not worth a summary.
SMALL = 16

#: What a model that thinks aloud writes before its answer, or in place of one.
THOUGHT = re.compile(r"\A(?:\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z))+", re.DOTALL)
#: Where in memory a function stands is no part of its name.
PLACE = re.compile(r" at 0x[0-9a-fA-F]+")


class Failed(Exception):  # never leaves the package
    """A summariser raised, or gave nothing."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A summary that was accepted.

    Attributes
    ----------
    text : str
    level : {"normal", "aggressive", "capped", "cut"}
    tokens : int
    """

    text: str
    level: str
    tokens: int


@runtime_checkable
class Levelled(Protocol):
    """A summariser that says how a summary came about, as `Escalating` does."""

    def accepted(self, texts: Sequence[str], tokens: int) -> Accepted | None:
        """Give a summary with its level, or None where there is none."""


class Work:
    """What a strategy is given beside the Dag: a summariser, a limit, and somewhere to say why.

    Attributes
    ----------
    budget : int or None
        The limit of the frontier, in tokens.
    summariser : callable
    """

    def __init__(self, summariser: Summariser, budget: int | None = None) -> None:
        self.summariser = summariser
        self.budget = budget
        self.calls = self.read = self.written = 0
        self.no_gain = 0
        self.reason = ""
        self.level = "normal"

    def write(self, texts: Sequence[str], tokens: int) -> str:
        """Let the summariser write about texts, in about so many tokens.

        Raises
        ------
        Failed
            When it raises, or gives what is no text or an empty one; says which.
        """
        self.calls += 1
        self.read += sum(token_counts(texts))
        who = named(self.summariser)
        try:
            text, self.level = self._asked([*texts], tokens)
        except Exception as error:
            raise Failed(f"{who} raised {type(error).__name__}: {error}") from error
        said = without_thought(text) if isinstance(text, str) else ""
        if not said:
            raise Failed(f"{who} gave no text but {text!r:.40}")
        self.written += count_tokens(said)
        return said

    def _asked(self, texts: Sequence[str], tokens: int) -> tuple[object, str]:
        """Give what the summariser writes, and how it came about where it says so."""
        asked: object = self.summariser
        if not isinstance(asked, Levelled):
            return cast(Callable[..., object], asked)(texts, tokens), "normal"
        found = asked.accepted(texts, tokens)
        return (found.text, found.level) if found else ("", "normal")

    def filling(self, target: int, size: int, tokens: int) -> int:
        """Raise a target where its summary meets the budget: it has all that is left of it.

        Parameters
        ----------
        target, size : int
            Tokens of the summary, and of what it takes the place of.
        tokens : int
            In view, before it does.
        """
        if self.budget is None:
            return target
        return max(target, min(size - 1, self.budget - tokens + size))

    def summary(self, nodes: Sequence[Node], tokens: int) -> Summary | None:
        """Summarise nodes in about so many tokens.

        Returns
        -------
        Summary or None
            None where the nodes have less than 16 tokens, or where the summary would be no shorter
            than they are: then they are best left as they are.

        Raises
        ------
        Failed
            When the summariser fails.
        """
        texts = [text for text in map(told, nodes) if text]
        size = sum(sizes_of(nodes))
        if not texts or size < SMALL:
            return None
        text = self.write(texts, max(SMALL // 2, min(tokens, size - 1)))
        made = Summary.of(text, nodes, self.level, named(self.summariser))
        if made.tokens < size:
            return made
        self.no_gain += 1
        return None


def without_thought(text: str) -> str:
    """Leave out what a model thought aloud before its answer; "" where there is nothing else.

    Examples
    --------
    >>> without_thought("<think>hm</think> Use WAL."), without_thought("<think>hm")
    ('Use WAL.', '')
    """
    return THOUGHT.sub("", text).strip()


def named(summariser: Summariser) -> str:
    """Give the name by which a summary remembers who wrote it; the same in every run.

    Examples
    --------
    >>> named(len), named(Named("model-v2", len))
    ('len', 'model-v2')
    """
    if isinstance(summariser, Named):
        return summariser.name
    kind = type(summariser)
    if "__repr__" in kind.__dict__ and kind.__module__ != "builtins":
        return PLACE.sub("", repr(summariser))
    return str(getattr(summariser, "__qualname__", kind.__qualname__))
