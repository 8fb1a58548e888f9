"""The Dag: messages, the summaries made over them, and the frontier that the model sees.

The raw conversation is the Dag of depth zero: its frontier is its messages. A compaction puts a
summary in the place of a run of the frontier and keeps the run beneath it, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from lcm_lab.dag.graph import Graph, near
from lcm_lab.dag.nodes import Node, Summary, sizes_of
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.messages import Message

if TYPE_CHECKING:
    from lcm_lab.corpus import Corpus
    from lcm_lab.dag.view import View

__all__ = ["Dag"]


@dataclass(frozen=True, repr=False)
class Dag(Graph):
    """A conversation with its summaries; a frozen value, equal by what it holds.

    Parameters
    ----------
    conversation : str
    messages : sequence of Message
        The active branch, in order.
    summaries : sequence of Summary
        In the order of their making.
    frontier : sequence of str
        Ids of messages and summaries: what the model sees, in order.
    outcome : Outcome, optional
        What the compaction that gave this Dag did; no part of its value.

    Notes
    -----
    Nothing is checked here, so that a damaged Dag can be opened, walked and looked at: a walk ends
    at a cycle and passes over what is missing, and `check` names both. `of`, `append` and `replace`
    keep a sound Dag sound.

    Examples
    --------
    >>> from lcm_lab.dag import Dag, Summary
    >>> dag = Dag.of(lcm.Corpus(["Which database?", "Postgres it is.", "And the cache?"]))
    >>> leaf = Summary.of("Database: Postgres.", dag.messages[:2])
    >>> dag = dag.replace("m1", "m2", leaf)
    >>> print(dag.view())
    Database: Postgres.
    <BLANKLINE>
    And the cache?
    >>> [node.id for node in dag.sources(leaf.id)]
    ['m1', 'm2']
    """

    @classmethod
    def of(cls, source: Any, conversation: str | None = None) -> Dag:
        """Make the Dag of depth zero: the frontier is the messages.

        Parameters
        ----------
        source : iterable of Message, Corpus, Transcripts, or anything with ``messages``
            Of a Corpus, rows of one message (``m1``, ``m1#tool_call``) are its parts, and rows of
            summaries are left out. Of Transcripts, the active branch of the session is taken,
            without what its subagents said.
        conversation : str, optional
            Which one, where the source holds several; else its name.

        Raises
        ------
        BadParameter
            When the source holds several conversations and none is named.
        NotFound
            When it does not hold the one named.
        BadInput
            When two different messages share an id.
        """
        from lcm_lab.dag.origin import origin

        name, messages = origin(source, conversation)
        return cls(name).append(messages)

    def __repr__(self) -> str:
        from lcm_lab.dag.outline import title

        return title(self)

    def __str__(self) -> str:
        from lcm_lab.dag.outline import outline

        return outline(self)

    def _repr_html_(self) -> str:
        from lcm_lab.dag.outline import folded

        return folded(self)

    def append(self, messages: Iterable[Message]) -> Dag:
        """Give the Dag with more messages at the end of its frontier.

        Those that it holds already are passed over, so that a transcript, or a grown copy of it,
        can be given again whole.

        Raises
        ------
        BadInput
            When a message says something else than the one that has its id.
        """
        new: dict[str, Message] = {}
        for message in messages:
            there = new.get(message.id) or self._nodes.get(message.id)
            if there is None:
                new[message.id] = message
            elif not _same(there, message):
                raise BadInput(
                    f"Another node has the id {message.id!r}: an id names one message. Give each "
                    "its own; for a conversation that has changed write dag.follow(messages)."
                )
        messages = (*self.messages, *new.values())
        frontier = (*self.frontier, *new)
        grown = replace(self, messages=messages, frontier=frontier, outcome=None)
        grown.__dict__["_sizes"] = self._sizes + sizes_of(new.values())
        return grown

    def replace(self, first: str, last: str, summary: Summary) -> Dag:
        """Put a summary in the place of a run of the frontier.

        Parameters
        ----------
        first, last : str
            Ids in the frontier, ``last`` included.
        summary : Summary
            Made from that run, all of it, in its order: ``Summary.of(text, nodes)``.

        Raises
        ------
        BadParameter
            When an id is not in the frontier, or the summary is not of that run.
        """
        if not isinstance(summary, Summary):
            raise BadParameter(f"Write Summary.of(text, nodes). Got {summary!r:.80}.")
        start, stop = self._seen_at(first), self._seen_at(last) + 1
        if summary.sources != self.frontier[start:stop] or start >= stop:
            raise BadParameter(
                f"The summary is of {_listed(summary.sources)}, but the frontier from {first!r} to "
                f"{last!r} is {_listed(self.frontier[start:stop])}. Make it of that run: "
                "Summary.of(text, nodes)."
            )
        return self.settled([summary], (*self.frontier[:start], summary.id, *self.frontier[stop:]))

    def settled(self, made: Iterable[Summary], frontier: Iterable[str]) -> Dag:
        """Give the Dag with more summaries and another frontier: what a strategy ends with.

        Unlike `replace` it takes the frontier as given; `check` says whether it is sound.
        """
        known = {summary.id for summary in self.summaries}
        new = {one.id: one for one in made if one.id not in known}
        summaries = (*self.summaries, *new.values())
        return self.altered(summaries=summaries, frontier=tuple(frontier), outcome=None)

    def follow(self, messages: Iterable[Message]) -> Dag:
        """Give the Dag over another course of the conversation: a branch, or after a deletion.

        A summary stays when all that lies under it stays, in one piece; where one goes, what it was
        made from comes back to the frontier. Messages that are new are raw.
        """
        from lcm_lab.dag.branch import follow

        return follow(self, tuple(messages))

    def view(self) -> View:
        """Give what the model sees, as text and as a frame with a row a node."""
        from lcm_lab.dag.view import View

        return View(tuple(self.node(name) for name in self.frontier if name in self))

    def corpus(self, kinds: Sequence[str] = ("text", "tool_call", "tool_result")) -> Corpus:
        """Give messages and summaries as rows to search in.

        Parameters
        ----------
        kinds : sequence of str
            The kinds of parts that messages give rows of, as in `Transcripts.corpus`.

        Returns
        -------
        Corpus
            Summaries have the scope summaries, the kind summary, their ``depth`` and ``level`` as
            text, the time of the last message under them, and stand right behind it. Of messages
            depth and level are "". A summary without text gives no row.
        """
        from lcm_lab.dag.view import corpus

        return corpus(self, kinds)

    def check(self) -> pd.DataFrame:
        """Check that the Dag is sound.

        Returns
        -------
        DataFrame
            A row a rule: ``rule``, ``violations`` (0 where it holds) and ``examples``, a tuple of
            at most ten ids, or of cycles as ``a > b > a``.
        """
        from lcm_lab.dag.check import check

        return check(self)

    def _seen_at(self, name: str) -> int:
        at = self._seen.get(name)
        if at is None:
            where = "under a summary" if name in self else "not in this Dag"
            raise BadParameter(
                f"{name!r} is not in the frontier: it is {where}.{near(name, self.frontier)}"
            )
        return at

    @cached_property
    def _seen(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.frontier)}


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:3])
    return f"{shown} and {len(ids) - 3:,} more" if len(ids) > 3 else shown or "nothing"


def _same(there: Node, message: Message) -> bool:
    """Tell whether two nodes of one id are one message, whatever file each was read from."""
    if isinstance(there, Summary):
        return False
    was = (there.role, there.parts, there.time)
    return was == (message.role, message.parts, message.time)
