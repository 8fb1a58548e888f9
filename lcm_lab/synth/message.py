"""A message as a profile makes it, before it is a row of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lcm_lab.synth.world import Fact

__all__ = ["Message"]


@dataclass(frozen=True)
class Message:
    """A turn or an entry as it stands in the corpus, and what it tells.

    Attributes
    ----------
    docno : str
        ``<conversation>/<session>/<number>``: all before the last slash names the session.
    session : int
        Which session of the world, from 0; a question is asked after a session.
    speaker : str
        Who says it; counts as text where overlap is measured. Empty for a tool.
    time : datetime
        Naive UTC.
    text : str
    states : tuple of Facts
        The facts whose value the text states: gold for what asks for them.
    mentions : tuple of Facts
        The facts that the text is about without their value: grade 1 for what asks for them.
    role : str
        user, assistant, system or tool; empty in a chat between people.
    kind : str
        text, tool_call, tool_result or reasoning.
    parent : str
        The docno of the message that this one follows, where the profile has parents.
    extra : tuple of (column, text)
        More text columns of the corpus.
    lang : str
        The language of its words; "en" unless said.
    """

    docno: str
    session: int
    speaker: str
    time: datetime
    text: str
    states: tuple[Fact, ...] = ()
    mentions: tuple[Fact, ...] = ()
    role: str = ""
    kind: str = "text"
    parent: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    lang: str = "en"

    def tells(self, facts: Sequence[Fact]) -> bool:
        """Tell whether it states one of the facts."""
        return any(told.ref == fact.ref for told in self.states for fact in facts)
