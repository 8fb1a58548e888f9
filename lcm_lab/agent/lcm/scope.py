"""Where a tool looks: one conversation, the session family, all, or what a grant allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lcm_lab.errors import BadParameter, NotFound

__all__ = ["Granted", "Scope", "conversation_name", "number_or_name", "scope_of"]


class Granted(Protocol):
    """What a worker may look at; `LcmTools` of a worker hold one."""

    @property
    def conversations(self) -> Sequence[str]:
        """Names of the conversations that it may read."""

    @property
    def remaining(self) -> int:
        """Tokens that it may still read."""


class Families(Protocol):
    """What knows which conversations there are, and which belong together."""

    def names(self) -> Sequence[str]:
        """Name every conversation."""

    def family(self, conversation: str) -> list[str]:
        """Name the conversations of the same key."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a tool looks.

    Attributes
    ----------
    conversations : tuple of str or None
        Names, those to look at first coming first; None for every conversation.
    said : str
        The same in words, for whoever reads the answer.
    """

    conversations: tuple[str, ...] | None
    said: str

    def __contains__(self, conversation: object) -> bool:
        return self.conversations is None or conversation in self.conversations


def scope_of(
    held: Families,
    current: str | None,
    grant: Granted | None,
    conversation: float | str | None,
    *,
    everywhere: bool,
) -> Scope:
    """Decide where a tool looks: what is named, else everywhere, else the session family.

    Parameters
    ----------
    held : Families
    current : str, optional
        The conversation that the tools work for.
    grant : Granted, optional
        What a worker may look at. It leaves this by no parameter.
    conversation : number or str, optional
        As it was asked for.
    everywhere : bool
        Whether every conversation was asked for.

    Raises
    ------
    BadParameter
        Where nothing says where to look, or a grant does not reach there.
    NotFound
        For a conversation that there is not.
    """
    name = None if conversation is None else conversation_name(conversation)
    if grant is not None:
        return _granted(tuple(grant.conversations), name)
    if name is not None:
        if name not in held.names():
            held.family(name)  # says what there is
            raise NotFound(f"No conversation {name!r:.80}.")
        return Scope((name,), f"conversation {name}")
    if everywhere:
        return Scope(None, "all conversations")
    return _family(held, current)


def _granted(allowed: tuple[str, ...], name: str | None) -> Scope:
    if name is None:
        return Scope(allowed, f"the conversations of this grant: {', '.join(allowed) or 'none'}")
    if name not in allowed:
        raise BadParameter(
            f"Conversation {name!r:.80} is not in this grant, which is for "
            f"{', '.join(allowed) or 'none'}. Leave conversationId out to look at those."
        )
    return Scope((name,), f"conversation {name}")


def _family(held: Families, current: str | None) -> Scope:
    names = held.names()
    if current is None and names:
        segments = held.family(names[0])
        if len(segments) == len(names):  # nothing else there is
            current = segments[0]
    if current is None:
        raise BadParameter(
            "No current session, and nothing says where to look. Pass conversationId, or "
            "allConversations=true."
        )
    segments = held.family(current)
    many = "" if len(segments) == 1 else f" and its family ({len(segments)} segments)"
    return Scope(tuple(segments), f"session {current}{many}")


def conversation_name(given: float | str) -> str:
    """Give the name of a conversation as a tool was given it: a text, or its number.

    Examples
    --------
    >>> conversation_name(7), conversation_name(7.0), conversation_name("conv-26")
    ('7', '7', 'conv-26')
    """
    return str(given) if isinstance(given, str) else str(int(given))


def number_or_name(name: str) -> int | str:
    """Give a conversation as answers name it: a number where its name is one.

    Examples
    --------
    >>> number_or_name("7"), number_or_name("007"), number_or_name("conv-26")
    (7, '007', 'conv-26')
    """
    return int(name) if name.isdecimal() and str(int(name)) == name else name
