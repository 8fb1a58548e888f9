"""What a real agent used again after its context was compacted: identifiers, and which were kept.

Needs no labels: what came before a boundary, the summary that replaced it, and what the agent wrote
after it. Two cautions: what a session used later was shaped by the summary it had, which flatters
that summary; and a name without its meaning is not a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lcm_lab.compaction.anchors import unfolded
from lcm_lab.compaction.source import told
from lcm_lab.identifiers import identifiers
from lcm_lab.messages import Message

__all__ = ["Boundary", "boundaries", "kept", "later_used"]


@dataclass(frozen=True, eq=False)
class Boundary:
    """A real compaction: what stood before it, the summary, and what came after.

    Attributes
    ----------
    session : str
    before, after : tuple of Message
    summary : str
    """

    session: str
    before: tuple[Message, ...]
    summary: str
    after: tuple[Message, ...]

    @property
    def texts(self) -> list[str]:
        """What a summariser reads of what stood before; messages without text are left out."""
        return [text for text in map(told, self.before) if text]


def boundaries(messages: Iterable[Message]) -> Iterator[Boundary]:
    """Find where real summaries replaced the context of a session.

    Parameters
    ----------
    messages : iterable of Message
        As `read` gives them; the summaries are parts of kind summary.
    """
    sessions: dict[str, list[Message]] = {}
    for message in messages:
        sessions.setdefault(message.session, []).append(message)
    for session, said in sessions.items():
        for at, message in enumerate(said):
            summary = "\n".join(part.text for part in message.parts if part.kind == "summary")
            if summary and at and at + 1 < len(said):
                yield Boundary(session, tuple(said[:at]), summary, tuple(said[at + 1 :]))


def later_used(before: Sequence[Message], after: Sequence[Message]) -> dict[str, str]:
    """Give the identifiers of what stood before that the agent wrote again after, and their kinds.

    What only users or tools wrote after the boundary does not count: the agent did not need it.
    """
    known = {name: kind for text in map(told, before) for kind, name in identifiers(text)}
    mine = (told(message) for message in after if message.role == "assistant")
    used = dict.fromkeys(name for text in mine for _, name in identifiers(text))
    return {name: known[name] for name in used if name in known}


def kept(text: str, names: Iterable[str]) -> set[str]:
    """Give those of some identifiers that stand in a text, an index's folders written out."""
    whole = unfolded(text)
    return {name for name in names if name in whole}
